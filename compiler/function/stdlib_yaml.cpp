// to_yaml: YAML as Ruby's Psych writes it.
#include "catalog/formats/yaml_writer.h"
#include "compiler/eval/evaluator.h"
#include "compiler/function/families.h"
#include "compiler/types/ruby_text.h"

namespace pupc {
namespace {

Value to_yaml(FunctionCall& c) {
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

const FunctionEntry table[] = {
    {"to_yaml", "YAML text of a value.", {{"Any $data, Hash $options?", to_yaml}}},
    {"stdlib::to_yaml", "YAML text of a value.", {{"Any $data, Hash $options?", to_yaml}}},
};

} // namespace

FunctionTable stdlib_yaml_functions() { return table; }

} // namespace pupc
