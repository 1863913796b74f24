#pragma once
// A checkout of a control repository: the environment that a user stands in.
#include "compiler/load/directory_environment.h"

#include <optional>
#include <string>
#include <vector>

namespace pupc::compiler {

/// What a directory is in: one environment, or a repository with several of them in a folder `environments`.
struct Checkout {
  std::string environment;     // the directory of the environment; empty when there are several
  std::string environmentpath; // the directory of several environments; empty when there is one
};

/// Looks for a checkout from `directory` upwards, to the top of its git repository. Nothing when there is none.
std::optional<Checkout> checkout_around(const std::string& directory);

/// The environment in a directory of any name. Besides what environment_of_directory reads, its modulepath has the directory that the
/// Puppetfile installs into and, without an environment.conf, the usual places of a team's own modules.
EnvironmentOptions environment_of_checkout(const std::string& directory, const std::vector<std::string>& basemodulepath, LogSink* log);

} // namespace pupc::compiler
