#pragma once
// A call of a Ruby method, and what running code is made of: blocks, frames, errors.
#include "compiler/ruby/values/method_names.h"
#include "compiler/ruby/values/ruby_value.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::compiler::ruby {

struct Node;
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
};

struct LocalScope { // local variables of a block, a method or the template
  LocalScope* up;
  RubyValue* slots;
};

/// A running method or lambda. `return` leaves it, and `yield` calls its block.
struct MethodFrame {
  const struct RubyProc* block = nullptr;
  bool active = true;
};

struct RubyProc {
  const Node* node = nullptr; // the Block; null for a proc of `method` or of the host
  LocalScope* environ = nullptr;
  MethodFrame* frame = nullptr; // the frame that made the proc
  const RubyScript* program = nullptr;
  bool lambda = false;
  bool of_host = false;                // the block of Puppet code that the caller gave to the function
  MethodId method = MethodId::unknown; // the method of &:name
  std::string_view name;
};

struct RubyEnumerator {
  RubyValue source;
  std::vector<RubyValue> items;
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

} // namespace pupc::compiler::ruby
