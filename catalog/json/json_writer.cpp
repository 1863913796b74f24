#include "catalog/json/json_writer.h"

#include "catalog/json/json_text.h"
#include "catalog/value/number_format.h"

#include <algorithm>
#include <charconv>
#include <cmath>

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

/// Whether nothing of a text is escaped. May be false in vain.
static bool is_plain(std::string_view text) {
  if (text.size() < 8) {
    uint64_t word = 0;
    for (const char c : text) word = word << 8 | static_cast<unsigned char>(c);
    for (size_t i = text.size(); i < 8; ++i) word = word << 8 | ' ';
    return word_is_plain(word);
  }
  const char* const last = text.data() + text.size() - 8;
  for (const char* at = text.data(); at < last; at += 8)
    if (!eight_are_plain(at)) return false;
  return eight_are_plain(last);
}

void JsonWriter::quoted(std::string_view text) {
  if (char whole[64]; text.size() <= sizeof(whole) - 2 && is_plain(text)) { // as most names and values are: written in one step
    whole[0] = '"';
    text.copy(whole + 1, text.size());
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
