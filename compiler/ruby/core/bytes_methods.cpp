// Texts in the encoding ASCII-8BIT, whose characters are bytes.
#include "compiler/ruby/core/methods.h"

#include "catalog/base/text.h"
#include "catalog/base/utf8.h"
#include "catalog/value/unicode_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace pupc::compiler::ruby {

std::string_view text_of_bytes(Core& core, const RubyValue& v, uint32_t line) {
  if (v.bytes->renamed) core.not_rendered(line, "a text that has got another encoding");
  if (!v.bytes->encoding.empty()) core.not_rendered(line, fmt::format("a text in {}", v.bytes->encoding));
  return v.bytes->text;
}

/// The bytes themselves, for what does not ask which characters they are.
static std::string_view raw_bytes(Core& core, const RubyValue& v, uint32_t line) {
  return v.bytes->encoding.empty() ? text_of_bytes(core, v, line) : std::string_view(v.bytes->text);
}

/// String#encode of a text to one of UTF's other forms.
RubyValue encoded(Core& core, const MethodCall& c) {
  struct Form {
    std::string_view name;
    int bytes;
    bool big;
  };
  static constexpr Form forms[] = {{"UTF-16LE", 2, false}, {"UTF-16BE", 2, true}, {"UTF-32LE", 4, false}, {"UTF-32BE", 4, true}};
  core.need(c, 2);
  const std::string wanted = ascii_lower(core.string_argument(c, 1));
  const Form* const form = std::ranges::find_if(forms, [&](const Form& f) { return ascii_lower(f.name) == wanted; });
  const std::string_view text = core.string_argument(c, 0);
  if (form == std::end(forms) || !valid_utf8(text)) core.not_rendered(c.line, "this encoding");
  std::string out;
  auto unit = [&](uint32_t value) {
    for (int i = 0; i < form->bytes; ++i) out += static_cast<char>(value >> (8 * (form->big ? form->bytes - 1 - i : i)) & 0xFF);
  };
  for (size_t i = 0; i < text.size();) {
    bool valid = true;
    const auto point = static_cast<uint32_t>(next_code_point(text, i, valid));
    if (form->bytes == 2 && point > 0xFFFF) {
      unit(0xD800 + ((point - 0x10000) >> 10));
      unit(0xDC00 + ((point - 0x10000) & 0x3FF));
    } else {
      unit(point);
    }
  }
  const RubyValue made = core.heap.bytes(std::move(out));
  made.bytes->encoding = form->name;
  return made;
}

std::string_view any_text(Core& core, const MethodCall& c, size_t i) {
  if (i < c.args.size() && c.args[i].is(RubyKind::Bytes)) return raw_bytes(core, c.args[i], c.line);
  return core.string_argument(c, i);
}

std::string inspect_bytes(std::string_view s) {
  std::string out = "\"";
  for (size_t i = 0; i < s.size(); ++i) {
    const auto byte = static_cast<unsigned char>(s[i]);
    constexpr std::string_view named = "\a\b\t\n\v\f\r\x1B\"\\", letters = "abtnvfre\"\\";
    if (const size_t at = named.find(s[i]); at != std::string_view::npos) {
      out += '\\';
      out += letters[at];
    } else if (byte == '#' && i + 1 < s.size() && (s[i + 1] == '{' || s[i + 1] == '$' || s[i + 1] == '@')) {
      out += "\\#";
    } else if (byte >= 0x20 && byte < 0x7F) {
      out += s[i];
    } else {
      out += fmt::format("\\x{:02X}", byte);
    }
  }
  return out + '"';
}

