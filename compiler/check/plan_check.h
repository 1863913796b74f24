#pragma once
// Static checks of files that hold plans.
#include "compiler/check/checker.h"

namespace pupc::compiler {

/// The same as check() for a text that was parsed with ParseOptions::tasks: what `--tasks` checks.
std::vector<Diagnostic> check_plan(const ParsedFile& file, const CheckOptions& options = {});

} // namespace pupc::compiler
