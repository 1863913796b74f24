#pragma once
// Resolves the paths given to `validate`: which files to check, and the environment they belong to.
#include "compiler/load/environment_extras.h"

#include <set>
#include <string>
#include <vector>

namespace pupc::compiler {

enum class FileKind : uint8_t {
  Manifest,
  Epp,
  Erb,
  Yaml,
  Json,
  Hocon,
  HieraConfig,
  Metadata, // metadata.json of a module
  EnvironmentConf,
  Puppetfile,
  TaskMetadata, // tasks/*.json
  RubyFunction, // a function of a module in Ruby
  RubyCode,     // a type, a provider, a fact or the like of a module in Ruby
};

struct RepositoryFile {
  std::string shown; // the path that findings show
  std::string path;  // absolute
  FileKind kind = FileKind::Manifest;
  bool hiera_data = false;                                  // in a directory of data
  std::shared_ptr<const ModuleMetadata> metadata = nullptr; // of a module's metadata.json
};

struct Repository {
  std::vector<RepositoryFile> files;
  EnvironmentOptions environment;     // its modulepath
  EnvironmentExtras extras;           // modules in folders of other names
  bool whole = false;                 // a name that is not found does not exist
  std::set<std::string> missing;      // modules that the Puppetfile lists but the environment lacks
  bool old_stdlib = false;            // the one that the Puppetfile lists is older than 9: it has functions that were removed then
  std::set<std::string> dependencies; // folders that the Puppetfile installs modules into: they are read, but not checked
  std::string root;                   // of the environment or repository; empty = none
  std::vector<std::string> data_directories;
};

/// Finds the files that each path stands for, and their environments. A path stands for itself, or for the files below a directory except
/// hidden ones, files that .gitignore excludes, and modules fetched for tests. An environment may be a control repository or one of several
/// environments in a directory. Each has a repository of its own, because its names and data are its own; all other files, of modules, of
/// a directory of modules, or of nothing, are in one. With a `modulepath` all files are in one environment with these modules. There is
/// always at least one repository.
/// Without `all` the files of modules that the Puppetfile installed are left out, unless a path names them.
/// Without `owners` files that are named count as files of nothing, which costs less than to find out.
std::vector<Repository> discover(const std::vector<std::string>& paths, const std::vector<std::string>& modulepath, bool all = false,
                                 bool owners = true);

/// Only the files of all repositories.
std::vector<RepositoryFile> discover_files(const std::vector<std::string>& paths, bool all = false);

/// The manifests of the environment (its main manifests and those of its modules) that are not among the repository's files, because nobody
/// asked about them or .gitignore excludes them. `modules`: folders of the environment's modules.
std::vector<std::string> other_manifests(const Repository& repository, const std::vector<std::string>& modules);

/// The kind of a file by its name and place; nullopt for files that validate does not read.
std::optional<FileKind> kind_of_file(const std::string& path);

/// The names of modules that a Puppetfile lists, without authors, and the directory that it installs them in.
struct PuppetfileModules {
  std::vector<std::string> names;
  std::string directory = "modules";
  std::vector<std::string> statements; // the texts of the `mod`, in the order of the names
  /// Where a module is installed, by its number; empty for one that is local.
  std::string directory_of(size_t module) const;
  /// The version, tag or other revision that is asked for; empty for the newest.
  std::string version_of(size_t module) const;
};
PuppetfileModules read_puppetfile(std::string_view text);

} // namespace pupc::compiler
