#pragma once
// Converts values to and from the form of state files: Ruby's symbols, times and plain data.
#include "catalog/base/log.h"
#include "catalog/value/value.h"
#include "runtime/sys/system.h"

#include <functional>
#include <string>
#include <string_view>

namespace pupc::runtime {

/// Reads and writes state files, which are YAML in the form of Ruby's Psych. The caller provides these functions, because the run has no
/// YAML reader of its own.
struct StateForm {
  /// Reads the first document of a text. Symbols as keys become texts; times stay texts (read_state_time parses them). Throws
  /// std::exception with Psych's message.
  std::function<Value(std::string_view text, Arena& arena)> read;
  /// Writes a value. Texts with symbol_flag become symbols, Timestamps become times (state_time).
  std::function<std::string(const Value& value)> write;
  /// Receives messages about the files. May be empty.
  std::function<void(LogLevel level, std::string message)> say;
};

/// Copies plain data into `arena`. A value that state files cannot represent becomes undef.
Value state_value(Arena& arena, const Value& value);
/// Converts texts that are symbols in Puppet: values of `ensure` that are no versions, and "absent" and "notlink" of all properties.
Value state_property(Arena& arena, std::string_view property, const Value& value);
/// state_time formats a time as Psych does: "2026-11-21 17:36:05.495017135 +00:00". read_state_time parses it; 0 when the text is no time.
std::string state_time(int64_t nanoseconds);
int64_t read_state_time(std::string_view text);
/// Reads a document that is a map; undef when the file is missing. Renames a damaged file to FILE.bad and logs Puppet's messages, in
/// which `what` names the file ("Checksumfile").
Value read_state_map(System& system, const std::string& path, std::string_view what, const StateForm& form, Arena& arena);

} // namespace pupc::runtime
