// The table of all built-in functions.
#include "compiler/function/families.h"

#include <unordered_map>

namespace pupc {
namespace {

struct Registry {
  std::vector<const FunctionEntry*> entries;
  std::unordered_map<std::string_view, const FunctionEntry*> by_name;

  Registry() {
    for (FunctionTable family : {core_functions(), catalog_functions(), template_functions(), iteration_functions(), collection_functions(), string_functions(), number_functions(), type_functions(),
                                 file_functions(), digest_functions(), format_functions(), lookup_functions(),
                                 stdlib_collection_functions(), stdlib_text_functions(), stdlib_data_functions()})
      for (const FunctionEntry& entry : family) {
        entries.push_back(&entry);
        by_name.emplace(entry.name, &entry);
      }
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
