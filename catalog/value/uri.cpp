#include "catalog/value/uri.h"

#include "catalog/base/diagnostic.h"
#include "catalog/value/conversion_error.h"
#include "catalog/value/regex.h"

#include <charconv>
#include <fmt/format.h>

namespace pupc::catalog {
namespace {

// The building blocks of both patterns. Code reads their groups by number; the absolute pattern has the scheme first.
constexpr const char* user = "((?:%\\h\\h|[!$&-.0-;=A-Z_a-z~])*)";
constexpr const char* host = "(\\[[0-9a-fA-F:.vV]+[!$&-.0-;=A-Z_a-z~:]*\\]|(?:%\\h\\h|[!$&-.0-9;=A-Z_a-z~])+)?";
constexpr const char* segment = "(?:%\\h\\h|[!$&-.0-;=@-Z_a-z~])";
constexpr const char* tail = "(?:\\?([^#]*))?(?:#((?:%\\h\\h|[!$&-.0-;=@-Z_a-z~/?])*))?\\z";

std::string authority() { return fmt::format("//(?:{}@)?{}(?::(\\d*))?((?:/{}*)*)", user, host, segment); }

const Regex& absolute() {
  static const Regex r(
      fmt::format("\\A([A-Za-z][+\\-.0-9A-Za-z]*):(?:{0}|(/(?:{1}+(?:/{1}*)*)?)|({1}+(?:/{1}*)*)|){2}", authority(), segment, tail));
  return r;
}
const Regex& relative() {
  static const Regex r(
      fmt::format("\\A()(?:{0}|(/(?:{1}+(?:/{1}*)*)?)|((?:%\\h\\h|[!$&-.0-9;=@-Z_a-z~])+(?:/{1}*)*)|){2}", authority(), segment, tail));
  return r;
}

std::optional<int64_t> usual_port(std::string_view scheme) {
  if (scheme == "http" || scheme == "ws") return 80;
  if (scheme == "https" || scheme == "wss") return 443;
  if (scheme == "ftp") return 21;
  if (scheme == "ldap") return 389;
  if (scheme == "ldaps") return 636;
  return std::nullopt;
}

std::string quoted(std::string_view s) {
  std::string out = "\"";
  for (char ch : s) {
    if (ch == '"' || ch == '\\') out += '\\';
    if (ch == '\n')
      out += "\\n";
    else if (ch == '\t')
      out += "\\t";
    else
      out += ch;
  }
  return out + "\"";
}

} // namespace

UriParts parse_uri(std::string_view text) {
  for (char ch : text)
    if (static_cast<unsigned char>(ch) >= 0x80) fail_conversion("URI must be ascii only " + quoted(text));
  bool has_scheme = true;
  MatchResult m = absolute().search(text);
  if (!m.matched) {
    has_scheme = false;
    m = relative().search(text);
  }
  if (!m.matched) fail_conversion("bad URI(is not URI?): " + quoted(text));
  auto group = [&](size_t i) -> std::optional<std::string> {
    if (m.groups[i].begin < 0) return std::nullopt;
    return std::string(text.substr(static_cast<size_t>(m.groups[i].begin), static_cast<size_t>(m.groups[i].end - m.groups[i].begin)));
  };
  UriParts p;
  if (has_scheme) {
    p.scheme = group(1);
    for (char& ch : *p.scheme)
      if (ch >= 'A' && ch <= 'Z') ch = static_cast<char>(ch + 32);
  }
  p.fragment = group(9);
  if (has_scheme && group(7)) {
    p.opaque = group(7);
    if (auto query = group(8)) *p.opaque += "?" + *query;
    return p;
  }
  p.userinfo = group(2);
  p.host = group(3);
  if (auto digits = group(4); digits && !digits->empty()) {
    int64_t n = 0;
    std::from_chars(digits->data(), digits->data() + digits->size(), n);
    p.port = n;
  } else if (has_scheme) {
    p.port = usual_port(*p.scheme);
  }
  auto path = group(5);
  if (!path) path = group(6);
  if (!path && !has_scheme) path = group(7);
  p.path = path.value_or("");
  p.query = group(8);
  return p;
}

std::string compose_uri(const UriParts& p) {
  std::string out;
  if (p.scheme) out += *p.scheme + ":";
  if (p.opaque) {
    out += *p.opaque;
  } else {
    if (p.host || (p.scheme && (*p.scheme == "file" || *p.scheme == "postgres"))) out += "//";
    if (p.userinfo) out += *p.userinfo + "@";
    if (p.host) out += *p.host;
    if (p.port && !(p.scheme && p.port == usual_port(*p.scheme))) out += ":" + std::to_string(*p.port);
    if (p.path) out += *p.path;
    if (p.query) out += "?" + *p.query;
  }
  if (p.fragment) out += "#" + *p.fragment;
  return out;
}

Value uri_part(Arena& arena, const UriParts& p, std::string_view name) {
  auto text = [&](const std::optional<std::string>& s) { return s ? Value::string(arena.copy(*s)) : Value::undef(); };
  if (name == "scheme") return text(p.scheme);
  if (name == "userinfo") return text(p.userinfo);
  if (name == "host") return text(p.host);
  if (name == "port") return p.port ? Value::integer(*p.port) : Value::undef();
  if (name == "path") return text(p.path);
  if (name == "query") return text(p.query);
  if (name == "fragment") return text(p.fragment);
  if (name == "opaque") return text(p.opaque);
  return Value::undef();
}

} // namespace pupc::catalog
