#pragma once
// What a run of `validate` found, kept for the next run on the same files. Kept as one whole: findings of one file may come from any other,
// so a run whose files all are as they were is answered from the cache, and any other is made anew.
//   A file is as it was when its name, size, inode, and times of change of content and of status (which nobody can set) are. What changed
//   just before or while a run reads it keeps that run out of the cache.
#include "compiler/analysis/repository.h"
#include "tools/pupc/validation.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

/// The files of a run and what was found in them, in the same order; what is of no file stands behind them.
struct CachedRun {
  std::vector<std::string> files;    // as findings name them
  std::vector<std::string> absolute; // where they are
  std::vector<Validation> validations;
  bool kept = false;    // it comes from the cache
  bool nothing = false; // nothing was given to check
};

class FindingCache {
public:
  /// `directory`: where the cache is. `question`: all that the findings depend on but files: the program, its options, the paths asked
  /// about (`paths`, absolute).
  FindingCache(std::string directory, std::string_view question, std::vector<std::string> paths);

  /// The run of before, where it asked the same and every file is as it was. Whatever is wrong with the cache means that there is none.
  std::optional<CachedRun> load();

  /// Keeps a run that began at `start`. `repository` tells which other directories it may have read. Nothing when the cache cannot be
  /// written, or a file is so new that its next change could not be seen.
  void store(const CachedRun& run, const Repository& repository, std::chrono::system_clock::time_point start);

private:
  std::string file() const;

  std::string directory_;
  std::string question_;
  std::vector<std::string> paths_;
};

/// The user's directory for it: $XDG_CACHE_HOME/pupc or ~/.cache/pupc; empty when there is no home
/// that is the user's own.
std::string default_cache_directory();

} // namespace pupc
