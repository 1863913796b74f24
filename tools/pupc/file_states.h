#pragma once
// What a run of `validate` may have seen of the files and directories around it, in a form that a later run compares with what is there
// now.
#include "compiler/load/directory_listing.h"

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pupc::cli {

/// Records the names in directories, and the size and times of the files that a run may read.
///   A file is the same as long as its device, inode, mode, size, and times of content and of status are (nobody can set the latter).
///   The names in a directory are the same as long as these are: so a later run asks for one state, and reads no directory.
class FileStates {
public:
  /// `listing`: what the run knows of directories. What was listed may be older than the states; settled_before() tells of changes since
  /// then.
  explicit FileStates(DirectoryListing& listing) : listing_(listing) {}

  /// Records a file, or a directory with everything below it, or that the path is missing. `path` is absolute.
  void add(const std::string& path);
  /// Records only whether the path exists and whether it is a directory.
  void add_place(const std::string& path);

  /// All that was recorded, in parts that stand for themselves. Call it once, last.
  std::vector<std::string> take();
  /// Whether all changes are older than a run that began at `start`, by so much that a later change cannot have the same time.
  bool settled_before(std::chrono::system_clock::time_point start) const;
  /// False where there was too much to record.
  bool complete() const;

  /// What a run may read in a directory and below it.
  enum class Reads : uint8_t { Known, Ruby, All }; // files of known names; in a folder "lib" also Ruby; in folders of code all files

private:
  bool add_member(std::string_view name);
  void visit(int depth, Reads reads, bool linked);

  DirectoryListing& listing_;
  std::string path_; // of the directory that is being recorded
  std::vector<std::string> parts_;
  std::string text_; // the part that is being made
  std::map<std::pair<dev_t, ino_t>, Reads> seen_;
  int64_t newest_ = 0;
  size_t entries_ = 0, linked_entries_ = 0;
};

/// Whether all that a part of a record says is still so. A part that is no record says nothing that is so.
bool still_so(std::string_view part);

} // namespace pupc::cli
