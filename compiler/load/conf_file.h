#pragma once
// The format of puppet.conf and environment.conf: [sections] of `name = value`.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::compiler {

/// One line `name = value`.
struct ConfSetting {
  std::string section; // "main" before the first heading
  std::string name;
  std::string value;
  uint32_t line;
};

struct ConfFile {
  std::vector<ConfSetting> settings;                      // in the order of the file
  std::vector<std::pair<std::string, uint32_t>> sections; // sections with a heading, each once, with its line
  /// The first value that the section has for a setting; null when it has none. It lives as long as this object.
  const ConfSetting* find(std::string_view section, std::string_view name) const&;
  const ConfSetting* find(std::string_view section, std::string_view name) const&& = delete;
};

/// What the text behind `=` stands for, without blanks at its ends: quotes at its ends are dropped, and so are a file's owner, group and
/// mode in braces; true and false are in lower case.
std::string conf_value(std::string_view text);

/// Parses the text. Comments are whole lines. Throws CompileError with the line for any other text.
ConfFile read_conf(std::string_view text, const std::string& file);

} // namespace pupc::compiler
