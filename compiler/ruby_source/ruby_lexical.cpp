#include "compiler/ruby_source/ruby_lexical.h"

#include <algorithm>

namespace pupc::ruby {
namespace {

char at(std::string_view text, size_t i) { return i < text.size() ? text[i] : '\0'; }

} // namespace

bool is_ruby_keyword(std::string_view word) {
  switch (at(word, 0)) {
  case 'B': return word == "BEGIN";
  case 'E': return word == "END";
  case '_': return word == "__FILE__" || word == "__LINE__";
  case 'a': return word == "alias" || word == "and";
  case 'b': return word == "begin" || word == "break";
  case 'c': return word == "case" || word == "class";
  case 'd': return word == "def" || word == "defined?" || word == "do";
  case 'e': return word == "else" || word == "elsif" || word == "end" || word == "ensure";
  case 'f': return word == "false" || word == "for";
  case 'i': return word == "if" || word == "in";
  case 'm': return word == "module";
  case 'n': return word == "next" || word == "nil" || word == "not";
  case 'o': return word == "or";
  case 'r': return word == "redo" || word == "rescue" || word == "retry" || word == "return";
  case 's': return word == "self" || word == "super";
  case 't': return word == "then" || word == "true";
  case 'u': return word == "undef" || word == "unless" || word == "until";
  case 'w': return word == "when" || word == "while";
  case 'y': return word == "yield";
  default: return false;
  }
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
  while (is_name_part(at(text, i))) ++i;
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
  for (size_t pos = begin; pos < text.size();) {
    size_t end = std::min(text.find('\n', pos), text.size());
    std::string_view line = text.substr(pos, end - pos);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (opening.style != 0) line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    size_t next = std::min(end + 1, text.size());
    if (line == opening.id) return HeredocBody{begin, pos, next};
    pos = next;
  }
  return std::nullopt;
}

} // namespace pupc::ruby
