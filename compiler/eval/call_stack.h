#pragma once
// The function calls that are running, as Puppet's PuppetStack has them: calls written in Puppet code and the main manifest's
// evaluation. Only what shows it in a message asks for it.
#include "catalog/base/diagnostic.h"

#include <cstdint>
#include <string>
#include <vector>

namespace pupc {

class Evaluator;

struct CallPlace {
  std::string file;  // "unknown" for code without a file
  uint32_t line = 0; // 0: the main manifest as a whole
};

/// The innermost running calls, at most `most`, the innermost first.
std::vector<CallPlace> innermost_calls(const Evaluator& evaluator, size_t most);

} // namespace pupc
