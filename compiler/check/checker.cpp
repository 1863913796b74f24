#include "compiler/check/checker.h"

namespace pupc {

// The checks are not here yet: every file passes (README, status table).
std::vector<Diagnostic> check(const ParsedFile&, const CheckOptions&) { return {}; }

} // namespace pupc
