#pragma once
// Keeps the findings of a run of `validate` for the next run on the same files. The cache holds a run as a whole, because findings in one
// file may depend on any other file: it answers a run only if all files are unchanged (file_states.h).
//   A run is not cached if a file changed just before or while the run read it.
#include "compiler/discovery/repository.h"
#include "tools/pupc/validate/validation.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::cli {

/// The files of a run and their findings, in the same order. Findings without a file come last.
struct CachedRun {
  std::vector<std::string> files; // the paths that findings show
  std::vector<Validation> validations;
  bool kept = false; // the run comes from the cache
};

class FindingCache {
public:
  /// `directory`: where the cache is. `key`: everything except files that the findings depend on, that is, the program's version, its
  /// options and the paths asked about. `paths`: those paths, absolute.
  FindingCache(std::string directory, std::string_view key, std::vector<std::string> paths);

  /// The cached run, if it had the same key and every file is unchanged. Any problem with the cache counts as no cached run.
  /// `jobs`: how many threads may ask for the states of files.
  std::optional<CachedRun> load(unsigned jobs);

  /// Stores a run that began at `start`. `repositories` name the other directories that the run may have read. Does nothing when the cache
  /// cannot be written, or when a file is so new that its next change might keep the same time.
  void store(const CachedRun& run, const std::vector<Repository>& repositories, std::chrono::system_clock::time_point start);

private:
  std::string directory_;
  std::string key_;
  std::vector<std::string> paths_;
};

} // namespace pupc::cli
