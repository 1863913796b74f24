#include "compiler/eval/members.h"

#include "compiler/types/object_type.h"

#include <charconv>

namespace pupc::compiler {
namespace {

struct TextParts {
  std::string_view scheme, authority, path, query, fragment;
  bool has_scheme = false, has_authority = false, has_query = false, has_fragment = false;
};

TextParts split_uri(std::string_view s) {
  TextParts p;
  if (size_t at = s.find('#'); at != std::string_view::npos) {
    p.fragment = s.substr(at + 1);
    p.has_fragment = true;
    s = s.substr(0, at);
  }
  if (size_t at = s.find('?'); at != std::string_view::npos) {
    p.query = s.substr(at + 1);
    p.has_query = true;
    s = s.substr(0, at);
  }
  if (size_t colon = s.find(':'); colon != std::string_view::npos && colon > 0 && s.find('/') > colon) {
    p.scheme = s.substr(0, colon);
    p.has_scheme = true;
    s = s.substr(colon + 1);
  }
  if (s.starts_with("//")) {
    size_t end = std::min(s.find('/', 2), s.size());
    p.authority = s.substr(2, end - 2);
    p.has_authority = true;
    s = s.substr(end);
  }
  p.path = s;
  return p;
}

std::string without_dot_segments(std::string_view path) {
  std::vector<std::string_view> kept;
  bool absolute = path.starts_with('/'), trailing = false;
  size_t i = absolute ? 1 : 0;
  while (i <= path.size()) {
    size_t end = std::min(path.find('/', i), path.size());
    std::string_view segment = path.substr(i, end - i);
    trailing = segment == "." || segment == "..";
    if (segment == "..") {
      if (!kept.empty()) kept.pop_back();
    } else if (segment != ".") {
      kept.push_back(segment);
    }
    i = end + 1;
  }
  std::string out = absolute ? "/" : "";
  for (size_t k = 0; k < kept.size(); ++k) out.append(k ? "/" : "").append(kept[k]);
  if (trailing && !kept.empty()) out += '/';
  return out;
}

} // namespace

Value merge_uri(Arena& arena, const Value& base_value, const Value& reference) {
  TextParts base = split_uri(base_value.str()), r = split_uri(reference.str());
  if (r.has_scheme) return Value::uri(arena.copy(reference.str()));
  std::string out;
  if (base.has_scheme) out.append(base.scheme).append(":");
  TextParts t = base;
  t.has_query = r.has_query;
  t.query = r.query;
  std::string path;
  if (r.has_authority) {
    t.has_authority = true;
    t.authority = r.authority;
    path = without_dot_segments(r.path);
  } else if (r.path.empty()) {
    path = base.path;
    if (!r.has_query) {
      t.has_query = base.has_query;
      t.query = base.query;
    }
  } else if (r.path.starts_with('/')) {
    path = without_dot_segments(r.path);
  } else {
    size_t slash = base.path.rfind('/');
    std::string merged = slash == std::string_view::npos ? std::string(base.has_authority ? "/" : "")
                                                         : std::string(base.path.substr(0, slash + 1));
    path = without_dot_segments(merged.append(r.path));
  }
  if (t.has_authority) out.append("//").append(t.authority);
  out += path;
  if (t.has_query) out.append("?").append(t.query);
  if (r.has_fragment) out.append("#").append(r.fragment);
  return Value::uri(arena.copy(out));
}

namespace {

Value text_or_undef(bool there, std::string_view text) { return there ? Value::string(text) : Value::undef(); }

int64_t default_port(std::string_view scheme) {
  static constexpr std::pair<std::string_view, int64_t> ports[] = {{"http", 80},   {"https", 443}, {"ftp", 21}, {"ldap", 389},
                                                                   {"ldaps", 636}, {"ws", 80},     {"wss", 443}};
  for (const auto& [name, port] : ports)
    if (name == scheme) return port;
  return 0;
}

bool uri_member(std::string_view text, std::string_view name, Value& out) {
  TextParts p = split_uri(text);
  bool opaque = p.has_scheme && !p.has_authority && !p.path.empty() && p.path[0] != '/';
  std::string_view host = p.authority, userinfo, port;
  bool has_userinfo = false;
  if (size_t at = host.find('@'); at != std::string_view::npos) {
    has_userinfo = true;
    userinfo = host.substr(0, at);
    host = host.substr(at + 1);
  }
  if (size_t colon = host.rfind(':'); colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos) {
    port = host.substr(colon + 1);
    host = host.substr(0, colon);
  }
  if (name == "scheme")
    out = text_or_undef(p.has_scheme, p.scheme);
  else if (name == "userinfo")
    out = text_or_undef(has_userinfo, userinfo);
  else if (name == "host")
    out = text_or_undef(p.has_authority, host);
  else if (name == "path")
    out = text_or_undef(!opaque, p.path);
  else if (name == "query")
    out = text_or_undef(p.has_query, p.query);
  else if (name == "fragment")
    out = text_or_undef(p.has_fragment, p.fragment);
  else if (name == "opaque")
    out = text_or_undef(opaque, p.path);
  else if (name == "port") {
    int64_t number = default_port(p.scheme);
    if (!port.empty()) std::from_chars(port.data(), port.data() + port.size(), number);
    out = number == 0 ? Value::undef() : Value::integer(number);
  } else {
    return false;
  }
  return true;
}

} // namespace

bool find_member(Arena&, const Value& value, std::string_view name, Value& out) {
  switch (value.kind) {
  case Kind::Object:
    if (object_type_of(value)->kind == TypeKind::Error && name == "message") name = "msg";
    return object_attribute(value, name, out);
  case Kind::Deferred:
    if (name == "name") {
      out = Value::string(value.deferred->name);
      return true;
    }
    if (name != "arguments") return false;
    out = value.deferred->arguments ? Value::of(value.deferred->arguments) : Value::undef();
    return true;
  case Kind::Uri: return uri_member(value.str(), name, out);
  default: return false;
  }
}

} // namespace pupc::compiler
