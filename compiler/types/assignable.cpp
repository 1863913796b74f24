// Whether a type accepts another type or a value (Puppet's assignable? and instance?).
#include "catalog/base/stack.h"
#include "catalog/value/semver.h"
#include "catalog/value/semver_range.h"
#include "compiler/types/alias_step.h"
#include "compiler/types/core_types.h"
#include "compiler/types/init_type.h"
#include "compiler/types/iterator.h"
#include "compiler/types/object_definition.h"
#include "compiler/types/runtime_object.h"
#include "compiler/types/semver_type.h"
#include "compiler/types/uri_type.h"

#include <cmath>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

size_t characters(std::string_view s) {
  size_t n = 0;
  for (char ch : s) n += (static_cast<unsigned char>(ch) & 0xC0) != 0x80;
  return n;
}

bool same_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    auto fold = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    if (fold(a[i]) != fold(b[i])) return false;
  }
  return true;
}

class Relation {
public:
  explicit Relation(TypeContext& c) : ctx(c) {}

  bool assignable(const Type* t, const Type* o) {
    check_native_stack();
    if (t == o) return true;
    // Following an alias on either side may lead back to this comparison.
    if (t->kind == TypeKind::TypeAlias || o->kind == TypeKind::TypeAlias) {
      if (t->kind == TypeKind::TypeAlias && o->kind == TypeKind::TypeAlias && t->equals(*o)) return true;
      const AliasStep step(t, o);
      if (step.again()) return true;
      return t->kind == TypeKind::TypeAlias ? assignable(resolve_alias(ctx, t), o) : assignable_from(t, o);
    }
    return assignable_from(t, o);
  }

  bool instance(const Type* t, const Value& v);

private:
  TypeContext& ctx;

  /// The rules that depend on the given type `o` rather than on the expected type `t`.
  bool assignable_from(const Type* t, const Type* o) {
    switch (o->kind) {
    case TypeKind::Unit: return true;
    case TypeKind::TypeAlias: return assignable(t, resolve_alias(ctx, o));
    case TypeKind::Variant: {
      if (t->kind == TypeKind::Any || t->kind == TypeKind::Unit) return true;
      const auto& types = type_cast<VariantType>(o).types;
      if (t->kind == TypeKind::Variant && type_cast<VariantType>(t).types.empty()) return true;
      if (t->kind == TypeKind::NotUndef && types.empty()) return assignable_to(t, o);
      if (types.empty()) return false;
      for (const Type* one : types)
        if (!assignable(t, one)) return false;
      return true;
    }
    case TypeKind::Optional: {
      if (t->kind == TypeKind::Unit) return true;
      const Type* inner = type_cast<WrapperType>(o).inner;
      return assignable(t, types::undef()) && (inner == nullptr || assignable(t, inner));
    }
    case TypeKind::NotUndef: {
      if (t->kind == TypeKind::Unit) return true;
      const Type* inner = type_cast<WrapperType>(o).inner;
      if (inner != nullptr && !assignable(inner, types::undef())) return assignable(t, inner);
      return assignable_to(t, o);
    }
    case TypeKind::Data: // Variant[ScalarData, Undef, Hash[String, Data], Array[Data]]
      if (t->kind == TypeKind::Variant && type_cast<VariantType>(t).types.empty()) return true;
      if (t->kind == TypeKind::Data || t->kind == TypeKind::RichData || t->kind == TypeKind::Any || t->kind == TypeKind::Unit) return true;
      return assignable(t, types::scalar_data()) && assignable(t, types::undef()) && assignable(t, data_hash()) &&
             assignable(t, data_array());
    case TypeKind::RichData:
      if (t->kind == TypeKind::Init || (t->kind == TypeKind::Variant && type_cast<VariantType>(t).types.empty()))
        return assignable_to(t, t->kind == TypeKind::Init ? o : t);
      if (t->kind == TypeKind::RichData || t->kind == TypeKind::Any || t->kind == TypeKind::Unit) return true;
      return assignable(t, types::scalar()) && assignable(t, types::undef()) && assignable(t, types::default_type()) &&
             assignable(t, types::type_type()) && assignable(t, types::sensitive_any()) && assignable(t, types::hash()) &&
             assignable(t, types::array());
    default: return assignable_to(t, o);
    }
  }

