#include "tools/puppetdb/plain_value.h"

#include "catalog/base/stack.h"
#include "catalog/base/utf8.h"
#include "catalog/value/base64.h"
#include "catalog/value/bytes_text.h"
#include "catalog/value/inspect.h"
#include "catalog/value/number_format.h"
#include "catalog/value/semver.h"
#include "catalog/value/source_text.h"
#include "catalog/value/time_format.h"

#include <utility>

namespace pupc::puppetdb {
namespace {

using catalog::HashEntry;
using catalog::JsonWriter;
using catalog::Kind;
using catalog::Value;

/// The text with U+FFFD for what is not UTF-8.
std::string repaired(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    size_t size = 1;
    while (size < 4 && size < text.size() && !catalog::valid_utf8(text.substr(0, size))) ++size;
    if (catalog::valid_utf8(text.substr(0, size))) {
      out += text.substr(0, size);
    } else {
      out += "\xEF\xBF\xBD";
      size = 1;
    }
    text.remove_prefix(size);
  }
  return out;
}

std::string deferred_text(const Value& v) {
  std::string out = "Deferred({'name' => '" + std::string(v.deferred->name) + "'";
  if (v.deferred->arguments != nullptr) out += ", 'arguments' => " + plain_text(Value::of(v.deferred->arguments));
  return out + "})";
}

void inspect(std::string& out, const Value& v) {
  catalog::check_native_stack();
  switch (v.kind) {
  case Kind::Undef: out += "nil"; return;
  case Kind::String: catalog::append_inspected(out, v.str()); return;
  case Kind::List: {
    out += '[';
    bool first = true;
    for (const Value& item : v.items()) {
      if (!std::exchange(first, false)) out += ", ";
      inspect(out, item);
    }
    out += ']';
    return;
  }
  case Kind::Hash: {
    out += '{';
    bool first = true;
    for (const HashEntry& e : v.hash->entries()) {
      if (!std::exchange(first, false)) out += ", ";
      inspect(out, e.key);
      out += "=>";
      inspect(out, e.value);
    }
    out += '}';
    return;
  }
  default: out += plain_text(v);
  }
}

} // namespace

std::string plain_text(const Value& v) {
  switch (v.kind) {
  case Kind::Undef: return {};
  case Kind::Bool: return v.b ? "true" : "false";
  case Kind::Int: return std::to_string(v.i);
  case Kind::Float: return catalog::format_float(v.d);
  case Kind::String:
    if (catalog::is_bytes_text(v)) return catalog::base64_encode(v.str());
    return catalog::valid_utf8(v.str()) ? std::string(v.str()) : repaired(v.str());
  case Kind::Default: return "default";
  case Kind::Ref: return catalog::to_string(*v.ref);
  case Kind::Regex: return catalog::regex_literal(*v.regex);
  case Kind::Timestamp: return catalog::format_timestamp(v.i);
  case Kind::Timespan: return catalog::format_timespan(v.i);
  case Kind::SemVer: return catalog::to_string(*v.semver);
  case Kind::SemVerRange: return std::string(v.semver_range->text);
  case Kind::Binary: return catalog::base64_encode(v.str());
  case Kind::Uri: return std::string(v.str());
  case Kind::Sensitive: return "#<Sensitive [value redacted]>"; // Puppet adds a number that says nothing
  case Kind::Deferred: return deferred_text(v);
  case Kind::List:
  case Kind::Hash: return ruby_text(v);
  case Kind::Type:
  case Kind::Object:
  case Kind::Iterator:
  case Kind::Callable: return v.opaque->to_string();
  }
  return {};
}

std::string ruby_text(const Value& v) {
  if (!v.is_list() && !v.is_hash()) return plain_text(v);
  std::string out;
  inspect(out, v);
  return out;
}

void write_plain(JsonWriter& json, const Value& v) {
  catalog::check_native_stack();
  switch (v.kind) {
  case Kind::Undef: return json.null();
  case Kind::Bool: return json.boolean(v.b);
  case Kind::Int: return json.integer(v.i);
  case Kind::Float: return json.floating(v.d);
  case Kind::List:
    json.begin_array();
    for (const Value& item : v.items()) write_plain(json, item);
    return json.end_array();
  case Kind::Hash:
    json.begin_object();
    for (const HashEntry& e : v.hash->entries()) {
      const std::string key = plain_text(e.key);
      json.key(key == "__ptype" || key == "__pvalue" ? "reserved key: " + key : key);
      write_plain(json, e.value);
    }
    return json.end_object();
  default: return json.string(plain_text(v));
  }
}

} // namespace pupc::puppetdb
