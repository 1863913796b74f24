#pragma once
// `compile --batch`: one request per line in, one answer per line out, in order; no request can hurt the next.
#include "tools/pupc/compile_settings.h"

#include <string>

namespace pupc {

/// Answers every line of the file (or of stdin for "-") on stdout. Returns the exit code: 0 when all lines could be read as requests.
int run_batch(const std::string& path, const CompileOptions& options);

} // namespace pupc
