#pragma once
// What an environment has looked at on disk, so that who keeps it for many requests can ask whether it is still as it was.
#include "compiler/load/cell_map.h"
#include "compiler/load/change_events.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include <sys/stat.h>

namespace pupc::compiler {

class FileWatch {
public:
  /// Without `on` it notes nothing, so that a single compile pays nothing.
  explicit FileWatch(bool on);
  /// Remembers how a file or directory is; of one that is not there, how the innermost directory on its path is. Called before it is read,
  /// from any thread.
  void note(const std::string& path);
  /// Whether everything noted is as it was; once it was not, it never is again. Asks the kernel what it has told since, and compares size,
  /// times and inode of every file where the kernel cannot tell, and once a second. A file that had changed just before it was noted counts
  /// as changed, because its times might not show a further change.
  bool unchanged();
  /// Whether the kernel tells of changes in all that was noted.
  bool told_by_kernel() const;
  /// How many files and directories were noted.
  size_t size() const;

private:
  struct Stamp {
    bool exists = false;
    ino_t inode = 0;
    off_t size = 0;
    timespec modified{}, changed{};
  };
  static Stamp stamp_of(const std::string& path);
  bool told_unchanged();
  bool looks_unchanged() const;

  bool on_;
  mutable std::mutex mutex_;
  bool fresh_ = false;   // something changed just before it was noted
  bool changed_ = false; // somebody was told so
  std::unique_ptr<ChangeEvents> events_;
  std::chrono::steady_clock::time_point looked_{}; // when all files were compared last
  std::unordered_map<std::string, Stamp, TransparentHash, std::equal_to<>> stamps_;
};

} // namespace pupc::compiler
