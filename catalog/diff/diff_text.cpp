// Formats values and texts for the outputs of a comparison.
#include "catalog/diff/diff_text.h"
#include "catalog/base/stack.h"
#include "catalog/json/json_writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::catalog {

namespace {

/// Whether this is a Sensitive value inside a list or hash, in rich data form.
bool is_sensitive(const Value& v) {
  const Value* type = v.is_hash() ? v.hash->find("__ptype") : nullptr;
  return type != nullptr && type->is_string() && type->str() == "Sensitive";
}

} // namespace

void write_json_value(JsonWriter& json, const Value& v) {
  check_native_stack();
  if (v.is_list()) {
    json.begin_array();
    for (const Value& item : v.items()) write_json_value(json, item);
    json.end_array();
  } else if (is_sensitive(v)) {
    json.string("(sensitive)");
  } else if (v.is_hash()) {
    json.begin_object();
    for (const HashEntry& e : v.hash->entries()) {
      json.key(e.key.str());
      write_json_value(json, e.value);
    }
    json.end_object();
  } else if (v.is_string()) {
    json.string(v.str());
  } else if (v.is_int()) {
    json.integer(v.i);
  } else if (v.is(Kind::Float)) {
    json.floating(v.d);
  } else if (v.is(Kind::Bool)) {
    json.boolean(v.truthy());
  } else {
    json.null();
  }
}

std::string json_of(const Value& v) {
  std::string out;
  JsonWriter json(out);
  write_json_value(json, v);
  return out;
}

std::string printable(std::string_view line) {
  if (std::none_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }))
    return std::string(line);
  std::string out;
  for (char c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out;
}

bool has_lines(const Value& v) { return v.is_string() && v.str().find('\n') != std::string_view::npos; }

} // namespace pupc::catalog
