#include "compiler/eval/type_loader.h"

#include "compiler/eval/catalog_builder.h"
#include "compiler/eval/impl.h"
#include "compiler/types/core_types.h"
#include "compiler/types/object_definition.h"

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

namespace {

/// The hash in `Object[{…}]`, else null.
const Node* object_description(const Node* expression) {
  if (expression == nullptr || expression->kind != NodeKind::Access) return nullptr;
  const auto& access = expression->as<Access>();
  if (access.left->kind != NodeKind::Reference || access.keys.size != 1 || access.keys[0]->kind != NodeKind::HashLiteral) return nullptr;
  return access.left->as<Reference>().cased.str() == "Object" ? access.keys[0] : nullptr;
}

} // namespace

/// An Object is known by the name of its declaration from the start: its own errors have it.
const Type* TypeLoader::described(const Node& description, std::string_view name, Frame& frame) {
  Value given = evaluator_.evaluate(description, frame);
  if (given.hash->size == 0) return types::object();
  HashBuilder named(arena, *given.hash);
  named.set("name", Value::string(name));
  return object_from_hash(*this, *named.finish_hash());
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
  struct Restore {
    bool& flag;
    bool previous;
    ~Restore() { flag = previous; }
  } restore{in_alias_, in_alias_};
  in_alias_ = true;
  try {
    Frame& top = *evaluator_.catalog().top_scope().frame;
    if (const Node* description = object_description(entry->alias->type))
      alias->resolved = described(*description, alias->name, top);
    else
      alias->resolved = evaluator_.evaluate_type(entry->alias->type, top);
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
  // An Object or TypeSet is not an alias: it takes the name. Its own definition goes on to mean it by the alias.
  const Type* named = name_object(*this, alias->resolved, alias->name);
  if (named != alias->resolved || (named->kind == TypeKind::Object && type_base_name(named) == alias->name)) {
    alias->resolved = named;
    aliases_[std::string(name)] = named;
    return named;
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
