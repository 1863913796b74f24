#pragma once
// What an environment has looked at on disk, so that who keeps it for many requests can ask whether it is still as it was.
#include "compiler/load/cell_map.h"

#include <mutex>
#include <string>
#include <unordered_map>

#include <sys/stat.h>

namespace pupc {

class FileWatch {
public:
  /// Without `on` it notes nothing, so that a single compile pays nothing.
  explicit FileWatch(bool on) : on_(on) {}
  /// Remembers how a file or directory is; of one that is not there, how the innermost directory on its path is. Called before it is read,
  /// from any thread.
  void note(const std::string& path);
  /// Whether everything noted is as it was: compares size, times and inode. A file that had changed just before it was noted counts as
  /// changed, because its times might not show a further change.
  bool unchanged() const;

private:
  struct Stamp {
    bool exists = false;
    bool fresh = false; // it changed just before it was noted
    ino_t inode = 0;
    off_t size = 0;
    timespec modified{}, changed{};
  };
  static Stamp stamp_of(const std::string& path);

  bool on_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Stamp, TransparentHash, std::equal_to<>> stamps_;
};

} // namespace pupc
