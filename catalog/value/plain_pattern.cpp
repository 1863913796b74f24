#include "catalog/value/plain_pattern.h"

#include <algorithm>

namespace pupc::catalog {
namespace {

/// Reads the forms of patterns that plainly_valid() knows. Every function returns false at a form that it does not know.
class PlainPattern {
public:
  explicit PlainPattern(std::string_view text) : text_(text) {}
  bool whole() { return alternatives(0) && at_ == text_.size(); }
  /// The texts of the outermost level (required_texts).
  std::vector<std::string> required() {
    std::vector<std::string> found;
    required_ = &found;
    return whole() && !has_choice_ ? found : std::vector<std::string>();
  }

private:
  char here(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool take(std::string_view s) {
    if (!text_.substr(at_).starts_with(s)) return false;
    at_ += s.size();
    return true;
  }
  static bool is_alphanumeric(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  static bool is_anchor(char c) { return c == 'A' || c == 'z' || c == 'Z' || c == 'b'; } // behind a backslash
  static bool is_mark(char c) { return c > ' ' && c < 0x7F && !is_alphanumeric(c); }

  bool alternatives(int depth) {
    if (depth > 20) return false;
    for (;; ++at_) {
      while (at_ < text_.size() && here() != '|' && here() != ')')
        if (!piece(depth)) return false;
      if (here() != '|') return true;
      has_choice_ |= depth == 0;
    }
  }

  /// Notes a character of the outermost level with its quantifier; NUL for what is no single character.
  void note(char c, std::string_view quantifier, int depth) {
    if (required_ == nullptr || depth > 0) return;
    const bool stands_there = c != '\0' && (quantifier.empty() || quantifier[0] == '+');
    if (stands_there && joins_) required_->back() += c;
    if (stands_there && !joins_) required_->emplace_back(1, c);
    joins_ = stands_there && quantifier.empty();
  }

  /// One thing to match, with its quantifier.
  bool piece(int depth) {
    const char c = here();
    char literal = '\0';
    const auto quantified = [&] {
      const size_t begin = at_;
      const bool known = quantifier();
      note(literal, text_.substr(begin, at_ - begin), depth);
      return known;
    };
    if (is_alphanumeric(c)) { // most are
      ++at_;
      literal = c;
      return quantified();
    }
    if (c == '^' || c == '$' || (c == '\\' && is_anchor(here(1)))) {
      at_ += c == '\\' ? 2 : 1;
      joins_ &= depth > 0;
      return !is_quantifier(here());
    }
    if (c == '(') {
      const bool looks_ahead = take("(?!") || take("(?=");
      if (!looks_ahead && !take("(?:") && !take("(?i:") && !take("(?-mix:") && !(here(1) != '?' && take("("))) return false;
      const size_t begin = at_;
      if (!alternatives(depth + 1) || at_ == begin || !take(")")) return false;
      joins_ &= depth > 0;
      if (looks_ahead) return !is_quantifier(here());
    } else if (c == '[') {
      if (!set()) return false;
    } else if (c == '\\') {
      if (is_mark(here(1))) literal = here(1);
      if (!escape()) return false;
    } else if (is_quantifier(c) || c == '}' || c == ']' || c < ' ' || c > '~') {
      return false;
    } else {
      if (c != '.') literal = c;
      ++at_;
    }
    return quantified();
  }

  static bool is_quantifier(char c) { return c == '*' || c == '+' || c == '?' || c == '{'; }
  bool quantifier() {
    if (here() == '{') {
      ++at_;
      auto number = [&] {
        int n = 0;
        const size_t begin = at_;
        while (here() >= '0' && here() <= '9' && at_ - begin < 3) n = n * 10 + (text_[at_++] - '0');
        return at_ == begin ? -1 : n;
      };
      const int least = here() == ',' && here(1) != '}' ? 0 : number();
      if (least < 0) return false;
      if (take(",") && here() != '}')
        if (const int most = number(); most < least) return false;
      if (!take("}")) return false;
    } else if (is_quantifier(here())) {
      ++at_;
      take("?");
    }
    return !is_quantifier(here());
  }

  bool escape() {
    const char c = here(1);
    if (c == '0' && !is_alphanumeric(here(2))) { // the character NUL
      at_ += 2;
      return true;
    }
    if (!is_mark(c) && (c == '\0' || std::string_view("dDwWsSnt").find(c) == std::string_view::npos)) return false;
    at_ += 2;
    return true;
  }

  /// A named set within a set, such as [:digit:].
  bool named_set() {
    static constexpr std::string_view names[] = {"[:xdigit:]", "[:digit:]", "[:alpha:]", "[:alnum:]", "[:upper:]",
                                                 "[:lower:]",  "[:space:]", "[:punct:]", "[:blank:]"};
    return std::any_of(std::begin(names), std::end(names), [&](std::string_view name) { return take(name); });
  }

  /// A set of characters. Ranges are of digits or letters; a dash for itself stands at an end.
  bool set() {
    ++at_;
    take("^");
    if (here() == ']') return false;
    if (here() == '-' && here(1) != ']') {
      ++at_;
      if (here() == '-') return false;
    }
    while (here() != ']') {
      if (here() == '-' && here(1) == ']') {
        ++at_;
      } else if (here() == '[') {
        if (!named_set() || (here() == '-' && here(1) != ']')) return false;
      } else if (is_alphanumeric(here())) {
        const char first = here();
        ++at_;
        if (here() != '-' || here(1) == ']') continue;
        const char last = here(1);
        const bool same = (first <= '9') == (last <= '9');
        if (!is_alphanumeric(last) || !same || last < first) return false;
        at_ += 2;
        if (here() == '-' && here(1) != ']') return false;
      } else if (here() == '\\') {
        if (!escape() || (here() == '-' && here(1) != ']')) return false;
      } else if ((here() == '&' && here(1) == '&') || here() == '-' || here() < ' ' || here() > '~') {
        return false;
      } else {
        ++at_;
        if (here() == '-' && here(1) != ']') return false;
      }
    }
    ++at_;
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<std::string>* required_ = nullptr; // null where nobody asks for the texts: patterns are mostly only judged
  bool joins_ = false;                           // the next character stands right behind the last one of required_
  bool has_choice_ = false;                      // alternatives at the outermost level
};

} // namespace

bool plainly_valid(std::string_view source) { return source.size() < 4000 && PlainPattern(source).whole(); }

std::vector<std::string> required_texts(std::string_view source) {
  return source.size() < 4000 ? PlainPattern(source).required() : std::vector<std::string>();
}

} // namespace pupc::catalog
