#include "runtime/provider/file_label.h"

#include "catalog/base/paths.h"

#include <cerrno>
#include <fmt/format.h>
#include <sstream>
#include <sys/stat.h>

namespace pupc::runtime {
namespace {

/// The type of the path's file system from /proc/mounts. Later mounts hide earlier ones.
std::string file_system_of(System& system, const std::string& path) {
  std::istringstream mounts(system.read_file("/proc/mounts"));
  std::string line, found;
  size_t longest = 0;
  while (std::getline(mounts, line)) {
    std::istringstream words(line);
    std::string device, where, type;
    words >> device >> where >> type;
    if (type == "rootfs" || where.size() < longest) continue;
    const bool below = where == "/" || path == where || is_below(path, where);
    if (!below) continue;
    longest = where.size();
    found = type;
  }
  return found;
}

uint32_t type_bits(FileType type) {
  switch (type) {
  case FileType::File: return S_IFREG;
  case FileType::Directory: return S_IFDIR;
  case FileType::Link: return S_IFLNK;
  case FileType::Fifo: return S_IFIFO;
  case FileType::Socket: return S_IFSOCK;
  case FileType::BlockDevice: return S_IFBLK;
  case FileType::CharacterDevice: return S_IFCHR;
  }
  return 0;
}

} // namespace

std::string FileLabel::text() const {
  std::string out = parts[0].value_or("");
  for (size_t i = 1; i < parts.size(); ++i)
    if (parts[i]) out += ":" + *parts[i];
  return out;
}

std::optional<FileLabel> read_label(std::string_view text) {
  while (text.ends_with('\0')) text.remove_suffix(1);
  if (text == "unlabeled") return std::nullopt;
  FileLabel label;
  size_t at = 0;
  for (size_t i = 0; i < 4 && at <= text.size(); ++i) {
    const size_t end = i == 3 ? text.size() : std::min(text.find(':', at), text.size());
    label.parts[i] = text.substr(at, end - at);
    at = end + 1;
  }
  if (!label.parts[2] || label.parts[0]->empty() || label.parts[1]->empty() || label.parts[2]->empty())
    throw ResourceError(fmt::format("Invalid context to parse: {}", text));
  return label;
}

bool has_labels(System& system, const std::string& path) {
  if (!system.selinux()) return false;
  std::string type;
  try {
    type = file_system_of(system, path);
  } catch (const SystemError&) { return false; }
  for (std::string_view known : {"ext2", "ext3", "ext4", "gfs", "gfs2", "xfs", "jfs", "btrfs", "tmpfs", "zfs"})
    if (type == known) return true;
  return false;
}

std::optional<FileLabel> default_label(System& system, const std::string& path, std::string_view ensure) {
  if (!has_labels(system, path)) return std::nullopt;
  uint32_t mode = 0;
  try {
    if (const auto status = system.lstat(path))
      mode = type_bits(status->type) | status->mode;
    else if (ensure == "present" || ensure == "file")
      mode = S_IFREG;
    else if (ensure == "directory")
      mode = S_IFDIR;
    else if (ensure == "link")
      mode = S_IFLNK;
  } catch (const SystemError& e) {
    if (e.error != EACCES) throw;
  }
  const auto text = system.default_label(path, mode);
  return text ? read_label(*text) : std::nullopt;
}

std::string range_level(System& system, const std::string& range) {
  std::string text;
  try {
    text = system.read_file(system.label_translations());
  } catch (const SystemError&) {
    return range; // Puppet fails here, but most machines do not have this file
  }
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::erase_if(line, [](unsigned char c) { return std::isspace(c) != 0; });
    const size_t equals = line.find('=');
    if (line.empty() || line[0] == '#' || equals == std::string::npos) continue;
    if (line.substr(equals + 1) == range) return line.substr(0, equals);
  }
  return range;
}

void restore_label(System& system, const std::string& path) {
  const auto wanted = default_label(system, path, {});
  if (!wanted) return;
  const std::string text = wanted->text();
  if (system.label(path) != text) system.set_label(path, text);
}

} // namespace pupc::runtime
