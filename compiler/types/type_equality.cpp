// Equality and hash of types.
#include "catalog/base/stack.h"
#include "catalog/value/source_text.h"
#include "compiler/types/core_types.h"
#include "compiler/types/object_type.h"

namespace pupc::compiler {
namespace {

bool same(const Type* a, const Type* b) { return a == b || (a != nullptr && b != nullptr && a->equals(*b)); }

/// The inner type, or null if it is Any.
const Type* known_inner(const WrapperType& t) { return t.inner != nullptr && t.inner->kind == TypeKind::Any ? nullptr : t.inner; }

// String[0] is String.
Range effective(const StringType& t) { return t.has_size ? t.size : Range::at_least(0); }
bool sized_as_any(const StringType& t) { return effective(t) == Range::at_least(0); }

bool same_list(std::span<const Type* const> a, std::span<const Type* const> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!same(a[i], b[i])) return false;
  return true;
}

bool same_set(std::span<const Type* const> a, std::span<const Type* const> b) {
  if (a.size() != b.size()) return false;
  for (const Type* x : a) {
    bool found = false;
    for (const Type* y : b) found = found || same(x, y);
    if (!found) return false;
  }
  return true;
}

} // namespace

bool Type::equals(const Opaque& other) const {
  check_native_stack();
  if (this == &other) return true;
  const auto* o = static_cast<const Type*>(&other); // values are compared within their kind only, and a dynamic_cast is slow
  // An alias equals what it stands for.
  if (kind == TypeKind::TypeAlias || o->kind == TypeKind::TypeAlias) {
    if (kind == o->kind && type_cast<TypeAliasType>(this).name == type_cast<TypeAliasType>(o).name) return true;
    for (const Type* one : {this, o})
      if (one->kind == TypeKind::TypeAlias && self_recursive(type_cast<TypeAliasType>(one)))
        return false; // compare recursive aliases by name only, because comparing their meanings would not end
    const Type* a = kind == TypeKind::TypeAlias ? type_cast<TypeAliasType>(this).resolved : this;
    const Type* b = o->kind == TypeKind::TypeAlias ? type_cast<TypeAliasType>(o).resolved : o;
    return a != nullptr && b != nullptr && a->equals(*b);
  }
  if (o->kind != kind) return false;
  switch (kind) {
  case TypeKind::Integer:
  case TypeKind::Timestamp:
  case TypeKind::Timespan: return type_cast<RangeType>(this).range == type_cast<RangeType>(o).range;
  case TypeKind::Float:
    return type_cast<FloatType>(this).from == type_cast<FloatType>(o).from && type_cast<FloatType>(this).to == type_cast<FloatType>(o).to;
  case TypeKind::Boolean: return type_cast<BooleanType>(this).value == type_cast<BooleanType>(o).value;
  case TypeKind::String: {
    const auto &a = type_cast<StringType>(this), &b = type_cast<StringType>(o);
    return a.has_value == b.has_value && a.value == b.value && (a.has_size == b.has_size || sized_as_any(a) || sized_as_any(b)) &&
           effective(a) == effective(b);
  }
  case TypeKind::Enum: {
    const auto &a = type_cast<EnumType>(this), &b = type_cast<EnumType>(o);
    if (a.case_insensitive != b.case_insensitive || a.values.size() != b.values.size()) return false;
    for (size_t i = 0; i < a.values.size(); ++i)
      if (a.values[i] != b.values[i]) return false;
    return true;
  }
  case TypeKind::Pattern: {
    const auto &a = type_cast<PatternType>(this), &b = type_cast<PatternType>(o);
    if (a.patterns.size() != b.patterns.size()) return false;
    for (const Regex* x : a.patterns) {
      bool found = false;
      for (const Regex* y : b.patterns) found = found || regex_literal(*x) == regex_literal(*y);
      if (!found) return false;
    }
    return true;
  }
  case TypeKind::Regexp: {
    const Regex *a = type_cast<RegexpType>(this).regex, *b = type_cast<RegexpType>(o).regex;
    return a == b || (a != nullptr && b != nullptr && regex_literal(*a) == regex_literal(*b));
  }
  case TypeKind::Collection:
    return type_cast<SizedType>(this).has_size == type_cast<SizedType>(o).has_size &&
           type_cast<SizedType>(this).size == type_cast<SizedType>(o).size;
  case TypeKind::Array: {
    const auto &a = type_cast<ArrayType>(this), &b = type_cast<ArrayType>(o);
    return a.has_size == b.has_size && a.size == b.size && same(a.element, b.element);
  }
  case TypeKind::Hash: {
    const auto &a = type_cast<HashType>(this), &b = type_cast<HashType>(o);
    return a.has_size == b.has_size && a.size == b.size && same(a.key, b.key) && same(a.value, b.value);
  }
  case TypeKind::Tuple: {
    const auto &a = type_cast<TupleType>(this), &b = type_cast<TupleType>(o);
    return a.has_size == b.has_size && a.size == b.size && same_list(a.types, b.types);
  }
  case TypeKind::Struct: {
    const auto &a = type_cast<StructType>(this).elements, &b = type_cast<StructType>(o).elements;
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i)
      if (a[i].name != b[i].name || a[i].optional != b[i].optional || !same(a[i].value, b[i].value)) return false;
    return true;
  }
  case TypeKind::Variant: return same_set(type_cast<VariantType>(this).types, type_cast<VariantType>(o).types);
  case TypeKind::Type:
  case TypeKind::Iterator: return same(type_cast<WrapperType>(this).inner, type_cast<WrapperType>(o).inner);
  // Sensitive[Any] is Sensitive; Type[Any] is not Type.
  case TypeKind::Optional:
  case TypeKind::NotUndef:
  case TypeKind::Iterable:
  case TypeKind::Sensitive: return same(known_inner(type_cast<WrapperType>(this)), known_inner(type_cast<WrapperType>(o)));
  case TypeKind::Callable: {
    const auto &a = type_cast<CallableType>(this), &b = type_cast<CallableType>(o);
    return same(a.parameters, b.parameters) && same(a.block, b.block) && same(a.returns, b.returns);
  }
  case TypeKind::TypeAlias: return type_cast<TypeAliasType>(this).name == type_cast<TypeAliasType>(o).name;
  case TypeKind::TypeReference: return type_cast<TypeReferenceType>(this).text == type_cast<TypeReferenceType>(o).text;
  case TypeKind::Runtime:
    return type_cast<RuntimeType>(this).runtime == type_cast<RuntimeType>(o).runtime &&
           type_cast<RuntimeType>(this).name == type_cast<RuntimeType>(o).name;
  case TypeKind::Resource: {
    const auto &a = type_cast<ResourceType>(this), &b = type_cast<ResourceType>(o);
    if (a.has_title != b.has_title || a.title != b.title || a.type_name.size() != b.type_name.size()) return false;
    for (size_t i = 0; i < a.type_name.size(); ++i)
      if ((a.type_name[i] | 0x20) != (b.type_name[i] | 0x20)) return false;
    return true;
  }
  case TypeKind::Class: return type_cast<ClassType>(this).class_name == type_cast<ClassType>(o).class_name;
  case TypeKind::SemVer:
  case TypeKind::Init:
  case TypeKind::Uri: return to_string() == o->to_string();
  case TypeKind::Object: {
    const auto &a = *static_cast<const ObjectType*>(this), &b = *static_cast<const ObjectType*>(o);
    return a.name == b.name && (!a.name.empty() || to_string() == o->to_string());
  }
  case TypeKind::TypeSet:
  case TypeKind::ObjectExtension: return to_string() == o->to_string();
  default: return true;
  }
}

