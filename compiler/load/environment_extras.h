#pragma once
// What who checks an environment knows of it beforehand.
#include "compiler/load/environment.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pupc {

struct EnvironmentExtras {
  /// Modules in folders of other names, such as checkouts of their repositories: they go before those of the modulepath.
  struct NamedModule {
    std::string name, path;
  };
  std::vector<NamedModule> named_modules;
  /// Manifests that somebody has parsed, checked and resolved already, by absolute path; null for others. May be empty.
  std::function<std::shared_ptr<const ParsedFile>(const std::string& path)> parsed_manifest;
};

/// Opens an environment with what is known of it. Throws CompileError as the function of that name in environment.h.
std::shared_ptr<const Environment> open_environment(EnvironmentOptions options, EnvironmentExtras extras);

} // namespace pupc
