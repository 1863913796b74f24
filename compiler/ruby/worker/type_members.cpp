#include "compiler/ruby/worker/type_members.h"

#include "compiler/types/core_types.h"
#include "compiler/types/object_type.h"
#include "compiler/types/type_values.h"

#include <cmath>

namespace pupc::compiler {
namespace {

Value of_text(std::string_view text) { return text.empty() ? Value::undef() : Value::string(text); }

Value bounds(Arena& arena, const Range& range, Value (*make)(int64_t)) {
  Value both[] = {range.from_open ? Value::undef() : make(range.from), range.to_open ? Value::undef() : make(range.to)};
  return make_list(arena, both);
}

Value list(Arena& arena, std::initializer_list<Value> items) { return make_list(arena, {items.begin(), items.size()}); }

std::string_view kind_name(ObjectAttribute::Kind kind) {
  switch (kind) {
  case ObjectAttribute::Kind::Plain: return {};
  case ObjectAttribute::Kind::Constant: return "constant";
  case ObjectAttribute::Kind::Derived: return "derived";
  case ObjectAttribute::Kind::GivenOrDerived: return "given_or_derived";
  case ObjectAttribute::Kind::Reference: return "reference";
  }
  return {};
}

Value object_members(Arena& arena, const ObjectType& object) {
  ListBuilder attributes(arena), functions(arena);
  for (const ObjectAttribute& a : object.attributes)
    attributes.add(
        list(arena, {Value::string(a.name), type_or_undef(a.type), of_text(kind_name(a.kind)), Value::boolean(a.has_value), a.value}));
  for (const ObjectFunction& f : object.functions) functions.add(list(arena, {Value::string(f.name), type_or_undef(f.type)}));
  return list(arena, {of_text(object.name), type_or_undef(object.parent), attributes.finish(), functions.finish()});
}

} // namespace

Value type_members(TypeContext& ctx, const Type& t) {
  Arena& arena = ctx.arena;
  switch (t.kind) {
  case TypeKind::Integer: return bounds(arena, type_cast<RangeType>(&t).range, Value::integer);
  case TypeKind::Timespan: return bounds(arena, type_cast<RangeType>(&t).range, Value::timespan);
  case TypeKind::Timestamp: return bounds(arena, type_cast<RangeType>(&t).range, Value::timestamp);
  case TypeKind::Float: {
    const auto& f = type_cast<FloatType>(&t);
    return list(arena,
                {std::isinf(f.from) ? Value::undef() : Value::floating(f.from), std::isinf(f.to) ? Value::undef() : Value::floating(f.to)});
  }
  case TypeKind::Boolean: {
    int8_t value = type_cast<BooleanType>(&t).value;
    return list(arena, {value < 0 ? Value::undef() : Value::boolean(value != 0)});
  }
  case TypeKind::String: {
    const auto& s = type_cast<StringType>(&t);
    return list(arena, {s.has_value ? Value::string(s.value) : size_or_undef(arena, s.has_size, s.size)});
  }
  case TypeKind::Enum: {
    ListBuilder values(arena);
    for (std::string_view v : type_cast<EnumType>(&t).values) values.add(Value::string(v));
    return list(arena, {values.finish(), Value::boolean(type_cast<EnumType>(&t).case_insensitive)});
  }
  case TypeKind::Pattern: {
    ListBuilder patterns(arena);
    for (const Regex* r : type_cast<PatternType>(&t).patterns) patterns.add(Value::of(r));
    return patterns.finish();
  }
  case TypeKind::Regexp: {
    const Regex* regex = type_cast<RegexpType>(&t).regex;
    return list(arena, {regex == nullptr ? Value::undef() : Value::of(regex)});
  }
  case TypeKind::Collection: return list(arena, {size_or_undef(arena, type_cast<SizedType>(&t).has_size, type_cast<SizedType>(&t).size)});
  case TypeKind::Array: {
    const auto& a = type_cast<ArrayType>(&t);
    return list(arena, {type_or_undef(a.element), size_or_undef(arena, a.has_size, a.size)});
  }
  case TypeKind::Hash: {
    const auto& h = type_cast<HashType>(&t);
    return list(arena, {type_or_undef(h.key), type_or_undef(h.value), size_or_undef(arena, h.has_size, h.size)});
  }
  case TypeKind::Tuple: {
    const auto& tuple = type_cast<TupleType>(&t);
    return list(arena, {list_of_types(arena, tuple.types), size_or_undef(arena, tuple.has_size, tuple.size)});
  }
  case TypeKind::Struct: {
    ListBuilder elements(arena);
    for (const StructElement& e : type_cast<StructType>(&t).elements)
      elements.add(list(arena, {type_or_undef(e.key), type_or_undef(e.value)}));
    return elements.finish();
  }
  case TypeKind::Variant: return list(arena, {list_of_types(arena, type_cast<VariantType>(&t).types)});
  case TypeKind::Optional:
  case TypeKind::NotUndef:
  case TypeKind::Type:
  case TypeKind::Iterable:
  case TypeKind::Iterator:
  case TypeKind::Sensitive: return list(arena, {type_or_undef(type_cast<WrapperType>(&t).inner)});
  case TypeKind::Callable: {
    const auto& c = type_cast<CallableType>(&t);
    return list(arena, {type_or_undef(c.parameters), type_or_undef(c.block), type_or_undef(c.returns)});
  }
  case TypeKind::SemVer: {
    ListBuilder ranges(arena);
    for (const SemVerRange* r : type_cast<SemVerType>(&t).ranges) ranges.add(Value::of(r));
    return list(arena, {ranges.finish()});
  }
  case TypeKind::Init: {
    const auto& init = type_cast<InitType>(&t);
    return list(arena, {type_or_undef(init.inner), make_list(arena, init.arguments)});
  }
  case TypeKind::Uri: return list(arena, {type_cast<UriType>(&t).parameters});
  case TypeKind::Runtime: return list(arena, {of_text(type_cast<RuntimeType>(&t).runtime), of_text(type_cast<RuntimeType>(&t).name)});
  case TypeKind::TypeReference: return list(arena, {Value::string(type_cast<TypeReferenceType>(&t).text)});
  case TypeKind::Data:
  case TypeKind::RichData:
  case TypeKind::RichDataKey:
  case TypeKind::TypeAlias: return list(arena, {Value::string(type_base_name(&t)), type_or_undef(resolve_alias(ctx, &t))});
  case TypeKind::Object: return object_members(arena, type_cast<ObjectType>(&t));
  case TypeKind::TypeSet: {
    const auto& set = type_cast<TypeSetType>(&t);
    HashBuilder members(arena);
    for (const TypeSetMember& m : set.types) members.set(Value::string(m.name), type_or_undef(m.type));
    return list(arena, {of_text(set.name), of_text(set.version), members.finish()});
  }
  case TypeKind::Resource: {
    const auto& r = type_cast<ResourceType>(&t);
    return list(arena, {of_text(r.type_name), r.has_title ? Value::string(r.title) : Value::undef()});
  }
  case TypeKind::Class: return list(arena, {of_text(type_cast<ClassType>(&t).class_name)});
  default: return make_list(arena, {});
  }
}

} // namespace pupc::compiler
