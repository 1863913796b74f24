#pragma once
// The small language of augeas resources: "set path value", "ins label before path", "match path size > 0".
#include "runtime/provider/augeas/augeas_library.h"

#include <string>
#include <string_view>
#include <vector>

namespace pupc::runtime {

/// A parsed command. Relative paths already have the context in front of them; `number` is the 3 of "size > 3".
struct AugeasCommand {
  std::string name;
  std::vector<std::string> words;
  long number = 0;
};

/// Parses one command per line and skips empty lines. Throws ResourceError with Puppet's message.
std::vector<AugeasCommand> parse_augeas_commands(const std::vector<std::string>& lines, std::string context);

/// Parses "['a', \"b\"]". Throws ResourceError when the text is no list of strings.
std::vector<std::string> parse_augeas_list(std::string_view text);

/// Runs the commands on a tree without saving it. Throws ResourceError for the first one that fails.
void run_augeas_commands(AugeasTree& tree, const std::vector<AugeasCommand>& commands);

/// Whether the condition of `onlyif` (get, values or match) holds. Throws ResourceError when it cannot be evaluated.
bool augeas_condition(AugeasTree& tree, const AugeasCommand& command, const std::string& context);

} // namespace pupc::runtime
