#include "compiler/types/value_text.h"

#include "catalog/base/stack.h"
#include "catalog/value/number_format.h"
#include "catalog/value/semver.h"
#include "catalog/value/time_format.h"
#include "compiler/types/core_types.h"
#include "compiler/types/iterator.h"

#include <cstdio>
#include <fmt/format.h>

namespace pupc {

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

namespace {

/// Program: as source code. Display: as string interpolation prints it, also inside arrays and hashes.
enum class Style : uint8_t { Display, Program };

void append_text(std::string& out, const Value& v, Style style) {
  check_native_stack();
  bool program = style == Style::Program;
  switch (v.kind) {
  case Kind::Undef:
    if (program) out += "undef";
    break;
  case Kind::Default: out += "default"; break;
  case Kind::Bool: out += v.b ? "true" : "false"; break;
  case Kind::Int: out += std::to_string(v.i); break;
  case Kind::Float: out += format_float(v.d); break;
  case Kind::String:
    if (program)
      out += to_puppet_quoted(v.str());
    else
      out += v.str();
    break;
  case Kind::Regex: out += regex_literal(*v.regex); break;
  case Kind::List: {
    out += '[';
    bool first = true;
    for (const Value& item : v.items()) {
      if (!first) out += ", ";
      first = false;
      append_text(out, item, style);
    }
    out += ']';
    break;
  }
  case Kind::Hash: {
    out += '{';
    bool first = true;
    for (const auto& e : v.hash->entries()) {
      if (!first) out += ", ";
      first = false;
      append_text(out, e.key, style);
      out += " => ";
      append_text(out, e.value, style);
    }
    out += '}';
    break;
  }
  case Kind::Type: out += v.opaque->to_string(); break;
  case Kind::Ref:
    out += v.ref->type;
    out += '[';
    out += to_puppet_quoted(v.ref->title);
    out += ']';
    break;
  case Kind::Sensitive: out += program ? "#<Sensitive [value redacted]>" : "Sensitive [value redacted]"; break;
  case Kind::Deferred: append_literal(out, v); break;
  case Kind::Timestamp: out += program ? "Timestamp('" + format_timestamp(v.i) + "')" : format_timestamp(v.i); break;
  case Kind::Timespan: out += program ? "Timespan('" + format_timespan(v.i) + "')" : format_timespan(v.i); break;
  case Kind::SemVer: out += to_string(*v.semver); break;
  case Kind::SemVerRange: out += program ? comparators_of(*v.semver_range) : std::string(v.semver_range->text); break;
  case Kind::Binary: out += program ? "Binary(\"" + base64_encode(v.str()) + "\")" : base64_encode(v.str()); break;
  case Kind::Uri:
    if (program)
      append_literal(out, v);
    else
      out += v.str();
    break;
  case Kind::Object:
  case Kind::Iterator:
  case Kind::Callable: out += v.opaque->to_string(); break;
  }
}

} // namespace

std::string to_display_string(TypeContext&, const Value& v) {
  std::string out;
  append_text(out, v, Style::Display);
  return out;
}

std::string to_program_string(TypeContext&, const Value& v) {
  std::string out;
  append_text(out, v, Style::Program);
  return out;
}

std::string IteratorValue::to_string() const {
  if (element_type == nullptr) return "Iterator-Value";
  return "Iterator[" + (shown_type != nullptr ? shown_type : element_type)->to_string() + "]-Value";
}
Value IteratorValue::to_rich_data(Arena& arena) const { return Value::string(arena.copy(to_string())); }

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

} // namespace pupc
