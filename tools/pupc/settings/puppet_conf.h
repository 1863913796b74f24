#pragma once
// Reads puppet.conf and applies its settings to a compile.
#include "tools/pupc/settings/compile_settings.h"

namespace pupc::cli {

/// Reads puppet.conf (the file that --config names, else the one in confdir if it exists) for the run mode of `options.configuration`.
/// Copies the settings that a compile uses into `options`; values from the command line stay. Defaults: without hiera_config, hiera.yaml in
/// codedir or confdir is the global one; without environmentpath, `environments` in codedir counts; both only if they exist. Logs settings
/// without a meaning in pupc to `log` (may be null) at level debug. Throws CompileError for a file that cannot be read or parsed, with the
/// line, and for an unsupported setting that would change the result.
void read_puppet_conf(CompileOptions& options, LogSink* log);

} // namespace pupc::cli
