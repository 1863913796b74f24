#pragma once
// Finds the value of a Ruby expression without running it, as far as possible.
#include "compiler/ruby/syntax/ruby_static.h"

namespace pupc::compiler {

/// Evaluates an expression. It may read and set the variables in `locals`; `nesting` is the path of the module that contains it. Returns
/// Unknown for everything that this reader does not understand.
StaticRubyValue evaluate_ruby_expression(RubyFileSet& program, RubyRange expression, RubyLocals& locals, std::string_view nesting);

/// The values of a call's arguments (see RubyFileSet::arguments).
std::vector<StaticRubyValue> evaluate_ruby_arguments(RubyFileSet& program, RubyRange range, RubyLocals& locals, std::string_view nesting,
                                                     StaticRubyValue* block);

/// Evaluates a binary operator. Unknown where an operand is unknown or the operator is not supported.
StaticRubyValue combine_ruby_values(StaticRubyValue a, std::string_view op, const StaticRubyValue& b);

} // namespace pupc::compiler
