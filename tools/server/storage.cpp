#include "tools/server/storage.h"

#include "catalog/base/descriptor.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

namespace pupc::server {
namespace {

[[noreturn]] void fail(const std::string& path) {
  throw std::runtime_error(fmt::format("Could not write {}: {}", path, std::strerror(errno)));
}

void make_directories(const std::string& path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
    if (::mkdir(path.substr(0, slash).c_str(), 0750) != 0 && errno != EEXIST) fail(path.substr(0, slash));
}

/// Gives a file its name, in the place of the one that has it. False with errno.
bool take_place(const std::string& temporary, const std::string& path) {
  // ext4 writes a file to the disk at once that is renamed over another one, which costs more than all else here. Exchanged, it waits as
  // any file does: only where the power fails within these seconds may it be empty.
  if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0) return ::unlink(temporary.c_str()) == 0;
  return ::rename(temporary.c_str(), path.c_str()) == 0; // there was none, or the file system cannot exchange
}

} // namespace

void store_file(const std::string& path, std::string_view content) {
  static std::atomic<unsigned> number = 0;
  const std::string temporary = fmt::format("{}.{}-{}.tmp", path, ::getpid(), number++);
  constexpr int how = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  Descriptor file(::open(temporary.c_str(), how, 0640));
  if (file.get() < 0 && errno == ENOENT) {
    make_directories(path);
    file.reset(::open(temporary.c_str(), how, 0640));
  }
  if (file.get() < 0) fail(path);
  while (!content.empty()) {
    const ssize_t n = ::write(file.get(), content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const int error = errno;
      ::unlink(temporary.c_str());
      errno = error;
      fail(path);
    }
    content.remove_prefix(static_cast<size_t>(n));
  }
  if (!take_place(temporary, path)) {
    const int error = errno;
    ::unlink(temporary.c_str());
    errno = error;
    fail(path);
  }
}

} // namespace pupc::server
