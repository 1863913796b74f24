// Functions on types and conversions: new, convert_to, type, assert_type, call, unwrap, annotate, import.
#include "catalog/base/stack.h"
#include "catalog/value/map_parts.h"
#include "compiler/conversion/new_instance.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/eval/evaluator.h"
#include "compiler/function/function_tables.h"
#include "compiler/types/object_type.h"
#include "compiler/types/ruby_class.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// Puppet's `new`: returns a value that is already an instance unchanged. The result must be an instance.
Value converted(FunctionCall& c, const Type* type, std::span<const Value> args) {
  if (args.size() == 1 && type->kind != TypeKind::Init && is_instance(c.types(), type, args[0])) return args[0];
  Value made = new_instance(c.types(), type, args);
  if (!is_instance(c.types(), type, made))
    c.fail(describe_mismatch(c.types(), fmt::format("Converted value from {}.new()", type->to_string()), type, made));
  return made;
}

Value new_value(FunctionCall& c) {
  Value v = converted(c, as_type(c.args[0]), c.args.subspan(1));
  return c.block != nullptr ? c.call_block({v}) : v;
}
Value convert_to(FunctionCall& c) {
  std::vector<Value> args{c.args[0]};
  args.insert(args.end(), c.args.begin() + 2, c.args.end());
  Value v = converted(c, as_type(c.args[1]), args);
  return c.block != nullptr ? c.call_block({v}) : v;
}

Value type_detailed(FunctionCall& c) { return Value::type(infer_detailed(c.types(), c.args[0])); }
Value type_reduced(FunctionCall& c) { return Value::type(infer(c.types(), c.args[0])); }
Value type_generalized(FunctionCall& c) { return Value::type(generalize(c.types(), infer(c.types(), c.args[0]))); }

Value asserted(FunctionCall& c, const Type* type) {
  if (is_instance(c.types(), type, c.args[1])) return c.args[1];
  const Type* actual = infer_detailed(c.types(), c.args[1]);
  if (c.block != nullptr) return c.call_block({Value::type(type), Value::type(actual)});
  c.fail(describe_mismatch(c.types(), "assert_type():", type, actual));
}
Value assert_type(FunctionCall& c) { return asserted(c, as_type(c.args[0])); }
Value assert_type_text(FunctionCall& c) { return asserted(c, parse_type(c.types(), c.args[0].str())); }

Value call(FunctionCall& c) {
  if (!c.evaluator.function_exists(c.args[0].str(), c.frame)) c.fail(fmt::format("Unknown function '{}'", c.args[0].str()));
  return c.evaluator.call_function(c.args[0].str(), c.args.subspan(1), c.block, c.frame, c.loc);
}

Value resolve_deferred(FunctionCall& c, const Value& v) {
  check_native_stack();
  if (v.is(Kind::Deferred)) {
    std::vector<Value> args;
    if (v.deferred->arguments != nullptr)
      for (const Value& a : v.deferred->arguments->items()) args.push_back(resolve_deferred(c, a));
    std::string_view name = v.deferred->name;
    if (!name.starts_with('$') && !c.evaluator.function_exists(name, c.frame)) c.fail(fmt::format("Unknown function '{}'", name));
    if (!name.starts_with('$')) return c.evaluator.call_function(name, args, nullptr, c.frame, c.loc);
    Value variable;
    if (!c.evaluator.lookup_variable(name.substr(1), c.frame, variable)) c.fail(fmt::format("Unknown variable: '{}'.", name.substr(1)));
    if (args.empty()) return variable;
    args.insert(args.begin(), variable);
    return c.evaluator.call_function("dig", args, nullptr, c.frame, c.loc);
  }
  return map_parts(c.arena(), v, [&](const Value& part) { return resolve_deferred(c, part); });
}
Value call_deferred(FunctionCall& c) { return resolve_deferred(c, c.args[0]); }

Value unwrap(FunctionCall& c) {
  Value v = c.args[0].is(Kind::Sensitive) ? c.args[0].unwrap() : c.args[0];
  return c.block != nullptr ? c.call_block({v}) : v;
}

Value import_manifest(FunctionCall& c) {
  c.evaluator.fail_at(
      ErrorCode::evaluation_error, c.loc,
      "Use of 'import' has been discontinued in favor of a manifest directory. See http://links.puppet.com/puppet-import-deprecation");
}

