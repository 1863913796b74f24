#pragma once
// Functions that modules write in Ruby, run by the interpreter.
#include "compiler/eval/ruby_service.h"

#include <memory>

namespace pupc {

/// For one compile.
std::unique_ptr<NativeRuby> make_native_ruby();

} // namespace pupc
