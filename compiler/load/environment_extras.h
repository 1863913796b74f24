#pragma once
// What a checker of an environment knows before it opens the environment.
#include "catalog/base/arena.h"
#include "catalog/formats/data_file.h"
#include "catalog/value/value.h"
#include "compiler/load/directory_listing.h"
#include "compiler/load/environment.h"
#include "compiler/load/parsed_manifests.h"

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace pupc::compiler {

class RubyFiles; // compiler/ruby/syntax/ruby_static.h

/// The metadata.json of a module.
struct ModuleMetadata {
  std::string text;
  Arena arena;
  Value root;
  std::optional<DataError> error;
};
/// Reads the metadata.json in a module's directory; null when there is none.
std::shared_ptr<const ModuleMetadata> read_module_metadata(const std::string& directory);

struct EnvironmentExtras {
  /// Modules in directories with other names, such as checkouts of their repositories. They precede the modules of the modulepath.
  struct NamedModule {
    std::string name, path;
  };
  std::vector<NamedModule> named_modules;
  /// Modules whose metadata lacks what Puppet needs are there all the same, for checks of the rest. Puppet leaves them out.
  bool incomplete_modules = false;
  /// A main manifest that cannot be used is left out, and of two definitions of one name the first counts, for checks of the rest.
  bool usable_main_only = false;
  /// What has been read already of the metadata of modules, by their directories.
  std::unordered_map<std::string, std::shared_ptr<const ModuleMetadata>> metadata;
  /// The directories that have been listed already, to look for files of modules in it. Empty when nobody has.
  std::shared_ptr<DirectoryListing> listing = std::make_shared<DirectoryListing>();
  /// What other code has parsed already; null when it has nothing. It may grow until the first name is looked up.
  std::shared_ptr<const ParsedManifests> parsed;
  /// Where the files of types in Ruby are kept for who asks more of them; null when nobody does.
  std::shared_ptr<RubyFiles> ruby;
};

/// Opens an environment with this knowledge. Throws CompileError like open_environment in environment.h.
std::shared_ptr<const Environment> open_environment(EnvironmentOptions options, EnvironmentExtras extras);

} // namespace pupc::compiler
