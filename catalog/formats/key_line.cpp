#include "catalog/formats/key_line.h"

#include "catalog/base/paths.h"
#include "catalog/formats/data_file.h"
#include "catalog/json/json_reader.h"

#include <algorithm>

namespace pupc::catalog {
namespace {

/// The first line of the root that begins with the key and a character that may follow a key in HOCON. Counts braces only and does not
/// parse strings, which is good enough to show a user where to look.
uint32_t hocon_key_line(std::string_view text, std::string_view key) {
  int depth = 0, root = 0;
  for (uint32_t line = 1; !text.empty(); ++line) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view at = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    auto skip_blanks = [&] { at.remove_prefix(std::min(at.find_first_not_of(" \t"), at.size())); };
    skip_blanks();
    if (depth == 0 && root == 0 && at.starts_with('{')) { // the optional braces of the root
      depth = root = 1;
      at.remove_prefix(1);
      skip_blanks();
    }
    const auto deeper = static_cast<int>(std::count(at.begin(), at.end(), '{') - std::count(at.begin(), at.end(), '}'));
    const bool quoted = at.starts_with('"');
    if (quoted) at.remove_prefix(1);
    if (depth == root && at.starts_with(key)) {
      at.remove_prefix(key.size());
      if (quoted && at.starts_with('"')) at.remove_prefix(1);
      skip_blanks();
      if (!at.empty() && std::string_view(":={+").find(at[0]) != std::string_view::npos) return line;
    }
    depth += deeper;
  }
  return 0;
}

} // namespace

uint32_t json_key_line(std::string_view text, std::string_view key) {
  uint32_t line = 1, found = 0;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c != '"') continue;
    const size_t begin = i;
    for (++i; i < text.size() && text[i] != '"'; ++i)
      if (text[i] == '\\') ++i;
    if (depth != 1 || i >= text.size()) continue;
    const size_t next = text.find_first_not_of(" \t\r\n", i + 1);
    if (next == std::string_view::npos || text[next] != ':') continue;
    Arena arena;
    Value read;
    JsonError error;
    if (parse_json(text.substr(begin, i + 1 - begin), arena, read, error) && read.is_string() && read.str() == key) found = line;
  }
  return found;
}

uint32_t data_key_line(const std::string& path, std::string_view key) {
  if (path.ends_with(".json") || path.ends_with(".conf") || path.ends_with(".hocon")) {
    const auto text = read_whole_file(path);
    if (!text) return 0;
    return path.ends_with(".json") ? json_key_line(*text, key) : hocon_key_line(*text, key);
  }
  DataFile file;
  load_data_file(path, DataFormat::Yaml, file);
  if (!file.read || !file.root.is_hash()) return 0;
  const auto entries = file.root.hash->entries();
  for (size_t i = 0; i < entries.size() && i < file.notes.lines.size(); ++i)
    if (entries[i].key.is_string() && entries[i].key.str() == key) return file.notes.lines[i];
  return 0;
}

} // namespace pupc::catalog