/// The identity of a value. In Puppet texts, numbers and the like are frozen: they cannot be annotated.
const void* identity(FunctionCall& c, const Value& v) {
  switch (v.kind) {
  case Kind::List: return v.list;
  case Kind::Hash: return v.hash;
  case Kind::Type: return as_type(v);
  case Kind::Object:
  case Kind::Iterator:
  case Kind::Callable: return v.opaque;
  case Kind::Deferred: return v.deferred;
  case Kind::SemVer: return v.semver;
  case Kind::SemVerRange: return v.semver_range;
  case Kind::Sensitive: return v.inner;
  default: c.fail(fmt::format("can't modify frozen {}: {}", ruby_class_name(v), ruby_inspect(c.types(), v)));
  }
}
const ObjectType* annotation_type(FunctionCall& c, const Value& type) {
  const Type* t = resolve_alias(c.types(), as_type(type));
  return t->kind == TypeKind::Object ? static_cast<const ObjectType*>(t) : nullptr;
}
/// What the declaration of an Object type contains for an annotation type.
const Value* declared_annotation(FunctionCall& c, const Value& v, const ObjectType* annotation) {
  const ObjectType* described = v.is_type() ? annotation_type(c, v) : nullptr;
  if (described == nullptr || described->annotations == nullptr) return nullptr;
  for (const HashEntry& e : described->annotations->entries())
    if (e.key.is_type() && annotation_type(c, e.key) == annotation) return &e.value;
  return nullptr;
}
Value put_annotation(FunctionCall& c, const ObjectType* annotation, const Value& v, const Value& attributes) {
  const void* key = identity(c, v);
  const Type* wanted = type_cast<CallableType>(object_constructors(c.types(), annotation).list.front().callable).parameters->types[0];
  if (!is_instance(c.types(), wanted, attributes))
    c.fail(describe_mismatch(c.types(), fmt::format("{} initializer has wrong type,", annotation->name), wanted, attributes));
  Value args[] = {Value::type(annotation), attributes};
  Value made = c.evaluator.call_function("new", args, nullptr, c.frame, c.loc);
  c.evaluator.annotations()[{annotation, key}] = made;
  return made;
}

/// annotate(type, value): returns the value's annotation. If there is none, makes it from the declaration of the value's type, else from
/// the lambda's result.
Value annotate(FunctionCall& c) {
  const ObjectType* annotation = annotation_type(c, c.args[0]);
  const Value& v = c.args[1];
  bool keeps = v.is_list() || v.is_hash() || v.is_type() || v.is(Kind::Object);
  if (keeps)
    if (auto known = c.evaluator.annotations().find({annotation, identity(c, v)}); known != c.evaluator.annotations().end())
      return known->second;
  const Value* declared = declared_annotation(c, v, annotation);
  Value attributes = declared != nullptr ? *declared : c.block != nullptr ? c.call_block({}) : Value::undef();
  return attributes.is_undef() ? Value::undef() : put_annotation(c, annotation, v, attributes);
}
/// annotate(type, value, attributes or 'clear')
Value annotate_anew(FunctionCall& c) {
  const ObjectType* annotation = annotation_type(c, c.args[0]);
  const Value& v = c.args[1];
  bool clear = c.args[2].is_string();
  if (declared_annotation(c, v, annotation) != nullptr)
    c.fail(fmt::format("attempt to {} {} annotation declared on {}", clear ? "clear" : "redefine", annotation->name,
                       type_base_name(as_type(v))));
  if (!clear) return put_annotation(c, annotation, v, c.args[2]);
  auto known = c.evaluator.annotations().extract({annotation, identity(c, v)});
  return known ? known.mapped() : Value::undef();
}
/// annotate(Pcore, value, {type => attributes, …})
Value annotate_several(FunctionCall& c) {
  for (const HashEntry& e : c.args[2].hash->entries()) put_annotation(c, annotation_type(c, e.key), c.args[1], e.value);
  return c.args[1];
}

const FunctionEntry type_table[] = {
    {"new",
     "A value of a type made from the arguments; a lambda gets it when given. Fails when it cannot be made.",
     {{"Type $type, Any $args*, Callable &block?", new_value}}},
    {"convert_to",
     "The value converted to a type, as that type's `new` does.",
     {{"Any $value, Type $type, Any $args*, Callable[1,1] &block?", convert_to}}},
    {"type",
     "The inferred type of a value: detailed (default), reduced or generalized.",
     {{"Any $value, Enum[detailed] $inference_method?", type_detailed},
      {"Any $value, Enum[reduced] $inference_method", type_reduced},
      {"Any $value, Enum[generalized] $inference_method", type_generalized}}},
    {"assert_type",
     "The value when it is an instance of the type; else the lambda's result, or an error.",
     {{"Type $type, Any $value, Callable[Type, Type] &block?", assert_type},
      {"String $type_string, Any $value, Callable[Type, Type] &block?", assert_type_text}}},
    {"call",
     "Calls a function by name, or resolves a Deferred.",
     {{"String $function_name, Any $arguments*, Callable &block?", call}, {"Deferred $deferred", call_deferred}},
     FunctionTrait::Effects},
    {"unwrap",
     "The value within a Sensitive (any other value as it is); a lambda gets it when given.",
     {{"Sensitive $arg, Callable &block?", unwrap}, {"Any $arg, Callable &block?", unwrap}}},
    {"annotate",
     "The annotation of a type (an Object type with the parent Annotation) that a value has: declared with the value's type, given by the "
     "lambda, or put on it "
     "by a hash of attributes (`clear` takes it off again).",
     {{"Type[Annotation] $type, Any $value, Callable[0,0] &block?", annotate},
      {"Type[Annotation] $type, Any $value, Variant[Enum[clear], Hash[Pcore::MemberName, Any]] $annotation_hash", annotate_anew},
      {"Type[Pcore] $type, Any $value, Hash[Type[Annotation], Hash[Pcore::MemberName, Any]] $annotations", annotate_several}},
     FunctionTrait::Effects},
    {"import", "Discontinued: always an error.", {{"Any $args*", import_manifest}}},
};

} // namespace

FunctionTable type_functions() { return type_table; }

} // namespace pupc::compiler
