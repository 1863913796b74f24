#include "compiler/ruby/syntax/program_digest.h"

#include "catalog/value/digest.h"
#include "compiler/ruby/syntax/ruby_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace pupc::compiler {
namespace {

struct Unsure {};

bool is_octal(char c) { return c >= '0' && c <= '7'; }
bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/// Prints a text as Ruby's String#inspect does. Characters beyond ASCII stay as they are. Programs are not expected to contain the control
/// characters that inspect prints as numbers.
std::string inspected(std::string_view s) {
  std::string out = "\"";
  for (size_t i = 0; i < s.size(); ++i) {
    char c = s[i];
    char next = i + 1 < s.size() ? s[i + 1] : '\0';
    switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\n': out += "\\n"; break;
    case '\t': out += "\\t"; break;
    case '\r': out += "\\r"; break;
    case '\f': out += "\\f"; break;
    case '\v': out += "\\v"; break;
    case '\a': out += "\\a"; break;
    case '\b': out += "\\b"; break;
    case '\x1b': out += "\\e"; break;
    case '\0': out += is_octal(next) ? "\\x00" : "\\0"; break;
    case '#':
      if (next == '{' || next == '$' || next == '@') out += '\\';
      out += c;
      break;
    default:
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) throw Unsure{};
      out += c;
    }
  }
  return out += '"';
}

/// The value of a string without interpolations, given the source between its quotes.
std::string text_value(std::string_view raw, bool escapes) {
  std::string out;
  for (size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\' || i + 1 >= raw.size()) {
      out += raw[i];
      continue;
    }
    char c = raw[++i];
    if (!escapes) {
      if (c != '\\' && c != '\'') out += '\\';
      out += c;
      continue;
    }
    const bool number = (c == 'x' && i + 1 < raw.size() && is_hex(raw[i + 1])) ||
                        (c == 'u' && i + 1 < raw.size() && (raw[i + 1] == '{' || is_hex(raw[i + 1]))) ||
                        (is_octal(c) && i + 1 < raw.size() && is_octal(raw[i + 1]));
    if (number) { // keep an escape by number as written
      out += '\\';
      out += c;
      continue;
    }
    switch (c) {
    case '\n': break;
    case 'n': out += '\n'; break;
    case 't': out += '\t'; break;
    case 'r': out += '\r'; break;
    case 's': out += ' '; break;
    case '0': out += '\0'; break;
    case 'e': out += '\x1b'; break;
    case 'a': out += '\a'; break;
    case 'b': out += '\b'; break;
    case 'f': out += '\f'; break;
    case 'v': out += '\v'; break;
    default: out += c;
    }
  }
  return out;
}

class ProgramText {
public:
  std::string of(std::string_view source) {
    if (source.starts_with("\xEF\xBB\xBF")) source.remove_prefix(3);
    program(source);
    std::string out;
    for (const std::string& line : tidied()) out.append(line) += '\n';
    return out;
  }

private:
  void add(std::string line) { lines_.push_back(std::move(line)); }
  const std::string& last(size_t back = 1) const {
    static const std::string none;
    return lines_.size() < back ? none : lines_[lines_.size() - back];
  }
  /// Whether the next token is the value of `doc:` or `:doc =>`.
  bool documentation() const { return last() == "label \"doc\"" || (last() == "=>" && last(2) == "doc" && last(3) == ":"); }
  bool inside_regex() const {
    for (auto it = lines_.rbegin(); it != lines_.rend(); ++it) {
      if (*it == "regexp") return true;
      if (it->starts_with("end")) return false;
    }
    return false;
  }

  void program(std::string_view source) {
    if (++depth_ > 16) throw Unsure{};
    RubyTokens read = ruby_tokens(source);
    if (!read.error.empty()) throw Unsure{};
    for (size_t i = 0; i < read.tokens.size(); ++i) token(source, read.tokens, i);
    --depth_;
  }

  void token(std::string_view source, const std::vector<RubyToken>& tokens, size_t& i) {
    const RubyToken& t = tokens[i];
    switch (t.kind) {
    case RubyTokenKind::Newline: newline(tokens, i); return;
    case RubyTokenKind::String:
      if (t.text.starts_with("<<"))
        heredoc(tokens, i);
      else if (t.text.starts_with('?'))
        add(std::string(t.text));
      else
        text(t);
      return;
    case RubyTokenKind::Label:
      if (t.delimiter != 0)
        text(t);
      else
        add("label " + inspected(t.body));
      return;
    case RubyTokenKind::Symbol:
      if (t.delimiter != 0) {
        add(std::string(t.text.substr(0, static_cast<size_t>(t.body.data() - t.text.data()))));
        content(t.body, t.interpolated);
        add("end");
      } else {
        add(":");
        add(std::string(t.body));
      }
      return;
    case RubyTokenKind::Words:
    case RubyTokenKind::Symbols: words(t); return;
    case RubyTokenKind::Regex: {
      add("regexp");
      content(t.body, true);
      std::string flags(t.text.substr(static_cast<size_t>(t.body.data() - t.text.data()) + t.body.size() + 1));
      std::sort(flags.begin(), flags.end());
      add("end " + flags);
      return;
    }
    case RubyTokenKind::Other:
      if (t.text.starts_with("<<")) throw Unsure{};
      add(std::string(t.text.substr(0, static_cast<size_t>(t.body.data() - t.text.data()))));
      content(t.body, true);
      add("end");
      return;
    default: add((gap_counts(source, tokens, i) ? "gap " : "") + std::string(t.text));
    }
  }