namespace {

/// The text of a value that joins bytes: bytes, or a text in ASCII, which every encoding has alike.
std::string_view joining(Core& core, const MethodCall& c, const RubyValue& v) {
  if (v.is(RubyKind::Bytes)) return text_of_bytes(core, v, c.line);
  if (v.is_string() && is_ascii(v.s->text)) return v.s->text;
  core.not_rendered(c.line, "bytes beside a text");
}

/// What text[…] takes of the bytes; nothing where Ruby gives nil.
std::optional<std::string> part(Core& core, const MethodCall& c, std::string_view s) {
  core.need(c, 1, 2);
  const auto size = static_cast<int64_t>(s.size());
  int64_t from = 0, count = 1;
  if (c.args.size() == 2) {
    from = core.integer_argument(c, 0);
    count = core.integer_argument(c, 1);
  } else if (c.args[0].is(RubyKind::Range)) {
    const RubyRange& range = *c.args[0].r;
    if (!range.first.is_integer() || !(range.last.is_integer() || range.last.is_nil())) core.not_rendered(c.line, "a part of bytes");
    from = range.first.i;
    if (from < 0) from += size;
    int64_t end = range.last.is_nil() ? size : range.last.i;
    if (end < 0) end += size;
    if (range.last.is_integer() && !range.exclusive) ++end;
    count = std::max<int64_t>(end - from, 0);
  } else if (c.args[0].is_integer()) {
    from = c.args[0].i;
    if (from < -size || from >= size) return std::nullopt;
  } else {
    core.not_rendered(c.line, "a part of bytes");
  }
  if (from < 0 && !c.args[0].is(RubyKind::Range)) from += size;
  if (from < 0 || from > size || count < 0) return std::nullopt;
  return std::string(s.substr(static_cast<size_t>(from), static_cast<size_t>(std::min(count, size))));
}

void check_bytes_changeable(Core& core, const MethodCall& c) {
  if (c.self.bytes->frozen) core.not_rendered(c.line, "a change of frozen bytes");
}

/// Methods that change the bytes.
bool change_bytes(Core& core, const MethodCall& c, RubyValue& out) {
  std::string& s = c.self.bytes->text;
  switch (c.method) {
  case MethodId::ShiftLeft:
  case MethodId::m_concat:
    core.need(c, 1);
    check_bytes_changeable(core, c);
    if (c.args[0].is_integer()) {
      if (c.args[0].i < 0 || c.args[0].i > 255) core.not_rendered(c.line, "a byte beyond 255");
      s += static_cast<char>(c.args[0].i);
    } else { // a text that is not ASCII would lend its encoding to bytes that are
      s += std::string(joining(core, c, c.args[0]));
    }
    out = c.self;
    return true;
  case MethodId::m_clear:
    core.need(c, 0);
    check_bytes_changeable(core, c);
    s.clear();
    out = c.self;
    return true;
  case MethodId::m_setbyte: {
    core.need(c, 2);
    check_bytes_changeable(core, c);
    int64_t at = core.integer_argument(c, 0);
    if (at < 0) at += static_cast<int64_t>(s.size());
    if (at < 0 || at >= static_cast<int64_t>(s.size())) core.not_rendered(c.line, "a byte beyond the text");
    s[static_cast<size_t>(at)] = static_cast<char>(core.integer_argument(c, 1));
    out = c.args[1];
    return true;
  }
  case MethodId::m_force_encoding: {
    core.need(c, 1);
    if (!c.args[0].is_string()) core.not_rendered(c.line, "an encoding");
    const std::string name = ascii_lower(c.args[0].s->text);
    if (name == "ascii-8bit" || name == "binary") {
      c.self.bytes->encoding = {};
      out = c.self;
      return true;
    }
    if (name != "utf-8" || !c.self.bytes->encoding.empty() || c.self.bytes->frozen || !valid_utf8(s))
      core.not_rendered(c.line, "a text in another encoding");
    c.self.bytes->renamed = true;
    out = core.str(s);
    return true;
  }
  default: return false;
  }
}

/// Methods that count the bytes, or look at one.
bool bytes_question(Core& core, const MethodCall& c, std::string_view s, RubyValue& out) {
  auto number = [&](size_t v) {
    core.need(c, 0);
    out = RubyValue::integer(static_cast<int64_t>(v));
    return true;
  };
  auto answer = [&](bool v) {
    out = RubyValue::boolean(v);
    return true;
  };
  switch (c.method) {
  case MethodId::m_size:
  case MethodId::m_length:
  case MethodId::m_bytesize: return number(s.size());
  case MethodId::m_empty_p: core.need(c, 0); return answer(s.empty());
  case MethodId::m_ascii_only_p: core.need(c, 0); return answer(is_ascii(s));
  case MethodId::m_valid_encoding_p: core.need(c, 0); return answer(true);
  case MethodId::m_ord:
    if (s.empty()) core.not_rendered(c.line, "ord of an empty text");
    return number(static_cast<unsigned char>(s[0]));
  case MethodId::m_getbyte: {
    core.need(c, 1);
    int64_t at = core.integer_argument(c, 0);
    if (at < 0) at += static_cast<int64_t>(s.size());
    out = at < 0 || at >= static_cast<int64_t>(s.size()) ? RubyValue()
                                                         : RubyValue::integer(static_cast<unsigned char>(s[static_cast<size_t>(at)]));
    return true;
  }
  default: return false;
  }
}

} // namespace

