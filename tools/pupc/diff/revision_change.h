#pragma once
// Which compiles a change of files can reach. In doubt it reaches them.
#include "compiler/load/dependencies.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::cli {

using compiler::Dependencies;
using compiler::Environment;

struct ChangedFile {
  std::string path;     // relative to the root of the repository
  bool existed = false; // before the change
  bool exists = false;  // after it
  bool plain = true;    // a regular file on both sides, as far as it is there
};

/// The files that differ between two revisions.
class RevisionChange {
public:
  /// `before` and `after`: where the files of the two revisions are, and the environments there.
  RevisionChange(const std::string& before_root, const std::string& after_root, std::vector<ChangedFile> files, const Environment& before,
                 const Environment& after);

  /// Why the change may reach every compile; empty: it does not, and reaches() tells.
  const std::string& everything() const { return everything_; }
  /// Whether it may reach a compile that looked at this, in either revision.
  bool reaches(const Dependencies& looked_at) const;

private:
  /// A data file: the keys whose values differ.
  struct Data {
    bool whole = false; // not only single keys
    Dependencies::Set keys;
  };

  void place_modules(const std::string& before_root, const std::string& after_root, const Environment& before, const Environment& after);
  void take(const ChangedFile& file);
  bool take_code(std::string_view inside, std::string_view folder, const std::string& name_space);
  void all(std::string_view path);
  static Data compare_data(const std::string& before, const std::string& after, const std::string& path);

  std::string before_root_, after_root_;
  std::string environment_;                    // the folder of the environment, with a / at its end; empty: the root is it
  Dependencies::Set manifests_;                // the main manifests of both sides: files or directories
  std::map<std::string, std::string> modules_; // names by folders, which end with a /
  std::string everything_;
  Dependencies::Set names_;    // definitions of these names, and of names below them, may differ
  Dependencies::Set contents_; // paths whose content differs
  Dependencies::Set places_;   // paths, also of directories, that only one side has
  std::map<std::string, Data, std::less<>> data_;
};

} // namespace pupc::cli
