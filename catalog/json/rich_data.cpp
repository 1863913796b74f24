#include "catalog/json/rich_data.h"

#include "catalog/base/limits.h"
#include "catalog/base/stack.h"
#include "catalog/value/base64.h"
#include "catalog/value/bytes_text.h"
#include "catalog/value/regex.h"
#include "catalog/value/semver.h"
#include "catalog/value/source_text.h"
#include "catalog/value/symbol_text.h"
#include "catalog/value/time_format.h"

namespace pupc::catalog {
namespace {

void write(JsonWriter& json, const Value& value, Arena& scratch, bool converted);

void pair(JsonWriter& json, std::string_view type, std::string_view text) {
  json.begin_object();
  json.member("__ptype", type);
  json.member("__pvalue", text);
  json.end_object();
}

void write_text(JsonWriter& json, std::string_view text) {
  if (valid_utf8(text))
    json.string(text);
  else
    pair(json, "Binary", base64_encode(text));
}

bool plain_key(const Value& key) {
  if (key.is(Kind::Ref)) return true;
  return key.is_string() && !is_symbol(key) && key.str() != "__ptype" && valid_utf8(key.str());
}

void write_hash(JsonWriter& json, const Hash& hash, Arena& scratch, bool converted) {
  bool plain = true;
  if (!converted)
    for (const auto& e : hash.entries())
      if (!plain_key(e.key)) {
        plain = false;
        break;
      }
  if (plain) {
    json.begin_object();
    for (const auto& e : hash.entries()) {
      if (e.key.is(Kind::Ref))
        json.key(to_string(*e.key.ref));
      else
        json.key(e.key.is_string() ? e.key.str() : std::string_view());
      write(json, e.value, scratch, converted);
    }
    json.end_object();
    check_output(json.size());
    return;
  }
  json.begin_object();
  json.member("__ptype", "Hash");
  json.key("__pvalue");
  json.begin_array();
  for (const auto& e : hash.entries()) {
    write(json, e.key, scratch, converted);
    write(json, e.value, scratch, converted);
  }
  json.end_array();
  json.end_object();
}

/// `converted`: the value is part of a result of to_rich_data, so a hash with `__ptype` is rich data already.
void write(JsonWriter& json, const Value& value, Arena& scratch, bool converted) {
  check_native_stack();
  switch (value.kind) {
  case Kind::Undef: return json.null();
  case Kind::Bool: return json.boolean(value.b);
  case Kind::Int: return json.integer(value.i);
  case Kind::Float: return json.floating(value.d);
  case Kind::String:
    if ((value.flags & read_text_flag) != 0) return pair(json, read_text_kinds[value.aux], value.str());
    return is_bytes_text(value) ? pair(json, "Binary", base64_encode(value.str())) : write_text(json, value.str());
  case Kind::Ref: return write_text(json, to_string(*value.ref));
  case Kind::List:
    json.begin_array();
    for (const auto& v : value.items()) write(json, v, scratch, converted);
    json.end_array();
    check_output(json.size());
    return;
  case Kind::Hash: return write_hash(json, *value.hash, scratch, converted || (value.flags & read_hash_flag) != 0);
  case Kind::Default:
    json.begin_object();
    json.member("__ptype", "Default");
    json.end_object();
    return;
  case Kind::Regex: return pair(json, "Regexp", regex_text(*value.regex));
  case Kind::Timestamp: return pair(json, "Timestamp", format_timestamp(value.i));
  case Kind::Timespan: return pair(json, "Timespan", format_timespan(value.i));
  case Kind::SemVer: return pair(json, "SemVer", to_string(*value.semver));
  case Kind::SemVerRange: return pair(json, "SemVerRange", value.semver_range->text);
  case Kind::Binary: return pair(json, "Binary", base64_encode(value.str()));
  case Kind::Uri: return pair(json, "URI", value.str());
  case Kind::Sensitive:
    json.begin_object();
    json.member("__ptype", "Sensitive");
    json.key("__pvalue");
    write(json, value.unwrap(), scratch, converted);
    json.end_object();
    return;
  case Kind::Deferred:
    json.begin_object();
    json.member("__ptype", "Deferred");
    json.member("name", value.deferred->name);
    if (value.deferred->arguments != nullptr) {
      json.key("arguments");
      json.begin_array();
      for (const auto& v : value.deferred->arguments->items()) write(json, v, scratch, converted);
      json.end_array();
    }
    json.end_object();
    return;
  case Kind::Type:
  case Kind::Object:
  case Kind::Iterator:
  case Kind::Callable: return write(json, value.opaque->to_rich_data(scratch), scratch, true);
  }
}

} // namespace

void write_rich_value(JsonWriter& json, const Value& value, Arena& scratch) { write(json, value, scratch, false); }

} // namespace pupc::catalog
