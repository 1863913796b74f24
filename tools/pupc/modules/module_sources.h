#pragma once
// Where modules come from: the releases of a Forge (its v3 API) and commits of git repositories.
#include "runtime/sys/system.h"
#include "tools/pupc/modules/puppetfile.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace pupc::cli {

/// Why a module cannot be had. The text shows no password and no token.
struct ModuleError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ForgeRelease {
  std::string version, path; // path: of the file, below the Forge's URL
  std::string sha256, md5;   // at least one is set
  std::vector<ModuleRequest> dependencies;
};

/// A Forge. Safe to share between threads.
class Forge {
public:
  /// `token`: "" for none. It goes to this Forge only.
  Forge(std::string url, std::string token) : url_(std::move(url)), token_(std::move(token)) {
    while (url_.ends_with('/')) url_.pop_back();
  }
  const std::string& url() const { return url_; }
  /// The versions of a module that can be had, newest first. Throws ModuleError.
  std::vector<std::string> versions(const ModuleRequest& module) const;
  /// Throws ModuleError.
  ForgeRelease release(const ModuleRequest& module, const std::string& version) const;
  /// The archive of a release, after its checksum was compared. Throws ModuleError.
  std::string download(const ForgeRelease& release) const;

private:
  std::string get(const std::string& path, size_t most) const;
  std::string url_, token_;
};

/// A git repository, of which a bare copy is kept in a cache that all checkouts share. It is fetched as far as a commit needs.
class GitRepository {
public:
  /// Waits while another process works on the copy. Throws ModuleError.
  GitRepository(System& system, std::string url, const std::string& cache);
  ~GitRepository();
  GitRepository(const GitRepository&) = delete;
  GitRepository& operator=(const GitRepository&) = delete;

  struct Resolved {
    std::string commit;
    bool tag = false; // of the name that was asked for: it stays what it is
  };
  /// The commit that the request stands for. `control_branch`: of the control repository, "" when it has none. Asks the repository unless
  /// the request names a whole commit. Throws ModuleError.
  Resolved resolve(const ModuleRequest& request, const std::string& control_branch);
  /// Writes the files of a commit below `target`, an empty directory. Fetches the commit when the copy lacks it. Throws ModuleError.
  void check_out(const std::string& commit, const std::string& path, const std::string& target);
  /// The newest tag that is a semantic version ("v1.2.3" too); "" when there is none. Throws ModuleError.
  std::string newest_tag();

private:
  struct Reference {
    std::string commit, name;
  };
  std::string run(std::vector<std::string> words, bool in_copy = true, const std::string& index = {});
  bool has(const std::string& commit);
  void fetch(const std::string& commit);
  void fetch_all();
  Resolved commit_of(const std::string& revision, bool tags, bool branches);
  const std::vector<Reference>& references();

  System& system_;
  std::string url_, copy_;
  int lock_ = -1;
  std::vector<Reference> references_;
  bool asked_ = false;
};

/// A URL without the user and password in it.
std::string without_password(std::string url);

/// Unpacks a release (tar, gzip) into `target`, an empty directory: one directory's content, of plain files, directories, and links that
/// stay inside. `work` is a private directory. Throws ModuleError.
void unpack_release(System& system, const std::string& archive, const std::string& work, const std::string& target);

/// Throws ModuleError when a directory holds anything but plain files, directories, and links that stay inside it; takes special bits
/// of the modes away.
void check_module_tree(const std::string& directory);

} // namespace pupc::cli
