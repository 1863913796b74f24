#pragma once
// The value of a Ruby expression as far as it can be told without running it.
#include "compiler/ruby_source/ruby_static.h"

namespace pupc {

/// What an expression comes to: `locals` are the variables that it may read and set, `nesting` the path of the module it stands in. Unknown
/// for everything that isn't understood.
RubyValue evaluate_ruby_expression(RubyProgram& program, RubyRange expression, RubyLocals& locals, std::string_view nesting);

/// The Hash that the entries of a literal or of a call's last arguments make (`key => value`, `key: value`, `**hash`).
RubyValue evaluate_ruby_hash(RubyProgram& program, const std::vector<RubyRange>& entries, RubyLocals& locals, std::string_view nesting);

/// Whether an argument is `key => value`.
bool is_ruby_hash_entry(const RubyRange& item);

/// a OP b.
RubyValue combine_ruby_values(RubyValue a, std::string_view op, const RubyValue& b);

} // namespace pupc
