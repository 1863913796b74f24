#include "compiler/eval/type_loader.h"

#include "compiler/eval/catalog_builder.h"
#include "compiler/types/core_types.h"

namespace pupc {

TypeLoader::TypeLoader(Evaluator& evaluator) : TypeContext(evaluator.arena(), evaluator.environment().regexes()), evaluator_(evaluator) {}

bool TypeLoader::resource_type_exists(std::string_view name) {
  CatalogBuilder& catalog = evaluator_.catalog();
  return catalog.native_type_known(name) || catalog.define_known(name);
}

const Type* TypeLoader::load_type(std::string_view name) {
  if (name.starts_with("::")) name.remove_prefix(2);
  auto known = aliases_.find(std::string(name));
  if (known != aliases_.end()) return known->second;
  const TypeAliasEntry* entry = evaluator_.environment().find_type_alias(name, evaluator_.log_sink());
  if (entry == nullptr) return nullptr;
  // Known before its expression is evaluated: the expression may name the alias itself.
  auto* alias = new (arena.allocate(sizeof(TypeAliasType), alignof(TypeAliasType))) TypeAliasType(entry->alias->name.str());
  aliases_.emplace(std::string(name), alias);
  FileGuard file(evaluator_, entry->file.get());
  MatchGuard match(evaluator_);
  const Type* meaning = evaluator_.evaluate_type(entry->alias->type, *evaluator_.catalog().top_scope().frame);
  alias->resolved = meaning;
  return alias;
}

const Type* TypeLoader::named(Symbol cased, Symbol lower) {
  auto known = named_.find(cased.id);
  if (known != named_.end()) return known->second;
  std::string_view name = cased.str(), plain = lower.str();
  if (name.starts_with("::")) name.remove_prefix(2);
  if (plain.starts_with("::")) plain.remove_prefix(2);
  const Type* type = builtin_type(name);
  if (type == nullptr && resource_type_exists(plain)) type = resource_type(arena, plain);
  if (type == nullptr) type = load_type(name);
  named_.emplace(cased.id, type);
  return type;
}

} // namespace pupc
