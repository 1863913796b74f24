#pragma once
// Two revisions of a control repository, or two environments, as directories of catalogs.
#include "tools/pupc/compile_settings.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace pupc {

struct RevisionsRequest {
  std::string repository = ".";   // a directory in the checkout
  std::string before, after;      // revisions as git names them, or both directories; an empty `after`: the files of the checkout
  std::string facts;              // a directory of facts files, or one
  std::vector<std::string> nodes; // patterns with * and ?; empty: all nodes that have facts
  bool exports = false;           // the nodes collect what they export to each other
};

/// Catalogs of one side: files NODE.json below `directory`, and why nodes have none.
struct CompiledSide {
  std::string directory;
  std::map<std::string, std::string> errors;
};

/// Both sides, in a directory of their own that nobody else can enter. It goes when this goes, also when a signal ends the program.
class CompiledRevisions {
public:
  /// Checks the revisions out there, without touching the checkout, its index or its list of worktrees, and compiles the nodes. Paths of
  /// the options that are in the repository mean the revision's; a path that the revision lacks (modules that another tool installs) is the
  /// checkout's. Without --environmentpath, --modulepath and --manifest the repository itself is the environment, or has it in
  /// `environments`; so with two directories that have manifests or an environment.conf. What the catalogs and errors say of the files is
  /// said as if they were in the checkout (or the second directory). Throws UsageError when git does not know a revision or nothing can be
  /// compiled.
  CompiledRevisions(const CompileOptions& options, const RevisionsRequest& request);
  ~CompiledRevisions();
  CompiledRevisions(const CompiledRevisions&) = delete;
  CompiledRevisions& operator=(const CompiledRevisions&) = delete;

  CompiledSide before, after;
  std::string root; // of the checkout, or the second directory

private:
  struct Work;
  std::unique_ptr<Work> work_;
};

} // namespace pupc
