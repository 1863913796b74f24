#include "compiler/types/runtime_object.h"

#include "catalog/value/map_parts.h"
#include "compiler/types/core_types.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc::compiler {

/// The stand-in for an Object type: code that looks for attributes and functions of a Ruby object finds none.
static const ObjectType* no_object_type() {
  static const ObjectType type = [] {
    ObjectType t;
    t.name = "Runtime";
    return t;
  }();
  return &type;
}

RuntimeObject::RuntimeObject() : ObjectValue(Form::Runtime, no_object_type()) {}

std::string RuntimeObject::to_string() const {
  if (is_symbol()) return std::string(symbol);
  if (is_date()) return std::string(date);
  return host != nullptr ? host->text(*this) : fmt::format("#<{}>", class_name());
}

bool RuntimeObject::equals(const Opaque& other) const {
  if (this == &other) return true;
  const auto* o = dynamic_cast<const RuntimeObject*>(&other);
  if (o != nullptr && (is_symbol() || o->is_symbol())) return is_symbol() && o->is_symbol() && symbol == o->symbol;
  if (o != nullptr && (is_date() || o->is_date())) return o->class_name() == class_name() && o->to_string() == to_string();
  return o != nullptr && host != nullptr && host->same(*this, *o);
}

Value ruby_symbol(Arena& arena, std::string_view name) {
  static constexpr std::string_view classes[] = {"Symbol", "Comparable", "Object", "Kernel", "BasicObject"};
  auto* object = arena.make<RuntimeObject>();
  object->classes = classes;
  object->symbol = arena.copy(name.empty() ? std::string_view("", 0) : name);
  if (!object->is_symbol()) object->symbol = std::string_view("", 0);
  object->ruby_hash = static_cast<int64_t>(std::hash<std::string_view>()(name));
  return Value::opaque_of(Kind::Object, object);
}

Value ruby_date(Arena& arena, std::string_view text) {
  static constexpr std::string_view classes[] = {"Date", "Comparable", "Object", "Kernel", "BasicObject"};
  auto* object = arena.make<RuntimeObject>();
  object->classes = classes;
  object->date = arena.copy(text);
  object->ruby_hash = static_cast<int64_t>(std::hash<std::string_view>()(text));
  return Value::opaque_of(Kind::Object, object);
}

Value symbols_as_texts(Arena& arena, const Value& v) {
  if (!holds_runtime_object(v)) return v;
  if (const auto* object = as_runtime_object(v)) return object->is_symbol() ? Value::string(object->symbol) : v;
  return map_parts(arena, v, [&](const Value& part) { return symbols_as_texts(arena, part); });
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

} // namespace pupc::compiler
