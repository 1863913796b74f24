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

namespace {

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/// The variable of `name = …` that ends before `at`; empty for anything else.
std::string_view assigned_before(std::string_view program, size_t at) {
  std::string_view line = program.substr(program.rfind('\n', at) + 1, at - program.rfind('\n', at) - 1);
  line = trimmed(line);
  if (!line.ends_with('=')) return {};
  line = trimmed(line.substr(0, line.size() - 1));
  return !line.empty() && std::ranges::all_of(line, is_word) ? line : std::string_view();
}

/// The text in quotes at `at`, or empty.
std::string_view quoted_at(std::string_view program, size_t at) {
  if (at >= program.size() || (program[at] != '\'' && program[at] != '"')) return {};
  const size_t end = program.find(program[at], at + 1);
  const std::string_view text = end == std::string_view::npos ? std::string_view() : program.substr(at + 1, end - at - 1);
  return std::ranges::all_of(text, is_word) ? text : std::string_view();
}

} // namespace

TaskInput input_of_task(std::string_view program) {
  static constexpr std::string_view reads[] = {"JSON.parse(STDIN.read", "JSON.parse($stdin.read",   "JSON.parse(ARGF.read",
                                               "JSON.parse STDIN.read", "JSON.load(STDIN",          "JSON.load($stdin",
                                               "json.load(sys.stdin",   "json.loads(sys.stdin.read"};
  TaskInput out;
  size_t at = std::string_view::npos;
  for (std::string_view read : reads)
    if (const size_t found = program.find(read); found != std::string_view::npos) {
      if (out.from_stdin || program.find(read, found + 1) != std::string_view::npos) return {true, out.line, {}}; // several documents
      out.from_stdin = true;
      at = found;
    }
  if (!out.from_stdin) return out;
  const auto line_of = [&](size_t place) {
    return 1 + static_cast<uint32_t>(std::count(program.begin(), program.begin() + static_cast<ptrdiff_t>(place), '\n'));
  };
  out.line = line_of(at);
  const std::string_view name = assigned_before(program, at);
  if (name.empty()) return out;
  std::set<std::string_view> set;
  for (size_t k = at + 1; (k = program.find(name, k)) != std::string_view::npos; k += name.size()) {
    const size_t end = k + name.size();
    if (end >= program.size() || is_word(program[k - 1]) || program[k - 1] == '.' || program[k - 1] == '@' || is_word(program[end]))
      continue;
    const std::string_view rest = program.substr(end);
    if (const std::string_view before = trimmed(program.substr(program.rfind('\n', k) + 1, k - program.rfind('\n', k) - 1));
        before.starts_with('#'))
      continue;
    if (trimmed(rest.substr(0, rest.find('\n'))).starts_with("= ") || rest.starts_with(".merge") || rest.starts_with(".update"))
      return {true, out.line, {}}; // it is something else from here on
    std::string_view key;
    for (std::string_view read : {"[", ".get(", ".fetch(", ".dig("})
      if (rest.starts_with(read)) key = quoted_at(program, end + read.size());
    if (rest.starts_with("[:")) {
      size_t last = 2;
      while (last < rest.size() && is_word(rest[last])) ++last;
      key = rest.substr(2, last - 2);
    }
    if (key.empty() || key.front() == '_') continue;
    const size_t close = rest.find(']');
    if (rest.starts_with('[') && close != std::string_view::npos) {
      const std::string_view behind = trimmed(rest.substr(close + 1, rest.find('\n', close) - close - 1));
      if ((behind.starts_with('=') && !behind.starts_with("==") && !behind.starts_with("=~")) || behind.starts_with("||=")) set.insert(key);
    }
    if (std::ranges::find(out.keys, key, &TaskVariable::name) == out.keys.end()) out.keys.push_back({std::string(key), line_of(k)});
  }
  std::erase_if(out.keys, [&](const TaskVariable& v) { return set.contains(v.name); });
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
