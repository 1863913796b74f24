#include "runtime/sys/safe_path.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pupc::runtime {

UntrustedLink::UntrustedLink(const std::string& where, uint32_t owner, uint32_t target_owner)
    : SystemError(with_text(ELOOP, where,
                            fmt::format("Refused to follow {}: the link belongs to user {} and leads to what belongs to user {}", where,
                                        owner, target_owner))) {}

namespace {

constexpr int most_links = 40; // the kernel's limit

bool is_trusted(uint32_t uid) { return uid == 0 || uid == ::geteuid(); }

/// Whether only trusted users can put a link into a directory.
bool is_closed(const struct stat& directory) { return is_trusted(directory.st_uid) && (directory.st_mode & 0022) == 0; }

std::string text_of_link(int directory, const char* name) {
  std::string out(256, '\0');
  for (;;) {
    const ssize_t n = ::readlinkat(directory, name, out.data(), out.size());
    if (n < 0) return {};
    if (static_cast<size_t>(n) < out.size()) {
      out.resize(static_cast<size_t>(n));
      return out;
    }
    out.resize(out.size() * 2);
  }
}

/// Walks down a path one directory descriptor at a time.
class Walk {
public:
  Walk(const std::string& path, std::string_view call) : path_(path), call_(call) {}

  /// Opens the directory `path`, relative to `from`.
  Descriptor directory(const Descriptor& from, std::string_view path) {
    Descriptor at(path.starts_with('/') ? ::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)
                  : from.get() < 0      ? ::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)
                                        : ::openat(from.get(), ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (at.get() < 0) fail();
    while (!path.empty()) {
      const size_t end = std::min(path.find('/'), path.size());
      const std::string part(path.substr(0, end));
      path.remove_prefix(std::min(end + 1, path.size()));
      if (part.empty() || part == ".") continue;
      Descriptor next(::openat(at.get(), part.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
      struct stat s {};
      if (next.get() < 0 || ::fstat(next.get(), &s) != 0) fail();
      if (S_ISLNK(s.st_mode)) {
        next = through_link(at, next, s);
        if (::fstat(next.get(), &s) != 0) fail();
      }
      if (!S_ISDIR(s.st_mode)) {
        errno = ENOTDIR;
        fail();
      }
      at = std::move(next);
    }
    return at;
  }

private:
  Descriptor through_link(const Descriptor& in, const Descriptor& link, const struct stat& status) {
    if (++links_ > most_links) {
      errno = ELOOP;
      fail();
    }
    const std::string text = text_of_link(link.get(), "");
    if (text.empty()) fail();
    Descriptor to = directory(in, text);
    struct stat around {
    }, target{};
    if (::fstat(in.get(), &around) != 0 || ::fstat(to.get(), &target) != 0) fail();
    if (!is_trusted(status.st_uid) && !is_closed(around) && target.st_uid != status.st_uid)
      throw UntrustedLink(path_, status.st_uid, target.st_uid);
    return to;
  }
  [[noreturn]] void fail() const { throw SystemError(errno, path_, call_); }

  const std::string& path_;
  std::string_view call_;
  int links_ = 0;
};

/// Opens a directory. Most paths contain no link, and for these one system call is enough.
Descriptor open_directory(const std::string& directory, const std::string& path, std::string_view call) {
  open_how how{};
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS;
  Descriptor fd(static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, directory.c_str(), &how, sizeof how)));
  if (fd.get() >= 0) return fd;
  if (errno == ELOOP || errno == ENOSYS || errno == EPERM) return Walk(path, call).directory(Descriptor(), directory);
  throw SystemError(errno, path, call);
}

} // namespace

Descriptor open_for_reading(const std::string& path, int flags, std::string_view call) {
  open_how how{};
  how.flags = static_cast<uint64_t>(O_RDONLY | O_CLOEXEC | flags);
  how.resolve = RESOLVE_NO_SYMLINKS;
  Descriptor fd(static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how)));
  if (fd.get() >= 0) return fd;
  if (errno != ELOOP && errno != ENOSYS && errno != EPERM) throw SystemError(errno, path, call);
  const Place place = open_place(followed_path(path, call), call);
  fd.reset(::openat(place.directory.get(), place.name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | flags));
  if (fd.get() < 0) throw SystemError(errno, path, call);
  return fd;
}

