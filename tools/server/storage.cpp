#include "tools/server/storage.h"

#include "catalog/base/descriptor.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdexcept>
#include <sys/file.h>
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

std::string spare_of(const std::string& path) { return path + ".tmp"; }

/// Gives a file its name, in the place of the one that has it, which is deleted or kept as the spare one. False with errno.
bool take_place(const std::string& temporary, const std::string& path, bool keep) {
  // ext4 writes a file to the disk at once that is renamed over another one, which costs more than all else here. Exchanged, it waits as
  // any file does: only where the power fails within these seconds may it be empty.
  if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0)
    // Never in the place of a spare file: another request may be writing into it.
    return (keep && ::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, spare_of(path).c_str(), RENAME_NOREPLACE) == 0) ||
           ::unlink(temporary.c_str()) == 0;
  return ::rename(temporary.c_str(), path.c_str()) == 0; // there was none, or the file system cannot exchange
}

bool write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = ::write(file, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    content.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

/// Writes into the file that had the name before this one, which stays beside it, and exchanges the two: nothing is made or deleted. A file
/// system looks long for a free place among many that were deleted of late. False when there is no such file or another request has it.
bool store_in_spare(const std::string& path, std::string_view content) {
  const std::string spare = spare_of(path);
  const Descriptor file(::open(spare.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file.get() < 0 || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return false;
  struct stat ours;
  struct stat named;
  if (::fstat(file.get(), &ours) != 0 || ::lstat(spare.c_str(), &named) != 0 || ours.st_ino != named.st_ino)
    return false; // exchanged since
  // Cut at its new end, not at its begin: what is cut to nothing is written to the disk at once.
  return write_all(file.get(), content) && ::ftruncate(file.get(), static_cast<off_t>(content.size())) == 0 &&
         ::renameat2(AT_FDCWD, spare.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0;
}

void store(const std::string& path, std::string_view content, bool keep) {
  static std::atomic<unsigned> number = 0;
  const std::string temporary = fmt::format("{}.{}-{}.tmp", path, ::getpid(), number++);
  constexpr int how = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  Descriptor file(::open(temporary.c_str(), how, 0640));
  if (file.get() < 0 && errno == ENOENT) {
    make_directories(path);
    file.reset(::open(temporary.c_str(), how, 0640));
  }
  if (file.get() < 0) fail(path);
  if (!write_all(file.get(), content) || !take_place(temporary, path, keep)) {
    const int error = errno;
    ::unlink(temporary.c_str());
    errno = error;
    fail(path);
  }
}

} // namespace

void store_file(const std::string& path, std::string_view content) { store(path, content, false); }

void renew_file(const std::string& path, std::string_view content) {
  if (!store_in_spare(path, content)) store(path, content, true);
}

} // namespace pupc::server
