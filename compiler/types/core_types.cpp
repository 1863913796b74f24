#include "compiler/types/core_types.h"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>

namespace pupc::compiler::types {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

} // namespace

#define PUPC_CONSTANT(function, declaration)                                                                                               \
  const Type* function() {                                                                                                                 \
    static const auto t = declaration;                                                                                                     \
    return &t;                                                                                                                             \
  }
PUPC_CONSTANT(any, SimpleType(TypeKind::Any))
PUPC_CONSTANT(undef, SimpleType(TypeKind::Undef))
PUPC_CONSTANT(unit, SimpleType(TypeKind::Unit))
PUPC_CONSTANT(default_type, SimpleType(TypeKind::Default))
PUPC_CONSTANT(scalar, SimpleType(TypeKind::Scalar))
PUPC_CONSTANT(scalar_data, SimpleType(TypeKind::ScalarData))
PUPC_CONSTANT(data, SimpleType(TypeKind::Data))
PUPC_CONSTANT(rich_data, SimpleType(TypeKind::RichData))
PUPC_CONSTANT(rich_data_key, SimpleType(TypeKind::RichDataKey))
PUPC_CONSTANT(numeric, SimpleType(TypeKind::Numeric))
PUPC_CONSTANT(integer, RangeType(TypeKind::Integer, Range::all()))
PUPC_CONSTANT(floating, FloatType(-infinity, infinity))
PUPC_CONSTANT(boolean, BooleanType(-1))
PUPC_CONSTANT(string, StringType(Range::all(), false, false, {}))
PUPC_CONSTANT(enumeration, EnumType({}, false))
PUPC_CONSTANT(pattern, PatternType({}))
PUPC_CONSTANT(regexp, RegexpType(nullptr))
PUPC_CONSTANT(collection, SizedType(TypeKind::Collection, {}, false))
PUPC_CONSTANT(array, ArrayType(any(), {}, false))
PUPC_CONSTANT(empty_array, ArrayType(unit(), Range::of(0, 0), true))
PUPC_CONSTANT(hash, HashType(any(), any(), {}, false))
PUPC_CONSTANT(empty_hash, HashType(unit(), unit(), Range::of(0, 0), true))
PUPC_CONSTANT(tuple, TupleType({}, {}, false))
PUPC_CONSTANT(struct_type, StructType({}))
PUPC_CONSTANT(variant, VariantType({}))
PUPC_CONSTANT(callable, CallableType(nullptr, nullptr, nullptr))
PUPC_CONSTANT(binary, SimpleType(TypeKind::Binary))
PUPC_CONSTANT(catalog_entry, SimpleType(TypeKind::CatalogEntry))
PUPC_CONSTANT(resource, ResourceType({}, {}, false))
PUPC_CONSTANT(class_any, ClassType({}))
PUPC_CONSTANT(sem_ver, SemVerType({}))
PUPC_CONSTANT(sem_ver_range, SimpleType(TypeKind::SemVerRange))
PUPC_CONSTANT(timestamp, RangeType(TypeKind::Timestamp, Range::all()))
PUPC_CONSTANT(timespan, RangeType(TypeKind::Timespan, Range::all()))
PUPC_CONSTANT(uri, UriType(Value::undef()))
PUPC_CONSTANT(type_type, WrapperType(TypeKind::Type, nullptr))
PUPC_CONSTANT(optional_any, WrapperType(TypeKind::Optional, nullptr))
PUPC_CONSTANT(not_undef_any, WrapperType(TypeKind::NotUndef, nullptr))
PUPC_CONSTANT(iterable_any, WrapperType(TypeKind::Iterable, nullptr))
PUPC_CONSTANT(iterator_any, WrapperType(TypeKind::Iterator, nullptr))
PUPC_CONSTANT(sensitive_any, WrapperType(TypeKind::Sensitive, nullptr))
#undef PUPC_CONSTANT

const Type* range(Arena& a, TypeKind kind, Range r) {
  if (r.unbounded()) return kind == TypeKind::Integer ? integer() : kind == TypeKind::Timestamp ? timestamp() : timespan();
  return a.make<RangeType>(kind, r);
}
const Type* floating(Arena& a, double from, double to) { return a.make<FloatType>(from, to); }
const Type* boolean(bool v) {
  static const BooleanType yes(1), no(0);
  return v ? &yes : &no;
}
const Type* string_literal(Arena& a, std::string_view v) { return a.make<StringType>(Range::all(), false, true, v); }

