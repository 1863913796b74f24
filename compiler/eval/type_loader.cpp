#include "compiler/eval/type_loader.h"

#include "compiler/eval/catalog_builder.h"
#include "compiler/eval/impl.h"
#include "compiler/types/core_types.h"

namespace pupc {

TypeLoader::TypeLoader(Evaluator& evaluator) : TypeContext(evaluator.arena(), evaluator.environment().regexes()), evaluator_(evaluator) {}

bool TypeLoader::resource_type_exists(std::string_view name) {
  CatalogBuilder& catalog = evaluator_.catalog();
  return catalog.native_type_known(name) || catalog.define_known(name);
}

namespace {

/// Whether an alias leads to anything but aliases and Variants of them.
bool stands_for_something(const Type* type, std::vector<const Type*>& seen) {
  if (type->kind == TypeKind::Variant) {
    for (const Type* t : type_cast<VariantType>(type).types)
      if (stands_for_something(t, seen)) return true;
    return false;
  }
  if (type->kind != TypeKind::TypeAlias) return true;
  if (std::find(seen.begin(), seen.end(), type) != seen.end()) return false;
  seen.push_back(type);
  const Type* meaning = type_cast<TypeAliasType>(type).resolved;
  return meaning == nullptr || stands_for_something(meaning, seen); // null: an outer alias still in work decides
}

} // namespace

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
  struct Restore {
    bool& flag;
    bool previous;
    ~Restore() { flag = previous; }
  } restore{in_alias_, in_alias_};
  in_alias_ = true;
  try {
    alias->resolved = evaluator_.evaluate_type(entry->alias->type, *evaluator_.catalog().top_scope().frame);
  } catch (CompileError& error) {
    // The reference reads the expression as a type, not as code: problems in it are blamed on the place where the alias is used.
    constexpr std::string_view wrapped = "Evaluation Error: Error while evaluating a '[]' expression, ";
    Diagnostic& d = error.diagnostic;
    if (d.message.starts_with(wrapped)) fail_unplaced(d.message.substr(wrapped.size()), ErrorCode::invalid_type);
    if (!d.loc || d.loc.file != entry->file->source.get()) throw;
    std::string_view text = entry->file->source->text().substr(entry->alias->offset, entry->alias->length);
    constexpr size_t keyword = 5; // "type "; the reference's excerpt also lacks the last character
    text = text.substr(std::min(keyword, text.size()), text.size() > keyword ? text.size() - keyword - 1 : 0);
    fail_unplaced(fmt::format("The expression <{}> is not a valid type specification.", text), ErrorCode::invalid_type);
  }
  std::vector<const Type*> seen;
  if (!stands_for_something(alias, seen)) fail_unplaced(fmt::format("Type alias '{}' cannot be resolved to a real type", alias->name));
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
