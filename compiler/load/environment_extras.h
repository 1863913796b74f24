#pragma once
// What a checker of an environment knows before it opens the environment.
#include "compiler/load/environment.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pupc {

struct EnvironmentExtras {
  /// Modules in directories with other names, such as checkouts of their repositories. They precede the modules of the modulepath.
  struct NamedModule {
    std::string name, path;
  };
  std::vector<NamedModule> named_modules;
  /// Returns a manifest, by absolute path, that other code has already parsed, checked and resolved; null for other paths. May be empty.
  std::function<std::shared_ptr<const ParsedFile>(const std::string& path)> parsed_manifest;
};

/// Opens an environment with this knowledge. Throws CompileError like open_environment in environment.h.
std::shared_ptr<const Environment> open_environment(EnvironmentOptions options, EnvironmentExtras extras);

} // namespace pupc
