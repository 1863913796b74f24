// Methods of strings and symbols: first those that leave the string unchanged, then those that change it.
#include "compiler/ruby/core/methods.h"

#include "catalog/value/unicode_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace pupc::compiler::ruby {
namespace {

/// String#succ for a text of ASCII. False for one without letters and digits, whose rules the interpreter does not know.
bool successor(std::string& s) {
  auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (!is_ascii(s)) return false;
  size_t carried = std::string::npos; // the last letter or digit that began anew
  for (size_t i = s.size(); i-- > 0;) {
    char& c = s[i];
    if (!is_digit(c) && !is_letter(c)) continue;
    if (carried != std::string::npos && carried != i + 1 && is_digit(c) != is_digit(s[carried]))
      break; // a letter carries over dots to letters only
    if (c != 'z' && c != 'Z' && c != '9') {
      ++c;
      return true;
    }
    c = c == 'z' ? 'a' : c == 'Z' ? 'A' : '0';
    carried = i;
  }
  if (carried == std::string::npos) return s.empty();
  s.insert(s.begin() + static_cast<ptrdiff_t>(carried), s[carried] == '0' ? '1' : s[carried]);
  return true;
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view left_stripped(std::string_view s) {
  while (!s.empty() && (is_space(s.front()) || s.front() == '\0')) s.remove_prefix(1);
  return s;
}
std::string_view right_stripped(std::string_view s) {
  while (!s.empty() && (is_space(s.back()) || s.back() == '\0')) s.remove_suffix(1);
  return s;
}

std::string_view chomped(std::string_view s) {
  if (s.ends_with("\r\n"))
    s.remove_suffix(2);
  else if (s.ends_with('\n') || s.ends_with('\r'))
    s.remove_suffix(1);
  return s;
}

std::string swapped_case(std::string_view s) {
  std::string out(s);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z')
      c = static_cast<char>(c - 32);
    else if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c + 32);
  }
  return out;
}

/// A set of characters as tr, delete, count and squeeze take it: "a-z", "^a", "\\-".
struct CharacterSet {
  bool negated = false;
  std::vector<char32_t> characters; // in order, with ranges expanded

  static std::vector<char32_t> decode(std::string_view s) {
    std::vector<char32_t> out;
    for (size_t i = 0; i < s.size();) {
      bool valid = true;
      out.push_back(next_code_point(s, i, valid));
    }
    return out;
  }

  explicit CharacterSet(std::string_view spec, bool may_negate = true) {
    std::vector<char32_t> cs = decode(spec);
    size_t i = 0;
    if (may_negate && cs.size() > 1 && cs[0] == '^') {
      negated = true;
      i = 1;
    }
    for (; i < cs.size(); ++i) {
      if (cs[i] == '\\' && i + 1 < cs.size()) {
        characters.push_back(cs[++i]);
      } else if (i + 2 < cs.size() && cs[i + 1] == '-' && cs[i] <= cs[i + 2] && cs[i + 2] - cs[i] < 70000) {
        for (char32_t c = cs[i]; c <= cs[i + 2]; ++c) characters.push_back(c);
        i += 2;
      } else {
        characters.push_back(cs[i]);
      }
    }
  }
  bool contains(char32_t c) const { return (std::find(characters.begin(), characters.end(), c) != characters.end()) != negated; }
};

std::string translated(std::string_view text, std::string_view from, std::string_view to) {
  CharacterSet source(from);
  CharacterSet target(to, false);
  std::string out;
  for (size_t i = 0; i < text.size();) {
    bool valid = true;
    char32_t c = next_code_point(text, i, valid);
    if (!source.contains(c)) {
      append_utf8(out, c);
    } else if (!target.characters.empty()) {
      size_t at = source.negated
                      ? target.characters.size() - 1
                      : static_cast<size_t>(std::find(source.characters.begin(), source.characters.end(), c) - source.characters.begin());
      append_utf8(out, target.characters[std::min(at, target.characters.size() - 1)]);
    }
  }
  return out;
}

} // namespace

