#pragma once
// Which programs the native functions of modules stand for.
#include "compiler/eval/function.h"

namespace pupc {

/// All, sorted by name.
std::span<const KnownProgram> known_programs();

} // namespace pupc
