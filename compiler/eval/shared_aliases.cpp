#include "compiler/eval/shared_aliases.h"

#include "catalog/graph/tags.h"
#include "compiler/eval/type_interpreter.h"
#include "compiler/eval/type_loader.h"
#include "compiler/types/core_types.h"
#include "compiler/types/lookup_context.h"
#include "compiler/types/pcore_aliases.h"

#include <utility>

namespace pupc::compiler {
namespace {

/// The alias cannot be shared; the compile that needs it evaluates it and raises the errors.
struct NotShared {};

} // namespace

/// Evaluates one alias, with the aliases that it names and that are not known yet.
class SharedAliases::Loader final : public TypeContext {
public:
  Loader(SharedAliases& table, const Environment& environment)
      : TypeContext(table.arena_, table.regexes_), table_(table), environment_(environment) {}

  const Type* load_type(std::string_view name) override {
    if (name.starts_with("::")) name.remove_prefix(2);
    std::string key(name);
    if (auto found = table_.known_.find(key); found != table_.known_.end()) return use(found->second);
    if (auto found = fresh_.find(key); found != fresh_.end()) return use(found->second);
    if (const Type* type = lookup_type(name)) return type;
    if (const Type* type = pcore_alias(name)) return type;
    if (!environment_.data_type_file(name).empty()) throw NotShared();
    const TypeAliasEntry* entry = environment_.find_type_alias(name, nullptr);
    if (entry == nullptr || entry->module == nullptr) throw NotShared();

    SharedAlias& made = table_.owned_.emplace_back();
    made.name = key;
    made.lower = downcase_name(name);
    made.entry = entry;
    auto* alias = new (arena.allocate(sizeof(TypeAliasType), alignof(TypeAliasType))) TypeAliasType(entry->alias->name.str());
    made.type = alias;
    fresh_.emplace(std::move(key), &made);
    use(&made);
    SharedAlias* outer = std::exchange(running_, &made);
    if (!resolve_alias_expression(*this, *alias, *entry)) throw NotShared();
    running_ = outer;
    return alias;
  }

  bool resource_type_exists(std::string_view name) override {
    const std::string low = downcase_name(name);
    if (environment_.find_resource_type(low) != nullptr || environment_.find_define(low, nullptr) != nullptr) throw NotShared();
    return false;
  }

  /// Puts the new aliases into the table. Without it they are forgotten.
  void publish() {
    for (auto& [name, alias] : fresh_) table_.known_[name] = alias;
  }

private:
  const Type* use(const SharedAlias* alias) {
    if (alias == nullptr) throw NotShared();
    if (running_ != nullptr) running_->uses.push_back(alias);
    return alias->type;
  }

  SharedAliases& table_;
  const Environment& environment_;
  std::unordered_map<std::string, const SharedAlias*> fresh_;
  SharedAlias* running_ = nullptr;
};

const SharedAlias* SharedAliases::find(const Environment& environment, std::string_view name) {
  std::lock_guard lock(mutex_);
  std::string key(name);
  if (auto found = known_.find(key); found != known_.end()) return found->second;
  Loader loader(*this, environment);
  try {
    loader.load_type(name);
    loader.publish();
    if (auto found = known_.find(key); found != known_.end()) return found->second;
  } catch (const NotShared&) { // the compile evaluates it itself
  } catch (const CompileError&) {}
  known_.emplace(std::move(key), nullptr);
  return nullptr;
}

} // namespace pupc::compiler
