#pragma once
// Changes the users' own files: manifests.
#include "runtime/sys/system.h"

#include <string>

namespace pupc::cli {

/// Replaces the text of a file, completely or not at all. The file keeps its mode and owner, and a link stays a link. Throws SystemError.
void replace_source(System& system, const std::string& path, const std::string& text);

} // namespace pupc::cli