  /// Whether the blank before an operator matters: `foo [1]` and `foo -1` differ from `foo[1]` and `foo - 1`.
  static bool gap_counts(std::string_view source, const std::vector<RubyToken>& tokens, size_t i) {
    const RubyToken& t = tokens[i];
    if (t.kind != RubyTokenKind::Operator || !t.space_before || i == 0) return false;
    const RubyToken& before = tokens[i - 1];
    if (before.kind != RubyTokenKind::Identifier && before.kind != RubyTokenKind::Constant) return false;
    if (before.kind == RubyTokenKind::Identifier && !before.text.empty() && !name_like(before.text)) return false;
    if (t.text == "(" || t.text == "[") return true;
    constexpr std::string_view prefixes[] = {"+", "-", "*", "**", "&", "::", "/", "%"};
    if (std::find(std::begin(prefixes), std::end(prefixes), t.text) == std::end(prefixes)) return false;
    auto end = static_cast<size_t>(t.text.data() - source.data()) + t.text.size();
    return end < source.size() && source[end] != ' ' && source[end] != '\t' && source[end] != '\n';
  }
  static bool name_like(std::string_view s) {
    return (s[0] >= 'a' && s[0] <= 'z') || (s[0] >= 'A' && s[0] <= 'Z') || s[0] == '_' || static_cast<unsigned char>(s[0]) >= 0x80;
  }

  /// Adds a line's end if it ends a statement. A line's end after a comment does not count: Ruby's own tokenizer gives no token there.
  void newline(const std::vector<RubyToken>& tokens, size_t i) {
    const RubyToken& t = tokens[i];
    if (t.text != ";" && i > 0) {
      const RubyToken& before = tokens[i - 1];
      if (before.kind == RubyTokenKind::Label) return;
      if (before.kind == RubyTokenKind::Operator && before.text != ")" && before.text != "]" && before.text != "}") return;
      if (before.kind == RubyTokenKind::Keyword && goes_on(before.text)) return;
      if (ends_parameters(tokens, i - 1)) return;
      const char* end = before.text.data() + before.text.size();
      if (before.kind != RubyTokenKind::Newline && end < t.text.data() &&
          std::string_view(end, static_cast<size_t>(t.text.data() - end)).find('#') != std::string_view::npos)
        return;
    }
    if (!lines_.empty() && last() != "nl") add("nl");
  }
  /// Whether token `i` closes the parameters of `def name(a, b)` or `def self.name(a)`, so that the method's body follows.
  static bool ends_parameters(const std::vector<RubyToken>& tokens, size_t i) {
    if (!is_op(tokens[i], ")") || tokens[i].match == RubyToken::no_match || tokens[i].match < 2) return false;
    size_t name = tokens[i].match - 1;
    if (is_keyword(tokens[name - 1], "def")) return true;
    return name >= 3 && is_op(tokens[name - 1], ".") && is_keyword(tokens[name - 3], "def");
  }
  static bool goes_on(std::string_view keyword) {
    constexpr std::string_view ends[] = {"end",   "self",   "true",  "false", "nil",   "__FILE__", "__LINE__", "redo", "retry",
                                         "super", "return", "break", "next",  "yield", "rescue",   "defined?", "END",  "BEGIN"};
    return std::find(std::begin(ends), std::end(ends), keyword) == std::end(ends);
  }

  void text(const RubyToken& t) {
    auto opening = t.text.substr(0, static_cast<size_t>(t.body.data() - t.text.data()));
    if (documentation()) return add("doc");
    bool values = t.interpolated && has_values(t.body);
    if (!values) {
      const bool raw = opening == "'" || opening.starts_with("%q");
      return add((t.kind == RubyTokenKind::Label ? "label " : "string ") + inspected(text_value(t.body, !raw)));
    }
    add("text " + std::string(opening));
    content(t.body, true);
    add(t.kind == RubyTokenKind::Label ? fmt::format("{}:", t.delimiter) : std::string("end"));
  }

