#include "catalog/graph/tags.h"

#include "catalog/value/regex.h"

#include <algorithm>

namespace pupc {
namespace {

bool ascii_word(unsigned char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

bool is_ascii(std::string_view s) {
  return std::all_of(s.begin(), s.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

void append_code_point(std::string& out, char32_t c) {
  if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
  } else {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
  }
  out += static_cast<char>(0x80 | (c & 0x3F));
}

/// Simple lower case of the alphabets in use for names; everything else maps to itself.
char32_t lower(char32_t c) {
  if ((c >= 0xC0 && c <= 0xDE && c != 0xD7) || (c >= 0x391 && c <= 0x3AB) || (c >= 0x410 && c <= 0x42F)) return c + 32;
  if (c >= 0x400 && c <= 0x40F) return c + 80;
  bool paired_even = (c >= 0x100 && c <= 0x137 && c != 0x130) || (c >= 0x14A && c <= 0x177) || (c >= 0x460 && c <= 0x481) ||
                     (c >= 0x48A && c <= 0x4BF) || (c >= 0x4D0 && c <= 0x52F) || (c >= 0x1E00 && c <= 0x1E95) || (c >= 0x1EA0 && c <= 0x1EFF);
  if (paired_even && c % 2 == 0) return c + 1;
  bool paired_odd = (c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E);
  if (paired_odd && c % 2 == 1) return c + 1;
  if (c == 0x178) return 0xFF;
  return c;
}

} // namespace

bool valid_tag(std::string_view text) {
  if (text.empty()) return false;
  if (is_ascii(text)) {
    if (!ascii_word(static_cast<unsigned char>(text[0]))) return false;
    return std::all_of(text.begin() + 1, text.end(), [](char c) { return ascii_word(static_cast<unsigned char>(c)) || c == ':' || c == '.' || c == '-'; });
  }
  static const Regex pattern("\\A[[:alnum:]_][[:alnum:]_:.-]*\\Z");
  return pattern.matches(text);
}

std::vector<std::string_view> split_segments(std::string_view name) {
  std::vector<std::string_view> out;
  for (size_t at = 0;;) {
    size_t end = name.find("::", at);
    out.push_back(name.substr(at, end == std::string_view::npos ? end : end - at));
    if (end == std::string_view::npos) break;
    at = end + 2;
  }
  while (!out.empty() && out.back().empty()) out.pop_back();
  return out;
}

std::string downcase_name(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    auto next = [&](size_t n) { return i + n < text.size() ? static_cast<unsigned char>(text[i + n]) & 0x3Fu : 0u; };
    if (c >= 'A' && c <= 'Z') {
      out += static_cast<char>(c + 32);
    } else if (c >= 0xC3 && c <= 0xDF && i + 1 < text.size()) {
      append_code_point(out, lower(((c & 0x1Fu) << 6) | next(1)));
      i += 1;
    } else if (c == 0xE1 && i + 2 < text.size()) {
      append_code_point(out, lower(((c & 0x0Fu) << 12) | (next(1) << 6) | next(2)));
      i += 2;
    } else {
      out += static_cast<char>(c);
    }
  }
  return out;
}

std::string capitalize_segments(std::string_view name) {
  if (!name.empty() && name[0] >= 'A' && name[0] <= 'Z') return std::string(name);
  std::string out;
  out.reserve(name.size());
  bool first = true;
  for (auto segment : split_segments(name)) {
    if (!first) out += "::";
    first = false;
    std::string low = downcase_name(segment);
    if (!low.empty() && low[0] >= 'a' && low[0] <= 'z') low[0] = static_cast<char>(low[0] - 32);
    out += low;
  }
  return out;
}

bool split_reference(std::string_view text, std::string_view& type, std::string_view& title) {
  size_t open = text.find('[');
  if (open == std::string_view::npos || open == 0) return false;
  size_t close = text.rfind(']');
  if (close == std::string_view::npos || close <= open + 1) return false;
  // The reference matches a whole line; a type name holds no brackets.
  if (text.substr(0, open).find(']') != std::string_view::npos || close + 1 != text.size()) return false;
  type = text.substr(0, open);
  title = text.substr(open + 1, close - open - 1);
  return true;
}

} // namespace pupc
