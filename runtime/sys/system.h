#pragma once
// The interface for all access to the machine. Providers and facts use it; tests replace it by a fake (fake_system.h). Functions report
// errors as SystemError with an errno; they never print.
#include "catalog/base/namespaces.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pupc::runtime {

/// A failed system call. what() has Puppet's text: "No such file or directory @ rb_sysopen - /x" when `call`, Ruby's name for the calling
/// function, is given, else "No such file or directory - /x". `shown` replaces the path in the text.
class SystemError : public std::runtime_error {
public:
  SystemError(int error, std::string path, std::string_view call = {}, std::string_view shown = {});
  /// A SystemError with the given text.
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
  std::vector<std::string> argv;                                // an argv[0] without a slash is searched in `path`
  std::string shell;                                            // when not empty, /bin/sh -c runs this instead of argv
  std::string directory;                                        // empty = this process's directory
  std::vector<std::pair<std::string, std::string>> environment; // added to the environment
  std::vector<std::string> unset;                               // removed from this process's environment first
  bool clear_environment = false;                               // start from an empty environment (the caller sets locale and HOME)
  std::optional<std::vector<std::string>> path;                 // PATH of the command
  /// Who runs the command: the process becomes user `uid` with all groups of the account; without `gid` its group is the account's. A uid
  /// without an account runs nothing (not_prepared). `gid` alone: this process's user, in that group only.
  std::optional<uint32_t> uid, gid;
  std::optional<uint32_t> umask;
  std::chrono::milliseconds timeout{0}; // 0 = none; a timeout kills the whole process group
  std::string input;                    // standard input; empty = /dev/null
  bool merge_output = true;             // standard error goes into `output`
  /// How many bytes of output to keep, half of them from its end; 0 = all. A line in the middle says how much is left out.
  size_t most_output = size_t{256} << 20;
};

struct CommandResult {
  int status = 0; // exit status; 128 + n when killed by signal n
  bool timed_out = false;
  bool not_started = false; // not found or not executable; see `error`
  std::string not_prepared; // why the process could not enter its directory, user or group (Puppet's message); sets not_started too
  int error = 0;            // errno of the failed start
  std::string output, error_output;
};

struct HttpRequest {
  std::string url;
  bool head = false;                  // request only the headers
  std::vector<std::string> headers;   // "Range: bytes=0-0"
  size_t most_body = size_t{1} << 30; // a longer body ends the transfer: `body` is empty then and `too_long` set
};

struct HttpAnswer {
  int status = 0;                                           // 0: no answer
  std::string reason;                                       // "Not Found"
  std::vector<std::pair<std::string, std::string>> headers; // names in lower case
  std::string body;
  std::string error;     // why there was no answer, or no whole one
  bool too_long = false; // the body is longer than the request allows

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

