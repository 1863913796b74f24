#include "compiler/eval/ruby_documents.h"

#include "catalog/base/stack.h"
#include "catalog/formats/yaml_writer.h"
#include "catalog/json/json_writer.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/eval/evaluator.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {

static void write_json(TypeContext& types, JsonWriter& w, const Value& v) {
  check_native_stack();
  switch (v.kind) {
  case Kind::Undef: w.null(); break;
  case Kind::Bool: w.boolean(v.b); break;
  case Kind::Int: w.integer(v.i); break;
  case Kind::Float: w.floating(v.d); break;
  case Kind::List:
    w.begin_array();
    for (const Value& item : v.items()) write_json(types, w, item);
    w.end_array();
    break;
  case Kind::Hash:
    w.begin_object();
    for (const auto& e : v.hash->entries()) {
      w.key(ruby_to_s(types, e.key));
      write_json(types, w, e.value);
    }
    w.end_object();
    break;
  default: w.string(ruby_to_s(types, v));
  }
}

std::string json_document(TypeContext& types, const Value& v) {
  std::string out;
  JsonWriter w(out);
  write_json(types, w, v);
  return out;
}

namespace {

/// The layout that JSON.pretty_generate uses.
struct JsonLayout {
  std::string indent = "  ", space = " ", space_before, object_nl = "\n", array_nl = "\n";
};

} // namespace

/// How deep a document of JSON may be.
static constexpr size_t max_nesting = 100;

static void write_pretty(TypeContext& types, std::string& out, const JsonLayout& l, const Value& v, size_t depth) {
  const bool list = v.is_list();
  if (!list && !v.is_hash()) {
    JsonWriter w(out);
    write_json(types, w, v);
    return;
  }
  if (depth >= max_nesting) fail_unplaced(fmt::format("nesting of {} is too deep", depth + 1));
  const std::string& newline = list ? l.array_nl : l.object_nl;
  const auto indent = [&](size_t n) {
    for (size_t i = 0; i < n; ++i) out += l.indent;
  };
  out += list ? "[" : "{";
  out += newline;
  bool first = true;
  const auto item = [&](const Value* key, const Value& value) {
    if (!first) out += "," + newline;
    first = false;
    indent(depth + 1);
    if (key != nullptr) {
      JsonWriter w(out);
      w.string(ruby_to_s(types, *key));
      out += l.space_before + ":" + l.space;
    }
    write_pretty(types, out, l, value, depth + 1);
  };
  if (list)
    for (const Value& one : v.items()) item(nullptr, one);
  else
    for (const auto& e : v.hash->entries()) item(&e.key, e.value);
  if (list || !first) out += newline;
  indent(depth);
  out += list ? "]" : "}";
}

std::string pretty_json_document(TypeContext& types, const Value& v, const Value& options) {
  JsonLayout layout;
  const auto set = [&](std::string_view name, std::string& to) {
    const Value* given = options.is_hash() ? options.hash->find(name) : nullptr;
    if (given != nullptr && given->is_string()) to = given->str();
  };
  set("indent", layout.indent);
  set("space", layout.space);
  set("space_before", layout.space_before);
  set("object_nl", layout.object_nl);
  set("array_nl", layout.array_nl);
  std::string out;
  write_pretty(types, out, layout, v, 0);
  return out;
}

std::string yaml_document(TypeContext& types, const Value& v, const Value& options) {
  YamlWriteOptions form;
  if (options.is_hash())
    for (const auto& e : options.hash->entries()) {
      const std::string_view name = e.key.is_string() ? e.key.str() : std::string_view();
      if (name == "indentation" && e.value.is_int())
        form.indentation = static_cast<int>(std::clamp<int64_t>(e.value.i, 0, 100));
      else if (name == "line_width" && e.value.is_int())
        form.line_width = static_cast<int>(std::clamp<int64_t>(e.value.i, -1, INT32_MAX));
      else if (name == "canonical")
        form.canonical = e.value.truthy();
      else if (name == "header")
        form.version = e.value.truthy();
    }
  return write_yaml(v, form, types.regexes, [&](const Value& part) { return ruby_to_s(types, part); });
}

} // namespace pupc::compiler
