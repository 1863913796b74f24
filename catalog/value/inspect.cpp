#include "catalog/value/inspect.h"

#include "catalog/value/unicode_case.h"

#include <fmt/format.h>
#include <oniguruma.h>

namespace pupc::catalog {
namespace {

bool printable(char32_t c) {
  if (c < 0x80) return c >= 0x20 && c != 0x7f;
  if (c == 0x85) return true; // a control character, but Ruby treats it as printable white space
  return ONIGENC_IS_CODE_PRINT(ONIG_ENCODING_UTF8, static_cast<OnigCodePoint>(c)) != 0;
}

} // namespace

void append_inspected(std::string& out, std::string_view text) {
  constexpr std::string_view named = "\"\\\a\b\t\n\v\f\r\x1b", letters = "\"\\abtnvfre";
  out += '"';
  for (size_t i = 0; i < text.size();) {
    const size_t begin = i;
    while (i < text.size() && text[i] >= ' ' && text[i] <= '~' && text[i] != '"' && text[i] != '\\' && text[i] != '#') ++i;
    if (i > begin) { // what stands for itself
      out += text.substr(begin, i - begin);
      continue;
    }
    bool valid = true;
    const char32_t c = next_code_point(text, i, valid);
    if (!valid) {
      out += fmt::format("\\x{:02X}", static_cast<unsigned>(c));
    } else if (const size_t at = c < 0x80 ? named.find(static_cast<char>(c)) : std::string_view::npos; at != std::string_view::npos) {
      out += '\\';
      out += letters[at];
    } else if (c == '#' && i < text.size() && (text[i] == '{' || text[i] == '$' || text[i] == '@')) {
      out += "\\#"; // an unescaped # would start an interpolation
    } else if (printable(c)) {
      out += text.substr(begin, i - begin);
    } else {
      const auto code = static_cast<uint32_t>(c);
      out += c > 0xffff ? fmt::format("\\u{{{:X}}}", code) : fmt::format("\\u{:04X}", code);
    }
  }
  out += '"';
}

std::string inspected(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  append_inspected(out, text);
  return out;
}

} // namespace pupc::catalog
