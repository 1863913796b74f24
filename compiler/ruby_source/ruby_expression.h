#pragma once
// Finds the value of a Ruby expression without running it, as far as possible.
#include "compiler/ruby_source/ruby_static.h"

namespace pupc {

/// Evaluates an expression. It may read and set the variables in `locals`; `nesting` is the path of the module that contains it. Returns
/// Unknown for everything that this reader does not understand.
RubyValue evaluate_ruby_expression(RubyProgram& program, RubyRange expression, RubyLocals& locals, std::string_view nesting);

/// Makes a Hash of entries (`key => value`, `key: value`, `**hash`), which come from a literal or from the last arguments of a call.
RubyValue evaluate_ruby_hash(RubyProgram& program, const std::vector<RubyRange>& entries, RubyLocals& locals, std::string_view nesting);

/// Whether an argument is `key => value`.
bool is_ruby_hash_entry(const RubyRange& item);

/// Evaluates a binary operator. Unknown where an operand is unknown or the operator is not supported.
RubyValue combine_ruby_values(RubyValue a, std::string_view op, const RubyValue& b);

} // namespace pupc
