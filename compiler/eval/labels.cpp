#include "compiler/eval/labels.h"

#include "catalog/base/stack.h"
#include "catalog/value/base64.h"
#include "catalog/value/inspect.h"
#include "catalog/value/number_format.h"
#include "catalog/value/regex.h"
#include "catalog/value/semver.h"
#include "catalog/value/source_text.h"
#include "catalog/value/time_format.h"
#include "compiler/types/type.h"
#include "compiler/types/value_text.h"

#include <fmt/format.h>

namespace pupc::compiler {
std::string label(const Value& value) {
  switch (value.kind) {
  case Kind::Undef: return "Undef Value";
  case Kind::Bool: return "Boolean";
  case Kind::Int: return "Integer";
  case Kind::Float: return "Float";
  case Kind::String: return "String";
  case Kind::Regex: return "Regexp";
  case Kind::List: return "Array";
  case Kind::Hash: return "Hash";
  case Kind::Type: {
    ResourceRef ref;
    const Type* type = as_type(value);
    bool resource = type->kind == TypeKind::Resource && type_to_ref(type, ref);
    return type->to_string() + (resource ? " Resource-Reference" : "-Type");
  }
  case Kind::Ref: return to_string(*value.ref) + " Resource-Reference";
  case Kind::Sensitive: return "Sensitive";
  case Kind::Timestamp: return "Timestamp";
  case Kind::Timespan: return "Timespan";
  case Kind::SemVer: return "Semver";
  case Kind::SemVerRange: return "SemverRange";
  case Kind::Binary: return "Binary";
  case Kind::Default:
  case Kind::Deferred:
  case Kind::Uri:
  case Kind::Object:
  case Kind::Iterator:
  case Kind::Callable: break;
  }
  return "Object";
}

std::string ruby_to_s(const Value& v) {
  switch (v.kind) {
  case Kind::Undef: return "";
  case Kind::String:
  case Kind::Uri: return std::string(v.str());
  case Kind::Regex: return ruby_regex_to_s(*v.regex);
  case Kind::Timestamp: return format_timestamp(v.i);
  case Kind::Timespan: return format_timespan(v.i);
  case Kind::Binary: return base64_encode(v.str());
  default: return ruby_inspect(v);
  }
}

std::string ruby_inspect(const Value& v) {
  check_native_stack();
  // Ruby's to_s of an array or hash shows its members by inspect; some classes have an inspect of their own.
  auto member = [](const Value& item) -> std::string {
    switch (item.kind) {
    case Kind::Default: return ":default";
    case Kind::Sensitive: return "#<Sensitive [value redacted]>";
    case Kind::SemVerRange: return comparators_of(*item.semver_range);
    default: return ruby_inspect(item);
    }
  };
  switch (v.kind) {
  case Kind::Undef: return "nil";
  case Kind::Default: return "default";
  case Kind::Bool: return v.b ? "true" : "false";
  case Kind::Int: return std::to_string(v.i);
  case Kind::Float: return format_float(v.d);
  case Kind::String: return inspected(v.str());
  case Kind::Regex: return fmt::format("/{}/", v.regex->source());
  case Kind::List: {
    std::string out = "[";
    for (const Value& item : v.items()) {
      if (out.size() > 1) out += ", ";
      out += member(item);
    }
    return out + "]";
  }
  case Kind::Hash: {
    std::string out = "{";
    for (const auto& entry : v.hash->entries()) {
      if (out.size() > 1) out += ", ";
      out += member(entry.key) + "=>" + member(entry.value);
    }
    return out + "}";
  }
  case Kind::Type:
  case Kind::Object:
  case Kind::Iterator:
  case Kind::Callable: return v.opaque->to_string();
  case Kind::Ref: return to_string(*v.ref);
  case Kind::Sensitive: return "Sensitive [value redacted]";
  case Kind::Deferred: {
    std::string out = fmt::format("Deferred({{'name' => {}", to_puppet_quoted(v.deferred->name));
    if (v.deferred->arguments != nullptr) {
      out += ", 'arguments' => ";
      append_literal(out, Value::of(v.deferred->arguments));
    }
    return out + "})";
  }
  case Kind::SemVer: return to_string(*v.semver);
  case Kind::SemVerRange: return std::string(v.semver_range->text);
  case Kind::Uri: return std::string(v.str());
  case Kind::Binary:
  case Kind::Timestamp:
  case Kind::Timespan: break;
  }
  return std::string(label(v));
}

std::string_view ruby_class_or_nil(const Value& v) {
  switch (v.kind) {
  case Kind::Undef: return "nil";
  case Kind::Default: return "Symbol";
  case Kind::Bool: return v.b ? "true" : "false";
  case Kind::Int: return "Integer";
  case Kind::Float: return "Float";
  case Kind::String: return "String";
  case Kind::Regex: return "Regexp";
  case Kind::List: return "Array";
  case Kind::Hash: return "Hash";
  case Kind::Sensitive: return "Puppet::Pops::Types::PSensitiveType::Sensitive";
  case Kind::Timestamp: return "Puppet::Pops::Time::Timestamp";
  case Kind::Timespan: return "Puppet::Pops::Time::Timespan";
  case Kind::SemVer: return "SemanticPuppet::Version";
  case Kind::SemVerRange: return "SemanticPuppet::VersionRange";
  case Kind::Binary: return "Puppet::Pops::Types::PBinaryType::Binary";
  case Kind::Uri: return "URI::Generic";
  case Kind::Type:
  case Kind::Ref:
  case Kind::Deferred:
  case Kind::Object:
  case Kind::Iterator:
  case Kind::Callable: break;
  }
  return "Object";
}

} // namespace pupc::compiler
