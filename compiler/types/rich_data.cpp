// Types in a catalog: Pcore objects by their init hash, as the reference serialises them.
#include "compiler/types/core_types.h"
#include "catalog/base/stack.h"

#include <cmath>

namespace pupc {
namespace {

class Writer {
public:
  explicit Writer(Arena& a) : arena(a) {}

  Value write(const Type* t) {
    check_native_stack();
    switch (t->kind) {
    case TypeKind::TypeAlias: return object("Pcore::TypeAlias", [&](HashBuilder& h) {
        h.set("name", Value::string(type_cast<TypeAliasType>(t).name));
        if (type_cast<TypeAliasType>(t).resolved != nullptr) h.set("type_expr", write(type_cast<TypeAliasType>(t).resolved));
      });
    default: break;
    }
    std::string name = "Pcore::" + std::string(t->kind == TypeKind::Error || t->kind == TypeKind::Deferred ? "Object" : type_base_name(t)) + "Type";
    return object(arena.copy(name), [&](HashBuilder& h) { attributes(t, h); });
  }

private:
  Arena& arena;

  template <class Fill> Value object(std::string_view ptype, Fill fill) {
    HashBuilder h(arena);
    h.set("__ptype", Value::string(ptype));
    fill(h);
    return h.finish();
  }
  void bounds(const Range& r, HashBuilder& h) {
    if (!r.from_open) h.set("from", Value::integer(r.from));
    if (!r.to_open) h.set("to", Value::integer(r.to));
  }
  Value size(const Range& r) {
    return object("Pcore::IntegerType", [&](HashBuilder& h) { bounds(r, h); });
  }
  Value list(std::span<const Type* const> types) {
    ListBuilder out(arena, types.size());
    for (const Type* t : types) out.add(write(t));
    return out.finish();
  }

  void attributes(const Type* t, HashBuilder& h) {
    switch (t->kind) {
    case TypeKind::Integer:
    case TypeKind::Timestamp:
    case TypeKind::Timespan: bounds(type_cast<RangeType>(t).range, h); break;
    case TypeKind::Float:
      if (!std::isinf(type_cast<FloatType>(t).from)) h.set("from", Value::floating(type_cast<FloatType>(t).from));
      if (!std::isinf(type_cast<FloatType>(t).to)) h.set("to", Value::floating(type_cast<FloatType>(t).to));
      break;
    case TypeKind::String:
      if (type_cast<StringType>(t).has_value)
        h.set("size_type_or_value", Value::string(type_cast<StringType>(t).value));
      else if (type_cast<StringType>(t).has_size)
        h.set("size_type_or_value", size(type_cast<StringType>(t).size));
      break;
    case TypeKind::Enum: {
      ListBuilder out(arena);
      for (std::string_view v : type_cast<EnumType>(t).values) out.add(Value::string(v));
      h.set("values", out.finish());
      if (type_cast<EnumType>(t).case_insensitive) h.set("case_insensitive", Value::boolean(true));
      break;
    }
    case TypeKind::Pattern: {
      ListBuilder out(arena);
      for (const Regex* r : type_cast<PatternType>(t).patterns)
        out.add(object("Pcore::RegexpType", [&](HashBuilder& inner) { inner.set("pattern", Value::string(r->source())); }));
      h.set("patterns", out.finish());
      break;
    }
    case TypeKind::Regexp:
      if (type_cast<RegexpType>(t).regex != nullptr) h.set("pattern", Value::string(type_cast<RegexpType>(t).regex->source()));
      break;
    case TypeKind::Collection:
      if (type_cast<SizedType>(t).has_size) h.set("size_type", size(type_cast<SizedType>(t).size));
      break;
    case TypeKind::Array:
      if (type_cast<ArrayType>(t).has_size) h.set("size_type", size(type_cast<ArrayType>(t).size));
      if (type_cast<ArrayType>(t).element->kind != TypeKind::Any) h.set("element_type", write(type_cast<ArrayType>(t).element));
      break;
    case TypeKind::Hash:
      if (type_cast<HashType>(t).has_size) h.set("size_type", size(type_cast<HashType>(t).size));
      if (type_cast<HashType>(t).key->kind != TypeKind::Any) h.set("key_type", write(type_cast<HashType>(t).key));
      if (type_cast<HashType>(t).value->kind != TypeKind::Any) h.set("value_type", write(type_cast<HashType>(t).value));
      break;
    case TypeKind::Tuple:
      h.set("types", list(type_cast<TupleType>(t).types));
      if (type_cast<TupleType>(t).has_size) h.set("size_type", size(type_cast<TupleType>(t).size));
      break;
    case TypeKind::Struct: {
      ListBuilder out(arena);
      for (const auto& e : type_cast<StructType>(t).elements)
        out.add(object("Pcore::StructElement", [&](HashBuilder& inner) {
          inner.set("key_type", write(e.key));
          inner.set("value_type", write(e.value));
        }));
      h.set("elements", out.finish());
      break;
    }
    case TypeKind::Variant: h.set("types", list(type_cast<VariantType>(t).types)); break;
    case TypeKind::Optional:
    case TypeKind::NotUndef:
    case TypeKind::Type:
    case TypeKind::Iterable:
    case TypeKind::Iterator:
    case TypeKind::Sensitive:
      if (type_cast<WrapperType>(t).inner != nullptr) h.set("type", write(type_cast<WrapperType>(t).inner));
      break;
    case TypeKind::Callable: {
      const auto& c = type_cast<CallableType>(t);
      if (c.parameters != nullptr) h.set("param_types", write(c.parameters));
      if (c.block != nullptr) h.set("block_type", write(c.block));
      if (c.returns != nullptr) h.set("return_type", write(c.returns));
      break;
    }
    case TypeKind::Resource:
      if (!type_cast<ResourceType>(t).type_name.empty()) h.set("type_name", Value::string(type_cast<ResourceType>(t).type_name));
      if (type_cast<ResourceType>(t).has_title) h.set("title", Value::string(type_cast<ResourceType>(t).title));
      break;
    case TypeKind::Class:
      if (!type_cast<ClassType>(t).class_name.empty()) h.set("class_name", Value::string(type_cast<ClassType>(t).class_name));
      break;
    case TypeKind::TypeReference: h.set("type_string", Value::string(type_cast<TypeReferenceType>(t).text)); break;
    default: break;
    }
  }
};

} // namespace

Value Type::to_rich_data(Arena& arena) const { return Writer(arena).write(this); }

} // namespace pupc
