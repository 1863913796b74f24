#include "compiler/load/facts_file.h"

#include "catalog/base/paths.h"
#include "catalog/formats/data_file.h"
#include "catalog/value/map_parts.h"
#include "compiler/load/load_error.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// Turns symbols and all keys into strings, as Puppet::Node::Facts#sanitize does.
Value sanitized(Arena& arena, const Value& v) {
  if (is_symbol(v)) return Value::string(v.str());
  return map_parts(arena, v, [&](const Value& part) { return sanitized(arena, part); });
}

bool looks_like_json(std::string_view text) {
  size_t i = text.find_first_not_of(" \t\r\n");
  return i != std::string_view::npos && text[i] == '{';
}

} // namespace

Value read_facts(Arena& arena, std::string_view text, const std::string& path, std::string* node_name) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  Value root;
  std::optional<DataError> json_error = DataError{};
  if (looks_like_json(text)) json_error = read_json(text, arena, root);
  if (json_error) {
    YamlOptions options;
    options.file = path;
    options.dates = options.object_tags = true;
    if (auto error = read_yaml(text, arena, root, options)) {
      // Report a text that looks like JSON as JSON, although YAML was tried as well.
      if (looks_like_json(text))
        throw_load_error("The facts are not valid JSON: " + json_error->message.substr(0, 200), path, json_error->line, json_error->column);
      throw_load_error("The facts are not valid YAML: " + error->message, path, error->line, error->column);
    }
  }
  if (!root.is_hash()) throw_load_error("The facts file must contain a hash", path);
  const Value* values = root.hash->find("values");
  const Value* name = root.hash->find("name");
  if (values && values->is_hash() && name && name->is_string()) {
    if (node_name) *node_name = name->str();
    root = *values;
  }
  HashBuilder facts(arena, root.hash->size);
  for (const auto& e : root.hash->entries()) {
    Value key = sanitized(arena, e.key);
    if (key.is_string() && key.str() == "_timestamp") continue;
    facts.set(key, sanitized(arena, e.value));
  }
  return facts.finish();
}

Value read_facts_file(Arena& arena, const std::string& path, std::string* node_name) {
  auto text = read_whole_file(path, FileKinds::Pipes);
  if (!text) throw_load_error(fmt::format("Could not read the facts: {}", file_problem(errno)), path);
  return read_facts(arena, *text, path, node_name);
}

} // namespace pupc::compiler
