// Files, users and the clock through the C library; commands are in child_process.cpp. Repeats every call that a signal interrupts.
#include "runtime/sys/posix_system.h"

#include "catalog/base/paths.h"

#include "runtime/sys/child_process.h"
#include "runtime/sys/http.h"
#include "runtime/sys/safe_path.h"
#include "runtime/sys/selinux_library.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <map>
#include <pwd.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

namespace pupc::runtime {

bool is_own_descriptor(std::string_view path) {
  return path == "/dev/stdin" || path == "/dev/stdout" || path == "/dev/stderr" || path.starts_with("/dev/fd/") ||
         path.starts_with("/proc/self/fd/");
}

std::string system_error_text(int error) { return std::strerror(error); }

SystemError::SystemError(int error_number, std::string where, std::string_view call, std::string_view shown)
    : std::runtime_error(
          fmt::format("{}{}{} - {}", system_error_text(error_number), call.empty() ? "" : " @ ", call, shown.empty() ? where : shown)),
      error(error_number), path(std::move(where)) {}

SystemError SystemError::with_text(int error, std::string path, const std::string& text) {
  return SystemError(error, std::move(path), Text{text});
}

bool exists(System& system, const std::string& path) {
  try {
    return system.stat(path).has_value();
  } catch (const SystemError&) { return false; }
}

namespace {

[[noreturn]] void fail(const std::string& path, std::string_view call = {}) { throw SystemError(errno, path, call); }
void check(int result, const std::string& path, std::string_view call = {}) {
  if (result < 0) fail(path, call);
}

int64_t nanoseconds(const timespec& t) { return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec; }
timespec to_timespec(int64_t ns) {
  int64_t seconds = ns / 1'000'000'000, rest = ns % 1'000'000'000;
  if (rest < 0) {
    rest += 1'000'000'000;
    --seconds;
  }
  return {static_cast<time_t>(seconds), static_cast<long>(rest)};
}

FileType file_type(mode_t mode) {
  switch (mode & S_IFMT) {
  case S_IFDIR: return FileType::Directory;
  case S_IFLNK: return FileType::Link;
  case S_IFIFO: return FileType::Fifo;
  case S_IFSOCK: return FileType::Socket;
  case S_IFBLK: return FileType::BlockDevice;
  case S_IFCHR: return FileType::CharacterDevice;
  default: return FileType::File;
  }
}

FileStatus to_status(const struct stat& s) {
  FileStatus out;
  out.type = file_type(s.st_mode);
  out.mode = s.st_mode & 07777;
  out.uid = s.st_uid;
  out.gid = s.st_gid;
  out.size = static_cast<uint64_t>(s.st_size);
  out.inode = s.st_ino;
  out.device = s.st_dev;
  out.links = s.st_nlink;
  out.modified = nanoseconds(s.st_mtim);
  out.changed = nanoseconds(s.st_ctim);
  out.accessed = nanoseconds(s.st_atim);
  return out;
}

std::string directory_of(const std::string& path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

void write_all(int fd, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      fail(path);
    }
    content.remove_prefix(static_cast<size_t>(n));
  }
}

User to_user(const passwd& p) {
  User u;
  u.name = p.pw_name;
  u.password = p.pw_passwd;
  u.comment = p.pw_gecos;
  u.home = p.pw_dir;
  u.shell = p.pw_shell;
  u.uid = p.pw_uid;
  u.gid = p.pw_gid;
  return u;
}
Group to_group(const group& g) {
  Group out;
  out.name = g.gr_name;
  out.gid = g.gr_gid;
  for (char** m = g.gr_mem; *m != nullptr; ++m) out.members.emplace_back(*m);
  return out;
}

/// Calls a function of getpwnam_r's family, with a larger buffer until the record fits.
template <class Record, class Call> bool look_up(Record& record, std::vector<char>& buffer, Call call) {
  buffer.resize(4096);
  while (true) {
    Record* found = nullptr;
    int error = call(&record, buffer.data(), buffer.size(), &found);
    if (error == ERANGE && buffer.size() < (1u << 22)) {
      buffer.resize(buffer.size() * 2);
      continue;
    }
    return error == 0 && found != nullptr;
  }
}

constexpr size_t most_read = size_t{256} << 20; // by read_file

std::string random_name() {
  uint64_t number = 0;
  if (::getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number) {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    number = static_cast<uint64_t>(nanoseconds(now)) ^ (static_cast<uint64_t>(::getpid()) << 40);
  }
  return fmt::format(".pupc-{:016}", number % 10'000'000'000'000'000); // digits only, as Puppet's names have them
}

/// Gives a file opened with O_TMPFILE a name in a directory that nothing has there, and returns the name: `wanted`, or one made up; empty
/// when this machine does not allow it.
std::string link_nameless(int fd, int directory, const std::string& wanted) {
  const std::string source = fmt::format("/proc/self/fd/{}", fd);
  // A process that is killed between the link and the rename leaves the made-up name, so take the wanted one where it is free.
  std::string name = wanted;
  for (int attempt = 0; attempt < 100; ++attempt, name = random_name()) {
    // Linking by descriptor needs a privilege; linking through /proc needs /proc to be mounted.
    if (::linkat(fd, "", directory, name.c_str(), AT_EMPTY_PATH) == 0) return name;
    if (errno == EEXIST) continue;
    if (::linkat(AT_FDCWD, source.c_str(), directory, name.c_str(), AT_SYMLINK_FOLLOW) == 0) return name;
    if (errno != EEXIST) break;
  }
  return {};
}

class PosixSystem final : public System {
public:
  std::optional<FileStatus> lstat(const std::string& path) override { return status(path, AT_SYMLINK_NOFOLLOW); }
  std::optional<FileStatus> stat(const std::string& path) override { return status(path, 0); }

  std::string read_file(const std::string& path) override {
    struct stat s {};
    const Descriptor fd = open_file(path, s);
    auto check_size = [&](auto size) {
      if (static_cast<size_t>(size) > most_read) throw SystemError(EFBIG, path, "io_fread");
    };
    check_size(std::max<off_t>(s.st_size, 0));
    std::string out;
    out.resize(static_cast<size_t>(std::max<off_t>(s.st_size, 0)) + 1);
    size_t used = 0;
    while (true) {
      check_size(used);
      if (used == out.size()) out.resize(out.size() * 2);
      ssize_t n = ::read(fd.get(), out.data() + used, out.size() - used);
      if (n < 0) {
        if (errno == EINTR) continue;
        fail(path);
      }
      if (n == 0) break;
      used += static_cast<size_t>(n);
    }
    out.resize(used);
    return out;
  }

  void read_parts(const std::string& path, const Take& take) override {
    struct stat s {};
    const Descriptor fd = open_file(path, s);
    std::string part(size_t{1} << 18, '\0');
    for (;;) {
      const ssize_t n = ::read(fd.get(), part.data(), part.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail(path);
      if (n == 0) return;
      take(std::string_view(part).substr(0, static_cast<size_t>(n)));
    }
  }

  void write_file(const std::string& path, std::string_view content, uint32_t mode, std::optional<uint32_t> uid,
                  std::optional<uint32_t> gid, bool durable) override {
    write_parts(
        path, [&](const Take& take) { take(content); }, mode, uid, gid, durable);
  }
  void write_parts(const std::string& path, const std::function<void(const Take&)>& produce, uint32_t mode, std::optional<uint32_t> uid,
                   std::optional<uint32_t> gid, bool durable) override {
    if (directory_of(path) == "/etc") forget_accounts();
    const Place place = open_place(path, "dir_s_mkdir"); // report Puppet's call: it makes a lock directory beside the file
    const int directory = place.directory.get();
    std::string temporary; // a short name: the file's own may already have the maximal length
    // A file that gets its name only when it is complete leaves no garbage when the process is killed.
    Descriptor fd(nameless_files_ ? ::openat(directory, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600) : -1);
    const bool nameless = fd.get() >= 0;
    if (!nameless) {
      for (int attempt = 0; attempt < 100 && fd.get() < 0; ++attempt) {
        temporary = random_name();
        fd.reset(::openat(directory, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
        if (fd.get() < 0 && errno != EEXIST) break;
      }
      check(fd.get(), path, "dir_s_mkdir");
    }
    bool named = !nameless;
    try {
      if (uid || gid)
        check(::fchown(fd.get(), uid ? *uid : static_cast<uid_t>(-1), gid ? *gid : static_cast<gid_t>(-1)), path, "rb_file_chown");
      check(::fchmod(fd.get(), mode), path, "rb_file_chmod");
      produce([&](std::string_view part) { write_all(fd.get(), part, path); });
      if (durable) check(::fsync(fd.get()), path);
      if (nameless) {
        temporary = link_nameless(fd.get(), directory, place.name);
        if (temporary.empty()) {
          nameless_files_ = false; // we have neither the privilege nor /proc
          return write_parts(path, produce, mode, uid, gid, durable);
        }
        named = temporary != place.name;
      }
      if (named && ::renameat(directory, temporary.c_str(), directory, place.name.c_str()) != 0)
        throw SystemError(errno, path, "rb_file_s_rename", fmt::format("({}{}, {})", path, temporary, path));
    } catch (...) {
      if (named) ::unlinkat(directory, temporary.c_str(), 0);
      throw;
    }
    if (!durable) return;
    // Ignore a directory that cannot be synced (some network file systems): the file itself is safe.
    Descriptor of_directory(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (of_directory.get() >= 0) (void)::fsync(of_directory.get());
  }

  void overwrite_file(const std::string& path, std::string_view content) override {
    if (directory_of(path) == "/etc") forget_accounts();
    if (is_own_descriptor(path)) {
      Descriptor own(::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
      check(own.get(), path, "rb_sysopen");
      return write_all(own.get(), content, path);
    }
    struct stat known {
    }, opened{};
    const std::string real = followed_path(path, "rb_sysopen");
    open_entry(real, false, known, "rb_sysopen");
    const Place place = open_place(real, "rb_sysopen");
    Descriptor fd(::openat(place.directory.get(), place.name.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    check(fd.get(), path, "rb_sysopen");
    check(::fstat(fd.get(), &opened), path, "rb_sysopen");
    // Truncate only the file that was checked: another one may have taken its name meanwhile.
    if (opened.st_ino != known.st_ino || opened.st_dev != known.st_dev) throw SystemError(ELOOP, path, "rb_sysopen");
    if (S_ISREG(opened.st_mode))
      check(::ftruncate(fd.get(), 0), path, "rb_sysopen");
    else
      ::fcntl(fd.get(), F_SETFL, 0); // block: the reader of a pipe may be slow
    write_all(fd.get(), content, path);
    if (S_ISREG(opened.st_mode)) check(::fsync(fd.get()), path);
  }

  std::string read_link(const std::string& path) override {
    const Place place = open_place(path, "rb_readlink");
    std::string out(256, '\0');
    while (true) {
      ssize_t n = ::readlinkat(place.directory.get(), place.name.c_str(), out.data(), out.size());
      check(static_cast<int>(n < 0 ? -1 : 0), path, "rb_readlink");
      if (static_cast<size_t>(n) < out.size()) {
        out.resize(static_cast<size_t>(n));
        return out;
      }
      out.resize(out.size() * 2);
    }
  }
  bool safe_from_others(const std::string& path) override { return is_trusted_file(path); }
  std::string followed(const std::string& path) override { return followed_path(path, "rb_readlink"); }
  void make_link(const std::string& target, const std::string& path) override {
    const std::string shown = fmt::format("({}, {})", target, path);
    auto failed = [&](int error) { return SystemError(error, path, "rb_file_s_symlink", shown); };
    auto place_of_link = [&] {
      try {
        return open_place(path, "rb_file_s_symlink");
      } catch (const SystemError& e) { throw failed(e.error); }
    };
    const Place place = place_of_link();
    if (::symlinkat(target.c_str(), place.directory.get(), place.name.c_str()) != 0) throw failed(errno);
  }
  void make_directory(const std::string& path, uint32_t mode) override {
    const Place place = open_place(path, "dir_s_mkdir");
    check(::mkdirat(place.directory.get(), place.name.c_str(), mode & 0700), path, "dir_s_mkdir");
    Descriptor made(::openat(place.directory.get(), place.name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    check(made.get(), path, "apply2files");
    struct stat status {};
    check(::fstat(made.get(), &status), path, "apply2files");
    change_mode(made, place, mode | (status.st_mode & S_ISGID), path); // the umask has no say, the group of the directory above has
  }
  std::string make_private_directory(const std::string& parent, std::optional<uint32_t> owner) override {
    const Place place = open_place(parent + "/x", "dir_s_mkdir");
    if (!is_trusted_place(place.directory)) throw SystemError(EPERM, parent, "dir_s_mkdir");
    for (int attempt = 0;; ++attempt) {
      const std::string name = random_name();
      if (::mkdirat(place.directory.get(), name.c_str(), 0700) == 0) {
        if (owner) check(::fchownat(place.directory.get(), name.c_str(), *owner, static_cast<gid_t>(-1), AT_SYMLINK_NOFOLLOW), parent);
        return parent + "/" + name;
      }
      if (errno != EEXIST || attempt == 100) fail(parent, "dir_s_mkdir");
    }
  }
  std::vector<std::string> list_directory(const std::string& path) override {
    Descriptor fd = open_for_reading(path, O_DIRECTORY, "dir_initialize");
    const std::unique_ptr<DIR, int (*)(DIR*)> d(::fdopendir(fd.get()), &::closedir);
    if (d == nullptr) fail(path, "dir_initialize");
    fd.release(); // closedir closes it
    std::vector<std::string> out;
    while (dirent* e = ::readdir(d.get())) {
      std::string_view name = e->d_name;
      if (name != "." && name != "..") out.emplace_back(name);
    }
    std::sort(out.begin(), out.end());
    return out;
  }
  void remove_file(const std::string& path) override { remove(path, 0, "apply2files"); }
  void remove_directory(const std::string& path) override { remove(path, AT_REMOVEDIR, "dir_s_rmdir"); }
  void rename(const std::string& from, const std::string& to) override {
    const Place source = open_place(from, "rb_file_s_rename"), target = open_place(to, "rb_file_s_rename");
    if (::renameat(source.directory.get(), source.name.c_str(), target.directory.get(), target.name.c_str()) != 0)
      throw SystemError(errno, from, "rb_file_s_rename", fmt::format("({}, {})", from, to));
  }
  void set_mode(const std::string& path, uint32_t mode) override {
    struct stat s {};
    const Descriptor fd = open_entry(path, true, s, "apply2files");
    change_mode(fd, open_place(followed_path(path, "apply2files")), mode, path);
  }
  void set_owner(const std::string& path, std::optional<uint32_t> uid, std::optional<uint32_t> gid, bool follow) override {
    uid_t u = uid ? *uid : static_cast<uid_t>(-1);
    gid_t g = gid ? *gid : static_cast<gid_t>(-1);
    struct stat s {};
    const Descriptor fd = open_entry(path, follow, s, "apply2files");
    check(::fchownat(fd.get(), "", u, g, AT_EMPTY_PATH), path, "apply2files");
  }
  void set_times(const std::string& path, int64_t accessed, int64_t modified) override {
    timespec times[2] = {to_timespec(accessed), to_timespec(modified)};
    const Place place = open_place(path, "apply2files");
    check(::utimensat(place.directory.get(), place.name.c_str(), times, AT_SYMLINK_NOFOLLOW), path, "apply2files");
  }
  bool writable(const std::string& path) override { return ::access(path.c_str(), W_OK) == 0; }
  bool executable(const std::string& path) override {
    struct stat s {};
    return ::stat(path.c_str(), &s) == 0 && S_ISREG(s.st_mode) && ::access(path.c_str(), X_OK) == 0;
  }

  bool selinux() override { return SelinuxLibrary::enabled(); }
  std::optional<std::string> label(const std::string& path) override {
    try {
      struct stat s {};
      return SelinuxLibrary::label(open_entry(path, false, s, "apply2files").get());
    } catch (const SystemError& e) {
      if (e.error == ENOENT || e.error == ENOTDIR || e.error == EACCES) return std::nullopt;
      throw;
    }
  }
  bool set_label(const std::string& path, const std::string& text) override {
    struct stat s {};
    return SelinuxLibrary::set_label(open_entry(path, false, s, "apply2files").get(), text);
  }
  std::optional<std::string> default_label(const std::string& path, uint32_t mode) override {
    return SelinuxLibrary::default_label(path, mode);
  }
  std::string label_translations() override { return SelinuxLibrary::translations(); }

  HttpAnswer http(const HttpRequest& request) override { return send_http_request(request); }

  // Accounts are cached until something may have changed them: a catalog asks thousands of times for a few accounts. A missing account is
  // not cached, since the run may create it.
  std::optional<User> user_by_name(const std::string& name) override {
    return remembered(users_by_name_, name, [&] {
      return user([&](passwd* p, char* b, size_t n, passwd** f) { return ::getpwnam_r(name.c_str(), p, b, n, f); });
    });
  }
  std::optional<User> user_by_id(uint32_t uid) override {
    return remembered(users_by_id_, uid,
                      [&] { return user([&](passwd* p, char* b, size_t n, passwd** f) { return ::getpwuid_r(uid, p, b, n, f); }); });
  }
  std::optional<Group> group_by_name(const std::string& name) override {
    return remembered(groups_by_name_, name, [&] {
      return group_of([&](group* p, char* b, size_t n, group** f) { return ::getgrnam_r(name.c_str(), p, b, n, f); });
    });
  }
  std::optional<Group> group_by_id(uint32_t gid) override {
    return remembered(groups_by_id_, gid,
                      [&] { return group_of([&](group* p, char* b, size_t n, group** f) { return ::getgrgid_r(gid, p, b, n, f); }); });
  }
  uint32_t effective_uid() override { return ::geteuid(); }
  uint32_t effective_gid() override { return ::getegid(); }

  CommandResult run(const Command& command) override {
    forget_accounts(); // the command may be useradd or the like
    auto not_started = [](int error, std::string why = {}) {
      CommandResult result;
      result.not_started = true;
      result.not_prepared = std::move(why);
      result.error = error;
      result.status = 127;
      return result;
    };
    std::string program = "/bin/sh";
    if (command.shell.empty()) {
      if (command.argv.empty()) return not_started(ENOENT);
      auto found = which(command.argv[0], command.path ? &*command.path : nullptr);
      if (!found) return not_started(stat(command.argv[0]) && command.argv[0].find('/') != std::string::npos ? EACCES : ENOENT);
      program = *found;
    }
    Identity identity;
    if (command.uid) {
      const auto user = user_by_id(*command.uid);
      if (!user) return not_started(ESRCH, fmt::format("can't find user for {}", *command.uid));
      identity = identity_of(*user, command.gid);
    } else if (command.gid) {
      identity.gid = *command.gid;
      identity.groups = {*command.gid};
    }
    return run_program(command, program, identity);
  }
  std::string as_user(const User& user, const std::function<std::string(System&)>& work) override {
    if (user.uid == ::geteuid()) return work(*this);
    return run_in_child(identity_of(user), "user " + user.name, [&] {
      PosixSystem own; // what this one remembers is root's view
      return work(own);
    });
  }

  std::optional<std::string> which(std::string_view program, const std::vector<std::string>* path) override {
    if (program.empty()) return std::nullopt;
    if (program.find('/') != std::string_view::npos) {
      std::string name(program);
      if (executable(name)) return name;
      return std::nullopt;
    }
    std::vector<std::string> own;
    if (path == nullptr) {
      const char* variable = std::getenv("PATH");
      own = catalog::split_path(variable == nullptr ? "/usr/sbin:/usr/bin:/sbin:/bin" : variable);
      path = &own;
    }
    for (const std::string& directory : *path) {
      std::string full = fmt::format("{}/{}", directory, program);
      if (executable(full)) return full;
    }
    return std::nullopt;
  }

  int64_t now() override { return clock(CLOCK_REALTIME); }
  int64_t monotonic() override { return clock(CLOCK_MONOTONIC); }
  void sleep(std::chrono::milliseconds time) override {
    timespec rest = to_timespec(std::chrono::nanoseconds(time).count());
    ::nanosleep(&rest, nullptr); // a signal ends the sleep: the run must end then
  }
  std::optional<std::string> environment(const std::string& name) override {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  }
  std::string hostname() override {
    char name[256] = "localhost";
    ::gethostname(name, sizeof name - 1);
    return name;
  }

private:
  /// Opens a regular file, or one of this process's own descriptors, for reading.
  static Descriptor open_file(const std::string& path, struct stat& s) {
    const bool own = is_own_descriptor(path);
    Descriptor fd = own ? Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY))
                        : open_for_reading(path, O_NOCTTY | O_NONBLOCK, "rb_sysopen");
    check(fd.get(), path, "rb_sysopen");
    check(::fstat(fd.get(), &s), path, "rb_file_s_stat");
    if (S_ISDIR(s.st_mode)) throw SystemError(EISDIR, path, "io_fread");
    if (!S_ISREG(s.st_mode) && !own) throw SystemError(EINVAL, path, "rb_sysopen");
    return fd;
  }
  static void remove(const std::string& path, int flags, std::string_view call) {
    const Place place = open_place(path, call);
    check(::unlinkat(place.directory.get(), place.name.c_str(), flags), path, call);
  }
  /// Changes the mode of a file opened with O_PATH, even if its name now belongs to another file.
  static void change_mode(const Descriptor& fd, const Place& place, uint32_t mode, const std::string& path) {
    if (::chmod(fmt::format("/proc/self/fd/{}", fd.get()).c_str(), mode) == 0) return;
    if (errno != ENOENT && errno != ENOTDIR) fail(path, "apply2files");
    // Without /proc, open the file by name and check that it is still the same one.
    Descriptor file(::openat(place.directory.get(), place.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    struct stat opened {
    }, known{};
    check(file.get(), path, "apply2files");
    if (::fstat(fd.get(), &known) != 0 || ::fstat(file.get(), &opened) != 0 || known.st_ino != opened.st_ino ||
        known.st_dev != opened.st_dev)
      throw SystemError(ELOOP, path, "apply2files");
    check(::fchmod(file.get(), mode), path, "apply2files");
  }

  template <class Key, class Record, class Find>
  static std::optional<Record> remembered(std::map<Key, Record>& known, const Key& key, Find find) {
    if (auto it = known.find(key); it != known.end()) return it->second;
    std::optional<Record> found = find();
    if (found) known.emplace(key, *found);
    return found;
  }
  void forget_accounts() {
    users_by_name_.clear();
    users_by_id_.clear();
    groups_by_name_.clear();
    groups_by_id_.clear();
  }

  bool nameless_files_ = true; // whether O_TMPFILE works here
  std::map<std::string, User> users_by_name_;
  std::map<uint32_t, User> users_by_id_;
  std::map<std::string, Group> groups_by_name_;
  std::map<uint32_t, Group> groups_by_id_;

  static std::optional<FileStatus> status(const std::string& path, int flags) {
    struct stat s {};
    if (::fstatat(AT_FDCWD, path.c_str(), &s, flags) == 0) return to_status(s);
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    fail(path, flags == 0 ? "rb_file_s_stat" : "rb_file_lstat");
  }
  static int64_t clock(clockid_t id) {
    timespec t{};
    ::clock_gettime(id, &t);
    return nanoseconds(t);
  }
  template <class Call> static std::optional<User> user(Call call) {
    passwd record{};
    std::vector<char> buffer;
    if (!look_up(record, buffer, call)) return std::nullopt;
    return to_user(record);
  }
  template <class Call> static std::optional<Group> group_of(Call call) {
    group record{};
    std::vector<char> buffer;
    if (!look_up(record, buffer, call)) return std::nullopt;
    return to_group(record);
  }
};

} // namespace

std::unique_ptr<System> make_posix_system() { return std::make_unique<PosixSystem>(); }

} // namespace pupc::runtime
