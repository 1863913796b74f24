#pragma once
// The type system's view of a compile: aliases from the environment, and names of resource types.
#include "compiler/eval/evaluator.h"
#include "compiler/eval/shared_aliases.h"
#include "compiler/types/object_type.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace pupc {

class TypeLoader : public TypeContext {
public:
  explicit TypeLoader(Evaluator& evaluator);
  const Type* load_type(std::string_view name) override;
  bool resource_type_exists(std::string_view name) override;

  /// What a type name in source means: a built-in type, a resource type or an alias, in Puppet's order; null when unknown.
  const Type* named(Symbol cased, Symbol lower);

  /// The Ruby file that implements the functions of a module's data type; null when none does.
  const std::string* implementation(const ObjectType& type) const;
  /// The same for the type or any of its parents.
  bool implemented_in_ruby(const ObjectType& type) const;

private:
  const Type* load_ruby_type(std::string_view name);
  const Type* shared_alias(const TypeAliasEntry& entry, std::string_view name);
  bool means_the_same(const SharedAlias& alias, std::vector<std::string_view>& added);
  const Type* described(const Value& description, std::string_view name);

  Evaluator& evaluator_;
  std::shared_ptr<SharedAliases> shared_; // made at first use
  std::unordered_map<const ObjectType*, std::string> implementations_;
  std::unordered_map<uint32_t, const Type*> named_;      // by the cased symbol; null = known to be missing
  std::unordered_map<std::string, const Type*> aliases_; // by name, Objects and TypeSets too; unresolved while its expression is evaluated
};

/// Evaluates an alias' expression into `alias`. False, with an unfinished alias, when it declares an Object or a TypeSet.
/// Throws CompileError without place.
bool resolve_alias_expression(TypeContext& ctx, TypeAliasType& alias, const TypeAliasEntry& entry);
/// The path of a module's data type (lib/puppet/datatypes) for a type name; empty when there is none.
std::string ruby_data_type_file(const Environment& environment, std::string_view name);

} // namespace pupc
