#pragma once
// Writes values as YAML in the same form as Ruby's Psych. Psych's rules decide the style of texts; libyaml, which Psych also uses, does
// the rest.
#include "catalog/value/regex.h"
#include "catalog/value/value.h"

#include <functional>
#include <string>

namespace pupc::catalog {

struct YamlWriteOptions {
  int indentation = 2; // 2 … 9; any other number means 2
  int line_width = 0;  // negative: do not break lines; 0 or too narrow: 80
  bool canonical = false;
  bool version = false; // `%YAML 1.1` in front
  bool times = false;   // write the text of a Timestamp as a YAML time, not as a string
};

/// Writes one YAML document. As in Puppet, a list or hash that occurs in several places of `value` is written once and then referred to
/// by aliases. `text_of` returns the text of values that have no YAML form (types, times, …).
std::string write_yaml(const Value& value, const YamlWriteOptions& options, RegexCache& regexes,
                       const std::function<std::string(const Value&)>& text_of);

} // namespace pupc::catalog