  // -- files. Every change happens in a directory that is held open. Links of other users are followed only to files that those users
  // own (safe_path.h); other links throw UntrustedLink, a SystemError.
  virtual std::optional<FileStatus> lstat(const std::string& path) = 0; // nothing when missing; throws on other errors
  virtual std::optional<FileStatus> stat(const std::string& path) = 0;  // follows links; nothing for a dangling one
  /// Reads a regular file. Throws EINVAL for a FIFO or device, which could block or never end, unless it is one of this process's own
  /// descriptors; EFBIG for more than 256 MiB, which read_parts can read.
  virtual std::string read_file(const std::string& path) = 0;
  using Take = std::function<void(std::string_view part)>;
  /// Reads a file as read_file does, part by part, for files that need not fit into memory.
  virtual void read_parts(const std::string& path, const Take& take) { take(read_file(path)); }
  /// Replaces a file atomically: writes a temporary file beside it (nameless while written, where the file system supports that), sets mode
  /// and owner before the first byte, then fsync, rename, fsync of the directory. `durable` false skips both fsyncs, for files that a
  /// power failure may destroy.
  virtual void write_file(const std::string& path, std::string_view content, uint32_t mode, std::optional<uint32_t> uid,
                          std::optional<uint32_t> gid, bool durable = true) = 0;
  /// Writes a file as write_file does, with the content that `produce` hands to its argument part by part. When `produce` throws, nothing
  /// is written. It may be called twice.
  virtual void write_parts(const std::string& path, const std::function<void(const Take&)>& produce, uint32_t mode,
                           std::optional<uint32_t> uid, std::optional<uint32_t> gid, bool durable = true) {
    std::string content;
    produce([&](std::string_view part) { content += part; });
    write_file(path, content, mode, uid, gid, durable);
  }
  /// Writes into an existing file itself: for files with several hard links and for mount points, which must not be replaced.
  virtual void overwrite_file(const std::string& path, std::string_view content) = 0;
  virtual std::string read_link(const std::string& path) = 0;
  /// Whether a path is a file that belongs to root or this user and that nobody else can change or replace. Throws SystemError when its
  /// directory cannot be opened.
  virtual bool safe_from_others(const std::string& path) = 0;
  /// Follows links at the end of a path; returns the path itself when it is no link.
  virtual std::string followed(const std::string& path) = 0;
  /// Makes a directory with an unpredictable name that only `owner` (default: this user) can enter, for files that others must neither see
  /// nor replace. The caller removes it. Throws EPERM when other users could replace it in `parent`.
  virtual std::string make_private_directory(const std::string& parent, std::optional<uint32_t> owner = std::nullopt) = 0;
  virtual void make_link(const std::string& target, const std::string& path) = 0;
  virtual void make_directory(const std::string& path, uint32_t mode) = 0;
  virtual std::vector<std::string> list_directory(const std::string& path) = 0; // names without . and .., sorted
  virtual void remove_file(const std::string& path) = 0;                        // a file or a link
  virtual void remove_directory(const std::string& path) = 0;                   // must be empty
  virtual void rename(const std::string& from, const std::string& to) = 0;
  virtual void set_mode(const std::string& path, uint32_t mode) = 0;
  virtual void set_owner(const std::string& path, std::optional<uint32_t> uid, std::optional<uint32_t> gid, bool follow) = 0;
  virtual void set_times(const std::string& path, int64_t accessed, int64_t modified) = 0; // nanoseconds since the epoch
  virtual bool executable(const std::string& path) = 0;                                    // whether it is a file that this process may run
  virtual bool writable(const std::string& path) = 0;                                      // whether this process may write to it

  // -- SELinux labels ("user:role:type:range"), through libselinux. A link at the end is not followed, one of another user on the way
  // only as for all files. Without libselinux no file has a label and none can be set.
  virtual bool selinux() = 0; // whether SELinux is on
  virtual std::optional<std::string> label(const std::string& path) = 0;
  virtual bool set_label(const std::string& path, const std::string& label) = 0; // false when SELinux refuses it
  /// The label that the machine's policy wants for a path. `mode` has the bits of the file's type (S_IFREG …); 0 stands for any.
  virtual std::optional<std::string> default_label(const std::string& path, uint32_t mode) = 0;
  virtual std::string label_translations() = 0; // path of the file that translates ranges

  // -- network
  virtual HttpAnswer http(const HttpRequest& request) = 0;

  // -- users
  virtual std::optional<User> user_by_name(const std::string& name) = 0;
  virtual std::optional<User> user_by_id(uint32_t uid) = 0;
  virtual std::optional<Group> group_by_name(const std::string& name) = 0;
  virtual std::optional<Group> group_by_id(uint32_t gid) = 0;
  virtual uint32_t effective_uid() = 0;
  virtual uint32_t effective_gid() = 0;

  /// Calls `work` in a child process that has become the user, with uid, gid and all groups of the account. `work` gets a System with only
  /// that user's rights, so it may follow any link. Returns the result of `work` and rethrows its exceptions: SystemError unchanged, others
  /// as std::runtime_error with their text. When this process already is that user, just calls `work`. The user can stop or delay the
  /// child: after two minutes it is killed, and SystemError (ETIMEDOUT) thrown.
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

/// Whether a path names one of this process's own descriptors ("/dev/stdout"). Such a path is opened by name, whatever its type.
bool is_own_descriptor(std::string_view path);

/// Whether a path exists; follows links. A path that this process may not look at counts as missing.
bool exists(System& system, const std::string& path);

} // namespace pupc::runtime
