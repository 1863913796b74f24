#include "compiler/types/runtime_object.h"

#include "compiler/types/core_types.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc {

/// What the objects have in the place of an Object type, so that code which asks for attributes and functions finds none.
static const ObjectType* no_object_type() {
  static const ObjectType type = [] {
    ObjectType t;
    t.name = "Runtime";
    return t;
  }();
  return &type;
}

RuntimeObject::RuntimeObject() { type = no_object_type(); }

std::string RuntimeObject::to_string() const { return host != nullptr ? host->text(*this) : fmt::format("#<{}>", class_name()); }

bool RuntimeObject::equals(const Opaque& other) const {
  if (this == &other) return true;
  const auto* o = dynamic_cast<const RuntimeObject*>(&other);
  return o != nullptr && host != nullptr && host->same(*this, *o);
}

const Type* runtime_object_type(TypeContext& ctx, const RuntimeObject& object) {
  const Type* type = ctx.arena.make<RuntimeType>("ruby", object.class_name());
  return object.module ? types::wrapper(ctx.arena, TypeKind::Type, type) : type;
}

bool runtime_object_instance(TypeContext& ctx, const Type* type, const RuntimeObject& object) {
  if (type->kind == TypeKind::Type) return object.module && is_assignable(ctx, type, runtime_object_type(ctx, object));
  if (type->kind != TypeKind::Runtime || object.module) return false;
  const auto& wanted = type_cast<RuntimeType>(type);
  if (wanted.runtime.empty()) return true;
  return wanted.runtime == "ruby" && (wanted.name.empty() || std::ranges::find(object.classes, wanted.name) != object.classes.end());
}

} // namespace pupc
