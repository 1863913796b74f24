#pragma once
// Helpers for functions of the old API: undef arguments arrive as empty strings, and arrays behave as in Ruby.
#include "catalog/value/flatten.h"
#include "compiler/eval/function.h"

#include <algorithm>
#include <vector>

namespace pupc::compiler {

/// Argument i as the old API passes it: undef is the empty string. So is a missing argument: check size() where the difference matters.
Value legacy_argument(const FunctionCall& c, size_t i);
/// Ruby's ==. Array#-, & and uniq compare by eql? instead: for them see eql().
bool ruby_equal(const Value& a, const Value& b);
/// Ruby's String#to_i and numbers' to_i; 0 for anything else.
int64_t ruby_to_i(const Value& v);
/// Ruby's Float(text). Returns false when the text is not a number.
bool ruby_float(std::string_view text, double& out);
/// What Ruby calls the value in "no implicit conversion of X": nil, true, false or its class.
std::string conversion_name(const Value& v);
/// Whether `f` holds for a line of the text. So does a regular expression of Ruby from ^ to $, which are the ends of lines. No line
/// begins behind a newline that ends the text.
template <class F> bool some_line(std::string_view text, F f) {
  for (size_t begin = 0; begin == 0 || begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (f(text.substr(begin, end - begin))) return true;
    begin = end + 1;
  }
  return false;
}
/// What Ruby's /^\d+$/ matches.
bool has_line_of_digits(std::string_view text);

/// Whether a value is Sensitive or contains a Sensitive value.
bool has_sensitive_part(const Value& v);
/// After 9.7 these functions of stdlib unwrap Sensitive values in their data and return Sensitive text. Ruby does this.
template <Value (*Plain)(FunctionCall&)> Value rewrapped(FunctionCall& c) {
  return has_sensitive_part(c.args[0]) ? c.run_file() : Plain(c);
}

} // namespace pupc::compiler
