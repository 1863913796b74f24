// A JSON recogniser that fails at the same places as Ruby's JSON library 2.6, because its message quotes the text from there on.
#include "compiler/check/heredoc_syntax.h"

#include <fmt/format.h>
#include <stdexcept>

namespace pupc::compiler {
namespace {

struct JsonError {
  std::string message;
};

class JsonReader {
public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  void document() {
    ignored();
    const size_t start = at_;
    if (!value(0)) unexpected(start);
    ignored();
    if (at_ != text_.size()) unexpected(at_);
  }

private:
  [[noreturn]] void unexpected(size_t at) const { throw JsonError{fmt::format("unexpected token at '{}'", text_.substr(at))}; }
  bool has(std::string_view s) const { return text_.substr(at_).starts_with(s); }
  bool take(std::string_view s) {
    if (!has(s)) return false;
    at_ += s.size();
    return true;
  }

  /// Skips white space and comments.
  void ignored() {
    for (;;) {
      while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == '\n')) ++at_;
      size_t end;
      if (has("/*"))
        end = text_.find("*/", at_ + 2), end = end == std::string_view::npos ? end : end + 2;
      else if (has("//"))
        end = text_.find('\n', at_);
      else
        return;
      if (end == std::string_view::npos) unexpected(text_.size());
      at_ = end;
    }
  }

  /// Reads a value. Returns false if there is none: the caller decides what the error is.
  bool value(int depth) {
    if (at_ == text_.size()) return false;
    switch (text_[at_]) {
    case '"': return string();
    case '[': return list(depth + 1);
    case '{': return object(depth + 1);
    case 'n': return take("null");
    case 't': return take("true");
    case 'f': return take("false");
    case 'N':
      if (has("NaN")) unexpected(at_);
      return false;
    case 'I':
      if (has("Infinity")) unexpected(at_ + 8);
      return false;
    default: return number();
    }
  }

  void check_depth(int depth) const {
    if (depth > 100) throw JsonError{fmt::format("nesting of {} is too deep", depth)};
  }

  bool number() {
    if (has("-Infinity")) unexpected(at_);
    size_t p = at_;
    auto digit = [&] { return p < text_.size() && text_[p] >= '0' && text_[p] <= '9'; };
    if (p < text_.size() && text_[p] == '-') ++p;
    if (!digit()) return false;
    if (text_[p] == '0') {
      if (++p, digit()) return false;
    } else {
      while (digit()) ++p;
    }
    size_t end = p;
    if (p < text_.size() && text_[p] == '.') {
      ++p;
      if (digit()) {
        while (digit()) ++p;
        end = p;
      } else {
        p = end;
      }
    }
    if (p < text_.size() && (text_[p] == 'e' || text_[p] == 'E')) {
      ++p;
      if (p < text_.size() && (text_[p] == '+' || text_[p] == '-')) ++p;
      if (digit()) {
        while (digit()) ++p;
        end = p;
      }
    }
    at_ = end;
    return true;
  }

  bool string() {
    size_t p = at_ + 1;
    for (; p < text_.size(); ++p) {
      const auto c = static_cast<unsigned char>(text_[p]);
      if (c == '"') {
        at_ = p + 1;
        return true;
      }
      if (c < 0x20) return false;
      if (c != '\\') continue;
      if (++p == text_.size() || static_cast<unsigned char>(text_[p]) < 0x20) return false;
      if (text_[p] != 'u') continue;
      for (int i = 0; i < 4; ++i)
        if (++p == text_.size() || std::string_view("0123456789abcdefABCDEF").find(text_[p]) == std::string_view::npos) return false;
    }
    return false;
  }

  bool list(int depth) {
    check_depth(depth);
    ++at_;
    ignored();
    if (take("]")) return true;
    for (;;) {
      if (!value(depth)) unexpected(at_);
      ignored();
      if (take("]")) return true;
      if (!take(",")) unexpected(at_);
      ignored();
    }
  }

  /// Reads an object. An error inside an object is reported for the whole object, unlike an error inside a list.
  bool object(int depth) {
    check_depth(depth);
    const size_t start = at_;
    auto fail = [&] {
      at_ = start;
      return false;
    };
    ++at_;
    ignored();
    if (take("}")) return true;
    for (;;) {
      if (!has("\"") || !string()) return fail();
      ignored();
      if (!take(":")) return fail();
      ignored();
      if (!value(depth)) return fail();
      ignored();
      if (take("}")) return true;
      if (!take(",")) return fail();
      ignored();
    }
  }

  std::string_view text_;
  size_t at_ = 0;
};

} // namespace

std::string json_error(std::string_view text) {
  try {
    JsonReader(text).document();
    return {};
  } catch (const JsonError& e) { return e.message; }
}

} // namespace pupc::compiler
