#pragma once
// A directory environment under the settings of a server.
#include "compiler/load/environment.h"

namespace pupc::compiler {

/// The settings default_manifest and disable_per_environment_manifest.
struct DefaultManifest {
  std::string path = "./manifests"; // relative to the environment unless absolute
  bool for_all = false;             // overrides environment.conf: a manifest of its own is then an error in the log
};

/// The same as in environment.h, but with another default for the manifest.
EnvironmentOptions directory_environment(std::string_view environmentpath, std::string_view name,
                                         const std::vector<std::string>& basemodulepath, LogSink* log,
                                         const DefaultManifest& default_manifest);

/// Whether an environment may have this name: letters, digits and _.
bool valid_environment_name(std::string_view name);

/// The settings of an environment in a directory of any name (a checkout of a control repository).
EnvironmentOptions environment_of_directory(const std::string& path, const std::vector<std::string>& basemodulepath, LogSink* log);

} // namespace pupc::compiler
