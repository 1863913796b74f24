// `new` of Object types.
#include "compiler/conversion/constructor_call.h"
#include "compiler/types/object_type.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// Makes the instance from an attribute hash that the caller has checked. Leaves out values that equal their defaults.
Value make_object(const ConstructorCall& call, const Hash& given) {
  const auto* type = static_cast<const ObjectType*>(call.type);
  if (type->kind == TypeKind::Deferred) {
    const Value* arguments = given.find("arguments");
    return Value::of(call.arena().make<DeferredData>(
        DeferredData{given.find("name")->str(), arguments != nullptr && arguments->is_list() ? arguments->list : nullptr}));
  }
  HashBuilder kept(call.arena());
  for (const ObjectAttribute& a : settable_attributes(*type)) {
    const Value* v = given.find(a.name);
    if (v == nullptr && !a.has_value) kept.set(a.name, Value::undef()); // an attribute that may be undef
    if (v == nullptr || (a.has_value && eql(a.value, *v))) continue;
    kept.set(a.name, *v);
  }
  auto* object = call.arena().make<ObjectValue>();
  object->type = type;
  object->attributes = kept.finish_hash();
  return Value::opaque_of(Kind::Object, object);
}

} // namespace

namespace constructors {

Value object_from_hash(const ConstructorCall& c) { return make_object(c, *c[0].hash); }
Value object_from_args(const ConstructorCall& c) {
  HashBuilder h(c.arena());
  auto attributes = settable_attributes(*static_cast<const ObjectType*>(c.type));
  // The signature lets the caller omit attributes that may be undef, but then making the object fails, as in Puppet.
  size_t required = static_cast<size_t>(
      std::count_if(attributes.begin(), attributes.end(), [](const ObjectAttribute& a) { return !a.has_value; }));
  if (c.args.size() < required) {
    std::string expected = required == attributes.size() ? std::to_string(required) : fmt::format("{}..{}", required, attributes.size());
    c.fail(fmt::format("wrong number of arguments (given {}, expected {})", c.args.size(), expected));
  }
  for (size_t i = 0; i < c.args.size(); ++i) h.set(attributes[i].name, c[i]);
  return make_object(c, *h.finish_hash());
}

} // namespace constructors
} // namespace pupc::compiler
