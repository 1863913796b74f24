#include "compiler/eval/type_loader.h"

#include "compiler/types/lookup_context.h"
#include "compiler/types/pcore_aliases.h"

#include "catalog/graph/tags.h"
#include "compiler/eval/catalog_builder.h"
#include "compiler/eval/evaluator_state.h"
#include "compiler/eval/ruby_service.h"
#include "compiler/eval/type_interpreter.h"
#include "compiler/ruby/types/data_type_file.h"
#include "compiler/types/core_types.h"
#include "compiler/types/object_definition.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {

TypeLoader::TypeLoader(Evaluator& evaluator) : TypeContext(evaluator.arena(), *evaluator.regexes()), evaluator_(evaluator) {}

bool TypeLoader::resource_type_exists(std::string_view name) {
  CatalogBuilder& catalog = evaluator_.catalog();
  return catalog.native_type_known(name) || catalog.define_known(name);
}

namespace {

/// Whether an alias leads to a real type, not only to aliases and Variants of them.
bool stands_for_something(const Type* type, std::vector<const Type*>& seen) {
  if (type->kind == TypeKind::NotUndef && type_cast<WrapperType>(type).inner != nullptr)
    return stands_for_something(type_cast<WrapperType>(type).inner, seen);
  if (type->kind == TypeKind::Variant) {
    for (const Type* t : type_cast<VariantType>(type).types)
      if (stands_for_something(t, seen)) return true;
    return false;
  }
  if (type->kind != TypeKind::TypeAlias) return true;
  if (std::find(seen.begin(), seen.end(), type) != seen.end()) return false;
  seen.push_back(type);
  const Type* meaning = type_cast<TypeAliasType>(type).resolved;
  return meaning == nullptr || stands_for_something(meaning, seen); // null: the outer alias, still unresolved, decides
}

/// Drops an alias from the Variant that it stands for: the Variant's other types are the whole meaning.
void drop_self_from_variant(Arena& arena, const TypeAliasType* alias) {
  const Type*& meaning = alias->resolved;
  if (meaning->kind != TypeKind::Variant) return;
  std::vector<const Type*> others;
  for (const Type* one : type_cast<VariantType>(meaning).types)
    if (one != alias) others.push_back(one);
  if (others.size() < type_cast<VariantType>(meaning).types.size() && !others.empty()) meaning = types::variant(arena, others);
}

/// Completes an alias whose expression has been evaluated. Throws when it stands for nothing.
void finish_alias(Arena& arena, const TypeAliasType* alias) {
  drop_self_from_variant(arena, alias);
  std::vector<const Type*> seen;
  if (!stands_for_something(alias, seen)) fail_unplaced(fmt::format("Type alias '{}' cannot be resolved to a real type", alias->name));
}

/// The hash in `Object[{…}]`, else null.
const Node* object_description(const Node* expression) {
  if (expression == nullptr || expression->kind != NodeKind::Access) return nullptr;
  const auto& access = expression->as<Access>();
  if (access.left->kind != NodeKind::Reference || access.keys.size != 1 || access.keys[0]->kind != NodeKind::HashLiteral) return nullptr;
  return access.left->as<Reference>().cased.str() == "Object" ? access.keys[0] : nullptr;
}

} // namespace

/// An Object gets the name of its declaration from the start, because its errors print that name.
const Type* TypeLoader::described(const Value& description, std::string_view name) {
  if (description.hash->find("name") != nullptr) object_from_hash(*this, *description.hash); // a name of its own must be valid, too
  HashBuilder named(arena, *description.hash);
  named.set("name", Value::string(name));
  return object_from_hash(*this, *named.finish_hash());
}

namespace {

/// Raises an error when an Object type is its own ancestor.
void refuse_own_heirs(const Type* type) {
  if (type->kind != TypeKind::Object) return;
  std::vector<const Type*> seen;
  for (const Type* t = type; t != nullptr;) {
    bool again = std::find(seen.begin(), seen.end(), t) != seen.end() || (t != type && type_base_name(t) == type_base_name(type));
    if (again) fail_unplaced(fmt::format("The Object type '{}' inherits from itself", type_base_name(type)), ErrorCode::invalid_type);
    seen.push_back(t);
    if (t->kind == TypeKind::TypeAlias)
      t = type_cast<TypeAliasType>(t).resolved;
    else
      t = t->kind == TypeKind::Object ? static_cast<const ObjectType*>(t)->parent : nullptr;
  }
}

} // namespace

const Type* TypeLoader::load_type(std::string_view name) {
  if (name.starts_with("::")) name.remove_prefix(2);
  auto known = aliases_.find(std::string(name));
  if (known != aliases_.end()) return known->second;
  if (const Type* type = lookup_type(name)) return type;
  if (const Type* type = pcore_alias(name)) return type;
  if (const Type* type = load_ruby_type(name)) return type;
  evaluator_.note_search(downcase_name(name), NodeKind::DefineDef);
  const TypeAliasEntry* entry = evaluator_.environment().find_type_alias(name, evaluator_.log_sink());
  if (entry == nullptr) return read_alias(name);
  if (const Type* shared = shared_alias(*entry, name)) return shared;
  return declared_alias(*entry, aliases_[std::string(name)]);
}

