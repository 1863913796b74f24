#include "compiler/function/regex_text.h"

namespace pupc::compiler {
namespace {

size_t character_length(std::string_view s, size_t at) {
  auto c = static_cast<unsigned char>(s[at]);
  size_t n = c < 0x80 ? 1 : c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;
  return std::min(n, s.size() - at);
}

std::string_view group_text(std::string_view text, const MatchResult& m, size_t group) {
  if (group >= m.groups.size() || m.groups[group].begin < 0) return {};
  return text.substr(static_cast<size_t>(m.groups[group].begin), static_cast<size_t>(m.groups[group].end - m.groups[group].begin));
}

void append_replacement(std::string& out, std::string_view text, const MatchResult& m, const Regex& pattern, std::string_view r) {
  for (size_t i = 0; i < r.size(); ++i) {
    if (r[i] != '\\' || i + 1 >= r.size()) {
      out += r[i];
      continue;
    }
    char c = r[++i];
    if (c >= '0' && c <= '9') {
      out += group_text(text, m, static_cast<size_t>(c - '0'));
    } else if (c == '&') {
      out += group_text(text, m, 0);
    } else if (c == '`') {
      out += text.substr(0, static_cast<size_t>(m.groups[0].begin));
    } else if (c == '\'') {
      out += text.substr(static_cast<size_t>(m.groups[0].end));
    } else if (c == '\\') {
      out += '\\';
    } else if (c == 'k' && i + 1 < r.size() && r[i + 1] == '<' && r.find('>', i) != std::string_view::npos) {
      size_t close = r.find('>', i);
      std::string_view name = r.substr(i + 2, close - i - 2);
      for (const auto& [known, number] : pattern.names())
        if (known == name) out += group_text(text, m, static_cast<size_t>(number));
      i = close;
    } else {
      out += '\\';
      out += c;
    }
  }
}

template <class Replace> std::string replaced(std::string_view text, const Regex& pattern, bool global, Replace replace) {
  std::string out;
  size_t at = 0;    // first byte not copied yet
  size_t start = 0; // where the next search starts
  while (start <= text.size()) {
    MatchResult m = pattern.search(text, start);
    if (!m.matched) break;
    auto begin = static_cast<size_t>(m.groups[0].begin), end = static_cast<size_t>(m.groups[0].end);
    out += text.substr(at, begin - at);
    replace(out, m);
    at = end;
    if (!global) break;
    if (end > begin) {
      start = end;
    } else { // an empty match: copy one character and step over it
      if (end >= text.size()) break;
      size_t n = character_length(text, end);
      out += text.substr(end, n);
      at = start = end + n;
    }
  }
  out += text.substr(std::min(at, text.size()));
  return out;
}

} // namespace

std::vector<std::string_view> split_text(std::string_view text, const Regex& pattern) {
  std::vector<std::string_view> out;
  if (text.empty()) return out;
  size_t field = 0;         // where the current field starts
  size_t start = 0;         // where the next search starts
  bool after_empty = false; // the previous match was empty, so the search started one character further on
  while (start <= text.size()) {
    MatchResult m = pattern.search(text, start);
    if (!m.matched) break;
    auto begin = static_cast<size_t>(m.groups[0].begin), end = static_cast<size_t>(m.groups[0].end);
    if (begin == start && begin == end) {
      if (!after_empty) {
        start += start == text.size() ? 1 : character_length(text, start);
        after_empty = true;
        continue;
      }
      out.push_back(text.substr(field, start - field));
      field = start;
    } else {
      out.push_back(text.substr(field, begin - field));
      field = start = end;
    }
    after_empty = false;
    for (size_t g = 1; g < m.groups.size(); ++g)
      if (m.groups[g].begin >= 0) out.push_back(group_text(text, m, g));
  }
  if (text.size() > field) out.push_back(text.substr(field));
  while (!out.empty() && out.back().empty()) out.pop_back();
  return out;
}

std::string substitute(std::string_view text, const Regex& pattern, std::string_view replacement, bool global) {
  return replaced(text, pattern, global,
                  [&](std::string& out, const MatchResult& m) { append_replacement(out, text, m, pattern, replacement); });
}

std::string substitute(std::string_view text, const Regex& pattern, const Hash& replacements, bool global) {
  return replaced(text, pattern, global, [&](std::string& out, const MatchResult& m) {
    if (const Value* v = replacements.find(group_text(text, m, 0)); v != nullptr && v->is_string()) out += v->str();
  });
}

} // namespace pupc::compiler
