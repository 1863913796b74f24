#pragma once
// What the paths given to `validate` stand for: which files are checked, and the environment they belong to.
#include "compiler/load/environment_extras.h"

#include <set>
#include <string>
#include <vector>

namespace pupc {

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
};

struct RepositoryFile {
  std::string shown; // as findings name it
  std::string path;  // absolute
  FileKind kind = FileKind::Manifest;
  bool hiera_data = false; // in a directory of data
};

struct Repository {
  std::vector<RepositoryFile> files;
  EnvironmentOptions environment; // its modulepath
  EnvironmentExtras extras;       // modules in folders of other names
  bool known = false;             // an environment, module or modulepath was found or given: names can be looked up
  bool whole = false;             // what is not there does not exist
  std::set<std::string> missing;  // modules that the Puppetfile lists and that are not there
  std::string root;               // of the environment or repository; empty = none
  std::vector<std::string> data_directories;
};

/// Finds the files that each path stands for (itself, or what is below a directory and neither hidden, nor ignored by .gitignore, nor a
/// module fetched for tests), and their environment: a control repository, an environment, a module, a directory of modules.
/// `modulepath`, where given, is the environment's.
Repository discover(const std::vector<std::string>& paths, const std::vector<std::string>& modulepath);

/// Manifests of the environment's modules and its main manifests that are not among the repository's files, because others were asked about
/// or .gitignore names them. `modules`: the environment's, as folders.
std::vector<std::string> other_manifests(const Repository& repository, const std::vector<std::string>& modules);

/// The kind of a file by its name and place; nothing for what validate does not read.
std::optional<FileKind> kind_of_file(const std::string& path);

/// Module names that a Puppetfile lists, without authors, and the directory that it has them put into.
struct PuppetfileModules {
  std::vector<std::string> names;
  std::string directory = "modules";
};
PuppetfileModules read_puppetfile(std::string_view text);

} // namespace pupc
