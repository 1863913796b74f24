// `new` of String, Regexp, Type, Sensitive, Binary and URI.
#include "catalog/base/text.h"
#include "catalog/value/uri.h"
#include "compiler/conversion/constructor_call.h"
#include "compiler/conversion/string_format.h"

#include <fmt/format.h>
#include <optional>

namespace pupc::compiler {
namespace {

int sextet(char ch) {
  if (ch >= 'A' && ch <= 'Z') return ch - 'A';
  if (ch >= 'a' && ch <= 'z') return ch - 'a' + 26;
  if (ch >= '0' && ch <= '9') return ch - '0' + 52;
  return ch == '+' ? 62 : ch == '/' ? 63 : -1;
}

/// Strict base64: only padded groups of four, and no stray bits after the last byte.
std::optional<std::string> decode_strict(std::string_view s) {
  if (s.size() % 4 != 0) return std::nullopt;
  std::string out;
  for (size_t i = 0; i < s.size(); i += 4) {
    bool last = i + 4 == s.size();
    int a = sextet(s[i]), b = sextet(s[i + 1]), c = sextet(s[i + 2]), d = sextet(s[i + 3]);
    if (a < 0 || b < 0) return std::nullopt;
    out += static_cast<char>(a << 2 | b >> 4);
    if (c < 0) {
      if (!last || s[i + 2] != '=' || s[i + 3] != '=' || (b & 15) != 0) return std::nullopt;
      break;
    }
    out += static_cast<char>(b << 4 | c >> 2);
    if (d < 0) {
      if (!last || s[i + 3] != '=' || (c & 3) != 0) return std::nullopt;
      break;
    }
    out += static_cast<char>(c << 6 | d);
  }
  return out;
}

/// Lenient base64: skips other characters and stops at the padding.
std::string decode_lenient(std::string_view s) {
  std::string out;
  size_t i = 0;
  int group[4];
  while (true) {
    int n = 0;
    while (n < 4) {
      while (i < s.size() && sextet(s[i]) < 0 && (n == 0 || s[i] != '=')) ++i;
      if (i >= s.size() || s[i] == '=') break;
      group[n++] = sextet(s[i++]);
    }
    if (n >= 2) out += static_cast<char>(group[0] << 2 | group[1] >> 4);
    if (n >= 3) out += static_cast<char>(group[1] << 4 | group[2] >> 2);
    if (n == 4) out += static_cast<char>(group[2] << 6 | group[3]);
    if (n < 4) return out;
  }
}

Value binary(const ConstructorCall& c, std::string_view text, std::string_view format) {
  if (format == "%s" || format == "%r") return Value::binary(text);
  if (format == "%b") return Value::binary(c.arena().copy(decode_lenient(text)));
  std::string s(text);
  if (format == "%u") {
    if (!s.ends_with('=') && s.size() % 4 != 0) s.append(4 - s.size() % 4, '=');
    for (char& ch : s) ch = ch == '-' ? '+' : ch == '_' ? '/' : ch;
  }
  auto bytes = decode_strict(s);
  if (!bytes) c.fail("invalid base64");
  return Value::binary(c.arena().copy(*bytes));
}

Value bytes(const ConstructorCall& c, const Value& list) {
  std::string out;
  for (const Value& v : list.items()) out += static_cast<char>(v.i);
  return Value::binary(c.arena().copy(out));
}

} // namespace

namespace constructors {

Value same(const ConstructorCall& c) { return c[0]; }
Value string_from_args(const ConstructorCall& c) {
  return Value::string(c.arena().copy(format_value(c.ctx, c[0], c.args.size() > 1 ? c[1] : Value::default_value())));
}

Value regexp_from_string(const ConstructorCall& c) {
  std::string source = c.optional(1).truthy() ? escape_regex(c[0].str()) : std::string(c[0].str());
  try {
    return Value::of(c.ctx.regexes.get(source));
  } catch (const RegexError& e) { c.fail(fmt::format("{}: /{}/", e.message, source)); }
}

Value type_from_string(const ConstructorCall& c) { return Value::type(parse_type(c.ctx, c[0].str())); }
Value sensitive_from_any(const ConstructorCall& c) { return Value::sensitive(c.arena(), c[0]); }

Value binary_from_string(const ConstructorCall& c) { return binary(c, c[0].str(), c.args.size() > 1 ? c[1].str() : "%B"); }
Value binary_from_array(const ConstructorCall& c) { return bytes(c, c[0]); }
Value binary_from_hash(const ConstructorCall& c) {
  Value v = c.named("value"), format = c.named("format");
  return v.is_list() ? bytes(c, v) : binary(c, v.str(), format.is_string() ? format.str() : "%B");
}

Value uri_from_string(const ConstructorCall& c) { return Value::uri(c.arena().copy(compose_uri(parse_uri(c[0].str())))); }

Value uri_from_hash(const ConstructorCall& c) {
  UriParts parts;
  auto text = [&](std::string_view key, std::optional<std::string>& into) {
    if (Value v = c.named(key); v.is_string()) into = v.str();
  };
  text("scheme", parts.scheme);
  text("userinfo", parts.userinfo);
  text("host", parts.host);
  text("path", parts.path);
  text("query", parts.query);
  text("fragment", parts.fragment);
  text("opaque", parts.opaque);
  if (Value v = c.named("port"); v.is_int()) parts.port = v.i;
  return Value::uri(c.arena().copy(compose_uri(parts)));
}

} // namespace constructors
} // namespace pupc::compiler
