// The table of all built-in functions.
#include "compiler/function/families.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

namespace pupc {
namespace {

// Functions of stdlib that live in other families' tables.
constexpr std::string_view stdlib_names[] = {"ensure_resource",     "ensure_resources", "ensure_packages", "stdlib::ensure_packages",
                                             "defined_with_params", "getparam",         "assert_private",  "stdlib::str2resource"};

struct Registry {
  std::deque<FunctionEntry> storage;
  std::vector<const FunctionEntry*> entries;
  std::unordered_map<std::string_view, const FunctionEntry*> by_name;

  Registry() {
    for (FunctionTable family : {core_functions(), catalog_functions(), template_functions(), iteration_functions(), collection_functions(),
                                 string_functions(), number_functions(), type_functions(), file_functions(), digest_functions(),
                                 format_functions(), lookup_functions(), time_functions(), node_attribute_functions()})
      for (const FunctionEntry& entry : family) {
        bool stdlib = std::find(std::begin(stdlib_names), std::end(stdlib_names), entry.name) != std::end(stdlib_names);
        add(entry, stdlib ? "stdlib" : "");
      }
    for (FunctionTable family : {stdlib_collection_functions(), stdlib_text_functions(), stdlib_data_functions(), stdlib_yaml_functions(),
                                 stdlib_check_functions(), stdlib_network_functions(), stdlib_password_functions(),
                                 stdlib_document_functions(), stdlib_value_functions(), stdlib_machine_functions(), module_functions()})
      for (const FunctionEntry& entry : family) add(entry, entry.module.empty() ? "stdlib" : entry.module);
  }

  void add(FunctionEntry entry, std::string_view module) {
    entry.module = module;
    const FunctionEntry& kept = storage.emplace_back(std::move(entry));
    entries.push_back(&kept);
    by_name.emplace(kept.name, &kept);
  }
};

const Registry& registry() {
  static const Registry instance;
  return instance;
}

} // namespace

const FunctionEntry* find_builtin(std::string_view name) {
  const auto& by_name = registry().by_name;
  auto it = by_name.find(name);
  return it == by_name.end() ? nullptr : it->second;
}

const std::vector<const FunctionEntry*>& all_builtins() { return registry().entries; }

} // namespace pupc