namespace {
Range to_size(Range r) {
  if (r.from_open || r.from < 0) {
    r.from = 0;
    r.from_open = false;
    if (!r.to_open && r.to < 0) r.to = 0;
  }
  return r;
}
} // namespace

const Type* string_sized(Arena& a, Range size) { return a.make<StringType>(to_size(size), true, false, std::string_view()); }

const Type* enumeration(Arena& a, std::span<const std::string_view> values, bool case_insensitive) {
  auto copy = a.copy_span<std::string_view>(values);
  std::sort(copy.begin(), copy.end());
  size_t n = static_cast<size_t>(std::unique(copy.begin(), copy.end()) - copy.begin());
  return a.make<EnumType>(std::span<const std::string_view>(copy.data(), n), case_insensitive);
}

const Type* array(Arena& a, const Type* element, Range size, bool sized) {
  if (sized) size = to_size(size);
  if (sized && size == Range::of(0, 0)) return empty_array();
  if (!sized && (element == nullptr || element->kind == TypeKind::Any)) return array();
  return a.make<ArrayType>(element == nullptr ? any() : element, size, sized);
}
const Type* hash(Arena& a, const Type* key, const Type* value, Range size, bool sized) {
  if (sized) size = to_size(size);
  if (sized && size == Range::of(0, 0)) return empty_hash();
  return a.make<HashType>(key == nullptr ? any() : key, value == nullptr ? any() : value, size, sized);
}
const Type* tuple(Arena& a, std::span<const Type* const> types, Range size, bool sized) {
  return a.make<TupleType>(std::span<const Type* const>(a.copy_span<const Type*>(types)), sized ? to_size(size) : size, sized);
}
const Type* structure(Arena& a, std::span<const StructElement> elements) {
  return a.make<StructType>(std::span<const StructElement>(a.copy_span<StructElement>(elements)));
}
const Type* variant(Arena& a, std::span<const Type* const> types) {
  std::vector<const Type*> flat;
  std::unordered_multimap<uint64_t, const Type*> by_hash; // for long lists: comparing every pair takes too long
  auto has = [&](const Type* one) {
    if (flat.size() < 32) return std::any_of(flat.begin(), flat.end(), [&](const Type* k) { return k == one || k->equals(*one); });
    if (by_hash.empty())
      for (const Type* k : flat) by_hash.emplace(k->hash(), k);
    const uint64_t hash = one->hash();
    auto [begin, end] = by_hash.equal_range(hash);
    for (; begin != end; ++begin)
      if (begin->second == one || begin->second->equals(*one)) return true;
    by_hash.emplace(hash, one);
    return false;
  };
  for (const Type* t : types) {
    auto add = [&](const Type* one) {
      if (!has(one)) flat.push_back(one);
    };
    if (t->kind == TypeKind::Variant)
      for (const Type* inner : type_cast<VariantType>(t).types) add(inner);
    else
      add(t);
  }
  if (flat.size() == 1) return flat[0];
  return a.make<VariantType>(std::span<const Type* const>(a.copy_span<const Type*>(flat)));
}
const Type* wrapper(Arena& a, TypeKind kind, const Type* inner) {
  if (kind == TypeKind::NotUndef && inner != nullptr && inner->kind == TypeKind::Any) inner = nullptr;
  return a.make<WrapperType>(kind, inner);
}

} // namespace pupc::compiler::types

