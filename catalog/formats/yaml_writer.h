#pragma once
// Values as YAML, as Ruby's Psych writes them: the style of a text by Psych's rules, the rest by libyaml, which is below Psych too.
#include "catalog/value/regex.h"
#include "catalog/value/value.h"

#include <functional>
#include <string>

namespace pupc {

struct YamlWriteOptions {
  int indentation = 2; // outside 2 … 9 it counts as 2
  int line_width = 0;  // negative: lines are not broken; 0 and what is too narrow: 80
  bool canonical = false;
  bool version = false; // `%YAML 1.1` in front
  bool times = false;   // what `text_of` says of a Timestamp is a time, not a text
};

/// One YAML document. Lists and hashes that stand in several places of `value` are written once and then named by aliases, as in
/// Puppet. `text_of` gives the text of what YAML has no form for (types, times, …).
std::string write_yaml(const Value& value, const YamlWriteOptions& options, RegexCache& regexes,
                       const std::function<std::string(const Value&)>& text_of);

} // namespace pupc
