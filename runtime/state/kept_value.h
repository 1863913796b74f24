#pragma once
// Values as the files between runs keep them: Ruby's symbols, times and plain data.
#include "catalog/base/log.h"
#include "catalog/value/value.h"
#include "runtime/sys/system.h"

#include <functional>
#include <string>
#include <string_view>

namespace pupc {

/// The form of these files is YAML as Ruby's Psych has it, which the run does not know by itself.
struct StateForm {
  /// The first document of a text; symbols among keys become texts, times are texts in their form. Throws std::exception with Psych's
  /// reason.
  std::function<Value(std::string_view text, Arena& arena)> read;
  /// Symbols are texts with symbol_flag, Timestamps are times (kept_time).
  std::function<std::string(const Value& value)> write;
  /// Takes what is to be said about the files. May be empty.
  std::function<void(LogLevel level, std::string message)> say;
};

/// A copy that lives in `arena`, of plain data only: what has no form in these files becomes undef.
Value keep_value(Arena& arena, const Value& value);
/// What Puppet has as a symbol where pupc has a text: values of `ensure` that are no versions, "absent" and "notlink" of all
/// properties.
Value keep_property(Arena& arena, std::string_view property, const Value& value);
/// "2026-11-21 17:36:05.495017135 +00:00", as Psych writes Ruby's times; and back, 0 when it is none.
std::string kept_time(int64_t nanoseconds);
int64_t read_kept_time(std::string_view text);
/// Reads a document that is a map; a damaged file is put aside as FILE.bad. `what` names the file in messages ("Checksumfile").
/// Undef when there is none. Says what Puppet says.
Value read_kept_map(System& system, const std::string& path, std::string_view what, const StateForm& form, Arena& arena);

} // namespace pupc
