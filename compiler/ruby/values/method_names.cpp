#include "compiler/ruby/values/method_names.h"

#include "catalog/base/text_hash.h"

#include <unordered_map>

namespace pupc::compiler::ruby {

MethodId find_method(std::string_view name) {
  static const std::unordered_map<std::string_view, MethodId, TransparentHash> table{
#define PUPC_RUBY_METHOD(id, text) {text, MethodId::id},
#include "compiler/ruby/values/method_names.def"
#undef PUPC_RUBY_METHOD
  };
  auto it = table.find(name);
  return it == table.end() ? MethodId::unknown : it->second;
}

std::string_view method_name(MethodId id) {
  static constexpr std::string_view names[] = {
#define PUPC_RUBY_METHOD(ident, text) text,
#include "compiler/ruby/values/method_names.def"
#undef PUPC_RUBY_METHOD
  };
  return id == MethodId::unknown ? "" : names[static_cast<size_t>(id)];
}

} // namespace pupc::compiler::ruby
