#pragma once
// What the kernel tells of files that change (inotify), so that nobody has to look at hundreds of them before each request.
#include "compiler/load/cell_map.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <sys/types.h>

namespace pupc::compiler {

/// Watches files for one environment. Not for several threads at once.
///
/// What is watched, and why nothing is missed: a file itself (so a write under another name of it, a hard link, is told too), and every
/// directory on the way to it for the one name that leads on (so a rename over it, a removed or renamed directory and another target of a
/// link are told). A directory that was listed is watched for all names. A file system mounted over one of them makes no event, so the
/// list of mounts is watched as well. What the kernel does not tell: writes to a file mapped into memory, and what another machine changes
/// in a network file system; `add` refuses any file system that is not known to be local, and who asks must look at the files himself
/// from time to time.
class ChangeEvents {
public:
  enum class News : uint8_t {
    None,
    Mounts,  // what is mounted has changed: the files may be others now
    Changed, // something watched has changed, or so much happened that the kernel did not keep it
  };

  /// Nothing if the kernel has no more of what this takes (fs.inotify.max_user_instances), or no /proc.
  static std::unique_ptr<ChangeEvents> open();
  ~ChangeEvents();
  ChangeEvents(const ChangeEvents&) = delete;
  ChangeEvents& operator=(const ChangeEvents&) = delete;

  /// Watches the file or directory of an absolute path, or what there is of the way to it. Call it before the file is looked at. False
  /// if that cannot be done (a limit of the kernel, a file system that is not local): changes of this path will not be told.
  bool add(std::string_view path);
  /// What happened since the last call. One system call when nothing did.
  News news();

private:
  struct Directory {
    std::string path; // without links
    int watch = -1;
  };
  /// The names in a directory whose changes matter.
  struct Names {
    bool all = false;
    std::unordered_set<std::string, TransparentHash, std::equal_to<>> some;
  };

  ChangeEvents(int events, int mounts) : events_(events), mounts_(mounts) {}
  bool add(std::string_view path, int links);
  const Directory* directory(std::string_view path, int links);
  const Directory* enter(const Directory& parent, std::string_view name, int links);
  bool local(const std::string& path, dev_t device);
  bool matters(int watch, uint32_t what, std::string_view name) const;

  int events_, mounts_;                                                                      // descriptors
  bool failed_ = false;                                                                      // in the course of one `add`
  std::unordered_map<std::string, Directory, TransparentHash, std::equal_to<>> directories_; // by the path that was asked for
  std::unordered_map<int, Names> names_;                                                     // by watch
  std::unordered_map<dev_t, bool> local_;
};

} // namespace pupc::compiler
