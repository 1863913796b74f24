#pragma once
// Paths as Puppet's settings treat them, and reading of files.
#include "catalog/base/namespaces.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::catalog {

/// Absolute path without . and .., relative to `base` (empty: the working directory). Links are not followed.
std::string absolute_path(std::string_view path, std::string_view base = {});
/// The parts of a colon-separated list, without empty ones.
std::vector<std::string> split_path(std::string_view list);
/// The path for calls of the system. They look no further than a NUL, so a path that has one becomes one that nothing has.
inline const char* system_path(const std::string& path) { return path.find('\0') == std::string::npos ? path.c_str() : ""; }
bool is_directory(const std::string& path);
/// Whether an absolute path lies below a directory, which has no slash at its end.
inline bool is_below(std::string_view path, std::string_view directory) {
  return path.size() > directory.size() + 1 && path.starts_with(directory) && path[directory.size()] == '/';
}
/// Which files may be read. Regular files (and /dev/null, which is empty) always may.
enum class FileKinds : uint8_t {
  Regular,
  Pipes, // also pipes that the shell makes for `<(…)` and `|`: only for names from the command line
};
/// The size limit for files.
constexpr size_t most_file_bytes = size_t(128) << 20;
/// The whole content of a file, or nothing if it cannot be read (errno has the reason, see file_problem). Never waits for a FIFO and
/// never reads a device or more than most_file_bytes.
std::optional<std::string> read_whole_file(const std::string& path, FileKinds kinds = FileKinds::Regular);
/// The same for an open descriptor, which stays open.
std::optional<std::string> read_whole_file(int descriptor, FileKinds kinds);
/// Opens a file that read_whole_file would read, but of any size. Returns -1 with errno for other files.
int open_readable(const std::string& path, FileKinds kinds);
/// The reason in words for an errno of these functions: "No such file or directory", "it is not a regular file", …
std::string file_problem(int error);

} // namespace pupc::catalog
