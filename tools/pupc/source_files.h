#pragma once
// Files of people that the program changes: manifests.
#include "runtime/sys/system.h"

#include <string>

namespace pupc {

/// Puts a text into a file, whole or not at all; the file keeps its mode and owner, and a link stays a link. Throws SystemError.
void replace_source(System& system, const std::string& path, const std::string& text);

} // namespace pupc
