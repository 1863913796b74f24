#pragma once
// Small texts of values that types and values share.
#include "catalog/value/base64.h"
#include "catalog/value/regex.h"
#include "catalog/value/value.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace pupc {

/// A string as Puppet source in double quotes, with escapes.
std::string to_double_quoted(std::string_view s);
/// A string as Puppet source: in single quotes when possible, else in double quotes.
std::string to_puppet_quoted(std::string_view s);
/// The pattern with options in front as Ruby's Regexp#to_s, or plain when it has none.
std::string regex_source(const Regex& r);
/// An object or Deferred with its attributes on lines of their own, as Puppet's formatter indents.
std::string indented_literal(const Value& v, int level);
/// A value as it stands among a type's parameters or an object's attributes.
void append_literal(std::string& out, const Value& v);
/// `/pattern/`, with options in front as Ruby writes them and slashes escaped.
std::string regex_literal(const Regex& r);

/// Regexp#to_s: "(?-mix:a)"; options that the whole pattern has in itself, `(?i:a)`, are taken over.
std::string ruby_regex_to_s(const Regex& r);

} // namespace pupc
