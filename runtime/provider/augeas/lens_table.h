#pragma once
// Which lens reads which files by default. libaugeas finds that out by loading all its modules, which takes half a second and 25 MB; it is
// the same until a lens file changes.
#include "runtime/provider/augeas/augeas_library.h"
#include "runtime/provider/provider.h"

namespace pupc::runtime {

/// The tables of one run, one for each list of places of lens files. They are kept in the state directory for later runs.
class LensTables {
public:
  struct Opened {
    std::unique_ptr<AugeasTree> tree; // has loaded no file yet
    bool restricted = false;          // to the lenses of files below the directory or file that was asked for
  };
  /// Opens a tree with the lenses that libaugeas uses by default. `below`, which ends with a slash, is the only place of interest; empty:
  /// all. `places` are directories of lenses besides the library's own, separated by colons; `checks` are more flags of the tree. Throws
  /// AugeasError.
  Opened open(RunContext& run, const std::string& root, const std::string& places, const std::string& below, unsigned checks = 0);

private:
  struct Table {
    std::string lenses;                                      // what stands for the lens files as they were
    std::vector<std::pair<std::string, std::string>> values; // "/augeas/load/Hosts/lens", "@Hosts"; the first is the library's version
  };
  static std::optional<Table> read(RunContext& run, const std::string& lenses);
  std::unique_ptr<AugeasTree> open_known(RunContext& run, const std::string& lenses, const std::string& root, const std::string& places,
                                         const std::string& below);
  static void keep(RunContext& run, const Table& table);

  std::vector<Table> tables_;
};

} // namespace pupc::runtime