  const Type* data_hash() { return types::hash(ctx.arena, types::string(), types::data()); }
  const Type* data_array() { return types::array(ctx.arena, types::data()); }

  bool any_accepts(std::initializer_list<const Type*> list, const Type* o) {
    for (const Type* t : list)
      if (assignable(t, o)) return true;
    return false;
  }

  bool assignable_to(const Type* t, const Type* o) {
    switch (t->kind) {
    case TypeKind::Any:
    case TypeKind::Unit: return true;
    case TypeKind::Undef:
    case TypeKind::Default:
    case TypeKind::Binary:
    case TypeKind::SemVerRange: return o->kind == t->kind;
    case TypeKind::Deferred:
    case TypeKind::Error:
    case TypeKind::Object:
    case TypeKind::TypeSet: return object_assignable(ctx, t, o);
    case TypeKind::ObjectExtension: return extension_assignable(ctx, type_cast<ObjectExtensionType>(t), o);
    case TypeKind::NotUndef: {
      const Type* inner = type_cast<WrapperType>(t).inner;
      return !assignable(o, types::undef()) && (inner == nullptr || assignable(inner, o));
    }
    case TypeKind::Scalar:
      switch (o->kind) {
      case TypeKind::Scalar:
      case TypeKind::ScalarData:
      case TypeKind::Numeric:
      case TypeKind::Integer:
      case TypeKind::Float:
      case TypeKind::Boolean:
      case TypeKind::String:
      case TypeKind::Enum:
      case TypeKind::Pattern:
      case TypeKind::Regexp:
      case TypeKind::SemVer:
      case TypeKind::SemVerRange:
      case TypeKind::Timestamp:
      case TypeKind::Timespan: return true;
      default: return false;
      }
    case TypeKind::ScalarData:
      switch (o->kind) {
      case TypeKind::ScalarData:
      case TypeKind::Numeric:
      case TypeKind::Integer:
      case TypeKind::Float:
      case TypeKind::Boolean:
      case TypeKind::String:
      case TypeKind::Enum:
      case TypeKind::Pattern: return true;
      default: return false;
      }
    case TypeKind::Data: return any_accepts({types::scalar_data(), types::undef(), data_hash(), data_array()}, o);
    case TypeKind::RichDataKey: return o->kind == TypeKind::RichDataKey || any_accepts({types::string(), types::numeric()}, o);
    case TypeKind::RichData: {
      if (o->kind == TypeKind::Deferred || o->kind == TypeKind::Error || o->kind == TypeKind::Object || o->kind == TypeKind::Uri ||
          o->kind == TypeKind::Binary || o->kind == TypeKind::SemVer || o->kind == TypeKind::SemVerRange ||
          o->kind == TypeKind::Timestamp || o->kind == TypeKind::Timespan || o->kind == TypeKind::TypeSet ||
          o->kind == TypeKind::ObjectExtension || o->kind == TypeKind::RichDataKey)
        return true;
      if (any_accepts({types::scalar(), types::undef(), types::default_type(), types::type_type(), types::sensitive_any()}, o)) return true;
      const Type* rich_hash = types::hash(ctx.arena, types::rich_data_key(), types::rich_data());
      const Type* rich_array = types::array(ctx.arena, types::rich_data());
      return any_accepts({rich_hash, rich_array}, o);
    }
    case TypeKind::Numeric: return o->kind == TypeKind::Numeric || o->kind == TypeKind::Integer || o->kind == TypeKind::Float;
    case TypeKind::Integer:
    case TypeKind::Timestamp:
    case TypeKind::Timespan: return o->kind == t->kind && type_cast<RangeType>(t).range.contains(type_cast<RangeType>(o).range);
    case TypeKind::Float:
      return o->kind == TypeKind::Float && type_cast<FloatType>(t).from <= type_cast<FloatType>(o).from &&
             type_cast<FloatType>(t).to >= type_cast<FloatType>(o).to;
    case TypeKind::Boolean: {
      int8_t want = type_cast<BooleanType>(t).value;
      return o->kind == TypeKind::Boolean && (want < 0 || want == type_cast<BooleanType>(o).value);
    }
    case TypeKind::String: return string_accepts(type_cast<StringType>(t), o);
    case TypeKind::Enum: return enum_accepts(type_cast<EnumType>(t), o);
    case TypeKind::Pattern: return pattern_accepts(type_cast<PatternType>(t), o);
    case TypeKind::Regexp: return o->kind == TypeKind::Regexp && (type_cast<RegexpType>(t).regex == nullptr || t->equals(*o));
    case TypeKind::Collection: {
      if (o->kind == TypeKind::Struct) {
        auto n = static_cast<int64_t>(type_cast<StructType>(o).elements.size());
        return type_cast<SizedType>(t).size.contains(Range::of(n, n));
      }
      if (o->kind == TypeKind::Tuple && !type_cast<TupleType>(o).has_size) {
        auto n = static_cast<int64_t>(type_cast<TupleType>(o).types.size());
        return type_cast<SizedType>(t).size.contains(Range::of(n, n));
      }
      return sized(o) && type_cast<SizedType>(t).size.contains(type_cast<SizedType>(o).size);
    }
    case TypeKind::Array: {
      const auto& a = type_cast<ArrayType>(t);
      if (o->kind == TypeKind::Tuple) {
        const auto& tuple = type_cast<TupleType>(o);
        Range size = !tuple.has_size ? Range::of(static_cast<int64_t>(tuple.types.size()), static_cast<int64_t>(tuple.types.size()))
                                     : tuple.size;
        if (!a.size.contains(size)) return false;
        for (const Type* e : tuple.types)
          if (!assignable(a.element, e)) return false;
        return true;
      }
      return o->kind == TypeKind::Array && a.size.contains(type_cast<ArrayType>(o).size) &&
             assignable(a.element, type_cast<ArrayType>(o).element);
    }
    case TypeKind::Hash: return hash_accepts(type_cast<HashType>(t), o);
    case TypeKind::Tuple: return tuple_accepts(type_cast<TupleType>(t), o);
    case TypeKind::Struct: return struct_accepts(type_cast<StructType>(t), o);
    case TypeKind::Variant: {
      const auto& types = type_cast<VariantType>(t).types;
      if (types.empty()) return o->kind == TypeKind::Variant;
      for (const Type* one : types)
        if (assignable(one, o)) return true;
      return false;
    }
    case TypeKind::Optional: {
      const Type* inner = type_cast<WrapperType>(t).inner;
      return o->kind == TypeKind::Undef || inner == nullptr || assignable(inner, o);
    }
    case TypeKind::Type: {
      if (o->kind != TypeKind::Type) return false;
      const Type *mine = type_cast<WrapperType>(t).inner, *other = type_cast<WrapperType>(o).inner;
      return mine == nullptr || (other != nullptr && assignable(mine, other));
    }
    case TypeKind::Callable: return callable_assignable(type_cast<CallableType>(t), o);
    case TypeKind::Iterable: {
      const Type* inner = type_cast<WrapperType>(t).inner;
      if (!iterable(ctx, o)) return false;
      if (inner == nullptr || assignable(inner, types::any())) return true;
      const Type* element = iterable_element(ctx, o);
      return element != nullptr && assignable(inner, element);
    }
    case TypeKind::Iterator: {
      const Type* inner = type_cast<WrapperType>(t).inner;
      return o->kind == TypeKind::Iterator &&
             (inner == nullptr || (type_cast<WrapperType>(o).inner != nullptr && assignable(inner, type_cast<WrapperType>(o).inner)));
    }
    case TypeKind::Sensitive: {
      if (o->kind != TypeKind::Sensitive) return false;
      const Type *mine = type_cast<WrapperType>(t).inner, *other = type_cast<WrapperType>(o).inner;
      return mine == nullptr || assignable(mine, other == nullptr ? types::any() : other);
    }
    case TypeKind::SemVer: return o->kind == TypeKind::SemVer && semver_type_accepts(type_cast<SemVerType>(t), type_cast<SemVerType>(o));
    case TypeKind::Uri: return o->kind == TypeKind::Uri && uri_type_accepts(ctx, type_cast<UriType>(t), type_cast<UriType>(o));
    case TypeKind::Init: return init_assignable(ctx, type_cast<InitType>(t), o);
    case TypeKind::Runtime: {
      const auto& r = type_cast<RuntimeType>(t);
      return o->kind == TypeKind::Runtime &&
             (r.runtime.empty() || t->equals(*o) || (r.runtime == type_cast<RuntimeType>(o).runtime && r.name.empty()));
    }
    case TypeKind::TypeReference: return t->equals(*o);
    case TypeKind::TypeAlias: return assignable(resolve_alias(ctx, t), o);
    case TypeKind::CatalogEntry: return o->kind == TypeKind::CatalogEntry || o->kind == TypeKind::Resource || o->kind == TypeKind::Class;
    case TypeKind::Class:
      return o->kind == TypeKind::Class &&
             (type_cast<ClassType>(t).class_name.empty() || type_cast<ClassType>(t).class_name == type_cast<ClassType>(o).class_name);
    case TypeKind::Resource: {
      if (o->kind != TypeKind::Resource) return false;
      const auto &a = type_cast<ResourceType>(t), &b = type_cast<ResourceType>(o);
      return a.type_name.empty() || (same_ignoring_case(a.type_name, b.type_name) && (!a.has_title || (b.has_title && a.title == b.title)));
    }
    }
    return false;
  }

