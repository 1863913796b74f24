#include "compiler/ruby/syntax/ruby_lexical.h"

#include <algorithm>

namespace pupc::compiler::ruby {
namespace {

char at(std::string_view text, size_t i) { return i < text.size() ? text[i] : '\0'; }

} // namespace

Word find_word(std::string_view name, size_t first) {
  for (size_t i = first; i < std::size(known_words) && known_words[i].name[0] == name[0]; ++i) {
    const std::string_view known = known_words[i].name;
    if (known.size() != name.size()) continue;
    size_t same = 1; // a loop, as these are too short for a call of memcmp
    while (same < name.size() && known[same] == name[same]) ++same;
    if (same == name.size()) return known_words[i].word;
  }
  return Word::None;
}

size_t name_length(std::string_view text) {
  if (!is_name_start(at(text, 0))) return 0;
  size_t i = 1;
  while (is_name_part(at(text, i))) ++i;
  return i;
}

bool is_name_suffix(std::string_view text) {
  const char after = at(text, 2);
  return (at(text, 0) == '?' || at(text, 0) == '!') && (at(text, 1) != '=' || after == '=' || after == '~' || after == '>');
}

size_t operator_name_length(std::string_view text) {
  static constexpr std::string_view names[] = {"[]=", "<=>", "===", "[]", "==", "=~", "!=", "!~", "**", "+@", "-@", "<<", ">>", "<=",
                                               ">=",  "+",   "-",   "*",  "/",  "%",  "<",  ">",  "!",  "&",  "|",  "^",  "~",  "`"};
  for (std::string_view name : names)
    if (text.starts_with(name)) return name.size();
  return 0;
}

size_t symbol_length(std::string_view text) {
  char first = at(text, 0);
  if (!is_name_start(first) && first != '@' && first != '$') return operator_name_length(text);
  size_t i = 0;
  while (at(text, i) == '@' || at(text, i) == '$') ++i;
  while (i < text.size() && is_name_part(text[i])) ++i;
  char end = at(text, i), next = at(text, i + 1);
  if ((end == '?' || end == '!' || end == '=') && next != '=' && next != '~' && !(end == '=' && next == '>')) ++i;
  return i;
}

std::optional<PercentOpening> percent_opening(std::string_view text) {
  static constexpr std::string_view types = "wWiIqQrsx", opening = "([{<", closing = ")]}>";
  PercentOpening out;
  size_t i = 1;
  if (at(text, i) != '\0' && types.find(at(text, i)) != std::string_view::npos) out.type = at(text, i++);
  out.open = at(text, i);
  if (out.open == '\0' || is_name_part(out.open) || is_blank(out.open) || out.open == '\n') return std::nullopt;
  size_t bracket = opening.find(out.open);
  out.close = bracket == std::string_view::npos ? out.open : closing[bracket];
  out.length = i + 1;
  return out;
}

std::optional<HeredocOpening> heredoc_opening(std::string_view text) {
  HeredocOpening out;
  size_t i = 2;
  if (at(text, i) == '~' || at(text, i) == '-') out.style = at(text, i++);
  if (at(text, i) == '"' || at(text, i) == '\'' || at(text, i) == '`') out.quote = at(text, i++);
  size_t length = out.quote == 0 ? name_length(text.substr(std::min(i, text.size()))) : std::min(text.find(out.quote, i), text.size()) - i;
  out.id = text.substr(std::min(i, text.size()), length);
  if (out.quote == 0 ? length == 0 : i + length >= text.size() || out.id.find('\n') != std::string_view::npos) return std::nullopt;
  out.length = i + length + (out.quote == 0 ? 0 : 1);
  return out;
}

std::optional<HeredocBody> heredoc_body(std::string_view text, size_t begin, const HeredocOpening& opening) {
  uint32_t lines = 1;
  for (size_t pos = begin; pos < text.size(); ++lines) {
    size_t end = std::min(text.find('\n', pos), text.size());
    std::string_view line = text.substr(pos, end - pos);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (opening.style != 0) line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    size_t next = std::min(end + 1, text.size());
    if (line == opening.id) return HeredocBody{begin, pos, next, lines};
    pos = next;
  }
  return std::nullopt;
}

} // namespace pupc::compiler::ruby
