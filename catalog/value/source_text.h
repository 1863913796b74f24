#pragma once
// Strings and patterns as source: Puppet's, and Ruby's for a pattern.
#include "catalog/value/regex.h"

#include <string>
#include <string_view>

namespace pupc::catalog {

/// A string as Puppet source in double quotes, with escapes.
std::string to_double_quoted(std::string_view s);
/// A string as Puppet source: in single quotes when possible, else in double quotes.
std::string to_puppet_quoted(std::string_view s);
/// The pattern, with its options in front as in Ruby's Regexp#to_s, or plain when it has none.
std::string regex_source(const Regex& r);
/// `/pattern/`, with options in front as Ruby writes them and slashes escaped.
std::string regex_literal(const Regex& r);
/// Ruby's Regexp#to_s: "(?-mix:a)". As in Ruby, a group with options around the whole pattern, `(?i:a)`, is merged into them.
std::string ruby_regex_to_s(const Regex& r);
/// The source; of a pattern with options, which only Ruby code can make, in a group that names them: "(?i-mx:source)".
std::string regex_text(const Regex& r);

} // namespace pupc::catalog
