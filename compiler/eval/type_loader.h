#pragma once
// The type system's view of a compile: aliases from the environment, and names of resource types.
#include "compiler/eval/evaluator.h"
#include "compiler/eval/shared_aliases.h"
#include "compiler/types/object_type.h"

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace pupc::compiler {

class TypeLoader : public TypeContext {
public:
  explicit TypeLoader(Evaluator& evaluator);
  const Type* load_type(std::string_view name) override;
  bool resource_type_exists(std::string_view name) override;

  /// What a type name in source means: a built-in type, a resource type or an alias, in Puppet's order; null when unknown.
  const Type* named(Symbol cased, Symbol lower);

  /// While the types of a definition's parameters are made, as its file is loaded: the aliases further down are not known yet.
  struct LoadingGuard {
    LoadingGuard(TypeLoader& l, const ParsedFile* file, uint32_t offset) : loader(l), file_before(l.loading_), offset_before(l.loaded_to_) {
      l.loading_ = file;
      l.loaded_to_ = offset;
    }
    ~LoadingGuard() {
      loader.loading_ = file_before;
      loader.loaded_to_ = offset_before;
    }
    LoadingGuard(const LoadingGuard&) = delete;
    LoadingGuard& operator=(const LoadingGuard&) = delete;
    TypeLoader& loader;
    const ParsedFile* file_before;
    uint32_t offset_before;
  };

  /// The Ruby file that implements the functions of a module's data type; null when none does.
  const std::string* implementation(const ObjectType& type) const;
  /// The same for the type or any of its parents.
  bool implemented_in_ruby(const ObjectType& type) const;

private:
  const Type* load_ruby_type(std::string_view name);
  const Type* declared_alias(const TypeAliasEntry& entry, const Type*& slot);
  /// The alias of that name in a manifest that this compile has read for something else; null when there is none.
  const Type* read_alias(std::string_view name);
  const Type* shared_alias(const TypeAliasEntry& entry, std::string_view name);
  bool means_the_same(const SharedAlias& alias, std::vector<std::string_view>& added);
  const Type* described(const Value& description, std::string_view name);

  Evaluator& evaluator_;
  std::shared_ptr<SharedAliases> shared_; // made at first use
  std::unordered_map<const ObjectType*, std::string> implementations_;
  std::unordered_map<uint32_t, const Type*> named_;      // by the cased symbol
  std::unordered_map<std::string, const Type*> aliases_; // by name, Objects and TypeSets too; unresolved while its expression is evaluated
  struct ReadAlias {
    const TypeAliasEntry* entry;
    const Type* type; // null before its first use
  };
  std::unordered_map<std::string, std::vector<ReadAlias>> read_aliases_; // by lower-case name
  size_t searches_seen_ = 0;                                             // the searches that read_aliases_ knows
  const ParsedFile* loading_ = nullptr;                                  // see LoadingGuard
  uint32_t loaded_to_ = 0;
  std::optional<const Module*> resolving_for_; // while an alias is evaluated: the module that declares it
};

/// Evaluates an alias' expression into `alias`. False, with an unfinished alias, when it declares an Object or a TypeSet.
/// Throws CompileError without place.
bool resolve_alias_expression(TypeContext& ctx, TypeAliasType& alias, const TypeAliasEntry& entry);

} // namespace pupc::compiler
