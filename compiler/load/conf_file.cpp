#include "compiler/load/conf_file.h"

#include "catalog/base/text.h"
#include "compiler/load/load_error.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

bool is_name(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
  });
}

/// Whether `s` is true or false in any case; sets `lower` to its lower case.
bool is_truth(std::string_view s, std::string& lower) {
  if (s.size() != 4 && s.size() != 5) return false;
  lower = ascii_lower(s);
  return lower == "true" || lower == "false";
}

/// Cuts `{owner = x}` off the end of a path: it is only for files that the agent manages.
std::string_view without_file_metadata(std::string_view value) {
  const size_t open = value.find('{');
  if (open == std::string_view::npos || (open > 0 && value[open - 1] == '$') || !value.ends_with('}')) return value;
  return value.find('=', open) == std::string_view::npos ? value : trimmed(value.substr(0, open));
}

} // namespace

std::string conf_value(std::string_view value) {
  std::string truth;
  if (is_truth(value, truth)) return truth;
  value = without_file_metadata(value);
  if (!value.empty() && (value.front() == '"' || value.front() == '\'')) value.remove_prefix(1);
  if (!value.empty() && (value.back() == '"' || value.back() == '\'')) value.remove_suffix(1);
  while (!value.empty() && std::isspace(static_cast<unsigned char>(value.back())) != 0) value.remove_suffix(1);
  return std::string(value);
}

const ConfSetting* ConfFile::find(std::string_view section, std::string_view name) const& {
  for (const ConfSetting& s : settings)
    if (s.section == section && s.name == name) return &s;
  return nullptr;
}

ConfFile read_conf(std::string_view text, const std::string& file) {
  ConfFile out;
  std::string section = "main";
  uint32_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = trimmed(text.substr(begin, end - begin));
    begin = end + 1;
    ++number;
    if (line.empty() || line[0] == '#') continue;
    if (line[0] == '[' && line.back() == ']' && is_name(line.substr(1, line.size() - 2))) {
      section = line.substr(1, line.size() - 2);
      if (std::none_of(out.sections.begin(), out.sections.end(), [&](const auto& s) { return s.first == section; }))
        out.sections.emplace_back(section, number);
      continue;
    }
    size_t equals = line.find('=');
    std::string_view name = equals == std::string_view::npos ? std::string_view() : trimmed(line.substr(0, equals));
    if (!is_name(name)) throw_load_error(fmt::format("Could not match line {}", line), file, number);
    out.settings.push_back({section, std::string(name), conf_value(trimmed(line.substr(equals + 1))), number});
  }
  return out;
}

} // namespace pupc::compiler