/// Evaluates an alias into `slot`, which its expression already sees.
const Type* TypeLoader::declared_alias(const TypeAliasEntry& entry, const Type*& slot) {
  struct ModuleGuard {
    explicit ModuleGuard(std::optional<const Module*>& m, const Module* now) : module(m), before(m) { module = now; }
    ~ModuleGuard() { module = before; }
    ModuleGuard(const ModuleGuard&) = delete;
    ModuleGuard& operator=(const ModuleGuard&) = delete;
    std::optional<const Module*>& module;
    std::optional<const Module*> before;
  } guard(resolving_for_, entry.module);
  // Register the alias before evaluating its expression: the expression may name the alias itself.
  auto* alias = new (arena.allocate(sizeof(TypeAliasType), alignof(TypeAliasType))) TypeAliasType(entry.alias->name.str());
  slot = alias;
  const Node* description = object_description(entry.alias->type);
  if (description == nullptr && resolve_alias_expression(*this, *alias, entry)) return alias;
  if (description != nullptr)
    alias->resolved = described(TypeInterpreter(*this, *entry.alias, entry.file->source->text()).value(*description), alias->name);
  // An Object or TypeSet takes the alias's name and replaces it. Inside its own definition the name still means the alias.
  const Type* named = name_object(*this, alias->resolved, alias->name);
  if (named != alias->resolved || (named->kind == TypeKind::Object && type_base_name(named) == alias->name)) {
    refuse_own_heirs(named);
    alias->resolved = named;
    return slot = named;
  }
  finish_alias(arena, alias);
  return alias;
}

const Type* TypeLoader::read_alias(std::string_view name) {
  const auto& searches = evaluator_.searches();
  for (; searches_seen_ < searches.size(); ++searches_seen_) {
    const Evaluator::Search search = searches[searches_seen_];
    for (const TypeAliasEntry& entry : evaluator_.environment().aliases_read_for(*search.name, search.kind)) {
      auto& known = read_aliases_[downcase_name(entry.alias->name.str())];
      if (std::ranges::none_of(known, [&](const ReadAlias& one) { return one.entry->alias == entry.alias; }))
        known.push_back({&entry, nullptr});
    }
  }
  if (read_aliases_.empty()) return nullptr;
  const std::string low = downcase_name(name);
  const auto found = read_aliases_.find(low);
  if (found == read_aliases_.end()) return nullptr;
  ReadAlias* chosen = nullptr;
  auto loaded = [&](const ReadAlias& one) { return one.entry->file.get() != loading_ || one.entry->alias->offset < loaded_to_; };
  auto take = [&](std::string_view module) {
    for (ReadAlias& one : found->second)
      if (chosen == nullptr && one.entry->module->name == module && loaded(one)) chosen = &one;
    return chosen != nullptr;
  };
  // Puppet's loaders see the own module first. Elsewhere only the module that a qualified name begins with can have it; any other name may
  // be in the modules that the own one depends on, or else in any module.
  const Module* from = resolving_for_ ? *resolving_for_ : evaluator_.calling_module();
  if (from != nullptr) take(from->name);
  if (const size_t cut = low.find(':'); cut != std::string::npos) {
    take(std::string_view(low).substr(0, cut));
  } else {
    if (from != nullptr) (void)std::ranges::any_of(from->dependencies, take);
    if (found->second.size() == 1 && loaded(found->second.front())) chosen = &found->second.front();
    if (chosen == nullptr) (void)std::ranges::any_of(evaluator_.environment().modules(), take, &Module::name);
  }
  if (chosen == nullptr) return nullptr;
  return chosen->type != nullptr ? chosen->type : declared_alias(*chosen->entry, chosen->type);
}

bool resolve_alias_expression(TypeContext& ctx, TypeAliasType& alias, const TypeAliasEntry& entry) {
  if (object_description(entry.alias->type) != nullptr) return false;
  TypeInterpreter interpreter(ctx, *entry.alias, entry.file->source->text());
  alias.resolved = normalize(ctx, interpreter.type(*entry.alias->type));
  if (alias.resolved->kind == TypeKind::Object || alias.resolved->kind == TypeKind::TypeSet) return false;
  finish_alias(ctx.arena, &alias);
  return true;
}

const Type* TypeLoader::shared_alias(const TypeAliasEntry& entry, std::string_view name) {
  if (entry.module == nullptr) return nullptr;
  if (!shared_) shared_ = evaluator_.environment().attached<SharedAliases>();
  const SharedAlias* alias = shared_->find(evaluator_.environment().shared(), name);
  if (alias == nullptr || alias->entry != &entry) return nullptr;
  std::vector<std::string_view> added;
  auto forget = [&] {
    for (std::string_view one : added) aliases_.erase(std::string(one));
  };
  try {
    if (means_the_same(*alias, added)) return alias->type;
  } catch (...) {
    forget();
    throw;
  }
  forget();
  return nullptr;
}

