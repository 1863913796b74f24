#pragma once
// All access to the machine, behind one interface: providers and facts go through it, tests put a fake in its place (fake_system.h).
// Functions report what went wrong as an errno-like SystemError; they never print.
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pupc {

/// A failed system call. what() = Puppet's text for it: "No such file or directory @ rb_sysopen - /x" when `call` is given, which is
/// Ruby's name of the function that made the call; else "No such file or directory - /x". `shown` stands for the path in the text.
class SystemError : public std::runtime_error {
public:
  SystemError(int error, std::string path, std::string_view call = {}, std::string_view shown = {});
  /// The same with a text of its own.
  static SystemError with_text(int error, std::string path, const std::string& text);
  int error = 0; // errno
  std::string path;

private:
  struct Text {
    const std::string& text;
  };
  SystemError(int number, std::string where, Text text) : std::runtime_error(text.text), error(number), path(std::move(where)) {}
};

enum class FileType : uint8_t { File, Directory, Link, Fifo, Socket, BlockDevice, CharacterDevice };

struct FileStatus {
  FileType type = FileType::File;
  uint32_t mode = 0; // permission bits with setuid, setgid, sticky (07777)
  uint32_t uid = 0, gid = 0;
  uint64_t size = 0, inode = 0, device = 0, links = 1;
  int64_t modified = 0, changed = 0, accessed = 0; // nanoseconds since the epoch
};

struct User {
  std::string name, password, comment, home, shell;
  uint32_t uid = 0, gid = 0;
};
struct Group {
  std::string name;
  uint32_t gid = 0;
  std::vector<std::string> members;
};

struct Command {
  std::vector<std::string> argv;                                // argv[0] is searched in `path` when it has no slash
  std::string shell;                                            // when not empty: run by /bin/sh -c instead of argv
  std::string directory;                                        // empty = the present one
  std::vector<std::pair<std::string, std::string>> environment; // set in addition
  std::vector<std::string> unset;                               // taken out of this process's environment first
  bool clear_environment = false;                               // begin with an empty environment (locale and HOME are the caller's)
  std::optional<std::vector<std::string>> path;                 // PATH of the command
  /// Who runs it: the process becomes that user, with the account's groups; the group is the account's when `gid` is not given. Of a uid
  /// without an account nothing is run (not_prepared). `gid` alone: this user in no other group than that.
  std::optional<uint32_t> uid, gid;
  std::optional<uint32_t> umask;
  std::chrono::milliseconds timeout{0}; // 0 = none; the whole process group is killed then
  std::string input;                    // on standard input; otherwise /dev/null
  bool merge_output = true;             // standard error goes into `output`
  /// Bytes of output that are kept, half of them from its end; 0 = all. A line in the middle tells what is left out.
  size_t most_output = size_t{256} << 20;
};

struct CommandResult {
  int status = 0; // exit status; 128 + n when killed by signal n
  bool timed_out = false;
  bool not_started = false; // not found or not executable: `error` says so
  std::string not_prepared; // the process could not enter its directory, user or group: why, in Puppet's words; not_started is set too
  int error = 0;            // errno of the start
  std::string output, error_output;
};

struct HttpRequest {
  std::string url;
  bool head = false;                // only the headers
  std::vector<std::string> headers; // "Range: bytes=0-0"
};

struct HttpAnswer {
  int status = 0;                                           // 0: there was none
  std::string reason;                                       // "Not Found"
  std::vector<std::pair<std::string, std::string>> headers; // names in lower case
  std::string body;
  std::string error; // why there was none

  bool good() const { return status >= 200 && status < 300; }
  const std::string* header(std::string_view name) const {
    for (const auto& [n, value] : headers)
      if (n == name) return &value;
    return nullptr;
  }
};

class System {
public:
  virtual ~System() = default;

  // -- files. Whatever is changed is changed in a directory that is held open, and links of other users are followed only to what those
  // users own (safe_path.h): UntrustedLink, a SystemError, else.
  virtual std::optional<FileStatus> lstat(const std::string& path) = 0; // nothing when it does not exist; throws on other errors
  virtual std::optional<FileStatus> stat(const std::string& path) = 0;  // follows links; nothing for a dangling one
  /// Of files only: what waits or never ends (a FIFO, a device) is refused with EINVAL, unless it is one of this process's own descriptors.
  virtual std::string read_file(const std::string& path) = 0;
  /// Replaces a file atomically: temporary file beside it (without a name while it is written, where the file system can do that), mode and
  /// owner set before any byte is written, fsync, rename, fsync of the directory. `durable` false leaves out the waiting for the disk: for
  /// what may be lost with the power.
  virtual void write_file(const std::string& path, std::string_view content, uint32_t mode, std::optional<uint32_t> uid,
                          std::optional<uint32_t> gid, bool durable = true) = 0;
  /// Writes into an existing file itself: for what cannot be replaced without cutting it off from its other names or from what is mounted
  /// there.
  virtual void overwrite_file(const std::string& path, std::string_view content) = 0;
  virtual std::string read_link(const std::string& path) = 0;
  /// Whether a path is a file of root's or this user's that nobody else can change or replace. Throws when its directory cannot be opened.
  virtual bool safe_from_others(const std::string& path) = 0;
  /// Where the links at the end of a path lead; the path itself when there is none.
  virtual std::string followed(const std::string& path) = 0;
  /// Makes a directory with a name that nobody can know before, which only its owner (this user unless given) can enter: for what must not
  /// be seen or replaced. Whoever asked for it removes it. `parent` must not let others replace it: EPERM.
  virtual std::string make_private_directory(const std::string& parent, std::optional<uint32_t> owner = std::nullopt) = 0;
  virtual void make_link(const std::string& target, const std::string& path) = 0;
  virtual void make_directory(const std::string& path, uint32_t mode) = 0;
  virtual std::vector<std::string> list_directory(const std::string& path) = 0; // names without . and .., sorted
  virtual void remove_file(const std::string& path) = 0;                        // file, link
  virtual void remove_directory(const std::string& path) = 0;                   // empty one
  virtual void rename(const std::string& from, const std::string& to) = 0;
  virtual void set_mode(const std::string& path, uint32_t mode) = 0;
  virtual void set_owner(const std::string& path, std::optional<uint32_t> uid, std::optional<uint32_t> gid, bool follow) = 0;
  virtual void set_times(const std::string& path, int64_t accessed, int64_t modified) = 0; // nanoseconds since the epoch
  virtual bool executable(const std::string& path) = 0;                                    // a file that this process may run
  virtual bool writable(const std::string& path) = 0;                                      // by this process

  // -- labels of SELinux ("user:role:type:range"), as libselinux tells and sets them; links are not followed
  virtual bool selinux() = 0; // whether the machine has it and it is on; the others are asked only then
  virtual std::optional<std::string> label(const std::string& path) = 0;
  virtual bool set_label(const std::string& path, const std::string& label) = 0; // whether it was accepted
  /// What the machine's policy wants for a path; `mode` has the bits of the file's type (S_IFREG …), 0 stands for any.
  virtual std::optional<std::string> default_label(const std::string& path, uint32_t mode) = 0;
  virtual std::string label_translations() = 0; // the file with names of ranges

  // -- network
  virtual HttpAnswer http(const HttpRequest& request) = 0;

  // -- users
  virtual std::optional<User> user_by_name(const std::string& name) = 0;
  virtual std::optional<User> user_by_id(uint32_t uid) = 0;
  virtual std::optional<Group> group_by_name(const std::string& name) = 0;
  virtual std::optional<Group> group_by_id(uint32_t gid) = 0;
  virtual uint32_t effective_uid() = 0;
  virtual uint32_t effective_gid() = 0;

  /// Calls `work` in a child process that has become a user: uid, gid and all groups of the account. It gets a System that has that user's
  /// rights and no other, so links may lead it where they will. Returns what `work` returned. What it threw is thrown here: SystemError as
  /// it was, others as std::runtime_error with their text. For the user that this process is, `work` is simply called.
  virtual std::string as_user(const User& user, const std::function<std::string(System&)>& work) = 0;

  // -- commands
  virtual CommandResult run(const Command& command) = 0;
  /// Full path of a program on `path` (default: PATH); nothing when there is none.
  virtual std::optional<std::string> which(std::string_view program, const std::vector<std::string>* path = nullptr) = 0;

  // -- clock and process
  virtual int64_t now() = 0;       // nanoseconds since the epoch
  virtual int64_t monotonic() = 0; // nanoseconds
  virtual void sleep(std::chrono::milliseconds time) = 0;
  virtual std::optional<std::string> environment(const std::string& name) = 0;
  virtual std::string hostname() = 0;
};

/// Whether a path names one of this process's own descriptors ("/dev/stdout"): opened by name, whatever it is.
bool is_own_descriptor(std::string_view path);

/// Whether there is something at a path, links followed. What cannot be looked at is not there.
bool exists(System& system, const std::string& path);

} // namespace pupc
