// stdlib functions that read and write data formats: JSON, YAML, Python and Ruby literals.
#include "catalog/base/stack.h"
#include "catalog/formats/data_file.h"
#include "catalog/json/json_writer.h"
#include "catalog/value/map_parts.h"
#include "catalog/value/number_format.h"
#include "catalog/value/symbol_text.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/eval/evaluator.h"
#include "compiler/function/ruby_arguments.h"
#include "compiler/stdlib/module_function_tables.h"
#include "compiler/types/runtime_object.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

void write_json(FunctionCall& c, JsonWriter& w, const Value& v) {
  check_native_stack();
  switch (v.kind) {
  case Kind::Undef: w.null(); break;
  case Kind::Bool: w.boolean(v.b); break;
  case Kind::Int: w.integer(v.i); break;
  case Kind::Float: w.floating(v.d); break;
  case Kind::List:
    w.begin_array();
    for (const Value& item : v.items()) write_json(c, w, item);
    w.end_array();
    break;
  case Kind::Hash:
    w.begin_object();
    for (const auto& e : v.hash->entries()) {
      w.key(ruby_to_s(c.types(), e.key));
      write_json(c, w, e.value);
    }
    w.end_object();
    break;
  default: w.string(ruby_to_s(c.types(), v));
  }
}
Value to_json(FunctionCall& c) {
  std::string out;
  JsonWriter w(out);
  write_json(c, w, c.args[0]);
  return c.string(out);
}
/// The layout that JSON.pretty_generate uses.
struct JsonLayout {
  std::string indent = "  ", space = " ", space_before, object_nl = "\n", array_nl = "\n";
  int64_t max_nesting = 100;
};
void write_pretty(FunctionCall& c, std::string& out, const JsonLayout& l, const Value& v, int64_t depth) {
  bool list = v.is_list();
  if (!list && !v.is_hash()) {
    JsonWriter w(out);
    write_json(c, w, v);
    return;
  }
  check_native_stack();
  if (l.max_nesting > 0 && depth >= l.max_nesting) c.fail(fmt::format("nesting of {} is too deep", depth + 1));
  const std::string& newline = list ? l.array_nl : l.object_nl;
  auto indent = [&](int64_t n) {
    for (int64_t i = 0; i < n; ++i) out += l.indent;
  };
  out += list ? "[" : "{";
  out += newline;
  bool first = true;
  auto item = [&](const Value* key, const Value& value) {
    if (!first) out += "," + newline;
    first = false;
    indent(depth + 1);
    if (key != nullptr) {
      JsonWriter w(out);
      w.string(ruby_to_s(c.types(), *key));
      out += l.space_before + ":" + l.space;
    }
    write_pretty(c, out, l, value, depth + 1);
  };
  if (list)
    for (const Value& one : v.items()) item(nullptr, one);
  else
    for (const auto& e : v.hash->entries()) item(&e.key, e.value);
  out += list && first ? (newline.empty() ? "" : newline) : first ? "" : newline;
  indent(depth);
  out += list ? "]" : "}";
}

Value to_json_pretty(FunctionCall& c) {
  JsonLayout layout;
  if (c.given(2)) {
    const Hash& options = *c.args[2].hash;
    auto set = [&](std::string_view name, std::string& to) {
      if (const Value* v = options.find(name); v != nullptr && v->is_string()) to = v->str();
    };
    set("indent", layout.indent);
    set("space", layout.space);
    set("space_before", layout.space_before);
    set("object_nl", layout.object_nl);
    set("array_nl", layout.array_nl);
    if (const Value* v = options.find("max_nesting"); v != nullptr && v->is_int()) layout.max_nesting = v->i;
  }
  Value data = c.args[0];
  if (c.given(1) && c.args[1].truthy()) {
    if (data.is_list()) {
      ListBuilder kept(c.arena());
      for (const Value& v : data.items())
        if (!v.is_undef()) kept.add(v);
      data = kept.finish();
    } else {
      HashBuilder kept(c.arena());
      for (const auto& e : data.hash->entries())
        if (!e.value.is_undef()) kept.set(e.key, e.value);
      data = kept.finish();
    }
  }
  std::string out;
  write_pretty(c, out, layout, data, 0);
  return c.string(out + "\n");
}

/// Writes a literal of Python (True, None, `: ` between key and value) or Ruby (nil, ` => `).
void write_literal(FunctionCall& c, std::string& out, const Value& v, bool python) {
  check_native_stack();
  switch (v.kind) {
  case Kind::Bool: out += python ? (v.b ? "True" : "False") : (v.b ? "true" : "false"); break;
  case Kind::Undef: out += python ? "None" : "nil"; break;
  case Kind::List:
    out += '[';
    for (size_t i = 0; i < v.items().size(); ++i) {
      if (i > 0) out += ", ";
      write_literal(c, out, v.items()[i], python);
    }
    out += ']';
    break;
  case Kind::Hash: {
    out += '{';
    bool first = true;
    for (const auto& e : v.hash->entries()) {
      if (!first) out += ", ";
      first = false;
      write_literal(c, out, e.key, python);
      out += python ? ": " : " => ";
      write_literal(c, out, e.value, python);
    }
    out += '}';
    break;
  }
  case Kind::Default: { // values that are not plain data are written in their rich form
    HashBuilder rich(c.arena());
    rich.set("__ptype", Value::string("Default"));
    return write_literal(c, out, rich.finish(), python);
  }
  case Kind::Type: return write_literal(c, out, v.opaque->to_rich_data(c.arena()), python);
  default: out += ruby_inspect(c.types(), v);
  }
}
template <bool Python> Value to_literal(FunctionCall& c) {
  if (has_sensitive_part(c.args[0])) return c.run_file();
  std::string out;
  write_literal(c, out, c.args[0], Python);
  return c.string(out);
}

