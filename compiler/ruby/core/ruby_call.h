#pragma once
// A call of a Ruby method, and what running code is made of: blocks, frames, errors.
#include "compiler/ruby/values/method_names.h"
#include "compiler/ruby/values/ruby_module.h"
#include "compiler/ruby/values/ruby_value.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::compiler::ruby {

struct Binding;
struct Block;
struct Code;
struct RubyScript;

/// The code left the supported subset of Ruby in a way that only evaluation can find: a method that the interpreter does not know for this
/// kind of receiver, or an exception whose text only Ruby knows.
struct NeedsRuby {
  uint32_t line;
  std::string reason;
};

/// A Ruby exception whose text the interpreter knows: raise, fail(), an unknown variable, Integer('x').
struct RubyError {
  uint32_t line;
  std::string message;
  RubyClass class_ = RubyClass::Other; // Other: some StandardError
  RubyException* object = nullptr;     // where there is one already
  bool meant = false;                  // raised by the library's Ruby text for the code that called it
  bool of_block = false;               // raised in a block that code gave to the library's Ruby text
  bool unworded = false;               // only Ruby knows its text: `message` says what the interpreter lacks
};

struct LocalScope { // local variables of a block, a method or the template
  LocalScope* up;
  RubyValue* slots;
};

/// A running method or lambda. `return` leaves it, and `yield` calls its block.
struct MethodFrame {
  const struct RubyProc* block = nullptr;
  bool active = true;
  const RubyMethod* method = nullptr; // what runs, with its arguments, for `super`
  std::span<const RubyValue> args;    // of a method of a class
  bool has_args = false;
  bool keywords = false;
  LocalScope* environ = nullptr; // of the method, for `super` without arguments
};

struct RubyProc {
  const Block* node = nullptr;    // null for a proc of `method` or of the host
  const Binding* place = nullptr; // of the Proc by which a Binding knows its place
  LocalScope* environ = nullptr;
  MethodFrame* frame = nullptr; // the frame that made the proc
  const RubyScript* program = nullptr;
  RubyValue self;
  const Nesting* nesting = nullptr;
  bool bound = false;                  // a Method: of `self`, called by `name`
  bool unbound = false;                // an UnboundMethod
  const RubyMethod* defined = nullptr; // the method of a Method, where code defines it
  bool lambda = false;
  bool of_host = false;                        // the block of Puppet code that the caller gave to the function
  MethodId method = MethodId::unknown;         // the method of &:name
  std::vector<RubyValue>* collected = nullptr; // a block of the interpreter's own: what is yielded goes here
  std::string_view name;
};

struct RubyEnumerator {
  RubyValue source;
  std::vector<RubyValue> items;
  size_t at = 0; // what `next` gives
  MethodId base; // the method that made it, because it was called without a block
};

struct MethodCall {
  RubyValue self;
  MethodId method;
  std::string_view name;
  std::span<const RubyValue> args;
  const RubyProc* block; // null = none
  uint32_t line;
  bool keywords = false; // the last argument is a hash of `name: value`
  bool function = false; // a call without a receiver
};

/// Leaves the native method for one of the library's Ruby text (library.h): this call has no native code.
struct LibraryCall {
  const MethodCall* call;
};

} // namespace pupc::compiler::ruby
