#pragma once
// Questions to git.
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

/// The output of a git command in a directory; `assignments` (NAME=VALUE) are added to its environment. Throws UsageError with what git
/// says, after `who` asks.
std::string git(std::string_view who, const std::string& directory, const std::vector<std::string>& words,
                const std::vector<std::string>& assignments = {});

/// The same, without the line's end.
std::string git_line(std::string_view who, const std::string& directory, const std::vector<std::string>& words);

} // namespace pupc
