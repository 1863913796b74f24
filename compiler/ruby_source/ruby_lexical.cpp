#include "compiler/ruby_source/ruby_lexical.h"

#include <algorithm>

namespace pupc::ruby {
namespace {

char at(std::string_view text, size_t i) { return i < text.size() ? text[i] : '\0'; }

} // namespace

Word word_of(std::string_view name) {
  struct Known {
    std::string_view name;
    Word word;
  };
  // By their first letter, from the table's beginning for that letter on.
  static constexpr Known known[] = {
      {"BEGIN", Word::BeginBlock},
      {"END", Word::EndBlock},
      {"__ENCODING__", Word::Encoding},
      {"__FILE__", Word::File},
      {"__LINE__", Word::Line},
      {"__method__", Word::Method},
      {"alias", Word::Alias},
      {"and", Word::And},
      {"begin", Word::Begin},
      {"break", Word::Break},
      {"case", Word::Case},
      {"class", Word::Class},
      {"def", Word::Def},
      {"defined?", Word::Defined},
      {"do", Word::Do},
      {"else", Word::Else},
      {"elsif", Word::Elsif},
      {"end", Word::End},
      {"ensure", Word::Ensure},
      {"false", Word::False},
      {"for", Word::For},
      {"if", Word::If},
      {"in", Word::In},
      {"module", Word::Module},
      {"next", Word::Next},
      {"nil", Word::Nil},
      {"not", Word::Not},
      {"or", Word::Or},
      {"redo", Word::Redo},
      {"rescue", Word::Rescue},
      {"retry", Word::Retry},
      {"return", Word::Return},
      {"self", Word::Self},
      {"super", Word::Super},
      {"then", Word::Then},
      {"true", Word::True},
      {"undef", Word::Undef},
      {"unless", Word::Unless},
      {"until", Word::Until},
      {"when", Word::When},
      {"while", Word::While},
      {"yield", Word::Yield},
  };
  struct Group { // the keywords with a first letter
    uint8_t begin = 0;
    uint16_t sizes = 0; // a bit for each of their sizes: most names have another
  };
  static constexpr auto groups = [] {
    std::array<Group, 128> out{};
    for (size_t i = std::size(known); i-- > 0;) {
      Group& group = out[static_cast<size_t>(known[i].name[0])];
      group.begin = static_cast<uint8_t>(i);
      group.sizes = static_cast<uint16_t>(group.sizes | (1u << known[i].name.size()));
    }
    return out;
  }();
  if (name.empty() || name.size() > 15 || static_cast<unsigned char>(name[0]) >= 128) return Word::None;
  const Group group = groups[static_cast<unsigned char>(name[0])];
  if ((group.sizes >> name.size() & 1) == 0) return Word::None;
  for (size_t i = group.begin; i < std::size(known) && known[i].name[0] == name[0]; ++i)
    if (known[i].name.size() == name.size() && known[i].name[1] == name[1] && known[i].name == name) return known[i].word;
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
