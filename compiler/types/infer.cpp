// Infers types of values, the common type of two types, and simpler (normalized, generalized) forms of a type.
#include "catalog/base/stack.h"
#include "compiler/types/alias_step.h"
#include "compiler/types/core_types.h"
#include "compiler/types/iterator.h"
#include "compiler/types/object_definition.h"
#include "compiler/types/semver_type.h"
#include "compiler/types/uri_type.h"

#include <algorithm>

namespace pupc::compiler {
namespace {

Range size_of(size_t n) { return Range::of(static_cast<int64_t>(n), static_cast<int64_t>(n)); }

const Type* reduce(TypeContext& ctx, std::span<const Value> values) {
  const Type* memo = nullptr;
  for (const Value& v : values) {
    const Type* t = infer(ctx, v);
    memo = memo == nullptr ? t : common_type(ctx, memo, t);
  }
  return memo;
}

/// The part that infer and infer_detailed share: everything except arrays and hashes.
const Type* infer_plain(TypeContext& ctx, const Value& v, bool detailed) {
  switch (v.kind) {
  case Kind::Undef: return types::undef();
  case Kind::Default: return types::default_type();
  case Kind::Bool: return types::boolean(v.b);
  case Kind::Int: return types::integer(ctx.arena, Range::of(v.i, v.i));
  case Kind::Float: return types::floating(ctx.arena, v.d, v.d);
  case Kind::String: return types::string_literal(ctx.arena, v.str());
  case Kind::Regex: return ctx.arena.make<RegexpType>(v.regex);
  case Kind::Type: return types::wrapper(ctx.arena, TypeKind::Type, as_type(v));
  case Kind::Ref: return types::wrapper(ctx.arena, TypeKind::Type, resource_type(ctx.arena, v.ref->type, v.ref->title));
  case Kind::Sensitive: return types::wrapper(ctx.arena, TypeKind::Sensitive, generalize(ctx, infer(ctx, v.unwrap())));
  case Kind::Deferred: return types::deferred();
  case Kind::Timestamp: return types::range(ctx.arena, TypeKind::Timestamp, Range::of(v.i, v.i));
  case Kind::Timespan: return types::range(ctx.arena, TypeKind::Timespan, Range::of(v.i, v.i));
  case Kind::SemVer: return detailed ? semver_exact_type(ctx.arena, *v.semver) : types::sem_ver();
  case Kind::SemVerRange: return types::sem_ver_range();
  case Kind::Binary: return types::binary();
  case Kind::Uri: return ctx.arena.make<UriType>(uri_type_parameters(ctx, v));
  case Kind::Object: return infer_object(ctx, *as_object(v));
  case Kind::Iterator:
    if (std::string_view name = as_iterator(v)->runtime_class; !name.empty()) return ctx.arena.make<RuntimeType>("ruby", name);
    return types::wrapper(ctx.arena, TypeKind::Iterator, as_iterator(v)->element_type);
  case Kind::Callable: return static_cast<const CallableValue*>(v.opaque)->callable_type(ctx);
  case Kind::List:
  case Kind::Hash: break;
  }
  return types::any();
}

bool all_of(TypeContext& ctx, const Type* t, const Type* a, const Type* b) { return is_assignable(ctx, t, a) && is_assignable(ctx, t, b); }

void union_of(std::vector<std::string_view>& into, std::span<const std::string_view> values) {
  for (std::string_view v : values)
    if (std::find(into.begin(), into.end(), v) == into.end()) into.push_back(v);
}

Range hull(const Range& a, const Range& b) {
  Range r;
  r.from_open = a.from_open || b.from_open;
  r.to_open = a.to_open || b.to_open;
  r.from = std::min(a.from, b.from);
  r.to = std::max(a.to, b.to);
  return r;
}

const Type* common_strings(TypeContext& ctx, const Type* a, const Type* b) {
  Arena& arena = ctx.arena;
  std::vector<std::string_view> values;
  if (a->kind == TypeKind::String && b->kind == TypeKind::String) {
    const auto &x = type_cast<StringType>(a), &y = type_cast<StringType>(b);
    if (x.has_value && y.has_value) {
      values = {x.value, y.value};
      return types::enumeration(arena, values);
    }
    if (x.has_size && y.has_size) return types::string_sized(arena, hull(x.size, y.size));
    return types::string();
  }
  for (const Type* t : {a, b}) {
    if (t->kind == TypeKind::Enum) {
      union_of(values, type_cast<EnumType>(t).values);
    } else if (type_cast<StringType>(t).has_value) {
      std::string_view one[] = {type_cast<StringType>(t).value};
      union_of(values, one);
    } else {
      return types::enumeration();
    }
  }
  return types::enumeration(arena, values);
}

} // namespace

const Type* infer(TypeContext& ctx, const Value& v) {
  check_native_stack();
  if (v.is_list()) {
    if (v.list->size == 0) return types::empty_array();
    return types::array(ctx.arena, reduce(ctx, v.items()), size_of(v.list->size), true);
  }
  if (v.is_hash()) {
    if (v.hash->size == 0) return types::empty_hash();
    std::vector<Value> keys, values;
    for (const auto& e : v.hash->entries()) {
      keys.push_back(e.key);
      values.push_back(e.value);
    }
    return types::hash(ctx.arena, reduce(ctx, keys), reduce(ctx, values), size_of(v.hash->size), true);
  }
  return infer_plain(ctx, v, false);
}

const Type* infer_detailed(TypeContext& ctx, const Value& v) {
  check_native_stack();
  if (v.is_list()) {
    if (v.list->size == 0) return types::empty_array();
    std::vector<const Type*> each;
    for (const Value& item : v.items()) each.push_back(infer_detailed(ctx, item));
    return types::tuple(ctx.arena, each);
  }
  if (v.is_hash()) {
    if (v.hash->size == 0) return types::empty_hash();
    bool named = true;
    for (const auto& e : v.hash->entries()) named = named && e.key.is_string() && e.key.len > 0;
    if (named) {
      std::vector<StructElement> elements;
      for (const auto& e : v.hash->entries())
        elements.push_back({e.key.str(), types::string_literal(ctx.arena, e.key.str()), infer_detailed(ctx, e.value), false});
      return types::structure(ctx.arena, elements);
    }
    std::vector<const Type*> keys, values;
    for (const auto& e : v.hash->entries()) {
      keys.push_back(infer_detailed(ctx, e.key));
      values.push_back(infer_detailed(ctx, e.value));
    }
    return types::hash(ctx.arena, types::variant(ctx.arena, keys), types::variant(ctx.arena, values), size_of(v.hash->size), true);
  }
  return infer_plain(ctx, v, true);
}

const Type* common_type(TypeContext& ctx, const Type* a, const Type* b) {
  check_native_stack();
  if (a == b) return a;
  Arena& arena = ctx.arena;
  for (TypeKind nothing : {TypeKind::Undef, TypeKind::Unit}) {
    if (a->kind == nothing) return b;
    if (b->kind == nothing) return a;
  }
  if (is_assignable(ctx, a, b)) return a;
  if (is_assignable(ctx, b, a)) return b;
  if (a->kind == b->kind) {
    switch (a->kind) {
    case TypeKind::Array: return types::array(arena, common_type(ctx, type_cast<ArrayType>(a).element, type_cast<ArrayType>(b).element));
    case TypeKind::Hash:
      return types::hash(arena, common_type(ctx, type_cast<HashType>(a).key, type_cast<HashType>(b).key),
                         common_type(ctx, type_cast<HashType>(a).value, type_cast<HashType>(b).value));
    case TypeKind::Class: return types::class_any();
    case TypeKind::Resource:
      return type_cast<ResourceType>(a).type_name == type_cast<ResourceType>(b).type_name
                 ? resource_type(arena, type_cast<ResourceType>(a).type_name)
                 : types::resource();
    case TypeKind::Integer: return types::integer(arena, hull(type_cast<RangeType>(a).range, type_cast<RangeType>(b).range));
    case TypeKind::Float: {
      const auto &x = type_cast<FloatType>(a), &y = type_cast<FloatType>(b);
      return types::floating(arena, std::min(x.from, y.from), std::max(x.to, y.to));
    }
    case TypeKind::Pattern: {
      std::vector<const Regex*> patterns(type_cast<PatternType>(a).patterns.begin(), type_cast<PatternType>(a).patterns.end());
      for (const Regex* r : type_cast<PatternType>(b).patterns)
        if (std::find(patterns.begin(), patterns.end(), r) == patterns.end()) patterns.push_back(r);
      return arena.make<PatternType>(std::span<const Regex* const>(arena.copy_span<const Regex*>(patterns)));
    }
    case TypeKind::Variant: {
      const Type* both[] = {a, b};
      return types::variant(arena, both);
    }
    case TypeKind::Regexp: return types::regexp();
    case TypeKind::Callable: return types::callable();
    default: break;
    }
  }
  bool a_text = a->kind == TypeKind::String || a->kind == TypeKind::Enum, b_text = b->kind == TypeKind::String || b->kind == TypeKind::Enum;
  if (a_text && b_text) return common_strings(ctx, a, b);
  if (all_of(ctx, types::numeric(), a, b)) return types::numeric();
  if (all_of(ctx, types::scalar_data(), a, b)) return types::scalar_data();
  if (all_of(ctx, types::scalar(), a, b)) return types::scalar();
  if (all_of(ctx, types::data(), a, b)) return types::data();
  if (a->kind == TypeKind::Type && b->kind == TypeKind::Type) {
    const Type *x = type_cast<WrapperType>(a).inner, *y = type_cast<WrapperType>(b).inner;
    return x == nullptr || y == nullptr ? types::type_type() : types::wrapper(arena, TypeKind::Type, common_type(ctx, x, y));
  }
  if (all_of(ctx, types::rich_data(), a, b)) return types::rich_data();
  return types::any();
}

const Type* generalize(TypeContext& ctx, const Type* t) {
  check_native_stack();
  Arena& arena = ctx.arena;
  auto each = [&](std::span<const Type* const> list) {
    std::vector<const Type*> out;
    for (const Type* one : list) out.push_back(generalize(ctx, one));
    return out;
  };
  switch (t->kind) {
  case TypeKind::Integer: return types::integer();
  case TypeKind::Float: return types::floating();
  case TypeKind::Timestamp: return types::timestamp();
  case TypeKind::Timespan: return types::timespan();
  case TypeKind::Boolean: return types::boolean();
  case TypeKind::String: return types::string();
  case TypeKind::Enum: {
    const auto& values = type_cast<EnumType>(t).values;
    if (values.empty()) return types::string();
    int64_t low = INT64_MAX, high = 0;
    for (std::string_view v : values) {
      int64_t n = 0;
      for (char ch : v) n += (static_cast<unsigned char>(ch) & 0xC0) != 0x80;
      low = std::min(low, n);
      high = std::max(high, n);
    }
    return types::string_sized(arena, Range::of(low, high));
  }
  case TypeKind::Collection: return types::collection();
  case TypeKind::Array: return types::array(arena, generalize(ctx, type_cast<ArrayType>(t).element));
  case TypeKind::Hash: {
    const auto& h = type_cast<HashType>(t);
    if (t == types::empty_hash()) return t;
    return types::hash(arena, generalize(ctx, h.key), generalize(ctx, h.value));
  }
  case TypeKind::Tuple: {
    const auto& tuple = type_cast<TupleType>(t);
    return tuple.types.empty() ? t : types::tuple(arena, each(tuple.types), tuple.size, tuple.has_size);
  }
  case TypeKind::Struct: {
    std::vector<StructElement> out;
    for (StructElement e : type_cast<StructType>(t).elements) {
      e.value = generalize(ctx, e.value);
      out.push_back(e);
    }
    return types::structure(arena, out);
  }
  case TypeKind::Variant: return type_cast<VariantType>(t).types.empty() ? t : types::variant(arena, each(type_cast<VariantType>(t).types));
  case TypeKind::Optional:
  case TypeKind::NotUndef:
  case TypeKind::Type:
  case TypeKind::Iterable:
  case TypeKind::Iterator:
  case TypeKind::Sensitive: {
    const Type* inner = type_cast<WrapperType>(t).inner;
    return inner == nullptr ? t : types::wrapper(arena, t->kind, generalize(ctx, inner));
  }
  case TypeKind::Callable: {
    const auto& c = type_cast<CallableType>(t);
    if (c.parameters == nullptr) return t;
    return arena.make<CallableType>(static_cast<const TupleType*>(generalize(ctx, c.parameters)),
                                    c.block == nullptr ? nullptr : generalize(ctx, c.block),
                                    c.returns == nullptr ? nullptr : generalize(ctx, c.returns));
  }
  case TypeKind::ObjectExtension: return type_cast<ObjectExtensionType>(t).object;
  case TypeKind::Uri: return types::uri();
  default: return t;
  }
}

namespace {

bool adjacent_or_overlapping(const Range& a, const Range& b, bool integer) {
  auto before = [&](const Range& x, const Range& y) { // x ends before y begins, with a gap
    if (x.to_open || y.from_open) return false;
    return integer && x.to != INT64_MAX ? x.to + 1 < y.from : x.to < y.from;
  };
  return !before(a, b) && !before(b, a);
}

void merge_ranges(TypeContext& ctx, std::vector<const Type*>& list, TypeKind kind) {
  std::vector<const Type*> ranges, rest;
  for (const Type* t : list) (t->kind == kind ? ranges : rest).push_back(t);
  if (ranges.size() < 2) return;
  std::vector<const Type*> merged;
  // A long list without touching ranges needs no comparison of all pairs: sorting shows that nothing can be merged.
  if (ranges.size() > 64) {
    std::vector<Range> sorted;
    for (const Type* t : ranges) sorted.push_back(type_cast<RangeType>(t).range);
    std::sort(sorted.begin(), sorted.end(), [](const Range& a, const Range& b) { return a.from < b.from; });
    bool touching = false;
    for (size_t i = 1; i < sorted.size() && !touching; ++i)
      touching = adjacent_or_overlapping(sorted[i - 1], sorted[i], kind == TypeKind::Integer);
    if (!touching) {
      merged.assign(ranges.rbegin(), ranges.rend());
      ranges.clear();
    }
  }
  while (!ranges.empty()) {
    Range x = type_cast<RangeType>(ranges.back()).range;
    ranges.pop_back();
    std::vector<const Type*> apart;
    for (const Type* y : ranges) {
      const Range& r = type_cast<RangeType>(y).range;
      if (adjacent_or_overlapping(x, r, kind == TypeKind::Integer))
        x = hull(x, r);
      else
        apart.push_back(y);
    }
    merged.push_back(types::range(ctx.arena, kind, x));
    ranges = apart;
  }
  merged.insert(merged.end(), rest.begin(), rest.end());
  list = std::move(merged);
}

void merge_floats(TypeContext& ctx, std::vector<const Type*>& list) {
  std::vector<const Type*> ranges, rest;
  for (const Type* t : list) (t->kind == TypeKind::Float ? ranges : rest).push_back(t);
  if (ranges.size() < 2) return;
  std::vector<const Type*> merged;
  while (!ranges.empty()) {
    double from = type_cast<FloatType>(ranges.back()).from, to = type_cast<FloatType>(ranges.back()).to;
    ranges.pop_back();
    std::vector<const Type*> apart;
    for (const Type* y : ranges) {
      const auto& f = type_cast<FloatType>(y);
      if (to < f.from || f.to < from) {
        apart.push_back(y);
        continue;
      }
      from = std::min(from, f.from);
      to = std::max(to, f.to);
    }
    merged.push_back(types::floating(ctx.arena, from, to));
    ranges = apart;
  }
  merged.insert(merged.end(), rest.begin(), rest.end());
  list = std::move(merged);
}

const Type* normalize_variant(TypeContext& ctx, const Type* t) {
  check_native_stack();
  Arena& arena = ctx.arena;
  std::vector<const Type*> list;
  bool optional = false, modified = false;
  for (const Type* given : type_cast<VariantType>(t).types) {
    const Type* one = normalize(ctx, given);
    modified = modified || one != given;
    if (one->kind == TypeKind::Undef) {
      optional = true;
      continue;
    }
    if (one->kind == TypeKind::Optional) {
      optional = true;
      one = type_cast<WrapperType>(one).inner;
      if (one == nullptr) continue;
    }
    list.push_back(one);
  }
  if (type_cast<VariantType>(t).types.size() == 1 && !optional) return list[0];
  if (optional) return normalize(ctx, types::wrapper(arena, TypeKind::Optional, types::variant(arena, list)));
  const Type* flat = types::variant(arena, list);
  if (flat->kind != TypeKind::Variant) return flat;
  list.assign(type_cast<VariantType>(flat).types.begin(), type_cast<VariantType>(flat).types.end());

  auto split = [&](auto belongs, auto combine) {
    std::vector<const Type*> mine, rest;
    for (const Type* one : list) (belongs(one) ? mine : rest).push_back(one);
    if (mine.size() < 2) return;
    rest.push_back(combine(mine));
    list = std::move(rest);
  };
  split([](const Type* one) { return one->kind == TypeKind::NotUndef && type_cast<WrapperType>(one).inner != nullptr; },
        [&](const std::vector<const Type*>& mine) {
          std::vector<const Type*> inner;
          for (const Type* one : mine) inner.push_back(type_cast<WrapperType>(one).inner);
          return types::wrapper(arena, TypeKind::NotUndef, normalize(ctx, types::variant(arena, inner)));
        });
  split(
      [](const Type* one) {
        return (one->kind == TypeKind::Enum && !type_cast<EnumType>(one).values.empty() && !type_cast<EnumType>(one).case_insensitive) ||
               (one->kind == TypeKind::String && type_cast<StringType>(one).has_value);
      },
      [&](const std::vector<const Type*>& mine) {
        std::vector<std::string_view> values;
        for (const Type* one : mine) {
          if (one->kind == TypeKind::Enum)
            union_of(values, type_cast<EnumType>(one).values);
          else
            values.push_back(type_cast<StringType>(one).value);
        }
        return types::enumeration(arena, values);
      });
  split([](const Type* one) { return one->kind == TypeKind::Pattern; },
        [&](const std::vector<const Type*>& mine) {
          const Type* all = mine[0];
          for (const Type* one : mine) all = one == all ? all : common_type(ctx, all, one);
          return all;
        });
  size_t before = list.size();
  merge_ranges(ctx, list, TypeKind::Integer);
  merge_floats(ctx, list);
  merge_ranges(ctx, list, TypeKind::Timespan);
  merge_ranges(ctx, list, TypeKind::Timestamp);
  if (!modified && list.size() == before && before == type_cast<VariantType>(t).types.size()) return t; // unchanged, in its original order
  return types::variant(arena, list);
}

} // namespace

bool undecided(const Type* t) {
  static const char question = 0; // identifies this question for the guard against recursion
  switch (t->kind) {
  case TypeKind::TypeAlias: {
    const Type* meaning = type_cast<TypeAliasType>(t).resolved;
    if (meaning == nullptr) return true;
    const AliasStep step(t, &question);
    return !step.again() && undecided(meaning);
  }
  case TypeKind::Variant:
    for (const Type* one : type_cast<VariantType>(t).types)
      if (undecided(one)) return true;
    return false;
  default: return false; // Optional always accepts undef and NotUndef never does
  }
}

/// Whether the type is an alias whose meaning is not known yet, or whose meaning leads back to it.
static bool in_work(const Type* t) {
  return t->kind == TypeKind::TypeAlias && (type_cast<TypeAliasType>(t).resolved == nullptr || self_recursive(type_cast<TypeAliasType>(t)));
}

const Type* normalize(TypeContext& ctx, const Type* t) {
  check_native_stack();
  Arena& arena = ctx.arena;
  switch (t->kind) {
  case TypeKind::Array: {
    const auto& a = type_cast<ArrayType>(t);
    if (a.element->kind == TypeKind::Any) return types::array(); // Puppet drops the size, too
    const Type* element = normalize(ctx, a.element);
    return element == a.element ? t : types::array(arena, element, a.size, a.has_size);
  }
  case TypeKind::Hash: {
    const auto& h = type_cast<HashType>(t);
    const Type *key = normalize(ctx, h.key), *value = normalize(ctx, h.value);
    return key == h.key && value == h.value ? t : types::hash(arena, key, value, h.size, h.has_size);
  }
  case TypeKind::Tuple: {
    const auto& tuple = type_cast<TupleType>(t);
    std::vector<const Type*> out;
    bool modified = false;
    for (const Type* one : tuple.types) {
      out.push_back(normalize(ctx, one));
      modified = modified || out.back() != one;
    }
    return modified ? types::tuple(arena, out, tuple.size, tuple.has_size) : t;
  }
  case TypeKind::Struct: {
    std::vector<StructElement> out;
    bool modified = false;
    for (StructElement e : type_cast<StructType>(t).elements) {
      const Type* value = normalize(ctx, e.value);
      modified = modified || value != e.value;
      e.value = value;
      out.push_back(e);
    }
    return modified ? types::structure(arena, out) : t;
  }
  case TypeKind::Variant: return type_cast<VariantType>(t).types.empty() ? t : normalize_variant(ctx, t);
  case TypeKind::Optional: {
    const Type* inner = type_cast<WrapperType>(t).inner;
    if (inner == nullptr) return t;
    inner = normalize(ctx, inner);
    if (inner->kind == TypeKind::NotUndef) {
      const Type* within = type_cast<WrapperType>(inner).inner;
      return within == nullptr ? types::optional_any() : normalize(ctx, types::wrapper(arena, TypeKind::Optional, within));
    }
    if (!in_work(inner) && !undecided(inner) && is_assignable(ctx, inner, types::undef())) return inner;
    return inner == type_cast<WrapperType>(t).inner ? t : types::wrapper(arena, TypeKind::Optional, inner);
  }
  case TypeKind::NotUndef: {
    const Type* inner = type_cast<WrapperType>(t).inner;
    if (inner == nullptr) return t;
    inner = normalize(ctx, inner);
    if (inner->kind == TypeKind::Optional) {
      const Type* within = type_cast<WrapperType>(inner).inner;
      return within == nullptr ? types::not_undef_any() : normalize(ctx, types::wrapper(arena, TypeKind::NotUndef, within));
    }
    if (!in_work(inner) && !undecided(inner) && !is_assignable(ctx, inner, types::undef())) return inner;
    return inner == type_cast<WrapperType>(t).inner ? t : types::wrapper(arena, TypeKind::NotUndef, inner);
  }
  case TypeKind::Type:
  case TypeKind::Iterable:
  case TypeKind::Iterator:
  case TypeKind::Sensitive: {
    const Type* inner = type_cast<WrapperType>(t).inner;
    if (inner == nullptr) return t;
    const Type* normal = normalize(ctx, inner);
    return normal == inner ? t : types::wrapper(arena, t->kind, normal);
  }
  case TypeKind::Callable: {
    const auto& c = type_cast<CallableType>(t);
    if (c.parameters == nullptr && c.returns == nullptr) return t;
    return arena.make<CallableType>(c.parameters == nullptr ? nullptr : static_cast<const TupleType*>(normalize(ctx, c.parameters)),
                                    c.block == nullptr ? nullptr : normalize(ctx, c.block),
                                    c.returns == nullptr ? nullptr : normalize(ctx, c.returns));
  }
  case TypeKind::Collection: return types::collection(); // Puppet drops the size, too
  default: return t;
  }
}

std::string type_name_of(TypeContext& ctx, const Value& v) { return std::string(type_base_name(generalize(ctx, infer(ctx, v)))); }

bool type_to_ref(const Type* type, ResourceRef& out) {
  if (type->kind == TypeKind::Resource && type_cast<ResourceType>(type).has_title) {
    out = {type_cast<ResourceType>(type).type_name, type_cast<ResourceType>(type).title};
    return true;
  }
  if (type->kind == TypeKind::Class && !type_cast<ClassType>(type).class_name.empty()) {
    out = {"Class", type_cast<ClassType>(type).class_name};
    return true;
  }
  return false;
}

} // namespace pupc::compiler