  static bool has_values(std::string_view body) {
    for (size_t i = 0; i + 1 < body.size(); ++i) {
      if (body[i] == '\\')
        ++i;
      else if (body[i] == '#' && interpolates(body, i))
        return true;
    }
    return false;
  }
  static bool interpolates(std::string_view body, size_t i) {
    char next = i + 1 < body.size() ? body[i + 1] : '\0', after = i + 2 < body.size() ? body[i + 2] : '\0';
    if (next == '{') return true;
    if (next == '@' && after == '@' && i + 3 < body.size()) after = body[i + 3];
    return (next == '@' && (name_like({&after, 1}))) || (next == '$' && name_like({&after, 1}));
  }

  /// Adds the content of a string. Each interpolation in it is added as a program of its own.
  void content(std::string_view body, bool interpolated) {
    size_t begin = 0;
    auto plain = [&](size_t end) {
      if (end > begin) piece(body.substr(begin, end - begin));
    };
    for (size_t i = 0; i < body.size(); ++i) {
      if (body[i] == '\\') {
        ++i;
      } else if (interpolated && body[i] == '#' && interpolates(body, i)) {
        if (body[i + 1] != '{') throw Unsure{};
        plain(i);
        auto end = ruby_interpolation_end(body, i + 2);
        if (!end) throw Unsure{};
        add("#{");
        program(body.substr(i + 2, *end - i - 2));
        add("}");
        begin = *end + 1;
        i = *end;
      }
    }
    plain(body.size());
  }
  void piece(std::string_view raw) {
    if (!inside_regex()) return add("content " + inspected(raw));
    std::string out;
    for (size_t i = 0; i < raw.size(); ++i)
      if (raw[i] != '\\' || i + 1 >= raw.size() || raw[i + 1] != '/') out += raw[i];
    add("content " + inspected(out));
  }

  void words(const RubyToken& t) {
    add(std::string(t.text.substr(0, 2)));
    std::string_view body = t.body;
    if (t.interpolated && has_values(body)) throw Unsure{};
    auto blank = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; };
    for (size_t i = 0; i < body.size();) {
      if (blank(body[i])) {
        ++i;
        continue;
      }
      size_t begin = i;
      while (i < body.size() && !blank(body[i])) i += body[i] == '\\' ? 2 : 1;
      i = std::min(i, body.size());
      piece(body.substr(begin, i - begin));
    }
    add("end");
  }

  void heredoc(const std::vector<RubyToken>& tokens, size_t& i) {
    const RubyToken& t = tokens[i];
    if (documentation()) {
      add("doc"); // and skip the calls that strip its margin
      while (i + 2 < tokens.size() && is_op(tokens[i + 1], ".") && tokens[i + 2].kind == RubyTokenKind::Identifier) i += 2;
      return;
    }
    std::string style(t.text.substr(0, t.text[2] == '~' || t.text[2] == '-' ? 3 : 2));
    add(fmt::format("heredoc {}{}", style, t.text.find('\'') != std::string_view::npos ? "raw" : ""));
    add("body " + inspected(t.body));
  }

  /// The tokens without insignificant line ends, commas before a closing bracket, and descriptions.
  std::vector<std::string> tidied() {
    std::vector<std::string> kept;
    for (std::string& line : lines_) {
      if (line == ")" || line == "]" || line == "}") {
        while (!kept.empty() && (kept.back() == "nl" || kept.back() == ",")) kept.pop_back();
      } else if (line == "nl") {
        constexpr std::string_view before[] = {"nl", "(", "[", "{", ",", "."};
        if (kept.empty() || std::find(std::begin(before), std::end(before), kept.back()) != std::end(before)) continue;
      }
      kept.push_back(std::move(line));
    }
    while (!kept.empty() && kept.back() == "nl") kept.pop_back();
    std::vector<std::string> out;
    for (size_t i = 0; i < kept.size(); ++i) {
      const bool start = out.empty() || out.back() == "nl";
      if (start && kept[i] == "desc" && i + 1 < kept.size() && (kept[i + 1].starts_with("string") || kept[i + 1].starts_with("heredoc"))) {
        i += 2;
        while (i < kept.size() && kept[i] != "nl") ++i;
        continue;
      }
      out.push_back(std::move(kept[i]));
    }
    return out;
  }

  std::vector<std::string> lines_;
  int depth_ = 0;
};

} // namespace

std::optional<std::string> ruby_program_text(std::string_view source) {
  std::string unix_lines;
  if (source.find("\r\n") != std::string_view::npos) {
    for (size_t i = 0; i < source.size(); ++i)
      if (source[i] != '\r' || i + 1 >= source.size() || source[i + 1] != '\n') unix_lines += source[i];
    source = unix_lines;
  }
  try {
    return ProgramText().of(source);
  } catch (const Unsure&) { return std::nullopt; }
}

std::optional<uint64_t> ruby_program_digest(std::string_view source) {
  auto text = ruby_program_text(source);
  if (!text) return std::nullopt;
  return std::stoull(hex_digest(DigestAlgorithm::Sha256, *text).substr(0, 16), nullptr, 16);
}

} // namespace pupc::compiler