namespace pupc::compiler {

namespace {

/// Whether a name of letters, compared to the end, is the other one in any case.
bool same_but_for_case(std::string_view letters, std::string_view name) {
  return letters.size() == name.size() && std::ranges::equal(letters, name, [](char a, char b) { return (a | 0x20) == (b | 0x20); });
}

} // namespace

const Type* builtin_type(std::string_view name) {
  using Getter = const Type* (*)();
  struct Named {
    std::string_view name;
    Getter get;
  };
  static constexpr Named table[] = {
      {"Annotation", types::annotation},
      {"Any", types::any},
      {"Array", types::array},
      {"Binary", types::binary},
      {"Boolean", types::boolean},
      {"Callable", types::callable},
      {"CatalogEntry", types::catalog_entry},
      {"Class", types::class_any},
      {"Collection", types::collection},
      {"Data", types::data},
      {"Default", types::default_type},
      {"Deferred", types::deferred},
      {"Enum", types::enumeration},
      {"Error", types::error},
      {"Float", types::floating},
      {"Hash", types::hash},
      {"Integer", types::integer},
      {"Iterable", types::iterable_any},
      {"Iterator", types::iterator_any},
      {"NotUndef", types::not_undef_any},
      {"Numeric", types::numeric},
      {"Object", types::object},
      {"Optional", types::optional_any},
      {"Pattern", types::pattern},
      {"Pcore", types::pcore},
      {"Regexp", types::regexp},
      {"Resource", types::resource},
      {"RichData", types::rich_data},
      {"RichDataKey", types::rich_data_key},
      {"Scalar", types::scalar},
      {"ScalarData", types::scalar_data},
      {"SemVer", types::sem_ver},
      {"SemVerRange", types::sem_ver_range},
      {"Sensitive", types::sensitive_any},
      {"String", types::string},
      {"Struct", types::struct_type},
      {"Timespan", types::timespan},
      {"Timestamp", types::timestamp},
      {"Tuple", types::tuple},
      {"Type", types::type_type},
      {"TypeSet", types::type_set},
      {"URI", types::uri},
      {"Undef", types::undef},
      {"Variant", types::variant},
  };
  static_assert(std::ranges::is_sorted(table, {}, &Named::name));
  // Where those with a letter begin: most names that are asked are none of these.
  static constexpr auto begins = [] {
    std::array<uint8_t, 27> out{};
    for (size_t letter = 0; letter < out.size(); ++letter)
      for (const Named& entry : table) out[letter] += static_cast<size_t>(entry.name.front() - 'A') < letter ? 1 : 0;
    return out;
  }();
  const size_t letter = name.empty() ? 26 : static_cast<size_t>(static_cast<unsigned char>(name.front())) - 'A';
  if (letter >= 26) return nullptr;
  for (size_t i = begins[letter]; i < begins[letter + 1]; ++i)
    if (same_but_for_case(table[i].name, name)) return table[i].get();
  static const InitType init(nullptr, {});
  static const RuntimeType runtime({}, {});
  static const TypeReferenceType reference("UnresolvedReference");
  static const TypeAliasType alias = [] {
    TypeAliasType a("UnresolvedAlias");
    a.resolved = &reference;
    return a;
  }();
  if (same_but_for_case("Init", name)) return &init;
  if (same_but_for_case("Runtime", name)) return &runtime;
  if (same_but_for_case("TypeReference", name)) return &reference;
  if (same_but_for_case("TypeAlias", name)) return &alias;
  return nullptr;
}

std::string capitalized_segments(std::string_view s) {
  std::string out(s);
  bool first = true;
  for (char& ch : out) {
    if (first && ch >= 'a' && ch <= 'z') ch = static_cast<char>(ch - 32);
    if (!first && ch >= 'A' && ch <= 'Z') ch = static_cast<char>(ch + 32);
    first = ch == ':';
  }
  return out;
}

const Type* resource_type(Arena& arena, std::string_view type_name, std::string_view title) {
  return arena.make<ResourceType>(arena.copy(capitalized_segments(type_name)), arena.copy(title), !title.empty());
}
const Type* class_type(Arena& arena, std::string_view class_name) {
  return class_name.empty() ? types::class_any() : arena.make<ClassType>(arena.copy(class_name));
}

const Type* callable_type(Arena& arena, std::span<const Type* const> params, int64_t min, int64_t max, const Type* block,
                          const Type* returns) {
  Range size = max < 0 ? Range::at_least(min) : Range::of(min, max);
  bool plain = max >= 0 && min == max && static_cast<size_t>(max) == params.size();
  const Type* t = types::tuple(arena, params, size, !plain || params.empty());
  if (returns != nullptr && returns->kind == TypeKind::Any) returns = nullptr;
  return arena.make<CallableType>(static_cast<const TupleType*>(t), block, returns);
}

} // namespace pupc::compiler
