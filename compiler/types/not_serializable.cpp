// Writes types for a catalog: as Pcore objects with their init hash, as Puppet serialises them.
#include "compiler/types/not_serializable.h"

#include "catalog/base/stack.h"
#include "catalog/value/semver.h"
#include "compiler/types/object_definition.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace pupc::compiler {
namespace {

class Writer {
public:
  explicit Writer(Arena& a) : arena(a) {}

  Value write(const Type* t) {
    check_native_stack();
    switch (t->kind) {
    case TypeKind::TypeAlias:
      return object("Pcore::TypeAliasType", [&](HashBuilder& h) {
        h.set("name", Value::string(type_cast<TypeAliasType>(t).name));
        h.set("type_expr", Value::undef());
        if (type_cast<TypeAliasType>(t).resolved != nullptr) h.set("resolved_type", write(type_cast<TypeAliasType>(t).resolved));
      });
    case TypeKind::Object:
    case TypeKind::Deferred:
    case TypeKind::Error:
      return object("Pcore::ObjectType",
                    [&](HashBuilder& h) { h.set("_pcore_init_hash", description(*static_cast<const ObjectType*>(t))); });
    default: break;
    }
    std::string name = "Pcore::" + std::string(type_base_name(t)) + "Type";
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
  void bounds(const Range& r, HashBuilder& h) { bounds(r, h, &Value::integer); }
  /// Writes an open start only if there is an end.
  void bounds(const Range& r, HashBuilder& h, Value (*make)(int64_t)) {
    if (!r.from_open)
      h.set("from", make(r.from));
    else if (!r.to_open)
      h.set("from", Value::undef());
    if (!r.to_open) h.set("to", make(r.to));
  }
  Value size(const Range& r) {
    return object("Pcore::IntegerType", [&](HashBuilder& h) { bounds(r, h); });
  }
  /// The value with every type inside it in written form.
  Value converted(const Value& v) {
    check_native_stack();
    if (const Type* t = as_type(v)) return write(t);
    if (v.is_list()) {
      ListBuilder out(arena);
      for (const Value& item : v.items()) out.add(converted(item));
      return out.finish();
    }
    return v.is_hash() ? converted_hash(*v.hash) : v;
  }
  Value converted_hash(const Hash& h) {
    HashBuilder out(arena);
    if (std::any_of(h.entries().begin(), h.entries().end(), [](const HashEntry& e) { return !e.key.is_string(); })) {
      ListBuilder pairs(arena);
      for (const auto& e : h.entries()) {
        pairs.add(converted(e.key));
        pairs.add(converted(e.value));
      }
      out.set("__ptype", Value::string("Hash"));
      out.set("__pvalue", pairs.finish());
      return out.finish();
    }
    for (const auto& e : h.entries()) out.set(e.key, converted(e.value));
    return out.finish();
  }
  Value list(std::span<const Type* const> types) {
    ListBuilder out(arena, types.size());
    for (const Type* t : types) out.add(write(t));
    return out.finish();
  }

  static bool plain_hash(const Type* t) {
    const auto& hash = type_cast<HashType>(t);
    return !hash.has_size && hash.key->kind == TypeKind::Any && hash.value->kind == TypeKind::Any;
  }

  Value members(std::span<const ObjectAttribute> list, bool type_parameters) {
    static constexpr std::string_view kinds[] = {"", "constant", "derived", "given_or_derived", "reference"};
    HashBuilder out(arena);
    for (const ObjectAttribute& a : list) {
      const Type* type = type_parameters && a.type->kind == TypeKind::Optional ? type_cast<WrapperType>(a.type).inner : a.type;
      HashBuilder one(arena);
      one.set("type", write(type));
      if (a.annotations != nullptr && !type_parameters) one.set("annotations", converted_hash(*a.annotations));
      if (a.final && a.kind != ObjectAttribute::Kind::Constant) one.set("final", Value::boolean(true));
      if (a.override_) one.set("override", Value::boolean(true));
      if (a.kind != ObjectAttribute::Kind::Plain) one.set("kind", Value::string(kinds[static_cast<size_t>(a.kind)]));
      if (a.has_value && !(type_parameters && a.value.is_undef())) one.set("value", a.value);
      out.set(a.name, one.size() == 1 ? *one.find(Value::string("type")) : one.finish());
    }
    return out.finish();
  }
  Value description(const ObjectType& t) {
    HashBuilder h(arena);
    if (t.annotations != nullptr) h.set("annotations", converted_hash(*t.annotations));
    if (!t.name.empty()) h.set("name", Value::string(t.name));
    if (t.parent != nullptr) h.set("parent", write(t.parent));
    if (!t.type_parameters.empty()) h.set("type_parameters", members(t.type_parameters, true));
    std::vector<ObjectAttribute> plain;
    HashBuilder constants(arena);
    for (const ObjectAttribute& a : t.attributes) {
      if (a.kind == ObjectAttribute::Kind::Constant && a.inferred)
        constants.set(a.name, a.value);
      else
        plain.push_back(a);
    }
    if (!plain.empty()) h.set("attributes", members(plain, false));
    if (constants.size() > 0) h.set("constants", constants.finish());
    if (!t.functions.empty()) {
      HashBuilder functions(arena);
      for (const ObjectFunction& f : t.functions) {
        HashBuilder one(arena);
        one.set("type", write(f.type));
        if (f.annotations != nullptr) one.set("annotations", converted_hash(*f.annotations));
        if (f.final) one.set("final", Value::boolean(true));
        if (f.override_) one.set("override", Value::boolean(true));
        functions.set(f.name, one.size() == 1 ? *one.find(Value::string("type")) : one.finish());
      }
      h.set("functions", functions.finish());
    }
    if (t.has_equality) {
      ListBuilder names(arena);
      for (std::string_view name : t.equality) names.add(Value::string(name));
      h.set("equality", names.finish());
    }
    if (!t.checks.is_undef()) h.set("checks", converted(t.checks));
    return h.finish();
  }

  void attributes(const Type* t, HashBuilder& h) {
    switch (t->kind) {
    case TypeKind::Integer: bounds(type_cast<RangeType>(t).range, h); break;
    case TypeKind::Timestamp: bounds(type_cast<RangeType>(t).range, h, &Value::timestamp); break;
    case TypeKind::Timespan: bounds(type_cast<RangeType>(t).range, h, &Value::timespan); break;
    case TypeKind::Float:
      if (!std::isinf(type_cast<FloatType>(t).from))
        h.set("from", Value::floating(type_cast<FloatType>(t).from));
      else if (!std::isinf(type_cast<FloatType>(t).to))
        h.set("from", Value::undef());
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
      if (type_cast<ArrayType>(t).element->kind != TypeKind::Any || type_cast<ArrayType>(t).has_size)
        h.set("element_type", write(type_cast<ArrayType>(t).element));
      if (type_cast<ArrayType>(t).has_size) h.set("size_type", size(type_cast<ArrayType>(t).size));
      break;
    case TypeKind::Hash:
      if (plain_hash(t)) break;
      h.set("key_type", write(type_cast<HashType>(t).key));
      // Attributes are positional, so only trailing ones with default values are left out.
      if (type_cast<HashType>(t).value->kind != TypeKind::Any || type_cast<HashType>(t).has_size)
        h.set("value_type", write(type_cast<HashType>(t).value));
      if (type_cast<HashType>(t).has_size) h.set("size_type", size(type_cast<HashType>(t).size));
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
      if (type_cast<WrapperType>(t).inner != nullptr) h.set("type", write(type_cast<WrapperType>(t).inner));
      break;
    case TypeKind::Callable: {
      const auto& c = type_cast<CallableType>(t);
      h.set("param_types", c.parameters != nullptr ? write(c.parameters) : Value::undef());
      h.set("block_type", c.block != nullptr ? write(c.block) : Value::undef());
      h.set("return_type", c.returns != nullptr ? write(c.returns) : Value::undef());
      break;
    }
    case TypeKind::Resource:
      if (!type_cast<ResourceType>(t).type_name.empty()) h.set("type_name", Value::string(type_cast<ResourceType>(t).type_name));
      if (type_cast<ResourceType>(t).has_title) h.set("title", Value::string(type_cast<ResourceType>(t).title));
      break;
    case TypeKind::Class:
      if (!type_cast<ClassType>(t).class_name.empty()) h.set("class_name", Value::string(type_cast<ClassType>(t).class_name));
      break;
    case TypeKind::SemVer: {
      ListBuilder ranges(arena);
      for (const SemVerRange* r : type_cast<SemVerType>(t).ranges) ranges.add(Value::of(r));
      if (ranges.size() > 0) h.set("ranges", ranges.finish());
      break;
    }
    case TypeKind::Uri:
      if (!type_cast<UriType>(t).parameters.is_undef()) h.set("parameters", converted(type_cast<UriType>(t).parameters));
      break;
    case TypeKind::Init: {
      const auto& init = type_cast<InitType>(t);
      if (init.inner != nullptr) h.set("type", write(init.inner));
      if (init.arguments.empty()) break;
      ListBuilder arguments(arena);
      for (const Value& v : init.arguments) arguments.add(converted(v));
      h.set("init_args", arguments.finish());
      break;
    }
    case TypeKind::Runtime:
      if (type_cast<RuntimeType>(t).runtime.empty()) break;
      h.set("runtime", Value::string(type_cast<RuntimeType>(t).runtime));
      if (!type_cast<RuntimeType>(t).name.empty()) h.set("name_or_pattern", Value::string(type_cast<RuntimeType>(t).name));
      break;
    case TypeKind::TypeReference: h.set("type_string", Value::string(type_cast<TypeReferenceType>(t).text)); break;
    default: break;
    }
  }
};

} // namespace

namespace {

/// Finds types that Puppet cannot serialise: above all those that lead back to themselves.
class Recursion {
public:
  std::string error;

