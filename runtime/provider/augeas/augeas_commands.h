#pragma once
// The small language of augeas resources: "set path value", "ins label before path", "match path size > 0".
#include "runtime/provider/augeas/augeas_library.h"

#include <string>
#include <string_view>
#include <vector>

namespace pupc {

/// A command's words; relative paths have the context before them. `number` is the last one of "size > 3".
struct AugeasCommand {
  std::string name;
  std::vector<std::string> words;
  long number = 0;
};

/// Parses commands, one a line; empty lines are left out. Throws ResourceError in Puppet's words.
std::vector<AugeasCommand> parse_augeas_commands(const std::vector<std::string>& lines, std::string context);

/// Parses "['a', \"b\"]". Throws ResourceError when it is no list of strings.
std::vector<std::string> parse_augeas_list(std::string_view text);

/// Makes changes in a tree (without saving). Throws ResourceError for the first that fails.
void run_augeas_commands(AugeasTree& tree, const std::vector<AugeasCommand>& commands);

/// Whether an `onlyif` (get, values, match) holds. Throws ResourceError.
bool augeas_condition(AugeasTree& tree, const AugeasCommand& command, const std::string& context);

} // namespace pupc