  static bool sized(const Type* t) {
    return t->kind == TypeKind::Collection || t->kind == TypeKind::Array || t->kind == TypeKind::Hash || t->kind == TypeKind::Tuple;
  }

  bool string_accepts(const StringType& t, const Type* o) {
    if (o->kind == TypeKind::String) {
      const auto& s = type_cast<StringType>(o);
      if (t.has_value) return s.has_value && s.value == t.value;
      if (!t.has_size) return true;
      if (s.has_value) {
        auto n = static_cast<int64_t>(characters(s.value));
        return t.size.contains(n);
      }
      return t.size.contains(s.has_size ? s.size : Range::at_least(0));
    }
    if (o->kind == TypeKind::Enum) {
      const auto& e = type_cast<EnumType>(o);
      if (t.has_value) return e.values.size() == 1 && !e.case_insensitive; // Puppet does not compare the values
      if (!t.has_size) return true;
      if (e.values.empty()) return t.size.contains(Range::at_least(0));
      for (std::string_view v : e.values)
        if (!t.size.contains(static_cast<int64_t>(characters(v)))) return false;
      return true;
    }
    if (o->kind == TypeKind::Pattern) return !t.has_value && (!t.has_size || t.size.contains(Range::at_least(0)));
    return false;
  }

  static bool enum_has(const EnumType& t, std::string_view v) {
    for (std::string_view known : t.values)
      if (t.case_insensitive ? same_ignoring_case(known, v) : known == v) return true;
    return false;
  }
  bool enum_accepts(const EnumType& t, const Type* o) {
    if (t.equals(*o)) return true;
    if (t.values.empty()) return o->kind == TypeKind::String || o->kind == TypeKind::Enum || o->kind == TypeKind::Pattern;
    if (o->kind == TypeKind::String) return type_cast<StringType>(o).has_value && enum_has(t, type_cast<StringType>(o).value);
    if (o->kind != TypeKind::Enum) return false;
    const auto& e = type_cast<EnumType>(o);
    if (e.values.empty() || (e.case_insensitive && !t.case_insensitive)) return false;
    for (std::string_view v : e.values)
      if (!enum_has(t, v)) return false;
    return true;
  }

