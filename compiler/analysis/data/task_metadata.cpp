#include "compiler/analysis/data/task_metadata.h"

#include "catalog/base/paths.h"
#include "catalog/formats/data_file.h"

#include <algorithm>
#include <dirent.h>

namespace pupc::compiler {

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> out;
  DIR* d = ::opendir(folder.c_str());
  if (d == nullptr) return out;
  while (const dirent* e = ::readdir(d)) {
    const std::string_view name = e->d_name;
    if (name.starts_with('.')) continue;
    out.emplace_back(name.substr(0, name.rfind('.')));
  }
  ::closedir(d);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::optional<std::vector<TakenParameter>> parameters_of_task(const std::string& file) {
  const auto text = read_whole_file(file);
  if (!text) return std::nullopt;
  Arena arena;
  Value root;
  if (read_json(*text, arena, root) || !root.is_hash()) return std::nullopt;
  const Value* parameters = root.hash->find("parameters");
  if (parameters == nullptr || !parameters->is_hash()) return std::nullopt;
  std::vector<TakenParameter> out;
  for (const HashEntry& e : parameters->hash->entries()) {
    if (!e.key.is_string() || !e.value.is_hash()) return std::nullopt;
    const Value *type = e.value.hash->find("type"), *given = e.value.hash->find("default");
    TakenParameter t;
    t.name = e.key.str();
    if (type != nullptr && type->is_string()) t.type = type->str();
    t.needed = given == nullptr && !t.type.empty() && !t.type.starts_with("Optional") && t.type != "Any" && t.type != "Data";
    out.push_back(std::move(t));
  }
  return out;
}

} // namespace pupc::compiler
