#pragma once
// `$trusted['external']`: what the program of the setting `trusted_external_command` knows of a node.
#include "tools/pupc/settings/compile_settings.h"

#include <chrono>
#include <string>

namespace pupc::cli {

/// The trusted data with what the program prints as JSON for the certificate's name; as they are without the setting. Where the setting
/// names a directory, each executable file in it gives an entry of its name without suffix. A program gets the time `limit` (0: what the
/// work around it may take). Throws CompileError when one fails, or prints something else.
Value with_trusted_external(const CompileOptions& options, Arena& arena, const Value& trusted, const std::string& certname,
                            std::chrono::milliseconds limit);

} // namespace pupc::cli
