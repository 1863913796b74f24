#include "catalog/value/ruby_pattern.h"

#include "catalog/value/regex.h"

#include <cctype>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

namespace pupc::catalog {
namespace {

// In Ruby \w, \d and \s match ASCII only, while \b and [[:alpha:]] know all of Unicode; no option of Oniguruma gives this combination.
constexpr std::string_view word = "[a-zA-Z0-9_]", no_word = "[^a-zA-Z0-9_]";

// \b and \B of (?a).
constexpr std::string_view ascii_boundary = "(?:(?<=[a-zA-Z0-9_])(?![a-zA-Z0-9_])|(?<![a-zA-Z0-9_])(?=[a-zA-Z0-9_]))",
                           no_ascii_boundary = "(?:(?<=[a-zA-Z0-9_])(?=[a-zA-Z0-9_])|(?<![a-zA-Z0-9_])(?![a-zA-Z0-9_]))";

constexpr const char* bad_look_behind = "invalid pattern in look-behind";

/// The set for \w, \d, \s or one of their complements; empty for any other escape.
std::string_view ascii_set(char c) {
  switch (c) {
  case 'w': return word;
  case 'W': return no_word;
  case 'd': return "[0-9]";
  case 'D': return "[^0-9]";
  case 's': return "[ \\t\\r\\n\\f\\v]";
  case 'S': return "[^ \\t\\r\\n\\f\\v]";
  default: return {};
  }
}

bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

void append_character(std::string& out, uint32_t code) {
  if (code < 0x80) {
    out += fmt::format("\\x{:02x}", code); // it may mean something as such
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    if (code < 0x10000) {
      out += static_cast<char>(0xE0 | code >> 12);
    } else {
      out += static_cast<char>(0xF0 | code >> 18);
      out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    }
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

class Translator {
public:
  Translator(std::string_view source, bool ignore_case, bool extended) : source_(source), may_fold_(ignore_case) {
    // Only where letters may match without regard to their case do sets need more than a list of characters.
    for (size_t at = 0; !may_fold_ && (at = source.find("(?", at)) != std::string_view::npos; at += 2)
      may_fold_ = source.substr(at, source.find_first_of(":)", at) - at).find('i') != std::string_view::npos;
    groups_.emplace_back();
    group().extended = extended;
    out_.reserve(source.size() + 32);
  }

  std::string translate() {
    while (at_ < source_.size()) element();
    return std::move(out_);
  }

private:
  struct Group {
    bool extended = false; // blanks and comments do not count
    bool unicode = false;  // (?u): \w and its like know all of Unicode
    bool ascii = false;    // (?a): \b and [[:alpha:]] know ASCII only
    bool absent = false;   // (?~…): any text without a match of what is in it
    bool fixed = true;     // each branch matches as many characters, by plain characters and sets alone
    size_t length = 0;     // of the present branch
    std::optional<size_t> branch_length;
    bool look = false;   // looks ahead or behind
    bool behind = false; // inside of what looks behind: its length must be fixed
    bool empty = true;   // matches no character so far: only anchors are in it
    size_t start = 0;    // where it begins in out_
    size_t anchors = 0;
    std::vector<size_t> branches; // where they begin in out_
    bool branch_empty = true;     // like `empty`, of the present branch
    bool has_empty_branch = false;
  };
  enum class Kind : uint8_t { Nothing, Character, Anchor };

  char peek(size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }
  Group& group() { return groups_.back(); }

  void element() {
    const size_t start = out_.size();
    const char c = source_[at_++];
    Kind kind = Kind::Character;
    if (c == '\\' && at_ < source_.size())
      kind = escape();
    else if (c == '[')
      set();
    else if (c == '(')
      return open();
    else if (c == ')')
      return close();
    else if (group().extended && c == '#') {
      const size_t end = std::min(source_.find('\n', at_), source_.size());
      out_.append(source_.substr(at_ - 1, end - at_ + 1));
      at_ = end;
      return;
    } else {
      out_ += c;
      if (c == '^' || c == '$')
        kind = Kind::Anchor;
      else if (c == '|') {
        kind = Kind::Nothing;
        end_branch(group());
      } else if (group().extended && std::isspace(static_cast<unsigned char>(c)))
        kind = Kind::Nothing;
    }
    if (kind == Kind::Character) {
      has_character();
      group().length += (c & 0xC0) == 0x80 ? 0 : 1;
    } else if (kind == Kind::Anchor) {
      group().fixed = false;
    }
    if (kind == Kind::Anchor) ++group().anchors;
    const size_t end = at_;
    repeats(start, kind == Kind::Anchor);
    if (at_ != end) group().fixed = false;
  }

  // -- escapes

  Kind escape() {
    const char c = source_[at_++];
    if (!ascii_set(c).empty()) {
      if (group().unicode)
        out_.append({'\\', c});
      else if (may_fold_ && (c == 'w' || c == 'W')) // without its case, k is also the Kelvin sign, which is no \w
        out_.append("(?-i:").append(ascii_set(c)) += ')';
      else
        out_ += ascii_set(c);
      return Kind::Character;
    }
    switch (c) {
    case 'b':
    case 'B':
      if (group().ascii)
        out_ += c == 'b' ? ascii_boundary : no_ascii_boundary;
      else
        out_.append({'\\', c});
      return Kind::Anchor;
    case 'A':
    case 'z':
    case 'Z':
    case 'G':
    case 'K': out_.append({'\\', c}); return Kind::Anchor;
    case 'p':
    case 'P': // without its case, a property is folded in sets only
      if (may_fold_)
        folded_property(c);
      else
        property(c);
      return Kind::Character;
    default:
      if (c == 'R' || c == 'X' || c == 'k' || c == 'g' || c == 'u' || std::isdigit(static_cast<unsigned char>(c))) group().fixed = false;
      if (group().behind && (c == 'k' || (c >= '1' && c <= '9' && !std::isdigit(static_cast<unsigned char>(peek())))))
        throw RegexError{bad_look_behind}; // what it refers to has any length
      character_escape(c, out_);
      return Kind::Character;
    }
  }

  /// A complement is that of the folded property: (?i)\P{Lu} does not match an "a".
  void folded_property(char c) {
    const bool complement = (c == 'P') != (peek() == '{' && peek(1) == '^');
    out_ += complement ? "[^" : "[";
    const size_t start = out_.size();
    property('p');
    if (const size_t caret = out_.find('^', start); caret != std::string::npos) out_.erase(caret, 1);
    out_ += ']';
  }

  void property(char c) {
    out_.append({'\\', c});
    if (peek() != '{') return;
    const size_t end = std::min(source_.find('}', at_), source_.size() - 1);
    out_.append(source_.substr(at_, end + 1 - at_));
    at_ = end + 1;
  }

  /// An escape that stands for a character, or that means the same in both engines. `c` is the character after the backslash.
  void character_escape(char c, std::string& out) {
    switch (c) {
    case 'y':
    case 'Y':
    case 'o': out += c; return; // letters in Ruby
    case 'M': throw RegexError{"too short escaped multibyte character"};
    case 'c': // \cw: a control character
      out += "\\c";
      if (at_ < source_.size()) out += source_[at_++];
      return;
    case 'x': return hexadecimal(out);
    case 'u':
      if (peek() == '{') return code_list(out);
      if (const std::string_view digits = source_.substr(at_, 4); digits.starts_with('d') || digits.starts_with('D'))
        if (digits.size() == 4 && std::string_view("89abcdefABCDEF").find(digits[1]) != std::string_view::npos)
          throw RegexError{"invalid Unicode range"}; // half of a pair
      out += "\\u";
      return;
    default: out.append({'\\', c});
    }
  }

  /// \u{61 62}: several characters.
  void code_list(std::string& out) {
    ++at_;
    bool any = false;
    for (;;) {
      while (peek() == ' ' || peek() == '\t') ++at_;
      if (peek() == '}' && any) break;
      if (!is_hex(peek())) throw RegexError{"invalid Unicode list"};
      uint32_t code = 0;
      for (; is_hex(peek()); ++at_)
        code = std::min<uint32_t>(code, 0xFFFFFF) * 16 + static_cast<uint32_t>(std::stoi(std::string(1, peek()), nullptr, 16));
      if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) throw RegexError{"invalid Unicode range"};
      append_character(out, code);
      any = true;
    }
    ++at_;
  }

  int hex_byte() {
    if (!is_hex(peek())) throw RegexError{"invalid hex escape"};
    const size_t digits = is_hex(peek(1)) ? 2 : 1;
    const int byte = std::stoi(std::string(source_.substr(at_, digits)), nullptr, 16);
    at_ += digits;
    return byte;
  }

  /// \x61, or all bytes of a character beyond ASCII: \xc3\xa9.
  void hexadecimal(std::string& out) {
    const int first = hex_byte();
    if (first < 0x80) return append_character(out, static_cast<uint32_t>(first));
    const int more = first >= 0xC2 && first < 0xE0 ? 1 : first >= 0xE0 && first < 0xF0 ? 2 : first >= 0xF0 && first < 0xF5 ? 3 : 0;
    if (more == 0) throw RegexError{"invalid multibyte escape"};
    std::string bytes(1, static_cast<char>(first));
    for (int i = 0; i < more; ++i) {
      if (peek() != '\\' || peek(1) != 'x') throw RegexError{"too short escaped multibyte character"};
      at_ += 2;
      bytes += static_cast<char>(hex_byte());
      if ((bytes.back() & 0xC0) != 0x80) throw RegexError{"invalid multibyte escape"};
    }
    out += bytes;
  }

  // -- groups

  void open() {
    Group g;
    g.extended = group().extended;
    g.unicode = group().unicode;
    g.ascii = group().ascii;
    g.behind = group().behind;
    g.start = out_.size();
    out_ += '(';
    if (peek() == '?') {
      const char kind = peek(1);
      if (kind == '#') return comment();
      if (kind == '=' || kind == '!' || (kind == '<' && (peek(2) == '=' || peek(2) == '!'))) {
        g.look = true;
        g.behind |= kind == '<';
        copy(kind == '<' ? 3 : 2);
      } else if (kind == '~') {
        if (g.behind) throw RegexError{bad_look_behind};
        g.absent = true;
        copy(2);
        if (peek() == '|') out_ += "(?:)"; // in Ruby an empty alternative, in Oniguruma a form of its own
      } else if (kind == '(') {
        if (const char c = peek(2); c != '<' && c != '\'' && !std::isdigit(static_cast<unsigned char>(c)))
          throw RegexError{"invalid conditional pattern"};
        copy(3);
        while (at_ < source_.size() && source_[at_] != ')') copy(1);
        copy(1);
      } else if (kind == '<' || kind == '\'') {
        copy(2);
        while (at_ < source_.size() && source_[at_] != '>' && source_[at_] != '\'') copy(1);
        copy(1);
      } else if (kind == '>' && g.behind) {
        throw RegexError{bad_look_behind};
      } else if (options(g)) {
        return;
      }
    }
    g.branches.push_back(out_.size());
    groups_.push_back(std::move(g));
  }

  void has_character() { group().empty = group().branch_empty = false; }
  void end_branch(Group& g) {
    g.has_empty_branch |= g.branch_empty;
    g.branch_empty = true;
    g.branches.push_back(out_.size());
    g.fixed = g.fixed && g.branch_length.value_or(g.length) == g.length;
    g.branch_length = std::exchange(g.length, 0);
  }

  void copy(size_t count) {
    out_.append(source_.substr(std::min(at_, source_.size()), count));
    at_ = std::min(at_ + count, source_.size());
  }

  void comment() {
    for (; at_ < source_.size() && source_[at_] != ')'; copy(1))
      if (source_[at_] == '\\') copy(1);
    copy(1);
  }

  /// (?i-m) and (?i-m:…). True when the options hold for the rest of the group around them.
  bool options(Group& g) {
    size_t end = at_ + 1;
    bool off = false, extended = g.extended, unicode = g.unicode, ascii = g.ascii;
    std::string kept;
    for (; end < source_.size(); ++end) {
      const char c = source_[end];
      if (c == '-')
        off = true;
      else if (c == 'x')
        extended = !off;
      else if ((c == 'd' || c == 'a' || c == 'u') && !off) { // d: what holds anyway
        unicode = c == 'u';
        ascii = c == 'a';
        continue;
      } else if (c != 'i' && c != 'm')
        break;
      kept += c;
    }
    if (end >= source_.size() || (source_[end] != ':' && source_[end] != ')')) return false; // Oniguruma refuses it, or it is (?>…)
    const bool rest = source_[end] == ')';
    (rest ? group() : g).extended = extended;
    (rest ? group() : g).unicode = unicode;
    (rest ? group() : g).ascii = ascii;
    out_ += '?' + kept + source_[end];
    at_ = end + 1;
    if (rest && kept.empty()) out_.replace(out_.size() - 3, 3, "(?:)");
    return rest;
  }

  void close() {
    out_ += ')';
    if (groups_.size() == 1) return; // Oniguruma refuses it
    Group g = std::move(group());
    groups_.pop_back();
    group().fixed = false;
    if (g.absent) finish_absent(g);
    const bool anchor = g.look || (g.empty && g.anchors > 0);
    group().anchors += anchor ? 1 : 0;
    if (!anchor && !g.empty) {
      has_character();
      g.has_empty_branch |= g.branch_empty;
      // Oniguruma does not repeat a group with a branch of anchors only; an empty group in the branch makes it do so.
      if (g.has_empty_branch && g.anchors > 0 && std::string_view("?*+{").find(peek()) != std::string_view::npos && peek() != '\0')
        for (auto at = g.branches.rbegin(); at != g.branches.rend(); ++at) out_.insert(*at, "(?:)");
    }
    repeats(g.start, anchor);
  }

  /// (?~X) is any text in which X does not match. Oniguruma ends it where X begins, Ruby before X is complete: (?~abc) takes "ab" of
  /// "abc". With X of a fixed length that can be said in other words. Where X matches nothing, no text is without it.
  void finish_absent(const Group& g) {
    const size_t body = g.start + 3;
    if ((g.branch_empty || g.has_empty_branch) && g.anchors == 0) {
      out_.replace(g.start, 3, "(?:(?!)(?:").append(")");
      return;
    }
    if (!g.fixed || g.branch_length.value_or(g.length) != g.length) return;
    const std::string x = out_.substr(body, out_.size() - 1 - body);
    out_.resize(g.start);
    out_ += fmt::format("(?:(?:(?!{})(?m:.))*", x);
    if (g.length > 1) out_ += fmt::format("(?:(?={})(?m:.){{0,{}}})?", x, g.length - 1);
    out_ += ')';
  }

  // -- repetitions

  /// Reads the repetition at `at_`; false when there is none. Sets whether what it repeats may be absent.
  bool repetition(bool& may_be_absent) {
    const char c = peek();
    if (c == '?' || c == '*' || c == '+') {
      if (group().behind) throw RegexError{bad_look_behind};
      may_be_absent = c != '+';
      ++at_;
      return true;
    }
    if (c != '{') return false;
    size_t p = at_ + 1;
    uint64_t low = 0, high = 0;
    auto number = [&](uint64_t& n) {
      const size_t begin = p;
      while (p < source_.size() && source_[p] >= '0' && source_[p] <= '9')
        n = std::min<uint64_t>(n * 10 + static_cast<uint64_t>(source_[p++] - '0'), 1u << 30);
      return p > begin;
    };
    const bool has_low = number(low);
    bool has_high = has_low;
    if (p < source_.size() && source_[p] == ',') {
      ++p;
      has_high = number(high);
    } else {
      high = low;
    }
    if (p >= source_.size() || source_[p] != '}' || (!has_low && !has_high)) return false;
    // Oniguruma reads {4,2} as {2,4} without backtracking.
    if (has_low && has_high && low > high) throw RegexError{"upper is smaller than lower in repeat range"};
    if (group().behind && (!has_low || low != high)) throw RegexError{bad_look_behind};
    may_be_absent = low == 0;
    at_ = p + 1;
    return true;
  }

  /// Handles the repetitions after an element that begins at `start` in out_. Oniguruma refuses to repeat an anchor (`^?`). Ruby allows
  /// it: it means the anchor itself or nothing.
  void repeats(size_t start, bool anchor) {
    bool may_be_absent = false, once = false;
    for (size_t begin = at_; repetition(may_be_absent); begin = at_) {
      if (!anchor) {
        out_.append(source_.substr(begin, at_ - begin));
        continue;
      }
      if (!once && (peek() == '?' || peek() == '+')) ++at_; // lazy or possessive: no difference here
      once = true;
      if (may_be_absent) {
        out_.insert(start, "(?:");
        out_ += "|)";
      }
    }
  }

  // -- sets

  /// A set in brackets; `at_` is behind its `[`.
  void set() {
    Set s = read_set();
    // Without regard to case, a set also holds what its letters become; \w and \W are not changed so.
    if (!may_fold_ || s.nested || s.words.empty()) {
      out_ += s.negated ? "[^" : "[";
      out_ += s.items + s.words;
      if (s.closed) out_ += ']';
      return;
    }
    const std::string fixed = "(?-i:[" + s.words + "])";
    const std::string others = s.items.empty() ? "" : (s.negated ? "[^" : "[") + s.items + "]";
    if (!s.negated)
      out_ += others.empty() ? fixed : "(?:" + fixed + "|" + others + ")";
    else
      out_ += others.empty() ? "(?-i:[^" + s.words + "])" : "(?:(?!" + fixed + ")" + others + ")";
  }

  struct Set {
    bool negated = false;
    bool nested = false; // has sets in it or &&
    bool closed = false;
    std::string items, words; // words: what stands for \w and \W
  };
  enum class Last : uint8_t { Nothing, Character, Class };

  Set read_set() {
    Set s;
    if (peek() == '^') {
      s.negated = true;
      ++at_;
    }
    Last last = Last::Nothing;
    bool range = false; // after the - of a range
    if (peek() == ']' && another_bracket()) {
      s.items += ']'; // the first one is a character
      ++at_;
      last = Last::Character;
    }
    auto is_class = [&] {
      if (range) throw RegexError{"char-class value at end of range"};
      last = Last::Class;
    };
    while (at_ < source_.size()) {
      const char c = source_[at_++];
      if (c == ']') {
        s.closed = true;
        return s;
      }
      if (c == '[') {
        if (posix_class(s.items)) {
          last = Last::Class;
        } else {
          s.nested = true;
          const Set inner = read_set();
          s.items += (inner.negated ? "[^" : "[") + inner.items + inner.words + (inner.closed ? "]" : "");
          last = Last::Nothing;
        }
        range = false;
      } else if (c == '&' && peek() == '&') {
        ++at_;
        s.nested = true;
        s.items += s.words + "&&"; // the words belong to this side
        s.words.clear();
        last = Last::Nothing;
        range = false;
      } else if (c == '-' && !range && last != Last::Nothing && peek() != ']') {
        s.items += '-';
        if (last == Last::Class && !(peek() == '&' && peek(1) == '&')) throw RegexError{"unmatched range specifier in char-class"};
        range = last == Last::Character;
      } else if (c == '\\' && at_ < source_.size()) {
        const char e = source_[at_++];
        if (!ascii_set(e).empty()) {
          is_class();
          if (group().unicode)
            s.items.append({'\\', e});
          else
            (e == 'w' || e == 'W' ? s.words : s.items) += ascii_set(e);
        } else if (e == 'p' || e == 'P' || e == 'h' || e == 'H' || e == 'R' || e == 'X') {
          is_class();
          s.items.append({'\\', e});
        } else {
          character_escape(e, s.items);
          last = range ? Last::Nothing : Last::Character;
          range = false;
        }
      } else {
        if (c == '-' || c == '^' || c == '&') s.items += '\\'; // for itself, wherever it comes to stand beside the words
        s.items += c;
        // The later bytes of a character belong to it.
        if ((c & 0xC0) != 0x80) {
          last = range ? Last::Nothing : Last::Character;
          range = false;
        }
      }
    }
    return s;
  }

  /// Whether a ] follows the one at `at_`.
  bool another_bracket() const {
    for (size_t i = at_ + 1; i < source_.size(); ++i) {
      if (source_[i] == '\\')
        ++i;
      else if (source_[i] == ']')
        return true;
    }
    return false;
  }

  /// "[:alpha:]", without its first bracket. False when there is none.
  bool posix_class(std::string& out) {
    if (peek() != ':') return false;
    size_t end = at_ + 1;
    const bool negated = end < source_.size() && source_[end] == '^';
    if (negated) ++end;
    const size_t name = end;
    while (end < source_.size() && std::isalpha(static_cast<unsigned char>(source_[end]))) ++end;
    if (source_.substr(end, 2) != ":]") return false;
    std::string set(source_.substr(at_ - 1, end + 2 - (at_ - 1)));
    if (source_.substr(name, end - name) == "punct") // Ruby counts these symbols as well
      set = negated ? "[^[:punct:]$+<=>\\^`|~]" : "[:punct:]$+<=>\\^`|~";
    if (group().ascii)
      out += "[" + set + (negated ? "[:^ascii:]]" : "&&[:ascii:]]");
    else
      out += set;
    at_ = end + 2;
    return true;
  }

  std::string_view source_;
  size_t at_ = 0;
  std::string out_;
  bool may_fold_; // whether letters match without regard to their case somewhere in the pattern
  std::vector<Group> groups_;
};

} // namespace

std::string oniguruma_pattern(std::string_view source, bool ignore_case, bool extended) {
  return Translator(source, ignore_case, extended).translate();
}

} // namespace pupc::catalog
