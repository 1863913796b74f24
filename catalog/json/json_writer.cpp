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
  depth_.push_back(false);
}

void JsonWriter::close(char c) {
  bool filled = depth_.back();
  depth_.pop_back();
  if (pretty_ && filled) new_line();
  out_ += c;
}

void JsonWriter::new_line() {
  out_ += '\n';
  out_.append(depth_.size() * 2, ' ');
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

void JsonWriter::quoted(std::string_view text) {
  if (char whole[64]; text.size() <= sizeof(whole) - 2) { // most names and values: one step where nothing is escaped
    const auto plain = [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\'; };
    size_t i = 0;
    while (i + 8 <= text.size() && eight_are_plain(text.data() + i)) i += 8;
    while (i < text.size() && plain(text[i])) ++i;
    if (i == text.size()) {
      whole[0] = '"';
      std::copy(text.begin(), text.end(), whole + 1);
      whole[text.size() + 1] = '"';
      out_.append(whole, text.size() + 2);
      return;
    }
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
