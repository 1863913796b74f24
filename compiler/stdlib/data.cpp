// stdlib functions that read and write data formats: JSON, YAML, Python and Ruby literals.
#include "catalog/base/stack.h"
#include "catalog/formats/data_file.h"
#include "catalog/value/map_parts.h"
#include "catalog/value/symbol_text.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/eval/evaluator.h"
#include "compiler/eval/ruby_documents.h"
#include "compiler/function/ruby_arguments.h"
#include "compiler/stdlib/module_function_tables.h"
#include "compiler/types/runtime_object.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

Value to_json(FunctionCall& c) { return c.string(json_document(c.types(), c.args[0])); }

Value to_json_pretty(FunctionCall& c) {
  const Value options = c.arg(2);
  if (options.is_hash() && options.hash->find("max_nesting") != nullptr) return c.run_file();
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
  return c.string(pretty_json_document(c.types(), data, options) + "\n");
}

/// Whether a value has parts that Ruby writes as objects of its own.
bool has_objects(const Value& v) {
  check_native_stack();
  switch (v.kind) {
  case Kind::List: return std::any_of(v.items().begin(), v.items().end(), has_objects);
  case Kind::Hash:
    return std::any_of(v.hash->entries().begin(), v.hash->entries().end(),
                       [](const HashEntry& e) { return has_objects(e.key) || has_objects(e.value); });
  case Kind::Undef:
  case Kind::Bool:
  case Kind::Int:
  case Kind::Float:
  case Kind::String: return false;
  default: return true;
  }
}

/// A copy without shared parts, of which YAML has no anchors.
Value unshared(Arena& arena, const Value& v) {
  if (v.is_list()) {
    ListBuilder out(arena, v.items().size());
    for (const Value& item : v.items()) out.add(unshared(arena, item));
    return out.finish();
  }
  if (!v.is_hash()) return v;
  HashBuilder out(arena, v.hash->size);
  for (const auto& e : v.hash->entries()) out.set(e.key, unshared(arena, e.value));
  return out.finish();
}

Value to_yaml(FunctionCall& c) {
  if (has_objects(c.args[0])) return c.run_file();
  return c.string(yaml_document(c.types(), unshared(c.arena(), c.args[0]), c.arg(1)));
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
    {"stdlib::to_yaml",
     "YAML text of a value, Sensitive where a part of it is.",
     {{"Any $data, Hash $options?", to_yaml}},
     FunctionTrait::None,
     "stdlib",
     "9.8"},
    {"to_python", "Python literal of a value.", {{"Any $object", to_literal<true>}}},
    {"stdlib::to_python", "Python literal of a value.", {{"Any $object", to_literal<true>}}},
    {"to_ruby", "Ruby literal of a value.", {{"Any $object", to_literal<false>}}},
    {"stdlib::to_ruby", "Ruby literal of a value.", {{"Any $object", to_literal<false>}}},
    {"parseyaml", "Value of a YAML text, or a default when it is malformed or empty.", LEGACY(parseyaml)},
};

} // namespace

FunctionTable stdlib_data_functions() { return stdlib_data_table; }

} // namespace pupc::compiler
