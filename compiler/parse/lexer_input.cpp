// The way into the lexer, and what a text must be for it: UTF-8 without a byte order mark and without NUL.
#include "compiler/parse/lexer.h"

#include <cstdio>
#include <cstring>

namespace pupc::compiler {
namespace {

/// Offset of the first byte that is not valid UTF-8 or is NUL, or npos.
size_t find_bad_byte(std::string_view s) {
  const auto* p = reinterpret_cast<const uint8_t*>(s.data());
  size_t n = s.size(), i = 0;
  // Blocks of ASCII bytes without NUL: as signed numbers all are above zero. In vectors, because all of every text is looked at.
  using Vector [[gnu::vector_size(16)]] = signed char;
  auto plain = [p](size_t at) {
    Vector good = Vector{} == Vector{};
#pragma GCC unroll 8
    for (size_t k = 0; k < 128; k += 16) {
      Vector v;
      std::memcpy(&v, p + at + k, sizeof v);
      good &= v > Vector{};
    }
    uint64_t halves[2];
    std::memcpy(halves, &good, sizeof halves);
    return (halves[0] & halves[1]) == ~uint64_t(0);
  };
  auto plain_word = [p](size_t at) {
    uint64_t w = 0;
    std::memcpy(&w, p + at, 8);
    return ((w | (w - 0x0101010101010101ull)) & 0x8080808080808080ull) == 0;
  };
  while (i < n) {
    while (i + 128 <= n && plain(i)) i += 128;
    while (i + 8 <= n && plain_word(i)) i += 8;
    if (i >= n) break;
    uint8_t c = p[i];
    if (c == 0) return i;
    if (c < 0x80) {
      ++i;
      continue;
    }
    size_t len = c >= 0xF0 && c <= 0xF4 ? 4 : c >= 0xE0 && c < 0xF0 ? 3 : c >= 0xC2 && c < 0xE0 ? 2 : 0;
    if (len == 0 || i + len > n) return i;
    for (size_t k = 1; k < len; ++k)
      if ((p[i + k] & 0xC0) != 0x80) return i;
    uint8_t c1 = p[i + 1];
    if ((c == 0xE0 && c1 < 0xA0) || (c == 0xED && c1 >= 0xA0) || (c == 0xF0 && c1 < 0x90) || (c == 0xF4 && c1 >= 0x90)) return i;
    i += len;
  }
  return std::string_view::npos;
}

struct Bom {
  std::string_view bytes;
  std::string_view name;
};
constexpr Bom boms[] = {
    {std::string_view("\0\0\xFE\xFF", 4), "UTF-32"},
    {std::string_view("\xFF\xFE\0\0", 4), "UTF-32"},
    {"\x84\x31\x95\x33", "GB-18030"},
    {"\xDD\x73\x66\x73", "UTF-EBCDIC"},
    {"\x0E\xFE\xFF", "SCSU"},
    {"\xEF\xBB\xBF", "UTF-8"},
    {"\xF7\x64\x4C", "UTF-1"},
    {"\xFB\xEE\x28", "BOCU"},
    {"\xFE\xFF", "UTF-16"},
    {"\xFF\xFE", "UTF-16"},
};

void refuse_text(const SourceFile& source, TokenList& out, std::string message, size_t offset, PositionStyle style) {
  Diagnostic d;
  d.code = ErrorCode::invalid_encoding;
  d.message = std::move(message);
  d.loc = {&source, static_cast<uint32_t>(offset), 0};
  d.style = style;
  out.errors.push_back(std::move(d));
  RawToken t;
  t.kind = Tok::Error;
  t.offset = static_cast<uint32_t>(offset);
  out.tokens.push_back(t);
  out.truncated = true;
}

} // namespace

void lex(const SourceFile& source, bool epp, Arena& arena, RegexCache& regexes, TokenList& out, bool tasks) {
  std::string_view text = source.text();
  out.tokens.reserve(text.size() / 5 + 16);
  bool refused = false;
  for (const Bom& bom : boms) {
    if (!text.empty() && text[0] >= ' ') break; // as a signed number: every mark begins with a control character or beyond ASCII
    if (!text.starts_with(bom.bytes)) continue;
    std::string hex;
    for (char c : bom.bytes) {
      char buffer[4];
      std::snprintf(buffer, sizeof buffer, "%X", static_cast<uint8_t>(c));
      if (!hex.empty()) hex += ' ';
      hex += buffer;
    }
    refuse_text(source, out,
                "Illegal " + std::string(bom.name) + " Byte Order mark at beginning of input: [" + hex +
                    "] - remove these from the puppet source",
                0, PositionStyle::File); // Puppet names no file here, which helps nobody
    refused = true;
    break;
  }
  if (!refused) {
    size_t bad = find_bad_byte(text);
    if (bad != std::string_view::npos) {
      refuse_text(source, out, text[bad] == '\0' ? "The source text contains a NUL byte" : "The source text is not valid UTF-8", bad,
                  PositionStyle::LineColumn);
      refused = true;
    }
  }
  if (!refused) {
    Lexer lexer(text, source, arena, regexes, out, tasks, nullptr);
    if (epp)
      lexer.lex_template();
    else
      lexer.lex_manifest();
  }
  RawToken end;
  end.kind = Tok::End;
  end.offset = static_cast<uint32_t>(text.size());
  out.tokens.push_back(end);
}

} // namespace pupc::compiler
