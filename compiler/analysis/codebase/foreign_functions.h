#pragma once
#include <string>
#include <string_view>

namespace pupc::compiler {

/// What other languages call what Puppet has under another name. No module calls a function so: these are slips of a habit.
struct ForeignFunction {
  std::string_view name, instead;
};
inline constexpr ForeignFunction foreign_functions[] = {
    {"each_with_index", "each() or map(), whose block takes |$index, $value|"},
    {"each_with_object", "reduce()"},
    {"each_pair", "each(), whose block takes |$key, $value|"},
    {"each_key", "keys() and each()"},
    {"each_value", "values() and each()"},
    {"each_slice", "slice()"},
    {"foreach", "each()"},
    {"for_each", "each()"},
    {"inject", "reduce()"},
    {"find_all", "filter()"},
    {"map_with_index", "map(), whose block takes |$index, $value|"},
    {"filter_map", "map() and filter()"},
    {"select_map", "map() and filter()"},
    {"to_i", "Integer()"},
    {"to_s", "String()"},
    {"to_f", "Float()"},
    {"to_a", "Array()"},
    {"to_h", "Hash()"},
    {"to_sym", "String()"},
    {"gsub", "regsubst(), with the flag 'G'"},
    {"strlen", "length()"},
    {"puts", "notice()"},
    {"println", "notice()"},
    {"printf", "sprintf()"},
    {"isset", "=~ NotUndef"},
    {"is_defined", "defined()"},
    {"typeof", "type()"},
    {"to_lower", "downcase()"},
    {"to_upper", "upcase()"},
    {"tolower", "downcase()"},
    {"toupper", "upcase()"},
    {"starts_with", "stdlib::start_with()"},
    {"startswith", "stdlib::start_with()"},
    {"ends_with", "stdlib::end_with()"},
    {"endswith", "stdlib::end_with()"},
    {"json_encode", "stdlib::to_json()"},
    {"json_decode", "parsejson()"},
    {"parse_json", "parsejson()"},
    {"parse_yaml", "parseyaml()"},
    {"file_exists", "find_file()"},
    {"lookupvar", "getvar()"},
};

/// What is told of such a name; empty for any other.
inline std::string advice_for_foreign_function(std::string_view name) {
  for (const ForeignFunction& f : foreign_functions)
    if (f.name == name) return std::string("Puppet has ").append(f.instead).append(" for that.");
  return {};
}

} // namespace pupc::compiler