/// Returns the second argument when reading fails or gives a false value.
template <class Read> Value parsed(FunctionCall& c, Read read) {
  if (c.size() == 0) c.fail("Wrong number of arguments. 1 or 2 arguments should be provided.");
  Value text = legacy_argument(c, 0), fallback = c.size() > 1 ? legacy_argument(c, 1) : Value::undef();
  Value out;
  std::optional<DataError> error;
  if (!text.is_string())
    error = DataError{fmt::format("no implicit conversion of {} into String", conversion_name(text))};
  else
    error = read(text.str(), out);
  if (error) {
    if (!fallback.truthy()) c.fail(error->message);
    return fallback;
  }
  return out.truthy() ? out : fallback;
}
/// Symbols of a document as Ruby's objects, which they are for a function.
Value symbols_as_objects(Arena& arena, const Value& v) {
  if (is_symbol(v))
    return v.str() == "undef" ? Value::undef() : v.str() == "default" ? Value::default_value() : ruby_symbol(arena, v.str());
  return map_parts(arena, v, [&](const Value& part) { return symbols_as_objects(arena, part); });
}
std::optional<DataError> yaml(FunctionCall& c, std::string_view text, Value& out, bool aliases = false) {
  if (text.empty()) {
    out = Value::undef();
    return std::nullopt;
  }
  YamlOptions options;
  options.file = "<unknown>";
  options.aliases = aliases;
  options.symbol_keys = true;
  auto error = read_yaml(c.arena().copy(text), c.arena(), out, options);
  if (!error && text.find(':') != std::string_view::npos) out = symbols_as_objects(c.arena(), out);
  // Only errors of syntax have a file in front.
  if (error && error->message.starts_with("(<unknown>): Tried to load")) error->message.erase(0, std::string_view("(<unknown>): ").size());
  return error;
}
Value parsejson(FunctionCall& c) {
  return parsed(c, [&](std::string_view text, Value& out) { return read_json(c.arena().copy(text), c.arena(), out); });
}
Value parseyaml(FunctionCall& c) {
  return parsed(c, [&](std::string_view text, Value& out) { return yaml(c, text, out); });
}

#define JSON_OPTIONS                                                                                                                       \
  "Struct[{indent => Optional[String], space => Optional[String], space_before => Optional[String], object_nl => Optional[String], "       \
  "array_nl => Optional[String], allow_nan => Optional[Boolean], max_nesting => Optional[Integer[-1,default]]}]"
#define LEGACY(code)                                                                                                                       \
  {                                                                                                                                        \
    { "3.x", code }                                                                                                                        \
  }
const FunctionEntry stdlib_data_table[] = {
    {"to_json", "JSON text of a value.", {{"Any $data", to_json}}},
    {"stdlib::to_json", "JSON text of a value.", {{"Any $data", to_json}}},
    {"stdlib::to_json",
     "JSON text of a value, Sensitive where a part of it is.",
     {{"Any $data", rewrapped<to_json>}},
     FunctionTrait::None,
     "stdlib",
     "9.8"},
    {"stdlib::to_json_pretty",
     "Indented JSON text of a hash or array, without undef values when asked, Sensitive where a part of it is.",
     {{"Variant[Hash, Array] $data, Optional[Boolean] $skip_undef?, " JSON_OPTIONS " $opts?", rewrapped<to_json_pretty>}},
     FunctionTrait::None,
     "stdlib",
     "9.8"},
    {"to_json_pretty",
     "Indented JSON text of a hash or array, without undef values when asked.",
     {{"Variant[Hash, Array] $data, Optional[Boolean] $skip_undef?, " JSON_OPTIONS " $opts?", to_json_pretty}}},
    {"stdlib::to_json_pretty",
     "Indented JSON text of a hash or array, without undef values when asked.",
     {{"Variant[Hash, Array] $data, Optional[Boolean] $skip_undef?, " JSON_OPTIONS " $opts?", to_json_pretty}}},
    {"to_python", "Python literal of a value.", {{"Any $object", to_literal<true>}}},
    {"stdlib::to_python", "Python literal of a value.", {{"Any $object", to_literal<true>}}},
    {"to_ruby", "Ruby literal of a value.", {{"Any $object", to_literal<false>}}},
    {"stdlib::to_ruby", "Ruby literal of a value.", {{"Any $object", to_literal<false>}}},
    {"parsejson", "Value of a JSON text, or a default when it is malformed or empty.", LEGACY(parsejson)},
    {"parseyaml", "Value of a YAML text, or a default when it is malformed or empty.", LEGACY(parseyaml)},
};

} // namespace

FunctionTable stdlib_data_functions() { return stdlib_data_table; }

} // namespace pupc::compiler
