#include "runtime/ruby/wire_value.h"

#include "catalog/json/json_writer.h"
#include "runtime/provider/managed_resource.h"

#include <fmt/format.h>

namespace pupc::runtime {
namespace {

constexpr std::string_view mark = "__pupc";

void marked(JsonWriter& w, std::string_view kind, std::string_view text) {
  w.begin_object();
  w.member(mark, kind);
  w.member("v", text);
  w.end_object();
}

std::string as_hexadecimal(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

std::string of_hexadecimal(std::string_view text) {
  auto digit = [](char c) { return c <= '9' ? c - '0' : (c | 32) - 'a' + 10; };
  std::string out;
  for (size_t i = 0; i + 1 < text.size(); i += 2) out += static_cast<char>(digit(text[i]) * 16 + digit(text[i + 1]));
  return out;
}

} // namespace

void write_ruby_value(JsonWriter& w, const Value& v) {
  switch (v.kind) {
  case Kind::Undef: w.null(); break;
  case Kind::Bool: w.boolean(v.b); break;
  case Kind::Int: w.integer(v.i); break;
  case Kind::Float: w.floating(v.d); break;
  case Kind::Default: marked(w, "default", ""); break;
  case Kind::Deferred: marked(w, "deferred", ""); break;
  case Kind::Sensitive:
    w.begin_object();
    w.member(mark, "sensitive");
    w.key("v");
    write_ruby_value(w, v.unwrap());
    w.end_object();
    break;
  case Kind::List:
    w.begin_array();
    for (const Value& item : v.items()) write_ruby_value(w, item);
    w.end_array();
    break;
  case Kind::Hash:
    w.begin_object();
    for (const HashEntry& e : v.hash->entries()) {
      w.key(value_text(e.key));
      write_ruby_value(w, e.value);
    }
    w.end_object();
    break;
  default: {
    const std::string text = value_text(v);
    if (valid_utf8(text))
      w.string(text);
    else
      marked(w, "bytes", as_hexadecimal(text));
  }
  }
}

namespace {

/// Unwraps what is Sensitive when `sensitive` is there to tell it.
Value read_marked(Arena& arena, const Value& json, bool* sensitive) {
  if (json.is_list()) {
    ListBuilder out(arena);
    for (const Value& item : json.items()) out.add(read_marked(arena, item, sensitive));
    return out.finish();
  }
  if (!json.is_hash()) return json;
  if (const Value* kind = json.hash->find(mark); kind != nullptr && kind->is_string()) {
    const Value* held = json.hash->find("v");
    if (kind->str() == "sensitive" && held != nullptr) {
      if (sensitive == nullptr) return Value::sensitive(arena, read_marked(arena, *held, nullptr));
      *sensitive = true;
      return read_marked(arena, *held, sensitive);
    }
    if (kind->str() == "bytes" && held != nullptr && held->is_string()) return string_value(arena, of_hexadecimal(held->str()));
    return Value::undef();
  }
  HashBuilder out(arena);
  for (const HashEntry& e : json.hash->entries()) out.set(e.key, read_marked(arena, e.value, sensitive));
  return out.finish();
}

} // namespace

Value read_ruby_value(Arena& arena, const Value& json, bool& sensitive) { return read_marked(arena, json, &sensitive); }
Value read_ruby_value_as_it_is(Arena& arena, const Value& json) { return read_marked(arena, json, nullptr); }

} // namespace pupc::runtime
