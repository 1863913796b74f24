#include "compiler/conversion/ruby_text.h"

#include "catalog/base/stack.h"
#include "catalog/value/inspect.h"
#include "catalog/value/number_format.h"
#include "catalog/value/semver.h"
#include "catalog/value/source_text.h"
#include "catalog/value/unicode_case.h"
#include "compiler/types/ruby_class.h"

#include <fmt/format.h>

namespace pupc::compiler {

std::string ruby_to_s(TypeContext& types, const Value& v) {
  switch (v.kind) {
  case Kind::Undef: return "";
  case Kind::String: return std::string(v.str());
  case Kind::Regex: return ruby_regex_to_s(*v.regex);
  case Kind::List:
  case Kind::Hash: return ruby_inspect(types, v);
  default: return to_display_string(types, v);
  }
}

std::string ruby_inspect(TypeContext& types, const Value& v) {
  check_native_stack();
  switch (v.kind) {
  case Kind::Undef: return "nil";
  case Kind::Default: return ":default";
  case Kind::Sensitive: return "#<Sensitive [value redacted]>";
  case Kind::SemVerRange: return comparators_of(*v.semver_range);
  case Kind::String: return inspected(v.str());
  case Kind::List: {
    std::string out = "[";
    for (const Value& item : v.items()) {
      if (out.size() > 1) out += ", ";
      out += ruby_inspect(types, item);
    }
    return out + "]";
  }
  case Kind::Hash: {
    std::string out = "{";
    for (const auto& e : v.hash->entries()) {
      if (out.size() > 1) out += ", ";
      out.append(ruby_inspect(types, e.key)).append("=>").append(ruby_inspect(types, e.value));
    }
    return out + "}";
  }
  default: return to_display_string(types, v);
  }
}

std::string ruby_operand(TypeContext& types, const Value& v) {
  switch (v.kind) {
  case Kind::Undef:
  case Kind::Default:
  case Kind::Bool:
  case Kind::Int:
  case Kind::Float: return ruby_inspect(types, v);
  default: return ruby_class_name(v);
  }
}

} // namespace pupc::compiler
