#pragma once
// YAML as Ruby code reads it, with the objects that it may make.
#include "catalog/formats/data_file.h"
#include "catalog/value/regex.h"

#include <functional>

namespace pupc::catalog {

/// What YAML.unsafe_load makes of texts that are no plain data.
struct RubyObjects {
  RegexCache* regexes;                         // for the tag !ruby/regexp; null: it is an error
  std::function<Value(std::string_view)> date; // makes a Date of a text YYYY-MM-DD that names a day
};

/// As read_yaml, with objects; null: they are errors.
std::optional<DataError> read_ruby_yaml(std::string_view text, Arena& arena, Value& out, const YamlOptions& options,
                                        const RubyObjects* objects);

} // namespace pupc::catalog
