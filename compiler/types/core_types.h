#pragma once
// The concrete type objects, all immutable. Types without parameters are constants of the process (types::any() and so on);
// the others live in the arena they were made in. Make them through the factory functions: these normalise the arguments as
// Puppet's constructors do (sizes not below zero, no element type for empty arrays, sorted Enum values).
#include "compiler/types/type.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace pupc::compiler {

/// Bounds of Integer, Timespan, Timestamp and of sizes; an open side is unbounded.
struct Range {
  int64_t from = 0;
  int64_t to = 0;
  bool from_open = true;
  bool to_open = true;

  static constexpr Range all() { return {}; }
  static constexpr Range of(int64_t f, int64_t t) { return {f, t, false, false}; }
  static constexpr Range at_least(int64_t f) { return {f, 0, false, true}; }
  constexpr bool contains(int64_t v) const { return (from_open || v >= from) && (to_open || v <= to); }
  constexpr bool contains(const Range& o) const {
    return (from_open || (!o.from_open && o.from >= from)) && (to_open || (!o.to_open && o.to <= to));
  }
  constexpr bool finite() const { return !from_open && !to_open; }
  constexpr bool unbounded() const { return from_open && to_open; }
  constexpr bool operator==(const Range& o) const {
    return from_open == o.from_open && to_open == o.to_open && (from_open || from == o.from) && (to_open || to == o.to);
  }
};

/// Any, Undef, Default, Scalar, ScalarData, Data, RichData, RichDataKey, Numeric, Unit, Binary, CatalogEntry, SemVerRange.
struct SimpleType : Type {
  using Type::Type;
};
/// Integer, Timespan, Timestamp (nanoseconds).
struct RangeType : Type {
  Range range;
  RangeType(TypeKind k, Range r) : Type(k), range(r) {}
};
struct FloatType : Type {
  double from, to; // infinite = open
  FloatType(double f, double t) : Type(TypeKind::Float), from(f), to(t) {}
};
struct BooleanType : Type {
  int8_t value; // -1 = either
  explicit BooleanType(int8_t v) : Type(TypeKind::Boolean), value(v) {}
};
struct StringType : Type {
  Range size;     // of characters
  bool has_size;  // String[1, 2]
  bool has_value; // the type of one literal string, `value`
  std::string_view value;
  StringType(Range s, bool sized, bool valued, std::string_view v)
      : Type(TypeKind::String), size(s), has_size(sized), has_value(valued), value(v) {}
};
struct EnumType : Type {
  std::span<const std::string_view> values; // sorted
  bool case_insensitive;
  EnumType(std::span<const std::string_view> v, bool ci) : Type(TypeKind::Enum), values(v), case_insensitive(ci) {}
};
struct PatternType : Type {
  std::span<const Regex* const> patterns;
  explicit PatternType(std::span<const Regex* const> p) : Type(TypeKind::Pattern), patterns(p) {}
};
struct RegexpType : Type {
  const Regex* regex; // null = any
  explicit RegexpType(const Regex* r) : Type(TypeKind::Regexp), regex(r) {}
};
/// Base of Collection, Array and Hash. Without an explicit size the range is 0 … unlimited.
struct SizedType : Type {
  Range size;
  bool has_size;
  SizedType(TypeKind k, Range s, bool sized) : Type(k), size(sized ? s : Range::at_least(0)), has_size(sized) {}
};
struct ArrayType : SizedType {
  const Type* element;
  ArrayType(const Type* e, Range s, bool sized) : SizedType(TypeKind::Array, s, sized), element(e) {}
};
struct HashType : SizedType {
  const Type* key;
  const Type* value;
  HashType(const Type* k, const Type* v, Range s, bool sized) : SizedType(TypeKind::Hash, s, sized), key(k), value(v) {}
};
struct TupleType : SizedType { // has_size: given explicitly, else the number of types
  std::span<const Type* const> types;
  TupleType(std::span<const Type* const> t, Range s, bool sized) : SizedType(TypeKind::Tuple, s, sized), types(t) {
    if (!sized && !t.empty()) size = Range::of(static_cast<int64_t>(t.size()), static_cast<int64_t>(t.size()));
  }
};
struct StructElement {
  std::string_view name;
  const Type* key; // String literal, or Optional / NotUndef of it
  const Type* value;
  bool optional; // the key may be missing
};
struct StructType : Type {
  std::span<const StructElement> elements;
  explicit StructType(std::span<const StructElement> e) : Type(TypeKind::Struct), elements(e) {}
  const StructElement* find(std::string_view name) const {
    for (const auto& e : elements)
      if (e.name == name) return &e;
    return nullptr;
  }
};
struct VariantType : Type {
  std::span<const Type* const> types;
  explicit VariantType(std::span<const Type* const> t) : Type(TypeKind::Variant), types(t) {}
};
/// Optional, NotUndef, Type, Iterable, Iterator, Sensitive: one contained type, null = none given.
struct WrapperType : Type {
  const Type* inner;
  WrapperType(TypeKind k, const Type* i) : Type(k), inner(i) {}
};
struct CallableType : Type {
  const TupleType* parameters; // null = any parameters
  const Type* block;           // Callable or Optional[Callable], null = no block
  const Type* returns;         // null = Any
  CallableType(const TupleType* p, const Type* b, const Type* r) : Type(TypeKind::Callable), parameters(p), block(b), returns(r) {}
};
struct SemVerType : Type {
  std::span<const SemVerRange* const> ranges; // empty = any
  explicit SemVerType(std::span<const SemVerRange* const> r) : Type(TypeKind::SemVer), ranges(r) {}
};
struct InitType : Type {
  const Type* inner; // null = none
  std::span<const Value> arguments;
  InitType(const Type* i, std::span<const Value> a) : Type(TypeKind::Init), inner(i), arguments(a) {}
};
struct UriType : Type {
  Value parameters; // undef, or a hash of components (uri_type.h)
  explicit UriType(Value p) : Type(TypeKind::Uri), parameters(p) {}
};
struct RuntimeType : Type {
  std::string_view runtime; // empty = none
  std::string_view name;
  RuntimeType(std::string_view r, std::string_view n) : Type(TypeKind::Runtime), runtime(r), name(n) {}
};
struct TypeReferenceType : Type {
  std::string_view text;
  explicit TypeReferenceType(std::string_view t) : Type(TypeKind::TypeReference), text(t) {}
};
/// An alias by name. The loader sets `resolved` once; it is null while the alias is being resolved.
struct TypeAliasType : Type {
  std::string_view name;
  mutable const Type* resolved = nullptr;
  explicit TypeAliasType(std::string_view n) : Type(TypeKind::TypeAlias), name(n) {}
};
struct ResourceType : Type {
  std::string_view type_name; // capitalised, empty = any
  std::string_view title;
  bool has_title;
  ResourceType(std::string_view t, std::string_view ti, bool titled)
      : Type(TypeKind::Resource), type_name(t), title(ti), has_title(titled) {}
};
struct ClassType : Type {
  std::string_view class_name; // lower case, empty = any
  explicit ClassType(std::string_view n) : Type(TypeKind::Class), class_name(n) {}
};

