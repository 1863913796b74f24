#pragma once
// Runs functions that modules write in Ruby with our interpreter, without a Ruby process.
#include "compiler/eval/ruby_service.h"

#include <memory>

namespace pupc::compiler {

/// Makes the runner of one compile.
std::unique_ptr<NativeRuby> make_native_ruby();

} // namespace pupc::compiler