bool is_trusted_file(const std::string& path) {
  struct stat s {};
  const Place place = open_place(path);
  return ::fstatat(place.directory.get(), place.name.c_str(), &s, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(s.st_mode) && is_trusted(s.st_uid) &&
         (s.st_mode & 0022) == 0 && is_trusted_place(place.directory);
}

bool is_trusted_place(const Descriptor& directory) {
  struct stat s {
  }, above{};
  int at = directory.get();
  for (Descriptor up;;) {
    if (::fstat(at, &s) != 0 || !is_trusted(s.st_uid) || ((s.st_mode & 0022) != 0 && (s.st_mode & S_ISVTX) == 0)) return false;
    Descriptor next(::openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (next.get() < 0 || ::fstat(next.get(), &above) != 0) return false;
    if (above.st_ino == s.st_ino && above.st_dev == s.st_dev) return true;
    up = std::move(next);
    at = up.get();
  }
}

Place open_place(const std::string& path, std::string_view call) {
  size_t end = path.size();
  while (end > 1 && path[end - 1] == '/') --end;
  const std::string_view clean = std::string_view(path).substr(0, end);
  const size_t slash = clean.rfind('/');
  std::string name(slash == std::string_view::npos ? clean : clean.substr(slash + 1));
  std::string directory(slash == std::string_view::npos ? "." : slash == 0 ? "/" : clean.substr(0, slash));
  if (name.empty() || name == "." || name == "..") {
    directory = clean.empty() ? "." : clean;
    name = ".";
  }
  return {open_directory(directory, path, call), std::move(name)};
}

std::string followed_path(const std::string& path, std::string_view call) {
  std::string at = path;
  // The untrusted user whose link we followed: this user must own all further links of that kind and the target.
  std::optional<uint32_t> decides;
  for (int links = 0; links <= most_links; ++links) {
    const Place place = open_place(at, call);
    struct stat s {
    }, around{};
    if (::fstat(place.directory.get(), &around) != 0) throw SystemError(errno, path, call);
    const bool there = ::fstatat(place.directory.get(), place.name.c_str(), &s, AT_SYMLINK_NOFOLLOW) == 0;
    if (!there && errno != ENOENT) throw SystemError(errno, path, call);
    if (!there || !S_ISLNK(s.st_mode)) {
      // For a target that does not exist yet, the owner of its directory counts.
      const uint32_t owner = there ? s.st_uid : around.st_uid;
      if (decides && owner != *decides) throw UntrustedLink(path, *decides, owner);
      return at;
    }
    if (!is_trusted(s.st_uid) && !is_closed(around)) {
      if (decides && *decides != s.st_uid) throw UntrustedLink(path, *decides, s.st_uid);
      decides = s.st_uid;
    }
    const std::string target = text_of_link(place.directory.get(), place.name.c_str());
    if (target.empty()) throw SystemError(errno, path, call);
    at = target.starts_with('/') ? target : at.substr(0, at.rfind('/') + 1) + target;
  }
  throw SystemError(ELOOP, path, call);
}

Descriptor open_entry(const std::string& path, bool follow, struct stat& status, std::string_view call) {
  const Place place = open_place(follow ? followed_path(path, call) : path, call);
  Descriptor fd(::openat(place.directory.get(), place.name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (fd.get() < 0 || ::fstat(fd.get(), &status) != 0) throw SystemError(errno, path, call);
  if (follow && S_ISLNK(status.st_mode)) throw SystemError(ELOOP, path, call); // someone has just replaced it by a link
  if (S_ISREG(status.st_mode) && status.st_nlink > 1) {
    struct stat around {};
    if (::fstat(place.directory.get(), &around) == 0 && !is_trusted(around.st_uid) && status.st_uid != around.st_uid)
      throw SystemError(EPERM, path, call);
  }
  return fd;
}

} // namespace pupc::runtime
