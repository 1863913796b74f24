#include "compiler/stdlib/replaced_functions.h"

#include <algorithm>

namespace pupc::compiler {
namespace {

constexpr ReplacedFunction programs[] = {
#include "compiler/stdlib/replaced_functions.inc"
};
static_assert(std::is_sorted(std::begin(programs), std::end(programs),
                             [](const ReplacedFunction& a, const ReplacedFunction& b) { return a.function < b.function; }),
              "replaced_functions.inc is sorted by name");

} // namespace

std::span<const ReplacedFunction> replaced_functions() { return programs; }

} // namespace pupc::compiler
