#include "catalog/base/paths.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace pupc::catalog {

std::string absolute_path(std::string_view path, std::string_view base) {
  std::string out;
  auto add = [&](std::string_view more) {
    for (size_t begin = 0; begin < more.size();) {
      const size_t end = std::min(more.find('/', begin), more.size());
      const std::string_view part = more.substr(begin, end - begin);
      begin = end + 1;
      if (part.empty() || part == ".") continue;
      if (part == "..")
        out.resize(out.empty() ? 0 : out.rfind('/'));
      else
        out.append("/").append(part);
    }
  };
  if (!path.starts_with('/')) {
    char* cwd = base.empty() ? ::getcwd(nullptr, 0) : nullptr;
    add(cwd != nullptr ? cwd : base);
    ::free(cwd);
  }
  out.reserve(out.size() + path.size() + 1);
  add(path);
  return out.empty() ? "/" : out;
}

std::vector<std::string> split_path(std::string_view list) {
  std::vector<std::string> out;
  for (size_t begin = 0; begin < list.size();) {
    size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin) out.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

bool is_directory(const std::string& path) {
  struct stat info {};
  return ::stat(system_path(path), &info) == 0 && S_ISDIR(info.st_mode);
}

namespace {

/// Whether the content of the descriptor may be read. If not, sets errno to EISDIR or ENOTSUP (special file).
bool readable(int fd, const struct stat& info, FileKinds kinds) {
  if (S_ISREG(info.st_mode)) return true;
  if (S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    return false;
  }
  if (S_ISCHR(info.st_mode) && info.st_rdev == makedev(1, 3)) return true; // /dev/null
  struct statfs where {};
  const bool nameless = ::fstatfs(fd, &where) == 0 && where.f_type == PIPEFS_MAGIC;
  if (kinds == FileKinds::Pipes && S_ISFIFO(info.st_mode) && nameless) return true;
  errno = ENOTSUP;
  return false;
}

} // namespace

namespace {

/// Reads the content of a descriptor that readable() has accepted.
std::optional<std::string> read_all(int fd, const struct stat& info) {
  if (static_cast<uintmax_t>(info.st_size) > most_file_bytes) {
    errno = EFBIG;
    return std::nullopt;
  }
  std::string text;
  size_t have = 0;
  text.resize(static_cast<size_t>(info.st_size) + 1); // one byte more, so that a single read reaches the end
  for (;;) {
    ssize_t n = ::read(fd, text.data() + have, text.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::nullopt;
    if (n == 0) break;
    have += static_cast<size_t>(n);
    if (have > most_file_bytes) {
      errno = EFBIG;
      return std::nullopt;
    }
    if (have == static_cast<size_t>(info.st_size) && S_ISREG(info.st_mode) && have > 0) break; // has the size from when it was opened
    if (have == text.size()) text.resize(text.size() * 2);
  }
  text.resize(have);
  return text;
}

/// Opens a file that may be read and fills `info`. Returns -1 with errno if it may not.
int open_known(const std::string& path, FileKinds kinds, struct stat& info) {
  const int fd = ::open(system_path(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); // do not wait for the writer of a FIFO
  if (fd < 0) return -1;
  if (::fstat(fd, &info) == 0 && readable(fd, info, kinds)) {
    if (!S_ISREG(info.st_mode)) ::fcntl(fd, F_SETFL, O_RDONLY); // but wait for a pipe's content
    return fd;
  }
  const int code = errno;
  ::close(fd);
  errno = code;
  return -1;
}

} // namespace

std::optional<std::string> read_whole_file(int fd, FileKinds kinds) {
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !readable(fd, info, kinds)) return std::nullopt;
  return read_all(fd, info);
}

std::optional<std::string> read_whole_file(const std::string& path, FileKinds kinds) {
  struct stat info {};
  const int fd = open_known(path, kinds, info);
  if (fd < 0) return std::nullopt;
  auto text = read_all(fd, info);
  const int code = errno;
  ::close(fd);
  errno = code;
  return text;
}

int open_readable(const std::string& path, FileKinds kinds) {
  struct stat info {};
  return open_known(path, kinds, info);
}

std::string file_problem(int error) {
  if (error == ENOTSUP) return "it is not a regular file";
  if (error == EFBIG) return "it is larger than 128 MB";
  return std::strerror(error);
}

} // namespace pupc::catalog
