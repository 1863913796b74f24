#pragma once
// YAML as Ruby code reads it, with the objects that it may make.
#include "catalog/formats/data_file.h"
#include "catalog/value/regex.h"

namespace pupc::catalog {

/// As read_yaml. Texts with the tag !ruby/regexp become regular expressions of the cache; null: they are errors, as any other object is.
std::optional<DataError> read_ruby_yaml(std::string_view text, Arena& arena, Value& out, const YamlOptions& options, RegexCache* regexes);

} // namespace pupc::catalog