  static bool matches_any(const PatternType& t, std::string_view v) {
    for (const Regex* r : t.patterns)
      if (r->matches(v)) return true;
    return t.patterns.empty();
  }
  bool pattern_accepts(const PatternType& t, const Type* o) {
    if (t.equals(*o)) return true;
    if (o->kind == TypeKind::String)
      return type_cast<StringType>(o).has_value ? matches_any(t, type_cast<StringType>(o).value) : t.patterns.empty();
    if (o->kind == TypeKind::Enum) {
      if (type_cast<EnumType>(o).values.empty()) return t.patterns.empty();
      for (std::string_view v : type_cast<EnumType>(o).values)
        if (!matches_any(t, v)) return false;
      return true;
    }
    return o->kind == TypeKind::Pattern && t.patterns.empty();
  }

  bool hash_accepts(const HashType& t, const Type* o) {
    if (o->kind == TypeKind::Hash) {
      const auto& h = type_cast<HashType>(o);
      bool empty = h.has_size && h.size == Range::of(0, 0);
      if (empty && (!t.has_size || t.size.from == 0)) return true;
      return assignable(t.key, h.key) && assignable(t.value, h.value) && t.size.contains(h.size);
    }
    if (o->kind == TypeKind::Struct) {
      const auto& s = type_cast<StructType>(o);
      if (!t.size.contains(static_cast<int64_t>(s.elements.size()))) return false;
      for (const auto& e : s.elements)
        if (!instance(t.key, Value::string(e.name)) || !assignable(t.value, e.value)) return false;
      return true;
    }
    return false;
  }

