#include "tools/pupc/settings/value_types.h"

#include "catalog/base/diagnostic.h"

namespace pupc::cli {
namespace {

class BuiltInTypes final : public TypeContext {
public:
  using TypeContext::TypeContext;
  const Type* load_type(std::string_view) override { return nullptr; }
  bool resource_type_exists(std::string_view) override { return false; }
};

} // namespace

std::string data_type_problem(std::string_view type, RegexCache& regexes) {
  Arena arena;
  BuiltInTypes types(arena, regexes);
  try {
    parse_type(types, arena.copy(type));
    return {};
  } catch (const CompileError& error) { return error.diagnostic.message; }
}

std::string data_type_text(std::string_view type, RegexCache& regexes) {
  Arena arena;
  BuiltInTypes types(arena, regexes);
  return parse_type(types, arena.copy(type))->to_string();
}

std::string data_type_mismatch(std::string_view type, const Value& value, std::string_view subject, RegexCache& regexes) {
  Arena arena;
  BuiltInTypes types(arena, regexes);
  const Type* expected = parse_type(types, arena.copy(type));
  return is_instance(types, expected, value) ? std::string() : describe_mismatch(types, subject, expected, infer_detailed(types, value));
}

} // namespace pupc::cli
