#include "catalog/json/json_writer.h"

#include "catalog/json/json_text.h"
#include "catalog/value/number_format.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace pupc::catalog {

void JsonWriter::open(char c) {
  separate();
  out_ += c;
  ++depth_;
  filled_ = false;
}

void JsonWriter::close(char c) {
  --depth_;
  if (pretty_ && filled_) new_line();
  out_ += c;
  filled_ = true;
}

void JsonWriter::new_line() {
  out_ += '\n';
  out_.append(depth_ * 2, ' ');
}

void JsonWriter::integer(int64_t value) {
  separate();
  char buf[24];
  auto r = std::to_chars(buf, buf + sizeof buf, value);
  out_.append(buf, r.ptr);
}

void JsonWriter::floating(double value) {
  if (!std::isfinite(value)) return null();
  separate();
  out_ += format_float(value);
}

/// Copies a text of which nothing is escaped; false for others, and may be false in vain. To copy so few bytes while they are looked at
/// takes less than a call that copies them.
static bool copy_plain(std::string_view text, char* to) {
  if (text.size() < 8) {
    uint64_t word = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      to[i] = text[i];
      word = word << 8 | static_cast<unsigned char>(text[i]);
    }
    for (size_t i = text.size(); i < 8; ++i) word = word << 8 | ' ';
    return word_is_plain(word);
  }
  const size_t last = text.size() - 8;
  for (size_t at = 0;; at = std::min(at + 8, last)) {
    uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof(word));
    if (!word_is_plain(word)) return false;
    std::memcpy(to + at, &word, sizeof(word));
    if (at == last) return true;
  }
}

void JsonWriter::quoted(std::string_view text) {
  if (char whole[64]; text.size() <= sizeof(whole) - 2 && copy_plain(text, whole + 1)) { // as most are: written in one step
    whole[0] = '"';
    whole[text.size() + 1] = '"';
    out_.append(whole, text.size() + 2);
    return;
  }
  out_ += '"';
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    while (i + 8 <= text.size() && eight_are_plain(text.data() + i)) i += 8;
    if (i == text.size()) break;
    auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    out_.append(text, start, i - start);
    start = i + 1;
    switch (c) {
    case '"': out_ += "\\\""; break;
    case '\\': out_ += "\\\\"; break;
    case '\b': out_ += "\\b"; break;
    case '\f': out_ += "\\f"; break;
    case '\n': out_ += "\\n"; break;
    case '\r': out_ += "\\r"; break;
    case '\t': out_ += "\\t"; break;
    default: {
      constexpr char digits[] = "0123456789abcdef";
      out_ += "\\u00";
      out_ += digits[c >> 4];
      out_ += digits[c & 15];
    }
    }
  }
  out_.append(text, start, text.size() - start);
  out_ += '"';
}

} // namespace pupc::catalog