/// Looks up each name that the alias uses, as evaluating it would: the names' files get read, and their warnings logged.
bool TypeLoader::means_the_same(const SharedAlias& alias, std::vector<std::string_view>& added) {
  auto [known, fresh] = aliases_.try_emplace(alias.name, alias.type);
  if (!fresh) return known->second == alias.type;
  added.push_back(alias.name);
  for (const SharedAlias* used : alias.uses) {
    if (resource_type_exists(used->lower)) return false;
    if (aliases_.find(used->name) == aliases_.end()) {
      evaluator_.note_search(used->lower, NodeKind::DefineDef);
      if (evaluator_.environment().find_type_alias(used->name, evaluator_.log_sink()) != used->entry) return false;
    }
    if (!means_the_same(*used, added)) return false;
  }
  return true;
}

namespace {

const ObjectType* parent_object(const ObjectType& type) {
  const Type* parent = type.parent;
  while (parent != nullptr && parent->kind == TypeKind::TypeAlias) parent = type_cast<TypeAliasType>(parent).resolved;
  return parent != nullptr && parent->kind == TypeKind::Object ? static_cast<const ObjectType*>(parent) : nullptr;
}

} // namespace

const Type* TypeLoader::load_ruby_type(std::string_view name) {
  const std::string path = evaluator_.environment().data_type_file(name);
  if (path.empty()) return nullptr;
  auto text = evaluator_.environment().read_file(path);
  if (!text || text->find("Puppet::DataTypes.create_type") == std::string::npos)
    fail_unplaced(fmt::format("The code loaded from {} does not seem to be a Puppet 5x API data type - no create_type call.", path));
  auto declared = read_data_type(path, *text);
  if (!declared) {
    if (evaluator_.ruby_service() == nullptr) {
      if (evaluator_.native_ruby() != nullptr)
        evaluator_.native_ruby()->set_reason("what is not a single create_type with a literal interface");
      refuse_ruby(evaluator_, "data type", name, path);
    }
    declared = evaluator_.ruby_service()->load_data_type(evaluator_, name, path);
  }
  auto* alias = new (arena.allocate(sizeof(TypeAliasType), alignof(TypeAliasType))) TypeAliasType(arena.copy(declared->name));
  aliases_.emplace(std::string(name), alias);
  std::shared_ptr<const ParsedFile> file;
  try {
    file = parse_inline(evaluator_.environment(), fmt::format("$x = {{ {} }}", declared->interface), false, *evaluator_.regexes());
  } catch (const CompileError& error) {
    aliases_.erase(std::string(name));
    std::string_view message = error.diagnostic.message;
    if (message.starts_with("Evaluation Error: ")) message.remove_prefix(18);
    fail_unplaced(fmt::format("Data Type Load Error for type '{}': {}", declared->name, message));
  }
  evaluator_.keep_alive(file);
  try {
    const auto& statements = file->body->as<Block>().statements;
    const Node* hash = statements.size == 1 && statements[0]->kind == NodeKind::Assignment ? statements[0]->as<Binary>().right : nullptr;
    if (hash == nullptr || hash->kind != NodeKind::HashLiteral) fail_unplaced("the interface is no hash");
    alias->resolved = described(TypeInterpreter(*this, file->source->text()).value(*hash), alias->name);
  } catch (const CompileError&) {
    aliases_.erase(std::string(name)); // forget it, so that every use raises the error
    throw;
  }
  if (downcase_name(declared->name) != downcase_name(name)) {
    aliases_.erase(std::string(name));
    fail_unplaced(
        fmt::format("The code loaded from {} produced mis-matched name, expected '{}', got {}", path, downcase_name(name), declared->name));
  }
  refuse_own_heirs(alias->resolved);
  aliases_[std::string(name)] = alias->resolved;
  if (declared->implemented) implementations_.emplace(static_cast<const ObjectType*>(alias->resolved), path);
  return alias->resolved;
}

const std::string* TypeLoader::implementation(const ObjectType& type) const {
  auto found = implementations_.find(&type);
  return found == implementations_.end() ? nullptr : &found->second;
}

bool TypeLoader::implemented_in_ruby(const ObjectType& type) const {
  if (implementations_.empty()) return false;
  for (const ObjectType* t = &type; t != nullptr; t = parent_object(*t))
    if (implementation(*t) != nullptr) return true;
  return false;
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
  // What is unknown now may be known later, and aliases beside classes depend on the module that asks.
  if (type != nullptr && (read_aliases_.empty() || !read_aliases_.contains(downcase_name(name)))) named_.emplace(cased.id, type);
  return type;
}

} // namespace pupc::compiler
