#include "catalog/graph/title_parts.h"

#include "catalog/base/stack.h"
#include "catalog/schema/native_types.h"
#include "catalog/value/inspect.h"
#include "catalog/value/number_format.h"
#include "catalog/value/regex.h"
#include "catalog/value/symbol_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc::catalog {
namespace {

// The schema of a native type. Null for classes, nodes and defines: Puppet treats them as if `name` were their only attribute.
const ResourceTypeInfo* schema_of(const Catalog& catalog, TypeId type) {
  if (type == Catalog::stage_type && catalog.type_info(type) == nullptr) return find_native_type("stage");
  return catalog.type_info(type);
}

bool is_word_start(char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

void append_symbol(std::string& out, std::string_view name) {
  auto part = [](char c) { return is_word_start(c) || (c >= '0' && c <= '9'); };
  out += ':';
  if (!name.empty() && is_word_start(name[0]) && std::all_of(name.begin(), name.end(), part))
    out += name;
  else
    append_inspected(out, name);
}

// Ruby's inspect, for values that can be part of a key.
void append_key_text(std::string& out, const Value& v) {
  check_native_stack();
  switch (v.kind) {
  case Kind::Undef: out += "nil"; break;
  case Kind::Default: out += ":default"; break;
  case Kind::Bool: out += v.b ? "true" : "false"; break;
  case Kind::Int: out += std::to_string(v.i); break;
  case Kind::Float: out += format_float(v.d); break;
  case Kind::String:
    if (is_symbol(v)) return append_symbol(out, v.str());
    append_inspected(out, v.str());
    break;
  case Kind::Regex: out.append("/").append(v.regex->source()).append("/"); break;
  case Kind::Sensitive: out += "#<Sensitive [value redacted]>"; break;
  case Kind::List: {
    out += '[';
    for (bool first = true; const Value& item : v.items()) {
      if (!std::exchange(first, false)) out += ", ";
      append_key_text(out, item);
    }
    out += ']';
    break;
  }
  case Kind::Hash: {
    out += '{';
    for (bool first = true; const auto& e : v.hash->entries()) {
      if (!std::exchange(first, false)) out += ", ";
      append_key_text(out, e.key);
      out += "=>";
      append_key_text(out, e.value);
    }
    out += '}';
    break;
  }
  case Kind::Type:
  case Kind::Ref:
  case Kind::Deferred:
  case Kind::Timestamp:
  case Kind::Timespan:
  case Kind::SemVer:
  case Kind::SemVerRange:
  case Kind::Binary:
  case Kind::Uri:
  case Kind::Object:
  case Kind::Iterator:
  case Kind::Callable: out += "#<Object>"; break;
  }
}

// Ruby compares these values by identity, so two resources never have the same key.
bool compares_by_identity(const Value& v) {
  check_native_stack();
  switch (v.kind) {
  case Kind::Undef:
  case Kind::Default:
  case Kind::Bool:
  case Kind::Int:
  case Kind::Float:
  case Kind::String:
  case Kind::Regex:
  case Kind::Sensitive: return false;
  case Kind::List: return std::any_of(v.items().begin(), v.items().end(), compares_by_identity);
  case Kind::Hash:
    for (const auto& e : v.hash->entries())
      if (compares_by_identity(e.key) || compares_by_identity(e.value)) return true;
    return false;
  case Kind::Type:
  case Kind::Ref:
  case Kind::Deferred:
  case Kind::Timestamp:
  case Kind::Timespan:
  case Kind::SemVer:
  case Kind::SemVerRange:
  case Kind::Binary:
  case Kind::Uri:
  case Kind::Object:
  case Kind::Iterator:
  case Kind::Callable: break;
  }
  return true;
}

void flatten(const Value& v, std::vector<Value>& out) {
  check_native_stack();
  if (!v.is_list()) {
    out.push_back(v);
    return;
  }
  for (const Value& item : v.items()) flatten(item, out);
}

// Messages show Sensitive values redacted, but the key must distinguish them.
void append_key_part(std::string& out, const Value& v) {
  if (v.is(Kind::Sensitive)) {
    out += "Sensitive:";
    append_key_text(out, v.unwrap());
  } else {
    append_key_text(out, v);
  }
}

UniquenessKey make_key(std::span<const Value> values, std::string_view title) {
  UniquenessKey result;
  bool any = false;
  for (const Value& v : values) any = any || v.truthy();
  if (!any || (values.size() == 1 && values[0].is_string() && !is_symbol(values[0]) && values[0].str() == title)) return result;
  std::vector<Value> flat; // Puppet stores the flattened key after the type's name
  for (const Value& v : values) {
    if (compares_by_identity(v)) return result;
    flatten(v, flat);
  }
  if (flat.size() == 1 && flat[0].is_string() && !is_symbol(flat[0])) {
    result.key = flat[0].str();
  } else {
    result.key = std::string(1, '\0'); // no title begins with NUL
    for (const Value& v : flat) {
      append_key_part(result.key, v);
      result.key += '\0';
    }
  }
  for (const Value& v : values) {
    if (!result.display.empty()) result.display += ", ";
    append_key_text(result.display, v);
  }
  for (const Value& v : flat) {
    if (!result.flat_display.empty()) result.flat_display += ", ";
    append_key_text(result.flat_display, v);
  }
  return result;
}

} // namespace

bool parse_title(const Catalog& catalog, TypeId type, std::string_view title, std::vector<TitlePart>& out) {
  if (const ResourceTypeInfo* info = schema_of(catalog, type)) return info->split_title(title, out);
  out.push_back({sym::name, title});
  return true;
}

Symbol namevar_of(const Catalog& catalog, TypeId type) {
  const ResourceTypeInfo* info = schema_of(catalog, type);
  return info ? info->namevar() : sym::name;
}

UniquenessKey uniqueness_key(const Catalog& catalog, TypeId type, std::string_view title, std::span<const Param> params) {
  static constexpr Symbol name_only[] = {sym::name};
  const ResourceTypeInfo* info = schema_of(catalog, type);
  if (info && !info->isomorphic()) return {};
  std::span<const Symbol> keys = info ? info->key_attributes() : std::span<const Symbol>(name_only);
  Symbol namevar = info ? info->namevar() : sym::name;
  auto given = [&](Symbol name) {
    for (const Param& p : params)
      if (p.name == name) return p.value;
    return Value::undef();
  };
  bool whole = !info || info->title_is_namevar();
  if (whole && keys.size() == 1 && given(keys[0]).is_undef()) return {}; // the usual case: the title is the key

  std::vector<TitlePart> parts;
  if (info && !info->split_title(title, parts)) {
    UniquenessKey none;
    none.problem = info->title_problem(title);
    return none;
  }
  if (!info) parts.push_back({sym::name, title});
  auto value_of = [&](Symbol name) {
    Value v = given(name);
    if (!v.is_undef()) return v;
    for (const auto& p : parts)
      if (p.name == name && !p.absent) return p.as_value();
    return Value::undef();
  };
  // When the namevar is nil or false, `name` replaces it, and vice versa; when both are, the title replaces them.
  Value name = value_of(namevar);
  if (!name.truthy()) name = value_of(sym::name);
  if (!name.truthy()) name = given(sym::name).truthy() ? given(sym::name) : Value::string(title);
  std::vector<Value> values;
  for (Symbol key : keys) {
    Value v = value_of(key);
    if (!v.truthy() && (key == namevar || key == sym::name)) v = name;
    values.push_back(v);
  }
  return make_key(values, title);
}

bool native_parameter(const Catalog& catalog, TypeId type, Symbol name) {
  const ResourceTypeInfo* info = schema_of(catalog, type);
  return !info || info->valid_attribute(name);
}

ResourceId find_resource(const Catalog& catalog, TypeId type, std::string_view title) {
  ResourceId found = catalog.find(type, title);
  if (found != no_resource) return found;
  UniquenessKey key = uniqueness_key(catalog, type, title, {});
  return key.none() ? no_resource : catalog.find(type, key.key);
}

} // namespace pupc::catalog
