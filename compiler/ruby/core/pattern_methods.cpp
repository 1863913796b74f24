// Methods of strings with patterns, of regular expressions and of matches.
#include "catalog/base/utf8.h"
#include "compiler/ruby/core/methods.h"

#include <fmt/format.h>
#include <map>

#include <algorithm>

namespace pupc::compiler::ruby {

/// The pattern argument of split, sub, index and the like. A string matches literally.
const Regex* Core::pattern(const RubyValue& v, const MethodCall& c) {
  if (v.is(RubyKind::Regexp)) return v.regex;
  if (!v.is_string()) wrong_type(c, v, "wrong argument type {} (expected Regexp)");
  RubyValue quoted = class_method(*this,
                                  {RubyValue::of(RubyClass::Regexp), MethodId::m_escape, "escape", std::span(&v, 1), nullptr, c.line});
  return host.regexes().get(quoted.s->text);
}

RubyValue Core::matched(const Regex* regex, std::string_view text, size_t start) {
  if (!valid_utf8(text)) not_rendered(0, "a match in text that isn't UTF-8");
  MatchResult result = regex->search(text, start);
  if (!result.matched) return last_match = {};
  return last_match = heap.match({std::string(text), std::move(result), regex});
}

/// The character at a byte of the text in which was searched.
static RubyValue place_of(const RubyMatch& m, int byte) {
  if (byte < 0) return {};
  return RubyValue::integer(static_cast<int64_t>(character_count(std::string_view(m.text).substr(0, static_cast<size_t>(byte)))));
}

RubyValue string_pattern_method(Core& core, const MethodCall& c) {
  std::string_view s = c.self.s->text;
  size_t n = c.args.size();
  auto characters = [&](int bytes) {
    return RubyValue::integer(static_cast<int64_t>(character_count(s.substr(0, static_cast<size_t>(bytes)))));
  };
  switch (c.method) {
  case MethodId::MatchOp: {
    core.need(c, 1);
    if (c.args[0].is_string()) core.wrong_type(c, c.args[0], "type mismatch: {} given");
    if (!c.args[0].is(RubyKind::Regexp)) return core.send(c.args[0], MethodId::MatchOp, {c.self}, c.line);
    RubyValue m = core.matched(c.args[0].regex, s, 0);
    return m.is_nil() ? m : place_of(*m.match, m.match->result.groups[0].begin);
  }
  case MethodId::m_match: {
    core.need(c, 1, 2);
    const Regex* regex = nullptr;
    if (c.args[0].is_string()) {
      try {
        regex = core.host.regexes().get(c.args[0].s->text);
      } catch (const RegexError& error) { core.not_rendered(c.line, fmt::format("a regular expression: {}", error.message)); }
    } else {
      regex = core.pattern(c.args[0], c);
    }
    const int64_t from = n > 1 ? core.integer_argument(c, 1) : 0; // after the pattern: its error comes first
    if (from < 0 || from > static_cast<int64_t>(s.size()) || (n > 1 && !is_ascii(s))) core.unknown(c);
    RubyValue m = core.matched(regex, s, static_cast<size_t>(from));
    return m.is_nil() || c.block == nullptr ? m : core.yield(c, m);
  }
  case MethodId::m_match_p: {
    core.need(c, 1);
    if (!c.args[0].is(RubyKind::Regexp)) core.unknown(c);
    return RubyValue::boolean(c.args[0].regex->matches(s));
  }
  case MethodId::m_index: {
    core.need(c, 1, 2);
    int64_t from = n == 2 ? core.integer_argument(c, 1) : 0;
    if (!c.args[0].is_string() && !c.args[0].is(RubyKind::Regexp)) core.not_convertible(c, c.args[0], "String");
    if (from < 0) from += static_cast<int64_t>(character_count(s));
    if (from < 0 || from > static_cast<int64_t>(character_count(s))) return {};
    size_t start = byte_offset(s, static_cast<size_t>(from));
    if (c.args[0].is_string()) {
      size_t at = s.find(c.args[0].s->text, start);
      return at == std::string_view::npos ? RubyValue() : characters(static_cast<int>(at));
    }
    RubyValue m = core.matched(c.args[0].regex, s, start);
    return m.is_nil() ? m : characters(m.match->result.groups[0].begin);
  }
  case MethodId::m_rindex: {
    core.need(c, 1);
    if (c.args[0].is(RubyKind::Regexp)) core.unknown(c);
    size_t at = s.rfind(core.string_argument(c, 0));
    return at == std::string_view::npos ? RubyValue() : characters(static_cast<int>(at));
  }
  case MethodId::m_partition: {
    core.need(c, 1);
    size_t begin = 0, end = 0;
    if (c.args[0].is_string()) {
      begin = s.find(c.args[0].s->text);
      end = begin + c.args[0].s->text.size();
    } else {
      RubyValue m = core.matched(core.pattern(c.args[0], c), s, 0);
      begin = m.is_nil() ? std::string_view::npos : static_cast<size_t>(m.match->result.groups[0].begin);
      if (!m.is_nil()) end = static_cast<size_t>(m.match->result.groups[0].end);
    }
    if (begin == std::string_view::npos) return core.list({core.str(std::string(s)), core.str(""), core.str("")});
    return core.list({core.str(std::string(s.substr(0, begin))), core.str(std::string(s.substr(begin, end - begin))),
                      core.str(std::string(s.substr(end)))});
  }
  case MethodId::m_rpartition: {
    core.need(c, 1);
    if (c.args[0].is(RubyKind::Regexp)) core.unknown(c);
    core.pattern(c.args[0], c);
    std::string_view sep = core.string_argument(c, 0);
    size_t at = s.rfind(sep);
    if (at == std::string_view::npos) return core.list({core.str(""), core.str(""), core.str(std::string(s))});
    return core.list(
        {core.str(std::string(s.substr(0, at))), core.str(std::string(sep)), core.str(std::string(s.substr(at + sep.size())))});
  }
  case MethodId::m_scan: {
    core.need(c, 1);
    const Regex* regex = core.pattern(c.args[0], c);
    std::vector<RubyValue> found;
    for (size_t start = 0; start <= s.size();) {
      RubyValue m = core.matched(regex, s, start);
      if (m.is_nil()) break;
      const auto& groups = m.match->result.groups;
      RubyValue item;
      auto text = [&](const MatchResult::Range& r) {
        return r.begin < 0 ? RubyValue()
                           : core.str(std::string(s.substr(static_cast<size_t>(r.begin), static_cast<size_t>(r.end - r.begin))));
      };
      if (groups.size() == 1) {
        item = text(groups[0]);
      } else {
        std::vector<RubyValue> parts;
        for (size_t i = 1; i < groups.size(); ++i) parts.push_back(text(groups[i]));
        item = core.list(std::move(parts));
      }
      size_t end = static_cast<size_t>(groups[0].end);
      start = groups[0].begin == groups[0].end ? end + std::max<size_t>(1, byte_offset(s.substr(end), 1)) : end;
      if (c.block != nullptr)
        core.yield(c, item);
      else
        found.push_back(item);
    }
    return c.block != nullptr ? c.self : core.list(std::move(found));
  }
  case MethodId::m_split: {
    core.need(c, 0, 2);
    if (c.block != nullptr) core.unknown(c);
    std::vector<RubyValue> items;
    for (std::string& part : split(core, s, c)) items.push_back(core.str(std::move(part)));
    return core.list(std::move(items));
  }
  case MethodId::m_sub:
  case MethodId::m_gsub: {
    bool changed = false;
    return core.str(substitute(core, c, c.method == MethodId::m_gsub, changed));
  }
  case MethodId::Index:
  case MethodId::m_slice: return string_element(core, c);
  default: return string_change_method(core, c);
  }
}

std::vector<std::string> split(Core& core, std::string_view s, const MethodCall& c) {
  std::vector<std::string> out;
  int64_t limit = c.args.size() > 1 ? core.integer_argument(c, 1) : 0;
  if (limit == 1) return s.empty() ? std::vector<std::string>() : std::vector<std::string>{std::string(s)};
  if (!c.args.empty() && !c.args[0].is_nil() && !c.args[0].is_string()) core.pattern(c.args[0], c);
  auto full = [&] { return limit > 0 && static_cast<int64_t>(out.size()) + 1 >= limit; };
  if (s.empty()) return out;
  bool awk = c.args.empty() || c.args[0].is_nil() || (c.args[0].is_string() && c.args[0].s->text == " ");
  auto is_space = [](char ch) { return ch == ' ' || (ch >= '\t' && ch <= '\r') || ch == '\0'; };
  if (awk) {
    size_t i = 0;
    bool tail = false;
    for (;;) {
      while (i < s.size() && is_space(s[i])) ++i;
      if (i >= s.size()) {
        tail = !s.empty() && is_space(s.back());
        break;
      }
      if (full()) {
        out.emplace_back(s.substr(i));
        return out;
      }
      size_t begin = i;
      while (i < s.size() && !is_space(s[i])) ++i;
      out.emplace_back(s.substr(begin, i - begin));
    }
    if (limit != 0 && tail) out.emplace_back();
    return out;
  }
  if (c.args[0].is_string() && c.args[0].s->text.empty()) {
    for (std::string_view ch : characters_of(s)) {
      if (full()) {
        out.emplace_back(s.substr(static_cast<size_t>(ch.data() - s.data())));
        return out;
      }
      out.emplace_back(ch);
    }
    if (limit < 0) out.emplace_back();
    return out;
  }
  if (c.args[0].is_string()) {
    const std::string& sep = c.args[0].s->text;
    size_t i = 0;
    for (size_t at; !full() && (at = s.find(sep, i)) != std::string_view::npos; i = at + sep.size()) out.emplace_back(s.substr(i, at - i));
    out.emplace_back(s.substr(i));
  } else {
    const Regex* regex = core.pattern(c.args[0], c);
    size_t begin = 0; // where the current field begins
    size_t start = 0; // where the next search begins
    bool after_empty = false;
    int64_t fields = 1;
    bool limited = false;
    while (start <= s.size()) {
      MatchResult m = regex->search(s, start);
      if (!m.matched) break;
      size_t at = static_cast<size_t>(m.groups[0].begin), end = static_cast<size_t>(m.groups[0].end);
      if (start == at && at == end) {
        if (!after_empty) { // an empty match only splits after at least one character
          start += std::max<size_t>(1, byte_offset(s.substr(start), 1));
          after_empty = true;
          continue;
        }
        out.emplace_back(s.substr(begin, byte_offset(s.substr(begin), 1)));
        begin = start;
      } else {
        out.emplace_back(s.substr(begin, at - begin));
        begin = start = end;
      }
      after_empty = false;
      for (size_t g = 1; g < m.groups.size(); ++g)
        if (m.groups[g].begin >= 0)
          out.emplace_back(s.substr(static_cast<size_t>(m.groups[g].begin), static_cast<size_t>(m.groups[g].end - m.groups[g].begin)));
      if (limit > 0 && limit <= ++fields) {
        limited = true;
        break;
      }
    }
    if (begin < s.size() || limit != 0 || limited) out.emplace_back(s.substr(begin));
  }
  if (limit == 0)
    while (!out.empty() && out.back().empty()) out.pop_back();
  return out;
}

static std::string expand_replacement(Core& core, std::string_view with, std::string_view text, const MatchResult& match,
                                      const Regex& regex) {
  std::string out;
  auto group = [&](size_t i) {
    if (i < match.groups.size() && match.groups[i].begin >= 0)
      out += text.substr(static_cast<size_t>(match.groups[i].begin), static_cast<size_t>(match.groups[i].end - match.groups[i].begin));
  };
  for (size_t i = 0; i < with.size(); ++i) {
    if (with[i] != '\\' || i + 1 >= with.size()) {
      out += with[i];
      continue;
    }
    char c = with[++i];
    if (c >= '0' && c <= '9') {
      group(static_cast<size_t>(c - '0'));
    } else if (c == '&') {
      group(0);
    } else if (c == '`') {
      out += text.substr(0, static_cast<size_t>(match.groups[0].begin));
    } else if (c == '\'') {
      out += text.substr(static_cast<size_t>(match.groups[0].end));
    } else if (c == '\\') {
      out += '\\';
    } else if (c == 'k' && i + 1 < with.size() && with[i + 1] == '<') {
      size_t end = with.find('>', i);
      std::string_view name = end == std::string_view::npos ? std::string_view() : with.substr(i + 2, end - i - 2);
      bool known = false;
      for (const auto& [group_name, number] : regex.names())
        if (group_name == name) {
          group(static_cast<size_t>(number));
          known = true;
        }
      if (!known) core.not_rendered(0, "a replacement with \\k");
      i = end;
    } else if (c == '+') {
      core.not_rendered(0, "a replacement with \\+");
    } else {
      out += '\\';
      out += c;
    }
  }
  return out;
}

std::string substitute(Core& core, const MethodCall& c, bool global, bool& changed) {
  std::string s = c.self.s->text;
  core.need(c, 1, 2);
  if (c.args.size() == 1 && c.block == nullptr) core.unknown(c);
  const RubyValue* with = c.args.size() == 2 ? &c.args[1] : nullptr;
  if (with != nullptr && !with->is_string() && !with->is_hash()) core.not_convertible(c, *with, "String");
  const Regex* regex = core.pattern(c.args[0], c);
  std::string out;
  size_t copied = 0;
  RubyValue last;
  for (size_t start = 0; start <= s.size();) {
    RubyValue found = core.matched(regex, s, start);
    if (found.is_nil()) break;
    last = found;
    changed = true;
    size_t begin = static_cast<size_t>(found.match->result.groups[0].begin), end = static_cast<size_t>(found.match->result.groups[0].end);
    out.append(s, copied, begin - copied);
    if (with == nullptr) {
      out += core.to_s(core.yield(c, core.str(s.substr(begin, end - begin))), c.line);
    } else if (with->is_hash()) {
      RubyValue key = core.str(s.substr(begin, end - begin));
      out += core.to_s(core.send(*with, MethodId::Index, {key}, c.line), c.line);
    } else {
      out += expand_replacement(core, with->s->text, s, found.match->result, *regex);
    }
    copied = end;
    if (begin == end) {
      size_t next = end + std::max<size_t>(1, byte_offset(std::string_view(s).substr(end), 1));
      if (end < s.size()) out.append(s, end, next - end);
      copied = std::min(next, s.size());
      start = next;
    } else {
      start = end;
    }
    if (!global) break;
  }
  core.last_match = last;
  if (copied < s.size()) out.append(s, copied, std::string::npos);
  return out;
}

RubyValue string_element(Core& core, const MethodCall& c) {
  std::string_view s = c.self.s->text;
  core.need(c, 1, 2);
  int64_t count = static_cast<int64_t>(character_count(s));
  auto part = [&](int64_t from, int64_t length) -> RubyValue {
    if (from < 0) from += count;
    if (from < 0 || from > count || length < 0) return {};
    length = std::min(length, count - from);
    size_t begin = byte_offset(s, static_cast<size_t>(from));
    return core.str(std::string(s.substr(begin, byte_offset(s.substr(begin), static_cast<size_t>(length)))));
  };
  const RubyValue& index = c.args[0];
  if (index.is_integer() || index.is(RubyKind::Float)) {
    if (c.args.size() == 2) {
      const int64_t from = core.integer_argument(c, 0);
      return part(from, core.integer_argument(c, 1));
    }
    int64_t i = core.integer_argument(c, 0);
    if (i < 0) i += count;
    return i < 0 || i >= count ? RubyValue() : part(i, 1);
  }
  if (index.is_string()) {
    core.need(c, 1);
    return s.find(index.s->text) == std::string_view::npos ? RubyValue() : core.str(index.s->text);
  }
  if (index.is(RubyKind::Range)) {
    core.need(c, 1);
    const RubyRange& r = *index.r;
    if (!r.first.is_integer() || !(r.last.is_integer() || r.last.is_nil())) core.unknown(c);
    int64_t from = r.first.i < 0 ? r.first.i + count : r.first.i;
    int64_t last = r.last.is_nil() ? -1 : r.last.i;
    if (last < 0) last += count;
    if (from < 0 || from > count) return {};
    return part(from, std::max<int64_t>(0, last - from + (r.exclusive && !r.last.is_nil() ? 0 : 1)));
  }
  if (index.is(RubyKind::Regexp)) {
    RubyValue m = core.matched(index.regex, s, 0);
    if (m.is_nil()) return m;
    RubyValue group = c.args.size() == 2 ? c.args[1] : RubyValue::integer(0);
    return core.send(m, MethodId::Index, {group}, c.line);
  }
  core.not_convertible(c, index, "Integer");
}

RubyValue regexp_method(Core& core, const MethodCall& c) {
  switch (c.method) {
  case MethodId::MatchOp: {
    core.need(c, 1);
    if (c.args[0].is_nil()) return core.last_match = {};
    if (!c.args[0].is_string() && !c.args[0].is_symbol()) core.not_convertible(c, c.args[0], "String");
    const RubyValue m = core.matched(c.self.regex, c.args[0].text(), 0);
    return m.is_nil() ? m : place_of(*m.match, m.match->result.groups[0].begin);
  }
  case MethodId::m_match:
    core.need(c, 1);
    if (c.args[0].is_nil()) return core.last_match = {};
    {
      const RubyValue m = core.matched(c.self.regex, c.args[0].is_symbol() ? c.args[0].text() : core.string_argument(c, 0), 0);
      return m.is_nil() || c.block == nullptr ? m : core.yield(c, m);
    }
  case MethodId::m_match_p:
    core.need(c, 1);
    if (c.args[0].is_nil()) return RubyValue::boolean(false);
    return RubyValue::boolean(c.self.regex->matches(c.args[0].is_symbol() ? c.args[0].text() : core.string_argument(c, 0)));
  case MethodId::m_source: core.need(c, 0); return core.str(std::string(c.self.regex->source()));
  default: core.unknown(c);
  }
}

/// The number of the group that a name stands for.
static size_t named_group(const RubyMatch& m, const MethodCall& c) {
  for (const auto& [name, number] : m.regex->names())
    if (name == c.args[0].text()) return static_cast<size_t>(number);
  throw RubyError{c.line, fmt::format("undefined group name reference: {}", c.args[0].text()), RubyClass::IndexError};
}

RubyValue match_method(Core& core, const MethodCall& c) {
  const RubyMatch& m = *c.self.match;
  switch (c.method) {
  case MethodId::Index: {
    core.need(c, 1, 2);
    if ((c.args.size() == 2 && !c.args[1].is_nil()) || c.args[0].is(RubyKind::Range)) // as of the list of all groups
      return core.call_method({core.send(c.self, MethodId::m_to_a, {}, c.line), MethodId::Index, "[]", c.args, nullptr, c.line});
    if (c.args[0].is_string() || c.args[0].is_symbol()) return core.group_text(m, named_group(m, c));
    int64_t i = core.integer_argument(c, 0);
    if (i < 0) i += static_cast<int64_t>(m.result.groups.size());
    if (i < 0) return {};
    return core.group_text(m, static_cast<size_t>(i));
  }
  case MethodId::m_begin:
  case MethodId::m_end: {
    core.need(c, 1);
    const bool named = c.args[0].is_string() || c.args[0].is_symbol();
    const int64_t group = named ? static_cast<int64_t>(named_group(m, c)) : core.integer_argument(c, 0);
    if (group < 0 || group >= static_cast<int64_t>(m.result.groups.size()))
      throw RubyError{c.line, fmt::format("index {} out of matches", group), RubyClass::IndexError};
    const MatchResult::Range& range = m.result.groups[static_cast<size_t>(group)];
    return place_of(m, c.method == MethodId::m_begin ? range.begin : range.end);
  }
  case MethodId::m_captures:
  case MethodId::m_to_a: {
    core.need(c, 0);
    std::vector<RubyValue> items;
    for (size_t i = c.method == MethodId::m_to_a ? 0 : 1; i < m.result.groups.size(); ++i) items.push_back(core.group_text(m, i));
    return core.list(std::move(items));
  }
  case MethodId::m_names:
  case MethodId::m_named_captures: {
    core.need(c, 0);
    if (m.regex->names().size() + 1 < m.result.groups.size()) core.unknown(c); // several groups of a name
    std::map<int, std::string_view> by_number;
    for (const auto& [name, number] : m.regex->names()) by_number[number] = name;
    const RubyValue named = core.heap.hash();
    for (const auto& [number, name] : by_number) {
      RubyValue key = core.str(std::string(name));
      key.s->frozen = true;
      named.h->set(key, core.group_text(m, static_cast<size_t>(number)));
    }
    if (c.method == MethodId::m_named_captures) return named;
    std::vector<RubyValue> names;
    for (const auto& entry : named.h->entries()) names.push_back(core.str(entry.first.s->text));
    return core.list(std::move(names));
  }
  case MethodId::m_pre_match: core.need(c, 0); return core.str(m.text.substr(0, static_cast<size_t>(m.result.groups[0].begin)));
  case MethodId::m_post_match: core.need(c, 0); return core.str(m.text.substr(static_cast<size_t>(m.result.groups[0].end)));
  default: core.unknown(c);
  }
}

} // namespace pupc::compiler::ruby