/// A resource type's name as Puppet prints it: "foo::bar" and "FOO::bar" both give "Foo::Bar".
std::string capitalized_segments(std::string_view name);

template <class T> const T& type_cast(const Type* t) { return static_cast<const T&>(*t); }

namespace types {

const Type* any();
const Type* undef();
const Type* unit();
const Type* default_type();
const Type* scalar();
const Type* scalar_data();
const Type* data();
const Type* rich_data();
const Type* rich_data_key();
const Type* numeric();
const Type* integer();
const Type* floating();
const Type* boolean();
const Type* string();
const Type* enumeration();
const Type* pattern();
const Type* regexp();
const Type* collection();
const Type* array();
const Type* empty_array();
const Type* hash();
const Type* empty_hash();
const Type* tuple();
const Type* struct_type();
const Type* variant();
const Type* callable();
const Type* binary();
const Type* catalog_entry();
const Type* resource();
const Type* class_any();
const Type* sem_ver();
const Type* sem_ver_range();
const Type* timestamp();
const Type* timespan();
const Type* uri();
const Type* annotation(); // the parent of annotation types
const Type* pcore();
const Type* deferred();
const Type* object();
const Type* type_set();
const Type* error();
const Type* type_type();
const Type* optional_any();
const Type* not_undef_any();
const Type* iterable_any();
const Type* iterator_any();
const Type* sensitive_any();

const Type* range(Arena& a, TypeKind kind, Range r);
inline const Type* integer(Arena& a, Range r) { return range(a, TypeKind::Integer, r); }
const Type* floating(Arena& a, double from, double to);
const Type* boolean(bool v);
const Type* string_literal(Arena& a, std::string_view v); // v must outlive the type
const Type* string_sized(Arena& a, Range size);
const Type* enumeration(Arena& a, std::span<const std::string_view> values, bool case_insensitive = false);
const Type* array(Arena& a, const Type* element, Range size = {}, bool sized = false);
const Type* hash(Arena& a, const Type* key, const Type* value, Range size = {}, bool sized = false);
const Type* tuple(Arena& a, std::span<const Type* const> types, Range size = {}, bool sized = false);
const Type* structure(Arena& a, std::span<const StructElement> elements);
/// A Variant of `types`, flattened and without duplicates. A single type comes back unchanged.
const Type* variant(Arena& a, std::span<const Type* const> types);
const Type* wrapper(Arena& a, TypeKind kind, const Type* inner);

} // namespace types

/// Whether the type can be iterated over, and its element type (null = unknown).
bool iterable(TypeContext& ctx, const Type* t);
const Type* iterable_element(TypeContext& ctx, const Type* t);
/// Whether the type is a kind of Callable, as a block parameter needs it: Callable, an alias or Variant of it, and with `optional` also
/// Optional of it.
bool kind_of_callable(TypeContext& ctx, const Type* t, bool optional = true);
/// Puppet's normalize: merges Enum, Pattern and ranges in a Variant, folds Undef into Optional, and so on.
const Type* normalize(TypeContext& ctx, const Type* t);
/// Whether a callable accepts arguments of these types. `block`: the type of the given block, null = none given.
bool callable_accepts(TypeContext& ctx, const CallableType& callable, std::span<const Type* const> args, const Type* block);
/// Name of the type without parameters: "Integer", "Array", the alias' name.
std::string_view type_base_name(const Type* t);
/// Calls `visit` with every type directly inside `t`. For an alias that is its meaning; the members of an object are left out.
void for_each_contained(const Type* t, const std::function<void(const Type*)>& visit);
/// Whether the meaning of the alias leads back to the alias.
bool self_recursive(const TypeAliasType& alias);
/// The printed form with an alias spelled out, as Puppet prints a type alias as a value: "Stdlib::Port = Integer[0, 65535]".
std::string type_to_string_expanded(const Type* t);

} // namespace pupc::compiler
