#pragma once
// Directories that a command finds by itself, from where the user stands.
#include <string>

namespace pupc::cli {

/// Whether a directory belongs to this user, to root, or to the user who became root with sudo, and nobody else can put files into it: in
/// /tmp anybody can make an environment.conf. Groups count for root only, because users often share one of their own.
bool belongs_to_caller(const std::string& directory);

} // namespace pupc::cli