  bool tuple_accepts(const TupleType& t, const Type* o) {
    if (t.equals(*o)) return true;
    Range mine = t.types.empty() && !t.has_size ? Range::at_least(0) : t.size;
    auto entry = [&](size_t i) { return t.types[std::min(i, t.types.size() - 1)]; };
    if (o->kind == TypeKind::Tuple) {
      const auto& other = type_cast<TupleType>(o);
      if (!mine.contains(other.size)) return false;
      if (t.types.empty()) return true;
      if (other.types.empty()) return mine.from == 0;
      for (size_t i = 0; i < other.types.size(); ++i)
        if (!assignable(entry(i), other.types[i])) return false;
      return true;
    }
    if (o->kind == TypeKind::Array) {
      const auto& a = type_cast<ArrayType>(o);
      if (!mine.contains(a.size)) return false;
      if (t.types.empty()) return true;
      size_t n = a.size.to_open ? t.types.size() : std::min(t.types.size(), static_cast<size_t>(a.size.to));
      for (size_t i = 0; i < n; ++i)
        if (!assignable(entry(i), a.element)) return false;
      return true;
    }
    return false;
  }

  bool struct_accepts(const StructType& t, const Type* o) {
    if (o->kind == TypeKind::Struct) {
      const auto& other = type_cast<StructType>(o);
      size_t matched = 0;
      for (const auto& mine : t.elements) {
        const StructElement* e = other.find(mine.name);
        if (e == nullptr) {
          if (!mine.optional) return false;
          continue;
        }
        ++matched;
        if (e->optional && !mine.optional) return false;
        if (!assignable(mine.value, e->value)) return false;
      }
      return matched == other.elements.size();
    }
    if (o->kind == TypeKind::Hash) {
      const auto& h = type_cast<HashType>(o);
      int64_t required = 0;
      for (const auto& mine : t.elements) {
        if (mine.optional) continue;
        ++required;
        if (!assignable(mine.value, h.value)) return false;
        if (!assignable(types::string(), h.key)) return false; // fails whatever the key's name is
      }
      return Range::of(required, static_cast<int64_t>(t.elements.size())).contains(h.size);
    }
    return false;
  }

  bool callable_assignable(const CallableType& t, const Type* o) {
    if (o->kind != TypeKind::Callable) return false;
    const auto& other = type_cast<CallableType>(o);
    if (t.returns != nullptr && !assignable(t.returns, other.returns == nullptr ? types::any() : other.returns)) return false;
    if (t.parameters == nullptr) return true;
    // Parameters are contravariant: the other callable must accept every argument list that this one promises to accept.
    if (other.parameters == nullptr || !assignable(other.parameters, t.parameters)) return false;
    return assignable(other.block == nullptr ? types::undef() : other.block, t.block == nullptr ? types::undef() : t.block);
  }
};

