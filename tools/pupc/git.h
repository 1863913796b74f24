#pragma once
// Runs git commands.
#include <string>
#include <string_view>
#include <vector>

namespace pupc::cli {

/// Runs a git command in a directory and returns its output. Adds `assignments` (NAME=VALUE) to its environment. Throws UsageError with
/// git's message, prefixed with `who` (the option that needed git).
std::string git(std::string_view who, const std::string& directory, const std::vector<std::string>& words,
                const std::vector<std::string>& assignments = {});

/// Like git, without the line end of the output.
std::string git_line(std::string_view who, const std::string& directory, const std::vector<std::string>& words);

} // namespace pupc::cli
