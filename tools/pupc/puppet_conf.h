#pragma once
// Puppet's settings of one run: puppet.conf read, and what a compile uses of it.
#include "tools/pupc/compile_settings.h"

namespace pupc {

/// Reads puppet.conf (the file that --config names, else the one in confdir if it is there) for the run mode of `options.configuration`
/// and puts what a compile uses into `options`; what the command line gave stays. Without hiera_config the hiera.yaml in codedir or confdir
/// is the global one, without environmentpath it is environments in codedir, each if it is there. Settings without a meaning in pupc are
/// told at level debug to `log` (may be null). Throws CompileError for a file that cannot be read or understood, with its line, and for a
/// setting that would change the result and is not supported.
void read_puppet_conf(CompileOptions& options, LogSink* log);

} // namespace pupc
