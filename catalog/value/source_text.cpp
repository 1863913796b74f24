#include "catalog/value/source_text.h"

#include <fmt/format.h>

namespace pupc::catalog {

std::string to_double_quoted(std::string_view s) {
  std::string out = "\"";
  for (char ch : s) {
    switch (ch) {
    case '\t': out += "\\t"; break;
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '"': out += "\\\""; break;
    case '$': out += "\\$"; break;
    case '\\': out += "\\\\"; break;
    default:
      if (static_cast<unsigned char>(ch) < 0x20)
        out += fmt::format("\\u{{{:X}}}", static_cast<unsigned>(ch));
      else
        out += ch;
    }
  }
  return out + "\"";
}

std::string to_puppet_quoted(std::string_view s) {
  std::string out = "'";
  bool backslash = false;
  for (char ch : s) {
    if (static_cast<unsigned char>(ch) < 0x20) return to_double_quoted(s);
    if (backslash) {
      out += '\\';
      out += ch;
      backslash = false;
    } else if (ch == '\'') {
      out += "\\'";
    } else if (ch == '\\') {
      backslash = true;
    } else {
      out += ch;
    }
  }
  if (backslash) out += '\\'; // Puppet does not double it either, although it then escapes the closing quote
  return out + "'";
}

std::string regex_source(const Regex& r) {
  std::string on, off;
  auto option = [&](bool set, char letter) { (set ? on : off) += letter; };
  option(r.ignore_case(), 'i');
  option(r.multi_line(), 'm');
  option(r.extended(), 'x');
  if (on.empty()) return std::string(r.source());
  return "(?" + on + (off.empty() ? "" : "-" + off) + ":" + std::string(r.source()) + ")";
}

std::string regex_literal(const Regex& r) {
  std::string source = regex_source(r), out = "/";
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\\' && i + 1 < source.size()) {
      out += source[i++];
      out += source[i];
    } else if (source[i] == '/') {
      out += "\\/";
    } else {
      out += source[i];
    }
  }
  return out + "/";
}

std::string regex_text(const Regex& r) {
  if (!r.ignore_case() && !r.multi_line() && !r.extended()) return std::string(r.source());
  std::string on, off;
  (r.ignore_case() ? on : off) += 'i';
  (r.multi_line() ? on : off) += 'm';
  (r.extended() ? on : off) += 'x';
  return fmt::format("(?{}{}{}:{})", on, off.empty() ? "" : "-", off, r.source());
}

std::string ruby_regex_to_s(const Regex& r) {
  bool options[] = {r.multi_line(), r.ignore_case(), r.extended()};
  constexpr std::string_view letters = "mix";
  std::string_view source = r.source();
  while (source.size() >= 4 && source.starts_with("(?")) {
    bool own[] = {options[0], options[1], options[2]};
    size_t i = 2;
    bool on = true;
    for (; i < source.size(); ++i) {
      if (source[i] == '-' && on) {
        on = false;
        continue;
      }
      size_t letter = letters.find(source[i]);
      if (letter == std::string_view::npos) break;
      own[letter] = on;
    }
    if (i >= source.size() || (source[i] != ':' && source[i] != ')')) break;
    if (source[i] == ')') { // the options apply to the rest of the pattern
      std::copy(own, own + 3, options);
      source = source.substr(i + 1);
      continue;
    }
    if (source.back() != ')') break;
    std::string_view inner = source.substr(i + 1, source.size() - i - 2);
    try {
      Regex whole{std::string(inner)};
    } catch (const RegexError&) {
      break; // the group does not span the whole pattern
    }
    std::copy(own, own + 3, options);
    source = inner;
    break;
  }
  std::string on, off;
  for (size_t i = 0; i < 3; ++i) (options[i] ? on : off) += letters[i];
  return fmt::format("(?{}{}{}:{})", on, off.empty() ? "" : "-", off, source);
}

} // namespace pupc::catalog
