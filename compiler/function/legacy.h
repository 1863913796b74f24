#pragma once
// What functions of the old API have in common: undef arguments arrive as empty strings, arrays are Ruby's.
#include "compiler/eval/function.h"

#include <vector>

namespace pupc {

/// Arguments as the old API passes them: a top-level undef is the empty string.
std::vector<Value> legacy_arguments(const FunctionCall& c);
/// One such argument; the empty string when missing is "" too, so check size() where it matters.
Value legacy_argument(const FunctionCall& c, size_t i);
/// Ruby's ==, by which Array#-, & and uniq of mixed values compare with eql; see also eql().
bool ruby_equal(const Value& a, const Value& b);
bool contains(std::span<const Value> list, const Value& v);
void flatten_into(const Value& v, std::vector<Value>& out);
/// [v] flattened: what Ruby's Array(v) gives for arrays and single values.
std::vector<Value> as_array(const Value& v);
/// Ruby's String#to_i and numbers' to_i; 0 for anything else.
int64_t ruby_to_i(const Value& v);
/// Ruby's Float(text); false when it is none.
bool ruby_float(std::string_view text, double& out);
/// What Ruby's "no implicit conversion of X" calls a value: nil, true, false or its class.
std::string conversion_name(const Value& v);
/// stdlib's str2bool without its error: 0 false, 1 true, -1 neither.
int boolean_text(std::string_view s);

/// Whether a value is Sensitive or has a part that is.
bool has_sensitive_part(const Value& v);
/// Functions of stdlib after 9.7 unwrap Sensitive values inside their data and give a Sensitive text then, which Ruby does.
template <Value (*Plain)(FunctionCall&)> Value rewrapped(FunctionCall& c) {
  return has_sensitive_part(c.args[0]) ? c.run_file() : Plain(c);
}

} // namespace pupc
