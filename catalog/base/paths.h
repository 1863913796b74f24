#pragma once
// Paths as the reference's settings treat them, and reading of files.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

/// Absolute path without . and .., relative to `base` (empty: the working directory). Links are not followed.
std::string absolute_path(std::string_view path, std::string_view base = {});
/// Parts of a colon-separated list, without empty ones.
std::vector<std::string> split_path(std::string_view list);
bool is_directory(const std::string& path);
/// Whole content of a file; nothing when it cannot be read (errno tells why).
std::optional<std::string> read_whole_file(const std::string& path);

} // namespace pupc
