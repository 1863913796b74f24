#pragma once
// The code of environments as git keeps it: which commit is checked out, and the files of commits. For static catalogs, whose files an
// agent may ask for when newer code has been deployed.
#include "tools/server/visible_names.h"

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace pupc::server {

/// Whether a text may be the id of a commit: 40 or 64 hexadecimal digits.
bool valid_code_id(std::string_view text);

class CodeVersions {
public:
  /// The commit that is checked out in an environment's directory; nothing when it is not the top of a git work tree. Cheap: it reads some
  /// small files.
  static std::optional<std::string> current(const std::string& directory);

  /// Whether git changes the files of that directory now: it holds the lock of its index. One that is older than a minute was left behind.
  static bool changing(const std::string& directory);

  /// The files of a commit with the ids of their contents, by path; null when git does not know the commit. Kept for the next time.
  using Files = std::unordered_map<std::string, std::string>;
  std::shared_ptr<const Files> files(const std::string& directory, const std::string& commit);

  /// The content of a file at a commit; nothing when it was not there, or git fails.
  static std::optional<std::string> content(const std::string& directory, const std::string& commit, const std::string& path);

private:
  struct Kept {
    std::string commit;
    std::shared_ptr<const Files> files;
  };
  std::mutex mutex_;
  std::list<Kept> kept_; // the last used first
};

} // namespace pupc::server
