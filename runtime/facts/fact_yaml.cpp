#include "runtime/facts/fact_yaml.h"

#include "catalog/value/number_format.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

namespace pupc::runtime {
namespace {

bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view p) { return text.find(p) != std::string_view::npos; });
}

/// Puppet's own rule, which quotes texts with certain letters or a colon.
bool needs_quotes(std::string_view text) {
  if (contains_any(text, {"true", "false"})) return false;
  if (!text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return isdigit(c); })) return false;
  if (contains_any(text, {"y", "Y", "n", "N", "True", "TRUE", "False", "FALSE", "on", "On", "ON", "off", "Off", "OFF", ":"})) return true;
  if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return isalpha(c); })) return false;
  for (size_t dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.', dot + 1))
    if (dot > 0 && dot + 1 < text.size() && isdigit(static_cast<unsigned char>(text[dot - 1])) &&
        isdigit(static_cast<unsigned char>(text[dot + 1])))
      return false;
  return true;
}

void double_quoted(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\n': out += "\\n"; break;
    case '\t': out += "\\t"; break;
    case '\r': out += "\\r"; break;
    default:
      if (static_cast<unsigned char>(c) < 0x20) {
        char escape[8];
        snprintf(escape, sizeof escape, "\\x%02X", static_cast<unsigned>(c));
        out += escape;
      } else {
        out += c;
      }
    }
  }
  out += '"';
}

/// Whether YAML would read the unquoted text as a number, boolean or null.
bool ambiguous(std::string_view text) {
  static constexpr std::string_view words[] = {"null", "Null", "NULL", "~", "no", "off", "true", "false"};
  if (std::find(std::begin(words), std::end(words), text) != std::end(words)) return true;
  if (text.starts_with("0x") && std::all_of(text.begin() + 2, text.end(), [](unsigned char c) { return isxdigit(c); })) return true;
  const bool number = std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return isdigit(c) || std::string_view(".,_+-eE").find(static_cast<char>(c)) != std::string_view::npos;
  });
  // A text with more than one point is a version or an address, not a number.
  return number && isdigit(static_cast<unsigned char>(text[0])) && std::count(text.begin(), text.end(), '.') < 2;
}

/// Whether Psych quotes the text: it begins with punctuation or contains YAML syntax.
bool punctuated(std::string_view text) {
  const unsigned char first = static_cast<unsigned char>(text[0]);
  return (!isalnum(first) && first != '_' && first < 0x80) || contains_any(text, {": ", " #"}) || text.back() == ' ';
}

void scalar(const Value& v, std::string& out) {
  switch (v.kind) {
  case Kind::Bool: out += v.b ? "true" : "false"; return;
  case Kind::Int: out += std::to_string(v.i); return;
  case Kind::Float: out += format_float(v.d); return;
  case Kind::String: {
    const std::string_view text = v.str();
    if (text.empty() || needs_quotes(text) || punctuated(text) || text.find('\n') != std::string_view::npos)
      return double_quoted(text, out);
    if (!ambiguous(text)) {
      out += text;
      return;
    }
    out += '\'';
    for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
    out += '\'';
    return;
  }
  default: out += "\"\""; // Puppet prints a missing fact as ""
  }
}

void node(const Value& v, int depth, bool in_list, std::string& out) {
  if (v.is_hash() && v.hash->size) {
    bool first = true;
    for (const HashEntry& e : v.hash->entries()) {
      if (!(first && in_list)) out.append(static_cast<size_t>(depth) * 2, ' ');
      first = false;
      out += e.key.str();
      out += ':';
      const bool list = e.value.is_list() && e.value.list->size, hash = e.value.is_hash() && e.value.hash->size;
      out += list || hash ? "\n" : " ";
      // A list has the same indentation as its key.
      node(e.value, list ? depth : depth + 1, false, out);
    }
  } else if (v.is_list() && v.list->size) {
    for (const Value& item : v.items()) {
      out.append(static_cast<size_t>(depth) * 2, ' ');
      out += "- ";
      node(item, depth + 1, true, out);
    }
  } else {
    if (v.is_hash())
      out += "{}";
    else if (v.is_list())
      out += "[]";
    else
      scalar(v, out);
    out += '\n';
  }
}

} // namespace

void write_fact_yaml(const Value& facts, std::string& out) {
  if (facts.is_hash() && !facts.hash->size) {
    out += "{}\n";
    return;
  }
  node(facts, 0, false, out);
}

} // namespace pupc::runtime