bool Relation::instance(const Type* t, const Value& v) {
  check_native_stack();
  switch (t->kind) {
  case TypeKind::Any:
  case TypeKind::Unit: return true;
  case TypeKind::Undef: return v.is_undef();
  case TypeKind::Default: return v.is(Kind::Default);
  case TypeKind::NotUndef:
    return !v.is_undef() && (type_cast<WrapperType>(t).inner == nullptr || instance(type_cast<WrapperType>(t).inner, v));
  case TypeKind::Optional:
    return v.is_undef() || (type_cast<WrapperType>(t).inner != nullptr && instance(type_cast<WrapperType>(t).inner, v));
  case TypeKind::Scalar:
    return v.is_string() || v.is_number() || v.is_bool() || v.is(Kind::Regex) || v.is(Kind::SemVer) || v.is(Kind::SemVerRange) ||
           v.is(Kind::Timestamp) || v.is(Kind::Timespan);
  case TypeKind::ScalarData: return v.is_string() || v.is_number() || v.is_bool();
  case TypeKind::Data:
    if (v.is_list()) return std::ranges::all_of(v.items(), [&](const Value& item) { return instance(t, item); });
    if (v.is_hash())
      return std::ranges::all_of(v.hash->entries(), [&](const auto& e) { return e.key.is_string() && instance(t, e.value); });
    return v.is_undef() || v.is_string() || v.is_number() || v.is_bool();
  case TypeKind::RichDataKey: return v.is_string() || v.is_number();
  case TypeKind::RichData:
    if (v.is_list()) return std::ranges::all_of(v.items(), [&](const Value& item) { return instance(t, item); });
    if (v.is_hash())
      return std::ranges::all_of(v.hash->entries(),
                                 [&](const auto& e) { return instance(types::rich_data_key(), e.key) && instance(t, e.value); });
    return !v.is(Kind::Callable) && !v.is(Kind::Iterator) && !v.is(Kind::Ref) && as_runtime_object(v) == nullptr;
  case TypeKind::Numeric: return v.is_number();
  case TypeKind::Integer: return v.is_int() && type_cast<RangeType>(t).range.contains(v.i);
  case TypeKind::Timestamp: return v.is(Kind::Timestamp) && type_cast<RangeType>(t).range.contains(v.i);
  case TypeKind::Timespan: return v.is(Kind::Timespan) && type_cast<RangeType>(t).range.contains(v.i);
  case TypeKind::Float: return v.is_float() && v.d >= type_cast<FloatType>(t).from && v.d <= type_cast<FloatType>(t).to;
  case TypeKind::Boolean: return v.is_bool() && (type_cast<BooleanType>(t).value < 0 || (type_cast<BooleanType>(t).value != 0) == v.b);
  case TypeKind::String: {
    const auto& s = type_cast<StringType>(t);
    if (!v.is_string()) return false;
    if (s.has_value) return v.str() == s.value;
    return !s.has_size || s.size.contains(static_cast<int64_t>(characters(v.str())));
  }
  case TypeKind::Enum: return v.is_string() && enum_has(type_cast<EnumType>(t), v.str());
  case TypeKind::Pattern: return v.is_string() && matches_any(type_cast<PatternType>(t), v.str());
  case TypeKind::Regexp: return v.is(Kind::Regex) && (type_cast<RegexpType>(t).regex == nullptr || assignable(t, infer(ctx, v)));
  case TypeKind::Collection: {
    if (!v.is_list() && !v.is_hash()) return false;
    return type_cast<SizedType>(t).size.contains(v.is_list() ? v.list->size : v.hash->size);
  }
  case TypeKind::Array: {
    if (!v.is_list()) return false;
    const auto& a = type_cast<ArrayType>(t);
    if (!a.size.contains(v.list->size)) return false;
    if (a.element->kind == TypeKind::Any) return true;
    for (const Value& item : v.items())
      if (!instance(a.element, item)) return false;
    return true;
  }
  case TypeKind::Hash: {
    if (!v.is_hash()) return false;
    const auto& h = type_cast<HashType>(t);
    if (!h.size.contains(v.hash->size)) return false;
    for (const auto& e : v.hash->entries())
      if (!instance(h.key, e.key) || !instance(h.value, e.value)) return false;
    return true;
  }
  case TypeKind::Tuple: {
    if (!v.is_list()) return false;
    const auto& tuple = type_cast<TupleType>(t);
    if (tuple.has_size ? !tuple.size.contains(v.list->size) : !(tuple.types.empty() || tuple.types.size() == v.list->size)) return false;
    if (tuple.types.empty()) return true;
    for (size_t i = 0; i < v.list->size; ++i)
      if (!instance(tuple.types[std::min(i, tuple.types.size() - 1)], v.items()[i])) return false;
    return true;
  }
  case TypeKind::Struct: {
    if (!v.is_hash()) return false;
    size_t matched = 0;
    for (const auto& e : type_cast<StructType>(t).elements) {
      const Value* value = v.hash->find(e.name);
      if (value == nullptr) {
        if (!e.optional) return false;
        continue;
      }
      ++matched;
      if (!instance(e.value, *value)) return false;
    }
    return matched == v.hash->size;
  }
  case TypeKind::Variant:
    for (const Type* one : type_cast<VariantType>(t).types)
      if (instance(one, v)) return true;
    return false;
  case TypeKind::Type: {
    const Type* inner = type_cast<WrapperType>(t).inner;
    if (const Type* given = as_type(v)) return inner == nullptr || assignable(inner, given);
    if (v.is(Kind::Ref)) return inner == nullptr || assignable(inner, resource_type(ctx.arena, v.ref->type, v.ref->title));
    return false;
  }
  case TypeKind::Iterable: {
    const Type* inner = type_cast<WrapperType>(t).inner;
    if (inner != nullptr && !assignable(inner, types::any())) { return assignable(t, infer(ctx, v)); }
    if (const Type* given = as_type(v)) {
      given = resolve_alias(ctx, given);
      return given->kind == TypeKind::Enum || (given->kind == TypeKind::Integer && type_cast<RangeType>(given).range.finite());
    }
    return v.is_string() || v.is_list() || v.is_hash() || v.is(Kind::Iterator) || (v.is_int() && v.i >= 0);
  }
  case TypeKind::Iterator: {
    const IteratorValue* it = as_iterator(v);
    const Type* inner = type_cast<WrapperType>(t).inner;
    return it != nullptr && (inner == nullptr || (it->element_type != nullptr && assignable(inner, it->element_type)));
  }
  case TypeKind::Sensitive:
    return v.is(Kind::Sensitive) && (type_cast<WrapperType>(t).inner == nullptr || instance(type_cast<WrapperType>(t).inner, v.unwrap()));
  case TypeKind::Binary: return v.is(Kind::Binary);
  case TypeKind::SemVer: {
    if (!v.is(Kind::SemVer)) return false;
    const auto& ranges = type_cast<SemVerType>(t).ranges;
    for (const SemVerRange* r : ranges)
      if (includes(*r, *v.semver)) return true;
    return ranges.empty();
  }
  case TypeKind::SemVerRange: return v.is(Kind::SemVerRange);
  case TypeKind::Uri: return v.is(Kind::Uri) && uri_matches(ctx, type_cast<UriType>(t), v.str());
  case TypeKind::Callable: return v.is(Kind::Callable) && assignable(t, infer(ctx, v));
  case TypeKind::Deferred: return v.is(Kind::Deferred);
  case TypeKind::TypeAlias: {
    const AliasStep step(t, &v);
    return !step.again() && instance(resolve_alias(ctx, t), v);
  }
  case TypeKind::TypeReference: return false;
  case TypeKind::Init: return init_instance(ctx, type_cast<InitType>(t), v);
  case TypeKind::Runtime: {
    const auto* object = as_runtime_object(v);
    return object != nullptr && runtime_object_instance(ctx, t, *object);
  }
  case TypeKind::CatalogEntry:
  case TypeKind::Class:
  case TypeKind::Resource: return false; // references are types, not instances
  case TypeKind::TypeSet: return v.is_type() && resolve_alias(ctx, as_type(v))->kind == TypeKind::TypeSet;
  case TypeKind::Object:
  case TypeKind::Error: return object_instance(ctx, t, v);
  case TypeKind::ObjectExtension: return extension_instance(ctx, type_cast<ObjectExtensionType>(t), v);
  }
  return false;
}

} // namespace

