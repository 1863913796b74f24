#pragma once
// What has been listed of a tree of directories, to answer from it what would take thousands of system calls.
#include "compiler/load/cell_map.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pupc {

struct DirectoryEntry {
  enum class Kind : uint8_t { File, Directory, LinkToFile, Other };
  std::string name;
  Kind kind;
};

/// A directory that is held open. What is in it can be opened without the walk along its whole path, which is half of the price.
class OpenDirectory {
public:
  OpenDirectory() = default;
  ~OpenDirectory();
  OpenDirectory(const OpenDirectory&) = delete;
  OpenDirectory& operator=(const OpenDirectory&) = delete;

  /// Opens the directory of this path. `above`, where it is open, is the directory that it is in.
  bool open(const std::string& path, const OpenDirectory* above);
  int descriptor() const { return descriptor_; }

private:
  int descriptor_ = -1; // -1: not open
};

/// The entries of a directory in order of their names, hidden ones too, but not . and .. ; nothing for one that cannot be read.
std::optional<std::vector<DirectoryEntry>> read_directory(const std::string& directory);

/// The directories that one walk has read. It knows nothing of changes since then.
class DirectoryListing {
public:
  /// Lists a directory, or returns what is known of it. Empty for one that cannot be read.
  const std::vector<DirectoryEntry>& list(const std::string& directory);
  /// The same in a walk over a tree: `above` is the directory around this one, and `here` this one, which opens it if it must be read.
  const std::vector<DirectoryEntry>& list(const std::string& directory, const OpenDirectory& above, OpenDirectory& here);

  /// The names in a directory that are not hidden, in order. Reads directories that were not listed.
  std::vector<std::string> names_in(const std::string& directory) const;
  bool exists(const std::string& path) const;
  bool is_directory(const std::string& path) const;
  /// Whether nothing has this path. False also where that is not known.
  bool lacks(std::string_view path) const { return look(path) == Found::Nothing; }

private:
  enum class Found : uint8_t { Unknown, Nothing, File, Directory };
  Found look(std::string_view path) const;

  std::unordered_map<std::string, std::vector<DirectoryEntry>, TransparentHash, std::equal_to<>> directories_;
};

} // namespace pupc
