#pragma once
// Parses and validates the guards of resources (only_if, not_if, guard_interpreter).
#include "catalog/value/value.h"

#include <string>
#include <string_view>
#include <vector>

namespace pupc::catalog {

/// One guard: a command with its own parameters, or a Deferred.
struct Guard {
  std::string command;              // empty if `deferred` is the guard
  const Hash* parameters = nullptr; // of the command, may contain `command` itself; null = none
  Value deferred;
  bool sensitive = false; // do not show it
};

/// Splits the value of a guard into `out`. The value is a command, [command, parameters], a hash with `command`, a Deferred, or a list
/// of these. Returns false, with the reason in `problem`, for another type, an empty command, or a parameter that the interpreter does
/// not know. `interpreter` is the value of guard_interpreter, or "default" if it is not set.
bool parse_guards(const Value& value, std::string_view interpreter, std::vector<Guard>& out, std::string& problem);

/// Whether guard_interpreter may have the value: default, exec or a script type. If not, `problem` lists the known ones.
bool valid_guard_interpreter(const Value& value, std::string& problem);

} // namespace pupc::catalog
