#include "compiler/types/type_attributes.h"

#include "catalog/value/value.h"
#include "compiler/types/core_types.h"
#include "compiler/types/type_values.h"

namespace pupc::compiler {

std::vector<std::pair<std::string_view, Value>> type_attributes(Arena& arena, const Type* t) {
  switch (t->kind) {
  case TypeKind::String: {
    const auto& s = type_cast<StringType>(t);
    return {{"size_type_or_value", s.has_value ? Value::string(s.value) : size_or_undef(arena, s.has_size, s.size)}};
  }
  case TypeKind::Enum: {
    ListBuilder values(arena);
    for (std::string_view v : type_cast<EnumType>(t).values) values.add(Value::string(v));
    return {{"values", values.finish()}, {"case_insensitive", Value::boolean(type_cast<EnumType>(t).case_insensitive)}};
  }
  case TypeKind::Collection: return {{"size_type", size_or_undef(arena, type_cast<SizedType>(t).has_size, type_cast<SizedType>(t).size)}};
  case TypeKind::Array: return {{"element_type", type_or_undef(type_cast<ArrayType>(t).element)}};
  case TypeKind::Hash:
    return {{"key_type", type_or_undef(type_cast<HashType>(t).key)}, {"value_type", type_or_undef(type_cast<HashType>(t).value)}};
  case TypeKind::Tuple: {
    const auto& tuple = type_cast<TupleType>(t);
    return {{"types", list_of_types(arena, tuple.types)}, {"size_type", size_or_undef(arena, tuple.has_size, tuple.size)}};
  }
  case TypeKind::Variant: return {{"types", list_of_types(arena, type_cast<VariantType>(t).types)}};
  case TypeKind::Optional:
  case TypeKind::NotUndef:
  case TypeKind::Type:
  case TypeKind::Iterable:
  case TypeKind::Iterator: return {{"type", type_or_undef(type_cast<WrapperType>(t).inner)}};
  case TypeKind::Callable: {
    const auto& c = type_cast<CallableType>(t);
    return {
        {"param_types", type_or_undef(c.parameters)}, {"block_type", type_or_undef(c.block)}, {"return_type", type_or_undef(c.returns)}};
  }
  case TypeKind::Init: {
    const auto& init = type_cast<InitType>(t);
    ListBuilder arguments(arena);
    for (const Value& v : init.arguments) arguments.add(v);
    return {{"type", type_or_undef(init.inner)}, {"init_args", arguments.finish()}};
  }
  case TypeKind::Regexp: {
    const Regex* regex = type_cast<RegexpType>(t).regex;
    return {{"pattern", regex == nullptr ? Value::undef() : Value::string(regex->source())}};
  }
  case TypeKind::Class: {
    std::string_view name = type_cast<ClassType>(t).class_name;
    return {{"class_name", name.empty() ? Value::undef() : Value::string(name)}};
  }
  case TypeKind::Resource: {
    const auto& r = type_cast<ResourceType>(t);
    return {{"type_name", r.type_name.empty() ? Value::undef() : Value::string(r.type_name)},
            {"title", r.has_title ? Value::string(r.title) : Value::undef()}};
  }
  default: return {};
  }
}

} // namespace pupc::compiler