bool is_assignable(TypeContext& ctx, const Type* to, const Type* from) { return Relation(ctx).assignable(to, from); }
bool is_instance(TypeContext& ctx, const Type* type, const Value& v) { return Relation(ctx).instance(type, v); }

const Type* resolve_alias(TypeContext& ctx, const Type* t) {
  for (int depth = 0; t->kind == TypeKind::TypeAlias && depth < 100; ++depth) {
    const auto& alias = type_cast<TypeAliasType>(t);
    if (alias.resolved == nullptr) {
      const Type* loaded = ctx.load_type(alias.name);
      if (alias.resolved == nullptr && loaded != nullptr && loaded != t)
        alias.resolved = loaded->kind == TypeKind::TypeAlias && type_cast<TypeAliasType>(loaded).name == alias.name
                             ? type_cast<TypeAliasType>(loaded).resolved
                             : loaded;
      if (alias.resolved == nullptr)
        throw_error(ErrorCode::invalid_type, {}, fmt::format("Reference to unresolved type {}", alias.name), PositionStyle::None);
    }
    t = alias.resolved;
  }
  return t;
}

bool iterable(TypeContext& ctx, const Type* t) {
  switch (t->kind) {
  case TypeKind::Array:
  case TypeKind::Hash:
  case TypeKind::Tuple:
  case TypeKind::Struct:
  case TypeKind::Collection:
  case TypeKind::String:
  case TypeKind::Integer:
  case TypeKind::Iterable:
  case TypeKind::Iterator:
  case TypeKind::Enum: return true;
  case TypeKind::Type: {
    const Type* inner = type_cast<WrapperType>(t).inner;
    return inner != nullptr &&
           (inner->kind == TypeKind::Enum || (inner->kind == TypeKind::Integer && type_cast<RangeType>(inner).range.finite()));
  }
  case TypeKind::TypeAlias: return iterable(ctx, resolve_alias(ctx, t));
  default: return false;
  }
}