  void type(const Type* t) {
    check_native_stack();
    if (!error.empty() || t == nullptr) return;
    if (t->kind == TypeKind::ObjectExtension) t = type_cast<ObjectExtensionType>(t).object;
    bool named = t->kind == TypeKind::TypeAlias || t->kind == TypeKind::Data || t->kind == TypeKind::RichData ||
                 t->kind == TypeKind::Object;
    if (t->kind == TypeKind::TypeSet && t == types::type_set())
      error = "Initializer for class Puppet::Pops::Types::PTypeSetType parameter 'name_or_init_hash' does not match any of the the "
              "attributes of type Pcore::TypeSetType";
    if (t->kind == TypeKind::RichData)
      error = "Initializer for class Puppet::Pops::Types::PTypeSetType parameter 'name_or_init_hash' does not match any of the the "
              "attributes of type Pcore::TypeSetType";
    else if (t->kind == TypeKind::Data || t->kind == TypeKind::Error ||
             (named && std::find(active_.begin(), active_.end(), t) != active_.end()))
      error = endless;
    if (!error.empty()) return;
    if (named) active_.push_back(t);
    for_each_contained(t, [this](const Type* inner) { type(inner); });
    if (t->kind == TypeKind::Object)
      for (const ObjectAttribute& a : static_cast<const ObjectType*>(t)->attributes) type(a.type);
    if (named) active_.pop_back();
  }
  void value(const Value& v) {
    check_native_stack();
    switch (v.kind) {
    case Kind::Type: return type(as_type(v));
    case Kind::Sensitive: return value(v.unwrap());
    case Kind::List:
      for (const Value& item : v.items()) value(item);
      return;
    case Kind::Hash:
      for (const auto& e : v.hash->entries()) {
        value(e.key);
        value(e.value);
      }
      return;
    default: return;
    }
  }

private:
  static constexpr const char* endless =
      "Evaluation Error: Endless recursion detected when attempting to serialize value of class Puppet::Pops::Types::PTypeAliasType";
  std::vector<const Type*> active_;
};

} // namespace

std::string serialization_error(const Value& v) {
  Recursion r;
  r.value(v);
  return r.error;
}

Value Type::to_rich_data(Arena& arena) const { return Writer(arena).write(this); }

} // namespace pupc::compiler
