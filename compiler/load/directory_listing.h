#pragma once
// What has been listed of a tree of directories, to answer from it what would take thousands of system calls.
#include "catalog/base/arena.h"
#include "catalog/base/descriptor.h"

#include <dirent.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pupc::compiler {

struct DirectoryEntry {
  enum class Kind : uint8_t { File, Directory, LinkToFile, Other };
  std::string_view name; // as long as the listing lives
  Kind kind;
};

/// The order of the paths in a directory and below it, in which a directory's name counts with a slash behind it: a-b/x, a.pp, a/x.
bool in_order_of_paths(const DirectoryEntry& a, const DirectoryEntry& b);

/// Opens a directory; an empty Descriptor where it cannot be opened. `above`, where it is open, is the directory that it is in: this saves
/// the walk along the whole path, which is half of the price.
Descriptor open_directory(const std::string& path, const Descriptor& above);

/// Calls f(name, type) for each entry but . and .. ; `type` is a DT_ of dirent.h. Not readdir(), which asks for the directory's state and
/// for memory: a repository has thousands of directories.
template <class F> void for_each_entry(const Descriptor& directory, F f) {
  alignas(dirent64) char buffer[32 * 1024];
  for (ssize_t read; (read = ::getdents64(directory.get(), buffer, sizeof buffer)) > 0;)
    for (ssize_t at = 0; at < read;) {
      const auto& e = *reinterpret_cast<const dirent64*>(buffer + at);
      at += e.d_reclen;
      if (const std::string_view name = e.d_name; name != "." && name != "..") f(e.d_name, e.d_type);
    }
}

/// The directories that one walk has read. It knows nothing of changes since then.
class DirectoryListing {
public:
  using Entries = std::span<const DirectoryEntry>;

  /// Lists a directory, or returns what is known of it: the entries in order of their paths, hidden ones too, but not . and .. ; empty for
  /// one that cannot be read. The entries stay where they are as long as the listing lives.
  Entries list(const std::string& directory);
  /// The same in a walk over a tree: `above` is the directory around this one, and `here` this one, which opens it if it must be read.
  Entries list(const std::string& directory, const Descriptor& above, Descriptor& here);

  /// The entry with this name; null where there is none.
  static const DirectoryEntry* find(Entries entries, std::string_view name);

  /// The names in a directory that are not hidden, in order. Reads directories that were not listed.
  std::vector<std::string> names_in(const std::string& directory) const;
  bool exists(const std::string& path) const;
  /// The same, as far as it is known without a question to the system.
  std::optional<bool> known_to_exist(std::string_view path) const {
    const Found found = look(path);
    return found == Found::Unknown ? std::nullopt : std::optional(found != Found::Nothing);
  }
  bool is_directory(const std::string& path) const;
  /// Whether nothing has this path. False also where that is not known.
  bool lacks(std::string_view path) const { return look(path) == Found::Nothing; }

private:
  enum class Found : uint8_t { Unknown, Nothing, File, Directory };
  Found look(std::string_view path) const;

  Arena arena_; // of names, paths and entries: thousands of each
  std::unordered_map<std::string_view, Entries> directories_;
  std::vector<DirectoryEntry> read_; // of the directory that is being read
};

} // namespace pupc::compiler
