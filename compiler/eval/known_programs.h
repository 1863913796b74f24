#pragma once
// Programs that generate() is used to ask, whose answer is known without running them.
#include "catalog/value/value.h"

#include <span>
#include <string_view>

namespace pupc::compiler {

/// Whether the expression is one that `systemd-analyze calendar` takes, in every version of systemd. False: perhaps it is not.
bool surely_calendar(std::string_view expression);

/// Whether generate() with these arguments surely succeeds and changes nothing: `systemd-analyze calendar EXPRESSION`, with which modules
/// check each timer, where the program is on this machine.
bool surely_succeeds(std::span<const Value> args);

} // namespace pupc::compiler
