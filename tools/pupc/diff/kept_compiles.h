#pragma once
// What compiles of a revision looked at, and finished comparisons, kept for later runs of `diff`. Catalogs are not kept: they may hold
// secrets.
#include "compiler/load/dependencies.h"
#include "tools/pupc/cache_file.h"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::cli {

/// What the nodes of one revision looked at. A node that failed, or is doubtful, is not among them.
using LookedAt = std::map<std::string, compiler::Dependencies>;

/// A finished comparison, as `diff` told it.
struct KeptAnswer {
  int code = 0;
  std::string output, summary;
};

/// The states of files and directories that are no part of a revision, but count in its compiles. Paths are absolute; a directory counts
/// with all that a compile may read below it. Nothing when there are too many, or when one changed after `start` or just before.
std::optional<std::vector<std::string>> file_states(const std::vector<std::string>& paths, std::chrono::system_clock::time_point start);

class KeptCompiles {
public:
  /// `directory`: of the cache; empty: nothing is kept. `key`: all that counts beside the revisions and files.
  KeptCompiles(std::string directory, std::string key) : directory_(std::move(directory)), key_(std::move(key)) {}

  /// What is known of the nodes of a revision (the object name of its commit).
  LookedAt looked_at(const std::string& commit) const;
  /// `states`: see file_states; when one has changed, nothing is known.
  void keep(const std::string& commit, const LookedAt& nodes, const std::vector<std::string>& states) const;

  std::optional<KeptAnswer> answer(const std::string& comparison) const;
  void keep(const std::string& comparison, const KeptAnswer& answer, const std::vector<std::string>& states) const;

private:
  std::string file_key(std::string_view what, const std::string& of) const;

  std::string directory_, key_;
};

} // namespace pupc::cli
