#include "runtime/state/run_state.h"

#include "runtime/sys/safe_path.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace pupc::runtime {

RunLock::~RunLock() {
  if (fd_ < 0) return;
  ::unlink(path_.c_str());
  ::close(fd_);
}

bool RunLock::acquire(const std::string& path, std::string& holder) {
  for (;;) {
    const Place place = open_place(path);
    // Refuse a link and a file of another user: we would empty the link's target, and the other user could hold the lock.
    fd_ = ::openat(place.directory.get(), place.name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0640);
    if (fd_ < 0) throw SystemError(errno, path);
    struct stat lock {};
    if (::fstat(fd_, &lock) != 0 || !S_ISREG(lock.st_mode) || (lock.st_uid != ::geteuid() && lock.st_uid != 0)) {
      ::close(std::exchange(fd_, -1));
      throw SystemError(EPERM, path);
    }
    if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
      char text[32] = "";
      ssize_t n = ::read(fd_, text, sizeof text - 1);
      holder = n > 0 ? std::string(text, static_cast<size_t>(n)) : "";
      while (!holder.empty() && holder.back() == '\n') holder.pop_back();
      ::close(fd_);
      fd_ = -1;
      return false;
    }
    // The previous holder may have removed the file after we opened it: a lock on a removed file keeps nobody out, so try again.
    struct stat opened {
    }, there{};
    if (::fstat(fd_, &opened) == 0 && ::stat(path.c_str(), &there) == 0 && opened.st_ino == there.st_ino && opened.st_dev == there.st_dev)
      break;
    ::close(fd_);
  }
  path_ = path;
  std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(fd_, 0) != 0 || ::write(fd_, pid.data(), pid.size()) < 0) { /* the lock holds even without the process id */
  }
  return true;
}

} // namespace pupc::runtime
