#pragma once
// puppet.conf: the settings of it that a compile uses.
#include "tools/pupc/compile_settings.h"

#include <span>
#include <string_view>

namespace pupc {

/// Reads the file that --config named, if it did, into `options`; what the command line gave stays. A setting is taken from the first of
/// `sections` that has it, then from [main]; `$name` and `${name}` in it stand for other settings. Without hiera_config the hiera.yaml in
/// codedir or confdir is the global one, without environmentpath it is environments in codedir, each if it is there. All settings of these
/// sections are seen as `$settings::NAME`. Throws CompileError with the line for a file that cannot be read or understood.
void read_puppet_conf(CompileOptions& options, std::span<const std::string_view> sections);

} // namespace pupc
