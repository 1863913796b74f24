#pragma once
// Where the paths of the file server lead: modules, plugins and the mounts of fileserver.conf.
#include "catalog/base/descriptor.h"
#include "compiler/load/environment.h"
#include "compiler/load/file_watch.h"
#include "tools/server/visible_names.h"

#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::server {

/// fileserver.conf cannot be used; the message names the line.
struct MountError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The directories of fileserver.conf by the mount's name; `%h`, `%H` and `%d` in them stand for the node's names.
using FileMounts = std::map<std::string, std::string>;
/// Reads the text of fileserver.conf. Throws MountError.
FileMounts read_file_mounts(std::string_view text, const std::string& file);

/// What a path of the file server stands for, for one node in one environment.
class MountedPath {
public:
  /// `path`: "modules/ntp/ntp.conf" without slash at its beginning. The environment must outlive this. `watch`: notes what is looked at.
  MountedPath(const Environment& environment, const FileMounts& mounts, std::string_view path, const std::string& node,
              FileWatch* watch = nullptr);
  /// Whether what the mount of a path shows is the same for all nodes.
  static bool same_for_all(std::string_view path);

  /// Whether there is a mount of that name.
  bool known() const { return known_; }
  /// The file or directory; "" when there is none.
  const std::string& found() const { return found_; }
  /// The directories of which a search gives the merged content; for all but plugins the one that was found.
  const std::vector<std::string>& roots() const { return roots_; }
  /// Whether a search lists the roots alone: there is nothing of that kind in the environment.
  bool roots_only() const { return roots_only_; }
  /// Opens a file to read. Nothing when it is not there, no regular file, or a link that leads out of the environment's directories and the
  /// mounts.
  Descriptor open(const std::string& path) const;
  /// Whether a path, its links followed, leads to a place below these directories.
  bool inside(const std::string& path) const;

  /// To be called before a file or directory is looked at.
  void note(const std::string& looked_at) const {
    if (watch_ != nullptr) watch_->note(looked_at);
  }

private:
  bool allowed(std::string_view real) const;
  const Environment& environment_;
  FileWatch* watch_;
  std::string own_root_;                                    // of a mount of fileserver.conf
  mutable std::optional<std::vector<std::string>> allowed_; // real paths of directories; when asked for
  std::vector<std::string> roots_;
  std::string found_;
  bool known_ = true, roots_only_ = false;
};

} // namespace pupc::server
