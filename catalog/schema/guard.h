#pragma once
// Guards of resources (only_if, not_if, guard_interpreter) as values: their forms, and what is wrong with them.
#include "catalog/value/value.h"

#include <string>
#include <string_view>
#include <vector>

namespace pupc {

/// One guard: a command with its own parameters, or a Deferred.
struct Guard {
  std::string command;              // empty: `deferred` is the guard
  const Hash* parameters = nullptr; // of the command; may hold `command` itself; null = none
  Value deferred;
  bool sensitive = false; // must not be shown
};

/// Takes a guard's value apart: a command, [command, parameters], a hash with `command`, a Deferred, or a list of these. False, with the
/// reason in `problem`, for anything else: another type, an empty command, a parameter that the interpreter does not know. `interpreter` is
/// the value of guard_interpreter, "default" when it is not given.
bool parse_guards(const Value& value, std::string_view interpreter, std::vector<Guard>& out, std::string& problem);

/// Whether guard_interpreter may have the value: default, exec or a script type. Else `problem` names those known.
bool valid_guard_interpreter(const Value& value, std::string& problem);

} // namespace pupc
