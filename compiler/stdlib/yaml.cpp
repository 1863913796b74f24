// to_yaml: YAML as Ruby's Psych writes it.
#include "catalog/base/stack.h"
#include "catalog/formats/yaml_writer.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/eval/evaluator.h"
#include "compiler/stdlib/module_function_tables.h"

#include <algorithm>

namespace pupc::compiler {
namespace {

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

Value to_yaml(FunctionCall& c) {
  if (c.file != nullptr && has_objects(c.args[0])) return c.run_file();
  YamlWriteOptions options;
  if (c.given(1))
    for (const auto& e : c.args[1].hash->entries()) {
      std::string_view name = e.key.is_string() ? e.key.str() : std::string_view();
      if (name == "indentation" && e.value.is_int())
        options.indentation = static_cast<int>(std::clamp<int64_t>(e.value.i, 0, 100));
      else if (name == "line_width" && e.value.is_int())
        options.line_width = static_cast<int>(std::clamp<int64_t>(e.value.i, -1, INT32_MAX));
      else if (name == "canonical")
        options.canonical = e.value.truthy();
      else if (name == "header")
        options.version = e.value.truthy();
    }
  return c.string(write_yaml(c.args[0], options, c.types().regexes, [&](const Value& v) { return ruby_to_s(c.types(), v); }));
}

/// After 9.7 stdlib writes a copy without shared parts, so YAML has no anchors. Returns false for data with Sensitive values: Ruby writes
/// it.
bool copied(FunctionCall& c, Value& v) {
  check_native_stack();
  if (v.is(Kind::Sensitive)) return false;
  if (v.is_list()) {
    ListBuilder out(c.arena(), v.items().size());
    for (Value item : v.items()) {
      if (!copied(c, item)) return false;
      out.add(item);
    }
    v = out.finish();
  } else if (v.is_hash()) {
    HashBuilder out(c.arena(), v.hash->size);
    for (const auto& e : v.hash->entries()) {
      Value inner = e.value;
      if (e.key.is(Kind::Sensitive) || !copied(c, inner)) return false;
      out.set(e.key, inner);
    }
    v = out.finish();
  }
  return true;
}
Value to_yaml_of_copy(FunctionCall& c) {
  std::vector<Value> args(c.args.begin(), c.args.end());
  if (!copied(c, args[0])) return c.run_file();
  FunctionCall call{c.evaluator, c.name, args, c.block, c.frame, c.loc, c.file};
  return to_yaml(call);
}

const FunctionEntry stdlib_yaml_table[] = {
    {"stdlib::to_yaml",
     "YAML text of a value, Sensitive where a part of it is.",
     {{"Any $data, Hash $options?", to_yaml_of_copy}},
     FunctionTrait::None,
     "stdlib",
     "9.8"},
    {"to_yaml", "YAML text of a value.", {{"Any $data, Hash $options?", to_yaml}}},
    {"stdlib::to_yaml", "YAML text of a value.", {{"Any $data, Hash $options?", to_yaml}}},
};

} // namespace

FunctionTable stdlib_yaml_functions() { return stdlib_yaml_table; }

} // namespace pupc::compiler