/// Methods of bytes. False: they are those of every object or, where all bytes are ASCII, those of a text.
bool bytes_method(Core& core, const MethodCall& c, RubyValue& out) {
  static constexpr MethodId of_any[] = {MethodId::m_bytes,   MethodId::m_each_byte, MethodId::m_bytesize,      MethodId::m_unpack,
                                        MethodId::m_unpack1, MethodId::m_b,         MethodId::m_freeze,        MethodId::m_frozen_p,
                                        MethodId::m_to_s,    MethodId::m_to_str,    MethodId::m_force_encoding};
  const bool as_bytes = std::ranges::find(of_any, c.method) != std::end(of_any);
  const std::string_view s = as_bytes ? raw_bytes(core, c.self, c.line) : text_of_bytes(core, c.self, c.line);
  auto made = [&](std::string text) {
    out = core.heap.bytes(std::move(text));
    return true;
  };
  auto answer = [&](bool v) {
    out = RubyValue::boolean(v);
    return true;
  };
  if (change_bytes(core, c, out) || bytes_question(core, c, s, out)) return true;
  switch (c.method) {
  case MethodId::m_to_s:
  case MethodId::m_to_str:
    core.need(c, 0);
    out = c.self;
    return true;
  case MethodId::m_freeze:
    c.self.bytes->frozen = true;
    out = c.self;
    return true;
  case MethodId::m_frozen_p: return answer(c.self.bytes->frozen);
  case MethodId::m_dup:
  case MethodId::m_clone:
    core.need(c, 0);
    made(std::string(s));
    out.bytes->frozen = c.method == MethodId::m_clone && c.self.bytes->frozen;
    return true;
  case MethodId::m_b: core.need(c, 0); return made(std::string(s));
  case MethodId::m_bytes:
  case MethodId::m_each_byte: {
    core.need(c, 0);
    std::vector<RubyValue> items;
    for (const char ch : s) items.push_back(RubyValue::integer(static_cast<unsigned char>(ch)));
    if (c.method == MethodId::m_bytes) {
      if (c.block != nullptr) core.not_rendered(c.line, "bytes with a block");
      out = core.list(std::move(items));
      return true;
    }
    if (c.block == nullptr) core.not_rendered(c.line, "each_byte without a block");
    for (const RubyValue& item : items) core.yield(c, item);
    out = c.self;
    return true;
  }
  case MethodId::m_chars: {
    core.need(c, 0);
    std::vector<RubyValue> items;
    for (const char ch : s) items.push_back(core.heap.bytes(std::string(1, ch)));
    out = core.list(std::move(items));
    return true;
  }
  case MethodId::Index:
  case MethodId::m_slice:
  case MethodId::m_byteslice: {
    if (c.args.size() == 1 && (c.args[0].is_string() || c.args[0].is(RubyKind::Regexp))) return false;
    std::optional<std::string> found = part(core, c, s);
    if (found) return made(std::move(*found));
    out = {};
    return true;
  }
  case MethodId::Plus: core.need(c, 1); return made(std::string(s) + std::string(joining(core, c, c.args[0])));
  case MethodId::Times: {
    core.need(c, 1);
    const int64_t times = core.integer_argument(c, 0);
    if (times < 0 || (!s.empty() && times > 100'000'000 / static_cast<int64_t>(s.size()))) core.not_rendered(c.line, "a long text");
    std::string all;
    for (int64_t i = 0; i < times && !s.empty(); ++i) all += s;
    return made(std::move(all));
  }
  case MethodId::m_reverse: core.need(c, 0); return made({s.rbegin(), s.rend()});
  case MethodId::m_start_with_p:
  case MethodId::m_end_with_p: {
    bool any = false;
    for (const RubyValue& arg : c.args) {
      const std::string_view wanted = joining(core, c, arg);
      any |= c.method == MethodId::m_start_with_p ? s.starts_with(wanted) : s.ends_with(wanted);
    }
    return answer(any);
  }
  case MethodId::m_include_p: core.need(c, 1); return answer(s.find(joining(core, c, c.args[0])) != std::string_view::npos);
  case MethodId::m_unpack:
  case MethodId::m_unpack1: out = unpack(core, c, s); return true;
  default: return false;
  }
}

/// Joins elements of which some are bytes. The others have to be texts in ASCII.
RubyValue join_bytes(Core& core, const MethodCall& c, const std::vector<RubyValue>& items, std::string_view separator) {
  if (!is_ascii(separator)) core.not_rendered(c.line, "bytes beside a text");
  std::string out;
  for (const RubyValue& item : items) {
    if (&item != items.data()) out += separator;
    out += joining(core, c, item);
  }
  return core.heap.bytes(std::move(out));
}

} // namespace pupc::compiler::ruby
