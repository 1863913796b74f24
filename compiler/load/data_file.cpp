#include "compiler/load/data_file.h"

#include "compiler/load/paths.h"

namespace pupc {

void load_data_file(const std::string& path, DataFormat format, DataFile& out) {
  auto text = read_whole_file(path);
  if (!text) {
    int code = errno;
    out.exists = code != ENOENT;
    out.error = fmt::format("{} @ rb_sysopen - {}", code == EACCES ? "Permission denied" : code == EISDIR ? "Is a directory" : std::strerror(code), path);
    return;
  }
  out.exists = true;
  std::optional<DataError> error;
  if (format == DataFormat::Yaml) {
    YamlOptions options;
    options.file = path;
    error = read_yaml(*text, out.arena, out.root, options, &out.notes);
  } else {
    error = read_json(*text, out.arena, out.root);
    if (!error && out.root.is_hash())
      for (const auto& e : out.root.hash->entries()) out.notes.interpolated.push_back(has_interpolation(e.key) || has_interpolation(e.value));
  }
  if (error) {
    out.error = std::move(error->message);
    out.error_line = error->line;
    out.error_column = error->column;
    out.root = Value::undef();
  }
}

bool has_interpolation(const Value& value) {
  if (value.is_string()) return value.str().find("%{") != std::string_view::npos;
  if (value.is_list()) return std::any_of(value.list->items().begin(), value.list->items().end(), has_interpolation);
  if (value.is_hash())
    return std::any_of(value.hash->entries().begin(), value.hash->entries().end(),
                       [](const HashEntry& e) { return has_interpolation(e.key) || has_interpolation(e.value); });
  return false;
}

} // namespace pupc
