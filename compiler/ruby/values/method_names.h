#pragma once
// Numbers for the names of the methods that the interpreter knows.
#include <cstdint>
#include <string_view>

namespace pupc::compiler::ruby {

enum class MethodId : uint16_t {
#define PUPC_RUBY_METHOD(id, name) id,
#include "compiler/ruby/values/method_names.def"
#undef PUPC_RUBY_METHOD
  unknown,
};

/// The id of a method's name; unknown when the interpreter has no such method.
MethodId find_method(std::string_view name);
std::string_view method_name(MethodId id);

} // namespace pupc::compiler::ruby