const Type* iterable_element(TypeContext& ctx, const Type* t) {
  switch (t->kind) {
  case TypeKind::Array: return type_cast<ArrayType>(t).element;
  case TypeKind::Tuple: return types::variant(ctx.arena, type_cast<TupleType>(t).types);
  case TypeKind::Hash: {
    const Type* pair[] = {type_cast<HashType>(t).key, type_cast<HashType>(t).value};
    if (t->equals(*types::hash())) pair[0] = pair[1] = types::unit();
    return types::tuple(ctx.arena, pair, Range::of(2, 2), true);
  }
  case TypeKind::Struct: {
    std::vector<const Type*> keys, values;
    for (const auto& e : type_cast<StructType>(t).elements) {
      keys.push_back(e.key);
      values.push_back(e.value);
    }
    const Type* pair[] = {types::unit(), types::unit()};
    if (!keys.empty()) {
      pair[0] = types::variant(ctx.arena, keys);
      pair[1] = types::variant(ctx.arena, values);
    }
    return types::tuple(ctx.arena, pair, Range::of(2, 2), true);
  }
  case TypeKind::String:
  case TypeKind::Enum: {
    static const StringType character(Range::of(1, 1), true, false, {}); // constant, so that iterating over a character's characters ends
    return &character;
  }
  case TypeKind::Integer: return types::integer();
  case TypeKind::Iterable:
  case TypeKind::Iterator:
  case TypeKind::Type: return type_cast<WrapperType>(t).inner;
  case TypeKind::TypeAlias: return iterable_element(ctx, resolve_alias(ctx, t));
  default: return nullptr;
  }
}

bool kind_of_callable(TypeContext& ctx, const Type* t, bool optional) {
  check_native_stack();
  switch (t->kind) {
  case TypeKind::Callable: return true;
  case TypeKind::Optional:
    return optional && type_cast<WrapperType>(t).inner != nullptr && kind_of_callable(ctx, type_cast<WrapperType>(t).inner, optional);
  case TypeKind::Variant:
    for (const Type* one : type_cast<VariantType>(t).types)
      if (!kind_of_callable(ctx, one, optional)) return false;
    return true;
  case TypeKind::TypeAlias: {
    const AliasStep step(t);
    return !step.again() && type_cast<TypeAliasType>(t).resolved != nullptr && kind_of_callable(ctx, resolve_alias(ctx, t), optional);
  }
  default: return false;
  }
}

bool callable_accepts(TypeContext& ctx, const CallableType& callable, std::span<const Type* const> args, const Type* block) {
  if (callable.parameters != nullptr && !is_assignable(ctx, callable.parameters, types::tuple(ctx.arena, args))) return false;
  if (block == nullptr) return callable.block == nullptr || is_assignable(ctx, callable.block, types::undef());
  return callable.block != nullptr && is_assignable(ctx, callable.block, block);
}

} // namespace pupc::compiler
