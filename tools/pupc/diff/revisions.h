#pragma once
// Compiles two revisions of a control repository, or two environments, to directories of catalogs.
#include "tools/pupc/compile/node_selection.h"
#include "tools/pupc/settings/compile_settings.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace pupc::cli {

struct RevisionsRequest {
  std::string repository = ".";   // a directory in the checkout
  std::string before, after;      // both git revisions, or both directories; an empty `after`: the files of the checkout
  std::string facts;              // a directory of facts files, or one facts file
  std::vector<std::string> nodes; // patterns with * and ?; empty: all nodes that have facts
  bool exports = false;           // the nodes collect what they export to each other
  Sample sample;                  // few nodes of each kind
  std::string role = "role";      // the fact that says what kind of node one is
  int seconds = 0;                // compile no further nodes after so long; 0: no limit
  bool every_node = false;        // also those that no changed file can reach
  std::string cache;              // directory for what later runs may use; empty: none
  std::string key;                // all that counts beside the revisions and the files: the program and its options
};

/// The object name of the revision's commit; empty for a directory, or the files of the checkout. Throws UsageError when git does not know
/// it.
std::string commit_of(const RevisionsRequest& request, const std::string& revision);

/// The catalogs of one side: files NODE.json below `directory`, and the errors of nodes without a catalog.
struct CompiledSide {
  std::string directory;
  std::map<std::string, std::string> errors;
  std::set<std::string> left_out;  // the time was over
  std::set<std::string> unreached; // the change does not reach them: both sides are equal
};

/// Both sides, in a temporary directory that no other user can enter. The destructor removes it; so does a signal that ends the program.
class CompiledRevisions {
public:
  /// Checks out the revisions into the temporary directory, without changing the checkout, its index or its list of worktrees. Then
  /// compiles the nodes.
  ///   Paths in the options that point into the repository refer to the same path in the revision. If the revision lacks the path (modules
  /// that another tool installs), the checkout's is used. Without --environmentpath, --modulepath and --manifest the repository itself is
  /// the environment, or contains it in `environments`. The same holds for two directories with manifests or an environment.conf.
  ///   Catalogs and errors show file names as if the files were in the checkout (or the second directory). Throws UsageError when git does
  /// not know a revision or when there is nothing to compile.
  CompiledRevisions(const CompileOptions& options, const RevisionsRequest& request);
  ~CompiledRevisions();
  CompiledRevisions(const CompiledRevisions&) = delete;
  CompiledRevisions& operator=(const CompiledRevisions&) = delete;

  CompiledSide before, after;
  std::string root;                         // of the checkout, or the second directory
  std::map<std::string, std::string> roles; // of the nodes that have such a fact
  /// The states of all files outside the repository that counted; nothing when the result is not to be kept.
  std::optional<std::vector<std::string>> states;

private:
  struct Work;
  std::unique_ptr<Work> work_;
};

} // namespace pupc::cli
