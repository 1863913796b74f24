#include "catalog/json/json_scanner.h"

#include "catalog/base/utf8.h"
#include "catalog/json/json_text.h"

#include <charconv>
#include <string>
#include <system_error>
#include <vector>

namespace pupc::catalog {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Scanner {
public:
  Scanner(std::string_view text, Arena& arena, size_t most_levels)
      : at_(text.data()), end_(text.data() + text.size()), arena_(arena), most_levels_(most_levels) {}

  bool scan(Value& out) {
    for (;;) { // a value, and what may follow it
      const char c = next();
      if (c == '{' || c == '[') {
        if (levels_.size() >= most_levels_) return false;
        ++at_;
        levels_.push_back({c == '{', values_.size()});
        if (next() != levels_.back().end()) {
          if (c == '{' && !key()) return false;
          continue;
        }
        close();
      } else if (!scalar(c)) {
        return false;
      }
      while (!levels_.empty() && next() != ',') {
        if (next() != levels_.back().end()) return false;
        close();
      }
      if (levels_.empty()) break;
      ++at_;
      if (levels_.back().object && !key()) return false;
    }
    next();
    out = values_.front();
    return at_ == end_;
  }

private:
  struct Level {
    bool object;
    size_t begin; // of its values; of an object they are keys and values in turn
    char end() const { return object ? '}' : ']'; }
  };

  /// The next character that is no blank, or NUL at the end.
  char next() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
    return at_ == end_ ? '\0' : *at_;
  }
  bool word(std::string_view text, Value value) {
    if (!std::string_view(at_, static_cast<size_t>(end_ - at_)).starts_with(text)) return false;
    at_ += text.size();
    values_.push_back(value);
    return true;
  }

  bool scalar(char first) {
    switch (first) {
    case '"': return string();
    case 't': return word("true", Value::boolean(true));
    case 'f': return word("false", Value::boolean(false));
    case 'n': return word("null", Value::undef());
    default: return number();
    }
  }

  bool key() {
    if (next() != '"' || !string() || next() != ':') return false;
    ++at_;
    return true;
  }

  /// Makes the list or object of its values.
  void close() {
    ++at_;
    const Level level = levels_.back();
    levels_.pop_back();
    const std::span<const Value> own = std::span<const Value>(values_).subspan(level.begin);
    Value made;
    if (level.object) {
      HashBuilder hash(arena_, own.size() / 2);
      for (size_t i = 0; i < own.size(); i += 2) hash.set(own[i], own[i + 1]);
      made = hash.finish();
    } else {
      made = make_list(arena_, own);
    }
    values_.resize(level.begin);
    values_.push_back(made);
  }

  bool string() {
    const char* begin = ++at_;
    skip_plain();
    if (at_ == end_) return false;
    if (*at_ == '"') {
      values_.push_back(Value::string(arena_.copy({begin, static_cast<size_t>(at_++ - begin)})));
      return true;
    }
    std::string text(begin, at_);
    while (at_ != end_ && *at_ == '\\') {
      if (!escape(text)) return false;
      begin = at_;
      skip_plain();
      text.append(begin, at_);
    }
    if (at_ == end_ || *at_++ != '"') return false;
    values_.push_back(Value::string(arena_.copy(text)));
    return true;
  }

  /// To the next quote, backslash or control character.
  void skip_plain() {
    while (end_ - at_ >= 8 && eight_are_plain(at_)) at_ += 8;
    while (at_ != end_ && static_cast<unsigned char>(*at_) >= 0x20 && *at_ != '"' && *at_ != '\\') ++at_;
  }

  bool escape(std::string& text) {
    if (end_ - at_ < 2) return false;
    const char c = at_[1];
    at_ += 2;
    switch (c) {
    case '"':
    case '\\':
    case '/': text += c; return true;
    case 'b': text += '\b'; return true;
    case 'f': text += '\f'; return true;
    case 'n': text += '\n'; return true;
    case 'r': text += '\r'; return true;
    case 't': text += '\t'; return true;
    case 'u': break;
    default: return false;
    }
    unsigned code = 0;
    if (end_ - at_ < 4 || std::from_chars(at_, at_ + 4, code, 16).ptr != at_ + 4) return false;
    at_ += 4;
    if (code >= 0xd800 && code <= 0xdfff) return false;
    if (code < 0x80) {
      text += static_cast<char>(code);
    } else if (code < 0x800) {
      text += static_cast<char>(0xc0 | (code >> 6));
      text += static_cast<char>(0x80 | (code & 0x3f));
    } else {
      text += static_cast<char>(0xe0 | (code >> 12));
      text += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
      text += static_cast<char>(0x80 | (code & 0x3f));
    }
    return true;
  }

  bool number() {
    const char* begin = at_;
    const auto digits = [&] {
      const char* first = at_;
      while (at_ != end_ && is_digit(*at_)) ++at_;
      return at_ != first;
    };
    if (at_ != end_ && *at_ == '-') ++at_;
    if (at_ != end_ && *at_ == '0')
      ++at_;
    else if (!digits())
      return false;
    bool integer = true;
    if (at_ != end_ && *at_ == '.') {
      ++at_;
      integer = false;
      if (!digits()) return false;
    }
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      ++at_;
      integer = false;
      if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
      if (!digits()) return false;
    }
    int64_t whole = 0;
    double real = 0;
    const auto [last, problem] = integer ? std::from_chars(begin, at_, whole) : std::from_chars(begin, at_, real);
    if (problem != std::errc() || last != at_) return false;
    values_.push_back(integer ? Value::integer(whole) : Value::floating(real));
    return true;
  }

  const char* at_;
  const char* end_;
  Arena& arena_;
  size_t most_levels_;
  std::vector<Value> values_;
  std::vector<Level> levels_;
};

} // namespace

std::optional<Value> scan_json(std::string_view text, Arena& arena, size_t most_levels) {
  Value out;
  if (!valid_utf8(text) || !Scanner(text, arena, most_levels).scan(out)) return std::nullopt;
  return out;
}

} // namespace pupc::catalog
