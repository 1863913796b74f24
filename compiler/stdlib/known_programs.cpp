#include "compiler/stdlib/known_programs.h"

#include <algorithm>

namespace pupc::compiler {
namespace {

constexpr KnownProgram programs[] = {
#include "compiler/stdlib/known_programs.inc"
};
static_assert(std::is_sorted(std::begin(programs), std::end(programs),
                             [](const KnownProgram& a, const KnownProgram& b) { return a.function < b.function; }),
              "known_programs.inc is sorted by name");

} // namespace

std::span<const KnownProgram> known_programs() { return programs; }

} // namespace pupc::compiler
