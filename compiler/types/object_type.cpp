#include "compiler/types/object_type.h"

#include "compiler/types/value_text.h"

namespace pupc {

std::string ObjectValue::to_string() const { return type->to_string() + "({...})"; }
bool ObjectValue::equals(const Opaque& other) const {
  const auto* o = dynamic_cast<const ObjectValue*>(&other);
  return o != nullptr && type->equals(*o->type) && eql(Value::of(attributes), Value::of(o->attributes));
}
uint64_t ObjectValue::hash() const { return hash_of(Value::of(attributes)); }
Value ObjectValue::to_rich_data(Arena& arena) const {
  HashBuilder h(arena);
  h.set("__ptype", Value::string(arena.copy(type->to_string())));
  for (const auto& e : attributes->entries()) h.set(e.key, e.value);
  return h.finish();
}

const Type* object_type_of(const Value& v) { return static_cast<const ObjectValue*>(v.opaque)->type; }

bool object_assignable(const Type* to, const Type* from) {
  // Deferred and Error are Object types: the plain Object accepts them.
  if (to->kind == TypeKind::Object && (from->kind == TypeKind::Deferred || from->kind == TypeKind::Error)) return true;
  return to->kind == from->kind && to->equals(*from);
}

bool object_instance(TypeContext& ctx, const Type* type, const Value& v) {
  if (type->kind == TypeKind::Object && v.is(Kind::Deferred)) return true;
  return v.is(Kind::Object) && is_assignable(ctx, type, object_type_of(v));
}

bool uri_matches(TypeContext&, const UriType& type, std::string_view uri) {
  if (type.parameters.is_string() || type.parameters.is(Kind::Uri)) return type.parameters.str() == uri;
  return false;
}

} // namespace pupc
