#include "catalog/json/json_writer.h"

#include "catalog/value/number_format.h"

#include <charconv>
#include <cmath>
#include <cstdint>

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
  out_ += '"';
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
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