RubyValue string_method(Core& core, const MethodCall& c) {
  std::string_view s = c.self.s->text;
  size_t n = c.args.size();
  auto flag = [](bool b) { return RubyValue::boolean(b); };
  auto number = [](size_t v) { return RubyValue::integer(static_cast<int64_t>(v)); };
  switch (c.method) {
  case MethodId::m_to_str: core.need(c, 0); return c.self;
  case MethodId::m_to_sym:
  case MethodId::m_intern: core.need(c, 0); return core.heap.symbol(s);
  case MethodId::m_to_i: {
    core.need(c, 0, 1);
    int64_t base = n == 1 ? core.integer_argument(c, 0) : 10;
    if (base != 10 && base != 16 && base != 8 && base != 2) core.unknown(c);
    std::string_view t = s;
    while (!t.empty() && is_space(t.front())) t.remove_prefix(1);
    bool negative = t.starts_with('-');
    if (negative || t.starts_with('+')) t.remove_prefix(1);
    if (base == 16 && (t.starts_with("0x") || t.starts_with("0X"))) t.remove_prefix(2);
    if (base != 10 && base != 16 && t.size() > 1 && t[0] == '0' && (t[1] | 0x20) >= 'a') core.unknown(c);
    int64_t v = 0;
    bool beyond = false;
    std::string digits;
    for (size_t i = 0; i < t.size(); ++i) {
      char ch = t[i];
      if (ch == '_' && i > 0 && t[i - 1] != '_') continue;
      char low = static_cast<char>(ch | 0x20);
      int digit = ch >= '0' && ch <= '9' ? ch - '0' : low >= 'a' && low <= 'z' ? low - 'a' + 10 : 99;
      if (digit >= base) break;
      digits += ch;
      beyond = beyond || __builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, static_cast<int64_t>(digit), &v);
    }
    if (beyond) return integer_of_digits(core, digits, static_cast<int>(base), negative);
    return RubyValue::integer(negative ? -v : v);
  }
  case MethodId::m_to_f: {
    core.need(c, 0);
    std::string_view t = s;
    while (!t.empty() && is_space(t.front())) t.remove_prefix(1);
    std::string digits;
    size_t i = 0;
    if (i < t.size() && (t[i] == '-' || t[i] == '+')) {
      if (t[i] == '-') digits += '-';
      ++i;
    }
    if (t.substr(i).starts_with("0x") || t.substr(i).starts_with("0X")) core.unknown(c);
    auto take = [&] {
      size_t before = i;
      for (; i < t.size() &&
             ((t[i] >= '0' && t[i] <= '9') || (t[i] == '_' && i > before && i + 1 < t.size() && t[i + 1] >= '0' && t[i + 1] <= '9'));
           ++i)
        if (t[i] != '_') digits += t[i];
      return i > before;
    };
    if (!take()) return RubyValue::floating(t.starts_with("-") && false ? -0.0 : 0.0);
    if (i + 1 < t.size() && t[i] == '.' && t[i + 1] >= '0' && t[i + 1] <= '9') {
      digits += '.';
      ++i;
      take();
    }
    if (i + 1 < t.size() && (t[i] == 'e' || t[i] == 'E')) {
      size_t j = i + 1;
      if (j + 1 < t.size() && (t[j] == '-' || t[j] == '+')) ++j;
      if (t[j] >= '0' && t[j] <= '9') {
        digits += 'e';
        if (t[i + 1] == '-') digits += '-';
        i = j;
        take();
      }
    }
    double d = 0;
    auto r = std::from_chars(digits.data(), digits.data() + digits.size(), d);
    if (r.ec != std::errc()) core.unknown(c);
    return RubyValue::floating(d);
  }
  case MethodId::m_hex:
    core.need(c, 0);
    if (s.starts_with('-') || s.starts_with('+')) core.unknown(c);
    return core.send(c.self, MethodId::m_to_i, {RubyValue::integer(16)}, c.line);
  case MethodId::m_succ:
  case MethodId::m_next: {
    core.need(c, 0);
    std::string after(s);
    if (!successor(after)) core.unknown(c);
    return core.str(std::move(after));
  }
  case MethodId::m_length:
  case MethodId::m_size: core.need(c, 0); return number(character_count(s));
  case MethodId::m_bytesize: core.need(c, 0); return number(s.size());
  case MethodId::m_empty_p: core.need(c, 0); return flag(s.empty());
  case MethodId::m_upcase: core.need(c, 0); return core.str(upcase(s));
  case MethodId::m_downcase: core.need(c, 0); return core.str(downcase(s));
  case MethodId::m_capitalize: core.need(c, 0); return core.str(capitalize(s));
  case MethodId::m_swapcase:
    core.need(c, 0);
    if (!is_ascii(s)) core.unknown(c);
    return core.str(swapped_case(s));
  case MethodId::m_strip: core.need(c, 0); return core.str(std::string(left_stripped(right_stripped(s))));
  case MethodId::m_lstrip: core.need(c, 0); return core.str(std::string(left_stripped(s)));
  case MethodId::m_rstrip: core.need(c, 0); return core.str(std::string(right_stripped(s)));
  case MethodId::m_chomp: {
    core.need(c, 0, 1);
    if (n == 0) return core.str(std::string(chomped(s)));
    if (c.args[0].is_nil()) return core.str(std::string(s));
    std::string_view end = core.string_argument(c, 0);
    if (end == "\n") return core.str(std::string(chomped(s)));
    if (end.empty()) core.unknown(c);
    return core.str(std::string(s.ends_with(end) ? s.substr(0, s.size() - end.size()) : s));
  }
  case MethodId::m_chop: {
    core.need(c, 0);
    if (s.ends_with("\r\n")) return core.str(std::string(s.substr(0, s.size() - 2)));
    size_t count = character_count(s);
    return core.str(std::string(s.substr(0, count == 0 ? 0 : byte_offset(s, count - 1))));
  }
  case MethodId::m_chr: core.need(c, 0); return core.str(std::string(s.substr(0, byte_offset(s, 1))));
  case MethodId::m_ord: {
    core.need(c, 0);
    if (s.empty()) core.unknown(c);
    size_t i = 0;
    bool valid = true;
    return RubyValue::integer(static_cast<int64_t>(next_code_point(s, i, valid)));
  }
  case MethodId::m_reverse: {
    core.need(c, 0);
    std::string out;
    auto cs = characters_of(s);
    for (size_t i = cs.size(); i-- > 0;) out += cs[i];
    return core.str(std::move(out));
  }
  case MethodId::m_include_p: core.need(c, 1); return flag(s.find(core.string_argument(c, 0)) != std::string_view::npos);
  case MethodId::m_start_with_p:
    for (const RubyValue& arg : c.args) {
      if (arg.is(RubyKind::Regexp)) {
        RubyValue m = core.matched(arg.regex, s, 0);
        if (!m.is_nil() && m.match->result.groups[0].begin == 0) return flag(true);
        core.last_match = {};
      } else if (!arg.is_string()) {
        core.not_convertible(c, arg, "String");
      } else if (s.starts_with(arg.s->text)) {
        return flag(true);
      }
    }
    return flag(false);
  case MethodId::m_end_with_p:
    for (const RubyValue& arg : c.args) {
      if (!arg.is_string()) core.not_convertible(c, arg, "String");
      if (s.ends_with(arg.s->text)) return flag(true);
    }
    return flag(false);
  case MethodId::m_delete_prefix: {
    core.need(c, 1);
    std::string_view p = core.string_argument(c, 0);
    return core.str(std::string(s.starts_with(p) ? s.substr(p.size()) : s));
  }
  case MethodId::m_delete_suffix: {
    core.need(c, 1);
    std::string_view p = core.string_argument(c, 0);
    return core.str(std::string(s.ends_with(p) ? s.substr(0, s.size() - p.size()) : s));
  }
  case MethodId::m_casecmp_p:
    core.need(c, 1);
    if (!c.args[0].is_string()) return {};
    return flag(downcase(s) == downcase(core.string_argument(c, 0)));
  case MethodId::m_casecmp: {
    core.need(c, 1);
    if (!c.args[0].is_string()) return {};
    std::string a(s), b(core.string_argument(c, 0));
    if (!is_ascii(a) || !is_ascii(b)) core.unknown(c);
    int order = downcase(a).compare(downcase(b));
    return RubyValue::integer(order < 0 ? -1 : order > 0 ? 1 : 0);
  }
  case MethodId::m_ljust:
  case MethodId::m_rjust:
  case MethodId::m_center: {
    core.need(c, 1, 2);
    int64_t width = core.integer_argument(c, 0);
    std::string_view pad = n == 2 ? core.string_argument(c, 1) : " ";
    if (pad.empty() || width > 1'000'000) core.unknown(c);
    int64_t missing = width - static_cast<int64_t>(character_count(s));
    if (missing <= 0) return core.str(std::string(s));
    auto pads = characters_of(pad);
    auto filler = [&](int64_t count) {
      std::string out;
      for (int64_t i = 0; i < count; ++i) out += pads[static_cast<size_t>(i) % pads.size()];
      return out;
    };
    if (c.method == MethodId::m_ljust) return core.str(std::string(s) + filler(missing));
    if (c.method == MethodId::m_rjust) return core.str(filler(missing) + std::string(s));
    return core.str(filler(missing / 2) + std::string(s) + filler(missing - missing / 2));
  }
  case MethodId::Plus:
    core.need(c, 1);
    if (c.args[0].is(RubyKind::Bytes)) {
      if (!is_ascii(s)) core.not_rendered(c.line, "bytes beside a text");
      return core.heap.bytes(std::string(s) + std::string(text_of_bytes(core, c.args[0], c.line)));
    }
    return core.str(std::string(s) + std::string(core.string_argument(c, 0)));
  case MethodId::m_b: core.need(c, 0); return core.heap.bytes(std::string(s));
  case MethodId::m_unpack:
  case MethodId::m_unpack1: return unpack(core, c, s);
  case MethodId::Times: {
    core.need(c, 1);
    int64_t times = core.integer_argument(c, 0);
    if (times < 0 || times * static_cast<int64_t>(s.size()) > 100'000'000) core.unknown(c);
    std::string out;
    for (int64_t i = 0; i < times; ++i) out += s;
    return core.str(std::move(out));
  }
  case MethodId::Percent: {
    core.need(c, 1);
    std::span<const RubyValue> args = c.args;
    if (c.args[0].is_array()) args = c.args[0].a->items;
    return core.str(format(core, c, s, args));
  }
  case MethodId::Less: core.need(c, 1); return flag(core.compare(c.self, c.args[0], c.line) < 0);
  case MethodId::LessEq: core.need(c, 1); return flag(core.compare(c.self, c.args[0], c.line) <= 0);
  case MethodId::Greater: core.need(c, 1); return flag(core.compare(c.self, c.args[0], c.line) > 0);
  case MethodId::GreaterEq: core.need(c, 1); return flag(core.compare(c.self, c.args[0], c.line) >= 0);
  case MethodId::m_between_p:
    core.need(c, 2);
    return flag(core.compare(c.self, c.args[0], c.line) >= 0 && core.compare(c.self, c.args[1], c.line) <= 0);
  case MethodId::UnaryPlus: return c.self.s->frozen ? core.str(std::string(s)) : c.self;
  case MethodId::m_chars:
  case MethodId::m_each_char: {
    core.need(c, 0);
    std::vector<RubyValue> items;
    for (std::string_view ch : characters_of(s)) items.push_back(core.str(std::string(ch)));
    if (c.method == MethodId::m_chars) {
      if (c.block != nullptr) core.unknown(c);
      return core.list(std::move(items));
    }
    if (c.block == nullptr) return make_enumerator(core, c, std::move(items));
    for (const RubyValue& item : items) core.yield(c, item);
    return c.self;
  }
  case MethodId::m_bytes: {
    core.need(c, 0);
    if (c.block != nullptr) core.unknown(c);
    std::vector<RubyValue> items;
    for (char ch : s) items.push_back(RubyValue::integer(static_cast<unsigned char>(ch)));
    return core.list(std::move(items));
  }
  case MethodId::m_lines:
  case MethodId::m_each_line: {
    core.need(c, 0);
    std::vector<RubyValue> items;
    for (size_t i = 0; i < s.size();) {
      size_t end = s.find('\n', i);
      end = end == std::string_view::npos ? s.size() : end + 1;
      items.push_back(core.str(std::string(s.substr(i, end - i))));
      i = end;
    }
    if (c.method == MethodId::m_lines) {
      if (c.block != nullptr) core.unknown(c);
      return core.list(std::move(items));
    }
    if (c.block == nullptr) return make_enumerator(core, c, std::move(items));
    for (const RubyValue& item : items) core.yield(c, item);
    return c.self;
  }
  case MethodId::m_count: {
    core.need(c, 1);
    CharacterSet set(core.string_argument(c, 0));
    size_t found = 0;
    for (char32_t ch : CharacterSet::decode(s)) found += set.contains(ch);
    return number(found);
  }
  case MethodId::m_delete: {
    core.need(c, 1);
    if (s.empty()) return core.str("");
    CharacterSet set(core.string_argument(c, 0));
    std::string out;
    for (char32_t ch : CharacterSet::decode(s))
      if (!set.contains(ch)) append_utf8(out, ch);
    return core.str(std::move(out));
  }
  case MethodId::m_squeeze: {
    core.need(c, 0, 1);
    CharacterSet set(n == 1 ? core.string_argument(c, 0) : "");
    std::string out;
    char32_t last = 0;
    bool first = true;
    for (char32_t ch : CharacterSet::decode(s)) {
      if (first || ch != last || (n == 1 && !set.contains(ch))) append_utf8(out, ch);
      last = ch;
      first = false;
    }
    return core.str(std::move(out));
  }
  case MethodId::m_tr: {
    core.need(c, 2);
    const std::string_view from = core.string_argument(c, 0);
    return core.str(translated(s, from, core.string_argument(c, 1)));
  }
  case MethodId::m_eql_p: core.need(c, 1); return flag(c.args[0].is_string() && c.args[0].s->text == s);
  default: return string_pattern_method(core, c);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// methods that change the string

/// String#<<: a text, or a character by its number.
static void append(Core& core, const MethodCall& c, std::string& text) {
  if (!c.args[0].is_integer()) {
    text += std::string(core.string_argument(c, 0));
    return;
  }
  const int64_t code = c.args[0].i;
  if (code < 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) core.unknown(c);
  append_utf8(text, static_cast<char32_t>(code));
}

RubyValue string_change_method(Core& core, const MethodCall& c) {
  std::string& s = c.self.s->text;
  auto changing = [&](MethodId plain) -> RubyValue {
    core.check_changeable(c);
    RubyValue made = core.call_method({c.self, plain, method_name(plain), c.args, c.block, c.line});
    if (made.s->text == s) return {};
    s = made.s->text;
    return c.self;
  };
  switch (c.method) {
  case MethodId::ShiftLeft:
  case MethodId::m_concat:
    core.need(c, 1);
    core.check_changeable(c);
    append(core, c, s);
    return c.self;
  case MethodId::m_prepend:
    core.need(c, 1);
    core.check_changeable(c);
    s = std::string(core.string_argument(c, 0)) + s;
    return c.self;
  case MethodId::m_replace:
    core.need(c, 1);
    core.check_changeable(c);
    s = std::string(core.string_argument(c, 0));
    return c.self;
  case MethodId::m_clear:
    core.need(c, 0);
    core.check_changeable(c);
    s.clear();
    return c.self;
  case MethodId::m_insert: {
    core.need(c, 2);
    core.check_changeable(c);
    int64_t at = core.integer_argument(c, 0);
    int64_t count = static_cast<int64_t>(character_count(s));
    if (at < 0) at += count + 1;
    if (at < 0 || at > count) core.unknown(c);
    s.insert(byte_offset(s, static_cast<size_t>(at)), core.string_argument(c, 1));
    return c.self;
  }
  case MethodId::m_strip_bang: return changing(MethodId::m_strip);
  case MethodId::m_lstrip_bang: return changing(MethodId::m_lstrip);
  case MethodId::m_rstrip_bang: return changing(MethodId::m_rstrip);
  case MethodId::m_chomp_bang:
    if (s.empty() && !c.self.s->frozen) return {};
    return changing(MethodId::m_chomp);
  case MethodId::m_chop_bang: return changing(MethodId::m_chop);
  case MethodId::m_upcase_bang: return changing(MethodId::m_upcase);
  case MethodId::m_downcase_bang: return changing(MethodId::m_downcase);
  case MethodId::m_capitalize_bang: return changing(MethodId::m_capitalize);
  case MethodId::m_swapcase_bang: return changing(MethodId::m_swapcase);
  case MethodId::m_squeeze_bang: return changing(MethodId::m_squeeze);
  case MethodId::m_delete_bang: return changing(MethodId::m_delete);
  case MethodId::m_tr_bang: {
    const RubyValue changed = changing(MethodId::m_tr);
    if (!changed.is_nil()) return changed;
    // Ruby answers nil only where no character was there to be replaced, not where each was replaced by itself.
    const CharacterSet source(core.string_argument(c, 0));
    const auto characters = CharacterSet::decode(s);
    return std::any_of(characters.begin(), characters.end(), [&](char32_t ch) { return source.contains(ch); }) ? c.self : RubyValue();
  }
  case MethodId::m_delete_prefix_bang: return changing(MethodId::m_delete_prefix);
  case MethodId::m_delete_suffix_bang: return changing(MethodId::m_delete_suffix);
  case MethodId::m_reverse_bang: changing(MethodId::m_reverse); return c.self;
  case MethodId::m_sub_bang:
  case MethodId::m_gsub_bang: {
    core.check_changeable(c);
    bool changed = false;
    std::string made = substitute(core, c, c.method == MethodId::m_gsub_bang, changed);
    if (!changed) return {};
    s = std::move(made);
    return c.self;
  }
  case MethodId::IndexSet: {
    core.need(c, 2);
    core.check_changeable(c);
    if (c.args[0].is(RubyKind::Range) || c.args[0].is(RubyKind::Regexp)) core.unknown(c);
    if (c.args[0].is_string()) {
      size_t at = s.find(c.args[0].s->text);
      if (at == std::string::npos) throw RubyError{c.line, "string not matched", RubyClass::IndexError};
      std::string_view with = core.string_argument(c, 1);
      s.replace(at, c.args[0].s->text.size(), with);
    } else {
      int64_t at = core.integer_argument(c, 0);
      int64_t count = static_cast<int64_t>(character_count(s));
      if (at < 0) at += count;
      if (at < 0 || at >= count) core.unknown(c);
      std::string_view with = core.string_argument(c, 1);
      size_t begin = byte_offset(s, static_cast<size_t>(at));
      s.replace(begin, byte_offset(s, static_cast<size_t>(at) + 1) - begin, with);
    }
    return c.args[1];
  }
  default: core.unknown(c);
  }
}

RubyValue symbol_method(Core& core, const MethodCall& c) {
  switch (c.method) {
  case MethodId::m_to_sym: core.need(c, 0); return c.self;
  case MethodId::m_length:
  case MethodId::m_size:
  case MethodId::m_empty_p:
  case MethodId::m_start_with_p:
  case MethodId::m_end_with_p:
  case MethodId::Index: {
    RubyValue text = core.str(c.self.s->text);
    return string_method(core, {text, c.method, c.name, c.args, c.block, c.line});
  }
  case MethodId::m_upcase:
  case MethodId::m_downcase:
  case MethodId::m_capitalize: {
    RubyValue text = core.str(c.self.s->text);
    return core.heap.symbol(string_method(core, {text, c.method, c.name, c.args, c.block, c.line}).s->text);
  }
  case MethodId::MatchOp: return core.send(core.str(c.self.s->text), MethodId::MatchOp, {c.args[0]}, c.line);
  case MethodId::Less:
  case MethodId::Greater:
    core.need(c, 1);
    if (!c.args[0].is_symbol()) core.unknown(c);
    return RubyValue::boolean(c.method == MethodId::Less ? c.self.text() < c.args[0].text() : c.self.text() > c.args[0].text());
  case MethodId::m_to_proc: {
    RubyProc& proc = core.procs.emplace_back();
    proc.method = find_method(c.self.s->text);
    proc.name = c.self.s->text;
    return RubyValue::of(&proc);
  }
  default: core.unknown(c);
  }
}

} // namespace pupc::compiler::ruby
