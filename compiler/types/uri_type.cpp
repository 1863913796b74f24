#include "compiler/types/uri_type.h"

#include "catalog/value/unicode_case.h"
#include "catalog/value/uri.h"
#include "compiler/types/object_definition.h"

#include <algorithm>

namespace pupc::compiler {
namespace {

constexpr std::string_view components[] = {"scheme", "userinfo", "host", "port", "path", "query", "fragment", "opaque"};

} // namespace

Value uri_type_parameters(TypeContext& ctx, const Value& given) {
  if (given.is_hash()) return given.hash->size == 0 ? Value::undef() : given;
  UriParts p = parse_uri(given.str());
  HashBuilder h(ctx.arena);
  auto text = [&](std::string_view name, const std::optional<std::string>& s, bool skip_empty) {
    if (s && !(skip_empty && s->empty())) h.set(name, Value::string(ctx.arena.copy(*s)));
  };
  text("scheme", p.scheme, false);
  text("userinfo", p.userinfo, false);
  if (p.host) *p.host = downcase(*p.host);
  text("host", p.host, true);
  bool usual = (p.scheme == "http" && p.port == 80) || (p.scheme == "https" && p.port == 443);
  if (p.port && !usual) h.set("port", Value::string(ctx.arena.copy(std::to_string(*p.port))));
  text("path", p.path, true);
  text("query", p.query, false);
  text("fragment", p.fragment, false);
  text("opaque", p.opaque, false);
  return h.size() == 0 ? Value::undef() : h.finish();
}

bool uri_parameters_valid(TypeContext& ctx, const Hash& h) {
  for (const auto& e : h.entries()) {
    if (!e.key.is_string() || std::find(std::begin(components), std::end(components), e.key.str()) == std::end(components)) return false;
    const Value& v = e.value;
    if (v.is_undef()) continue;
    const Type* t = as_type(v);
    bool presence = t != nullptr && (is_assignable(ctx, types::not_undef_any(), t) || is_assignable(ctx, types::undef(), t));
    if (e.key.str() == "port") {
      if (!presence && !(v.is_int() && v.i >= 0)) return false;
    } else if (!presence && !(v.is_string() && v.len > 0) && !v.is(Kind::Regex) &&
               !(t != nullptr && (is_assignable(ctx, types::pattern(), t) || is_assignable(ctx, types::enumeration(), t)))) {
      return false;
    }
  }
  return true;
}

bool uri_matches(TypeContext& ctx, const UriType& type, std::string_view uri) {
  if (type.parameters.is_undef()) return true;
  UriParts parts = parse_uri(uri);
  for (const auto& e : type.parameters.hash->entries())
    if (!value_matches(ctx, uri_part(ctx.arena, parts, e.key.str()), e.value)) return false;
  return true;
}

bool uri_type_accepts(TypeContext& ctx, const UriType& to, const UriType& from) {
  if (to.parameters.is_undef()) return true;
  if (from.parameters.is_undef()) return false;
  for (const auto& e : to.parameters.hash->entries()) {
    const Value* other = from.parameters.hash->find(e.key);
    if (other == nullptr) return false;
    const Type *mine = as_type(e.value), *theirs = as_type(*other);
    if (!value_matches(ctx, *other, e.value) && !(mine != nullptr && theirs != nullptr && is_assignable(ctx, mine, theirs))) return false;
  }
  return true;
}

} // namespace pupc::compiler
