#include "compiler/types/given_back.h"

namespace pupc::compiler {

Value argument_from_ruby(Arena& arena, std::string_view function, const Value& v) {
  static constexpr std::string_view giving_back[] = {"hiera",  "hiera_array", "hiera_hash", "lookup",       "get",
                                                     "getvar", "dig",         "pick",       "pick_default", "then"};
  if (function.starts_with("::")) function.remove_prefix(2);
  const bool kept = std::find(std::begin(giving_back), std::end(giving_back), function) != std::end(giving_back);
  return kept ? v : symbols_as_texts(arena, v);
}

} // namespace pupc::compiler
