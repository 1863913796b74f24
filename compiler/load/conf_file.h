#pragma once
// The form of puppet.conf and environment.conf: [sections] of `name = value`.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

struct ConfSetting {
  std::string section; // "main" before the first
  std::string name;
  std::string value;
  uint32_t line;
};

struct ConfFile {
  std::vector<ConfSetting> settings;                      // as written, one after the other
  std::vector<std::pair<std::string, uint32_t>> sections; // that have a heading, each once, with its line
  /// The value of a setting: the first that the section has; null when it has none.
  const ConfSetting* find(std::string_view section, std::string_view name) const;
};

/// Takes the text apart. Comments are whole lines; a quote at either end of a value is left out, and so are a file's owner, group and mode
/// in braces. Throws CompileError with the line that is none of these.
ConfFile read_conf(std::string_view text, const std::string& file);

} // namespace pupc
