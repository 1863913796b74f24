#pragma once
#include "compiler/ruby/interpreter/interpreter.h"

namespace pupc::compiler::ruby {

/// Whether a method is one of Kernel's functions, which every object has as a private one.
bool is_kernel(MethodId id);

/// Gives the interpreter back what ran before a block, lambda or method, however that ends.
struct Interpreter::Restore {
  explicit Restore(Interpreter& interpreter, MethodFrame* frame = nullptr)
      : i(interpreter), environ(i.environ_), target(i.break_target_), method(i.method_), program(i.program_), self(i.self_),
        nesting(i.nesting_), visibility(i.visibility_), module_function(i.module_function_), own(frame) {}
  ~Restore() {
    i.environ_ = environ;
    i.break_target_ = target;
    i.method_ = method;
    i.program_ = program;
    i.self_ = self;
    i.nesting_ = nesting;
    i.visibility_ = visibility;
    i.module_function_ = module_function;
    if (own != nullptr) own->active = false;
  }
  Restore(const Restore&) = delete;
  Restore& operator=(const Restore&) = delete;

  Interpreter& i;
  LocalScope* environ;
  const void* target;
  MethodFrame* method;
  const RubyScript* program;
  RubyValue self;
  const Nesting* nesting;
  Visibility visibility;
  bool module_function;
  MethodFrame* own; // the frame of the lambda or method
};

} // namespace pupc::compiler::ruby
