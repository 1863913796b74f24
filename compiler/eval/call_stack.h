#pragma once
// The running function calls, as Puppet's PuppetStack lists them: calls in Puppet code, and the evaluation of the main manifest. Some
// messages print this list.
#include "catalog/base/diagnostic.h"
#include "catalog/value/value.h"

#include <cstdint>
#include <string>
#include <vector>

namespace pupc::compiler {

class Evaluator;

struct CallPlace {
  std::string file;  // "unknown" for code without a file
  uint32_t line = 0; // 0: the main manifest as a whole
};

/// Returns at most `most` of the running calls, the innermost first.
std::vector<CallPlace> innermost_calls(const Evaluator& evaluator, size_t most);

/// All of them, as Ruby code gets them: a list of [file, line].
Value list_of_calls(Evaluator& evaluator);

} // namespace pupc::compiler
