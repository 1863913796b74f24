#include "runtime/provider/managed_resource.h"

#include "catalog/value/number_format.h"

namespace pupc {

const ManagedAttribute* ManagedResource::find(std::string_view name) const {
  for (const ManagedAttribute& a : attributes)
    if (a.name == name) return &a;
  return nullptr;
}

bool ManagedResource::sensitive(std::string_view name) const {
  const ManagedAttribute* a = find(name);
  return a != nullptr && a->sensitive;
}

Value ManagedResource::get(std::string_view name) const {
  const ManagedAttribute* a = find(name);
  return a == nullptr ? Value::undef() : a->value;
}

std::string ManagedResource::text(std::string_view name, std::string_view otherwise) const {
  const ManagedAttribute* a = find(name);
  return a == nullptr ? std::string(otherwise) : value_text(a->value);
}

std::vector<std::string> ManagedResource::texts(std::string_view name) const {
  std::vector<std::string> out;
  const ManagedAttribute* a = find(name);
  if (a == nullptr) return out;
  auto add = [&](auto& self, const Value& v) -> void {
    if (v.is_list())
      for (const Value& item : v.items()) self(self, item);
    else if (v.is(Kind::Sensitive))
      self(self, v.unwrap());
    else if (!v.is_undef())
      out.push_back(value_text(v));
  };
  add(add, a->value);
  return out;
}

bool ManagedResource::truth(std::string_view name, bool otherwise) const {
  const ManagedAttribute* a = find(name);
  if (a == nullptr) return otherwise;
  if (a->value.is_bool()) return a->value.b;
  if (!a->value.is_string()) return otherwise;
  std::string_view s = a->value.str();
  if (s == "true" || s == "yes") return true;
  if (s == "false" || s == "no") return false;
  return otherwise;
}

void ManagedResource::set(std::string_view name, Value value, bool is_sensitive) {
  for (ManagedAttribute& a : attributes)
    if (a.name == name) {
      a.value = value;
      a.sensitive = a.sensitive || is_sensitive;
      return;
    }
  attributes.push_back({std::string(name), value, is_sensitive});
}

void ManagedResource::erase(std::string_view name) {
  std::erase_if(attributes, [&](const ManagedAttribute& a) { return a.name == name; });
}

std::string value_text(const Value& value) {
  switch (value.kind) {
  case Kind::Undef: return "";
  case Kind::Default: return "default";
  case Kind::Bool: return value.b ? "true" : "false";
  case Kind::Int: return std::to_string(value.i);
  case Kind::Float: return format_float(value.d);
  case Kind::String:
  case Kind::Binary:
  case Kind::Uri: return std::string(value.str());
  case Kind::Sensitive: return value_text(value.unwrap());
  case Kind::Ref: return to_string(*value.ref);
  case Kind::List: {
    std::string out;
    for (const Value& v : value.items()) out += (out.empty() ? "" : " ") + value_text(v);
    return out;
  }
  case Kind::Type:
  case Kind::Object: return value.opaque->to_string();
  default: return display_text(value);
  }
}

namespace {

std::string double_quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    switch (c) {
    case '\t': out += "\\t"; break;
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '"': out += "\\\""; break;
    case '$': out += "\\$"; break;
    case '\\': out += "\\\\"; break;
    default:
      if (static_cast<unsigned char>(c) < 0x20) out += fmt::format("\\u{{{:X}}}", static_cast<unsigned>(c));
      else out += c;
    }
  }
  return out + "\"";
}

} // namespace

std::string display_text(std::string_view text) {
  for (char c : text)
    if (static_cast<unsigned char>(c) < 0x20) return double_quoted(text);
  // A backslash stays single unless it would escape the closing quote.
  std::string out = "'";
  bool escaped = false;
  for (char c : text) {
    if (escaped) {
      out += '\\';
      out += c;
      escaped = false;
    } else if (c == '\\') {
      escaped = true;
    } else {
      if (c == '\'') out += '\\';
      out += c;
    }
  }
  if (escaped) out += "\\\\";
  return out + "'";
}

std::string display_text(const Value& value) {
  switch (value.kind) {
  case Kind::Undef: return "undef";
  case Kind::String: return display_text(value.str());
  case Kind::List: {
    std::string out;
    for (const Value& v : value.items()) out += (out.empty() ? "" : ", ") + display_text(v);
    return "[" + out + "]";
  }
  case Kind::Hash: {
    std::string out;
    for (const HashEntry& e : value.hash->entries()) out += fmt::format("{}{} => {}", out.empty() ? "" : ", ", display_text(e.key), display_text(e.value));
    return out.empty() ? "{}" : "{" + out + "}";
  }
  case Kind::Sensitive: return "[redacted]";
  case Kind::Deferred: return fmt::format("Deferred({})", value.deferred->name);
  case Kind::Bool:
  case Kind::Int:
  case Kind::Float: return value_text(value);
  default: return display_text(value_text(value));
  }
}

Value string_value(Arena& arena, std::string_view text) { return Value::string(arena.copy(text)); }

} // namespace pupc
