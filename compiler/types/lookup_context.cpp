#include "compiler/types/lookup_context.h"

#include "catalog/base/text.h"

namespace pupc::compiler {
namespace {

/// Made once per process and immutable afterwards, so all threads may read it.
struct LookupTypes {
  Arena arena;
  RegexCache regexes;
  ObjectType context;
  std::vector<ObjectAttribute> attributes;
  std::vector<ObjectFunction> functions;
  TypeAliasType key{"Puppet::LookupKey"}, value{"Puppet::LookupValue"};

  LookupTypes() {
    struct NoTypes : TypeContext {
      using TypeContext::TypeContext;
      const Type* load_type(std::string_view) override { return nullptr; }
      bool resource_type_exists(std::string_view) override { return false; }
    } ctx(arena, regexes);
    auto attribute = [&](std::string_view name, std::string_view type, ObjectAttribute::Kind kind) {
      ObjectAttribute a;
      a.name = name;
      a.type = parse_type(ctx, type);
      a.kind = kind;
      attributes.push_back(a);
    };
    attribute("environment_name", "String[1]", ObjectAttribute::Kind::Derived);
    attribute("module_name", "Variant[String[1], Undef]", ObjectAttribute::Kind::Plain);
    auto function = [&](std::string_view name, std::string_view type) {
      ObjectFunction f;
      f.name = name;
      f.type = parse_type(ctx, type);
      functions.push_back(f);
    };
    function("not_found", "Callable[[0, 0], Undef]");
    function("explain", "Callable[[0, 0, Callable[0, 0]], Undef]");
    function("interpolate", "Callable[1, 1]");
    function("cache", "Callable[Optional[Scalar], Any]");
    function("cache_all", "Callable[[Hash[Optional[Scalar], Any]], Undef]");
    function("cache_has_key", "Callable[[Optional[Scalar]], Boolean]");
    function("cached_value", "Callable[Optional[Scalar]]");
    function("cached_entries", "Callable[0, 0, Optional[Callable]]"); // Puppet has a Variant of three
    function("cached_file_data", "Callable[String, Optional[Callable[1, 1]]]");
    context.name = "Puppet::LookupContext";
    context.attributes = attributes;
    context.functions = functions;
    key.resolved = parse_type(ctx, "Variant[String, Numeric]");
    value.resolved = parse_type(ctx, "RichData");
  }
};

const LookupTypes& all() {
  static const LookupTypes types;
  return types;
}

bool same_name(std::string_view a, std::string_view b) { return a.size() == b.size() && ascii_lower(a) == ascii_lower(b); }

} // namespace

const ObjectType* lookup_context_type() { return &all().context; }

const Type* lookup_type(std::string_view name) {
  if (name.size() < 17 || name.size() > 21) return nullptr;
  if (same_name(name, "Puppet::LookupContext")) return &all().context;
  if (same_name(name, "Puppet::LookupKey")) return &all().key;
  if (same_name(name, "Puppet::LookupValue")) return &all().value;
  return nullptr;
}

} // namespace pupc::compiler
