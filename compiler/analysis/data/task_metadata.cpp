#include "compiler/analysis/data/task_metadata.h"

#include "catalog/base/paths.h"
#include "catalog/base/text.h"
#include "catalog/formats/data_file.h"

#include <algorithm>
#include <dirent.h>
#include <set>

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

std::vector<TaskVariable> variables_of_task(std::string_view program) {
  const auto part = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
  std::vector<TaskVariable> out;
  std::set<std::string_view> set;
  uint32_t line = 1;
  for (size_t at = 0, counted = 0; (at = program.find("PT_", at)) != std::string_view::npos;) {
    const size_t begin = at + 3;
    line += static_cast<uint32_t>(
        std::count(program.begin() + static_cast<ptrdiff_t>(counted), program.begin() + static_cast<ptrdiff_t>(at), '\n'));
    counted = at;
    const char before = at == 0 ? '\n' : program[at - 1];
    for (at = begin; at < program.size() && part(program[at]); ++at) {}
    const std::string_view name = program.substr(begin, at - begin);
    const char after = at < program.size() ? program[at] : '\n';
    if (name.empty() || part(before) || after == '*') continue; // PT_* and the like
    if (after == '=' && before != '{') {
      set.insert(name); // the program sets it
      continue;
    }
    const size_t begins = program.rfind('\n', counted) + 1; // comments name what they like
    const std::string_view start = trimmed(program.substr(begins, counted - begins));
    if (start.starts_with('#') || start.starts_with("//")) continue;
    const bool read = before == '$' || before == '{' || before == '\'' || before == '"' || before == ':';
    if (name.front() != '_' && read && std::ranges::find(out, name, &TaskVariable::name) == out.end())
      out.push_back({std::string(name), line});
  }
  std::erase_if(out, [&](const TaskVariable& v) { return set.contains(v.name); });
  return out;
}

} // namespace pupc::compiler
