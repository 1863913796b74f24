#include "compiler/load/data_file.h"

#include "catalog/base/stack.h"
#include "compiler/load/paths.h"

namespace pupc {

void load_data_file(const std::string& path, DataFormat format, DataFile& out) {
  auto text = read_whole_file(path);
  if (!text) {
    int code = errno;
    out.error = fmt::format("{} @ {} - {}", std::strerror(code), code == EISDIR ? "io_fread" : "rb_sysopen", path); // as Ruby says it
    return;
  }
  out.read = true;
  std::optional<DataError> error;
  if (format == DataFormat::Yaml) {
    YamlOptions options;
    options.file = path;
    error = read_yaml(*text, out.arena, out.root, options, &out.notes);
  } else {
    if (format == DataFormat::Json && text->starts_with("\xEF\xBB\xBF"))
      error = DataError{fmt::format("unexpected token at '{}'", *text), 1, 1}; // Ruby's json takes no byte order mark
    else
      error = format == DataFormat::Json ? read_json(*text, out.arena, out.root) : read_hocon(*text, out.arena, out.root);
    if (!error && out.root.is_hash())
      for (const auto& e : out.root.hash->entries()) out.notes.special.push_back(is_special(e.value));
  }
  if (error) {
    out.error = std::move(error->message);
    out.error_line = error->line;
    out.error_column = error->column;
    out.root = Value::undef();
  }
}

bool is_special(const Value& value) {
  if (value.is_string()) return is_symbol(value) || value.str().find("%{") != std::string_view::npos;
  if (value.is_list()) return std::any_of(value.list->items().begin(), value.list->items().end(), is_special);
  if (value.is_hash())
    return std::any_of(value.hash->entries().begin(), value.hash->entries().end(), [](const HashEntry& e) {
      return !(e.key.is_string() || e.key.is_number()) || (e.key.is_string() && e.key.str().find("%{") != std::string_view::npos) || is_special(e.value);
    });
  return false;
}

bool is_rich_data(const Value& value) {
  check_native_stack();
  if (value.is_string()) return !is_symbol(value);
  if (value.is_list()) return std::all_of(value.list->items().begin(), value.list->items().end(), is_rich_data);
  if (value.is_hash())
    return std::all_of(value.hash->entries().begin(), value.hash->entries().end(),
                       [](const HashEntry& e) { return (e.key.is_string() || e.key.is_number()) && is_rich_data(e.value); });
  return true;
}

} // namespace pupc
