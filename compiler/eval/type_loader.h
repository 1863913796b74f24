#pragma once
// The type system's view of a compile: aliases loaded from the environment, names of resource types.
#include "compiler/eval/evaluator.h"

#include <string>
#include <unordered_map>

namespace pupc {

class TypeLoader : public TypeContext {
public:
  explicit TypeLoader(Evaluator& evaluator);
  const Type* load_type(std::string_view name) override;
  bool resource_type_exists(std::string_view name) override;

  /// What a type name in source stands for: built-in type, resource type, alias, in the reference's order; null when unknown.
  const Type* named(Symbol cased, Symbol lower);

private:
  const Type* described(const Value& description, std::string_view name);

  Evaluator& evaluator_;
  std::unordered_map<uint32_t, const Type*> named_;            // by the cased symbol; null = known not to exist
  std::unordered_map<std::string, const Type*> aliases_;       // by name, Objects and TypeSets too; in work while the expression is evaluated
};

} // namespace pupc
