#include "runtime/provider/managed_resource.h"

#include "catalog/value/inspect.h"
#include "catalog/value/number_format.h"
#include "catalog/value/regex.h"
#include "catalog/value/semver.h"
#include "catalog/value/source_text.h"
#include "catalog/value/time_format.h"

#include <fmt/format.h>

namespace pupc::runtime {

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
  case Kind::Timestamp: return format_timestamp(value.i);
  case Kind::Timespan: return format_timespan(value.i);
  case Kind::SemVer: return to_string(*value.semver);
  case Kind::SemVerRange: return std::string(value.semver_range->text);
  case Kind::Regex: {
    const Regex& r = *value.regex;
    std::string on, off;
    for (auto [flag, set] : {std::pair{'m', r.multi_line()}, {'i', r.ignore_case()}, {'x', r.extended()}}) (set ? on : off) += flag;
    return fmt::format("(?{}{}{}:{})", on, off.empty() ? "" : "-", off, r.source());
  }
  case Kind::Hash: return inspected_text(value);
  case Kind::Deferred: return display_text(value);
  case Kind::Iterator:
  case Kind::Callable: return "";
  }
  return "";
}

namespace {

bool is_container(const Value& v) { return v.is_list() || v.is_hash(); }

/// Lists and hashes in Puppet's format `%#p`: a hash on several lines, a list within a list on a line of its own.
std::string pretty(const Value& v, size_t level, bool breaks) {
  if (v.kind == Kind::Float) return format_float(v.d);
  if (!is_container(v)) return display_text(v);
  const std::string inner(2 * (level + 1), ' ');
  std::string out = breaks ? "\n" + std::string(2 * level, ' ') : "";
  if (v.is_hash()) {
    out += "{\n";
    bool first = true;
    for (const HashEntry& e : v.hash->entries()) {
      out += fmt::format("{}{}{} => {}", first ? "" : ",\n", inner, pretty(e.key, level + 1, false), pretty(e.value, level + 1, false));
      first = false;
    }
    return out + "\n" + std::string(2 * level, ' ') + "}";
  }
  out += '[';
  const std::span<const Value> items = v.items();
  for (size_t i = 0; i < items.size(); ++i) {
    const bool container = is_container(items[i]);
    if (i > 0) out += container ? "," : is_container(items[i - 1]) ? ",\n" + inner : ", ";
    out += pretty(items[i], level + 1, true);
  }
  return out + "]";
}

} // namespace

std::string display_text(std::string_view text) {
  for (char c : text)
    if (static_cast<unsigned char>(c) < 0x20) return to_double_quoted(text);
  // Double a backslash only when it would escape the closing quote.
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
  case Kind::List:
  case Kind::Hash: return pretty(value, 0, false);
  case Kind::Float: return fmt::format("{:f}", value.d);
  case Kind::Sensitive: return "[redacted]";
  case Kind::Deferred: return fmt::format("Deferred({})", value.deferred->name);
  case Kind::Bool:
  case Kind::Int:
  case Kind::Default:
  case Kind::Timestamp:
  case Kind::Timespan:
  case Kind::SemVer:
  case Kind::SemVerRange:
  case Kind::Type: return value_text(value);
  case Kind::Regex: return std::string(value.regex->source());
  default: return display_text(value_text(value));
  }
}

std::string inspected_text(const Value& v) {
  switch (v.kind) {
  case Kind::Undef: return "nil";
  case Kind::Default: return ":default";
  case Kind::String: return inspected(v.str());
  case Kind::List: {
    std::string out;
    for (const Value& item : v.items()) out += (out.empty() ? "" : ", ") + inspected_text(item);
    return "[" + out + "]";
  }
  case Kind::Hash: {
    std::string out;
    for (const HashEntry& e : v.hash->entries())
      out += fmt::format("{}{}=>{}", out.empty() ? "" : ", ", inspected_text(e.key), inspected_text(e.value));
    return "{" + out + "}";
  }
  case Kind::Sensitive: return "#<Sensitive [value redacted]>";
  default: return value_text(v);
  }
}

std::string ruby_text(const Value& value) { return is_container(value) ? inspected_text(value) : value_text(value); }

Value string_value(Arena& arena, std::string_view text) { return Value::string(arena.copy(text)); }

} // namespace pupc::runtime
