#include "runtime/provider/absolute_path.h"

#include <fmt/format.h>

namespace pupc::runtime {

std::string_view class_in_ruby(const Value& value) {
  return value.is_string() ? "String"
         : value.is_bool() ? (value.b ? "TrueClass" : "FalseClass")
         : value.is_int()  ? "Integer"
         : value.is_hash() ? "Hash"
         : value.is_list() ? "Array"
                           : "Object";
}

bool is_absolute_path(const Value& given, RunContext& run) {
  const Value value = given.is(Kind::Sensitive) ? given.unwrap() : given;
  if (value.is_string()) return value.str().starts_with('/');
  run.log(LogLevel::Warning, fmt::format("Cannot check if {} is an absolute path because it is a '{}' and not a String'", value_text(value),
                                         class_in_ruby(value)));
  return false;
}

} // namespace pupc::runtime
