#include "tools/pupc/cache_file.h"

#include "catalog/base/paths.h"

#include <algorithm>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <functional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace pupc::cli {
namespace {

using catalog::FileKinds;
using catalog::read_whole_file;

std::string magic_of(const CacheKind& kind) { return fmt::format("pupc {} cache {}\n", kind.name, kind.version); }

std::string file_of(const std::string& directory, const CacheKind& kind, const std::string& key) {
  return fmt::format("{}/{}-{}", directory, kind.name, key);
}

/// A damaged file shall not count. Who could forge one could write to the cache of this user.
uint64_t check_sum(std::string_view text) { return std::hash<std::string_view>{}(text); }

/// Whether the directory exists or can be made, and no other user can write to it.
bool usable(const std::string& directory) {
  struct stat info {};
  if (::lstat(directory.c_str(), &info) != 0) {
    const size_t slash = directory.rfind('/');
    const std::string above = slash == std::string::npos ? std::string() : directory.substr(0, slash);
    if (!above.empty() && ::lstat(above.c_str(), &info) != 0 && !usable(above)) return false;
    if (::mkdir(directory.c_str(), 0700) != 0 || ::lstat(directory.c_str(), &info) != 0) return false;
  }
  return S_ISDIR(info.st_mode) && info.st_uid == ::geteuid() && (info.st_mode & 0022) == 0;
}

/// Removes the oldest files beyond the most that are kept.
void tidy(const std::string& directory, const CacheKind& kind) {
  DIR* d = ::opendir(directory.c_str());
  if (d == nullptr) return;
  const std::string start = std::string(kind.name) + "-";
  std::vector<std::pair<time_t, std::string>> files;
  while (const dirent* e = ::readdir(d)) {
    struct stat info {};
    if (std::string_view(e->d_name).starts_with(start) && ::fstatat(::dirfd(d), e->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0)
      files.emplace_back(info.st_mtime, e->d_name);
  }
  if (files.size() > kind.most_files) {
    std::sort(files.begin(), files.end());
    for (size_t i = 0; i + kind.most_files < files.size(); ++i) ::unlinkat(::dirfd(d), files[i].second.c_str(), 0);
  }
  ::closedir(d);
}

} // namespace

uint64_t CacheReader::number() {
  uint64_t n = 0;
  if (text_.size() < sizeof n) throw BadCache{};
  std::memcpy(&n, text_.data(), sizeof n);
  text_.remove_prefix(sizeof n);
  return n;
}

size_t CacheReader::count() {
  const uint64_t n = number();
  if (n > text_.size() / 8) throw BadCache{};
  return static_cast<size_t>(n);
}

std::string_view CacheReader::view() {
  const uint64_t n = number();
  if (n > text_.size()) throw BadCache{};
  const std::string_view s = text_.substr(0, static_cast<size_t>(n));
  text_.remove_prefix(static_cast<size_t>(n));
  return s;
}

std::vector<std::string> CacheReader::strings() {
  std::vector<std::string> list(count());
  for (std::string& s : list) s = string();
  return list;
}

std::optional<std::string> read_cache(const std::string& directory, const CacheKind& kind, const std::string& key) {
  if (!usable(directory)) return std::nullopt;
  const int fd = ::open(file_of(directory, kind, key).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return std::nullopt;
  struct stat info {};
  std::optional<std::string> text;
  if (::fstat(fd, &info) == 0 && info.st_uid == ::geteuid()) text = read_whole_file(fd, FileKinds::Regular);
  ::close(fd);
  const std::string magic = magic_of(kind);
  if (!text || !text->starts_with(magic)) return std::nullopt;
  const size_t head = magic.size() + sizeof(uint64_t);
  if (text->size() < head) return std::nullopt;
  uint64_t check = 0;
  std::memcpy(&check, text->data() + magic.size(), sizeof check);
  text->erase(0, head);
  if (check != check_sum(*text)) return std::nullopt;
  return text;
}

void write_cache(const std::string& directory, const CacheKind& kind, const std::string& key, std::string_view text) {
  if (!usable(directory)) return;
  std::string whole = magic_of(kind);
  const uint64_t check = check_sum(text);
  whole.append(reinterpret_cast<const char*>(&check), sizeof check);
  whole += text;
  // Write a temporary file, then rename it: another run sees either the old file or the new one.
  std::string beside = fmt::format("{}/.{}-XXXXXX", directory, kind.name);
  const int fd = ::mkostemp(beside.data(), O_CLOEXEC);
  if (fd < 0) return;
  size_t written = 0;
  while (written < whole.size()) {
    const ssize_t n = ::write(fd, whole.data() + written, whole.size() - written);
    if (n <= 0) break;
    written += static_cast<size_t>(n);
  }
  const bool done = ::close(fd) == 0 && written == whole.size();
  if (!done || ::rename(beside.c_str(), file_of(directory, kind, key).c_str()) != 0)
    ::unlink(beside.c_str());
  else
    tidy(directory, kind);
}

std::string default_cache_directory() {
  // Do not use another user's home, which sudo may leave in $HOME.
  auto own = [](const char* path) {
    struct stat info {};
    return path != nullptr && *path == '/' && ::stat(path, &info) == 0 && info.st_uid == ::geteuid() && (info.st_mode & 0022) == 0;
  };
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); own(cache)) return std::string(cache) + "/pupc";
  if (const char* home = std::getenv("HOME"); own(home)) return std::string(home) + "/.cache/pupc";
  return {};
}

} // namespace pupc::cli
