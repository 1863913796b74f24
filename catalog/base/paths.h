#pragma once
// Paths as Puppet's settings treat them, and reading of files.
#include <cstddef>
#include <cstdint>
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
/// What may be read besides regular files (and /dev/null, which is empty).
enum class FileKinds : uint8_t {
  Regular,
  Pipes, // what the shell's `<(…)` and `|` make: only for names that the command line gives
};
/// The largest file that is read.
constexpr size_t most_file_bytes = size_t(128) << 20;
/// Whole content of a file; nothing when it cannot be read (errno tells why, file_problem in words). Never waits for a FIFO, never reads
/// a device or more than most_file_bytes.
std::optional<std::string> read_whole_file(const std::string& path, FileKinds kinds = FileKinds::Regular);
/// The same of an open descriptor, which stays open.
std::optional<std::string> read_whole_file(int descriptor, FileKinds kinds);
/// Opens a file that read_whole_file would take, however large; -1 and errno when it would not.
int open_readable(const std::string& path, FileKinds kinds);
/// Why a file could not be read, from errno: "No such file or directory", "it is not a regular file", …
std::string file_problem(int error);

} // namespace pupc