uint64_t Type::hash() const {
  constexpr uint64_t spread = 0x9E3779B97F4A7C15ull;
  if (kind == TypeKind::TypeAlias) {
    const Type* meaning = type_cast<TypeAliasType>(this).resolved;
    return meaning != nullptr ? meaning->hash() : 0;
  }
  // Equal types have the same printed form, so its hash serves. Exceptions: literals of String, and the order in a Variant or Pattern,
  // which also changes the printed form of every type around it.
  if (kind == TypeKind::Variant || kind == TypeKind::Pattern) return static_cast<uint64_t>(kind) * spread;
  if (kind == TypeKind::String) return std::hash<std::string_view>{}(type_cast<StringType>(this).value) ^ 77;
  // The keys of a Struct, of which there may be a hundred: Optional['a'] and NotUndef['a'].
  if (kind == TypeKind::Optional || kind == TypeKind::NotUndef) {
    const Type* inner = type_cast<WrapperType>(this).inner;
    while (inner != nullptr && inner->kind == TypeKind::TypeAlias) inner = type_cast<TypeAliasType>(inner).resolved;
    return static_cast<uint64_t>(kind) * spread ^ (inner != nullptr && inner->kind == TypeKind::String ? inner->hash() : 0);
  }
  if (kind == TypeKind::Array || kind == TypeKind::Hash || kind == TypeKind::Struct || kind == TypeKind::Tuple || kind == TypeKind::Type ||
      kind == TypeKind::Callable || kind == TypeKind::Resource)
    return static_cast<uint64_t>(kind) * spread;
  return std::hash<std::string>{}(to_string());
}

} // namespace pupc::compiler
