// Functions on types and conversions: new, convert_to, type, assert_type, call, unwrap, annotate, import, break-free wrappers.
#include "compiler/eval/evaluator.h"
#include "catalog/base/stack.h"
#include "compiler/function/families.h"

namespace pupc {
namespace {

/// The reference's `new`: a value that already is an instance is returned as it is; the result must be an instance.
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
    if (!name.starts_with('$')) return c.evaluator.call_function(name, args, nullptr, c.frame, c.loc);
    Value variable;
    if (!c.evaluator.lookup_variable(name.substr(1), c.frame, variable)) c.fail(fmt::format("Unknown variable: '{}'.", name.substr(1)));
    if (args.empty()) return variable;
    args.insert(args.begin(), variable);
    return c.evaluator.call_function("dig", args, nullptr, c.frame, c.loc);
  }
  if (v.is_list()) {
    ListBuilder out(c.arena());
    for (const Value& item : v.items()) out.add(resolve_deferred(c, item));
    return out.finish();
  }
  if (v.is_hash()) {
    HashBuilder out(c.arena());
    for (const auto& e : v.hash->entries()) out.set(resolve_deferred(c, e.key), resolve_deferred(c, e.value));
    return out.finish();
  }
  return v;
}
Value call_deferred(FunctionCall& c) { return resolve_deferred(c, c.args[0]); }

Value unwrap(FunctionCall& c) {
  Value v = c.args[0].is(Kind::Sensitive) ? c.args[0].unwrap() : c.args[0];
  return c.block != nullptr ? c.call_block({v}) : v;
}

Value import_manifest(FunctionCall& c) {
  c.evaluator.fail_at(ErrorCode::evaluation_error, c.loc,
                      "Use of 'import' has been discontinued in favor of a manifest directory. See http://links.puppet.com/puppet-import-deprecation");
}

/// Objects do not know annotations: what the signatures accept is refused.
Value annotate(FunctionCall& c) { c.fail("annotate(): annotations are not implemented"); }

const FunctionEntry table[] = {
    {"new", "A value of a type made from the arguments; a lambda gets it when given. Fails when it cannot be made.",
     {{"Type $type, Any $args*, Callable &block?", new_value}}},
    {"convert_to", "The value converted to a type, as that type's `new` does.",
     {{"Any $value, Type $type, Any $args*, Callable[1,1] &block?", convert_to}}},
    {"type", "The inferred type of a value: detailed (default), reduced or generalized.",
     {{"Any $value, Enum[detailed] $inference_method?", type_detailed},
      {"Any $value, Enum[reduced] $inference_method", type_reduced},
      {"Any $value, Enum[generalized] $inference_method", type_generalized}}},
    {"assert_type", "The value when it is an instance of the type; else the lambda's result, or an error.",
     {{"Type $type, Any $value, Callable[Type, Type] &block?", assert_type}, {"String $type_string, Any $value, Callable[Type, Type] &block?", assert_type_text}}},
    {"call", "Calls a function by name, or resolves a Deferred.",
     {{"String $function_name, Any $arguments*, Callable &block?", call}, {"Deferred $deferred", call_deferred}}},
    {"unwrap", "The value within a Sensitive (any other value as it is); a lambda gets it when given.",
     {{"Sensitive $arg, Callable &block?", unwrap}, {"Any $arg, Callable &block?", unwrap}}},
    {"annotate", "Not implemented: annotations of objects.",
     {{"Type $type, Any $value, Callable[0,0] &block?", annotate}, {"Type $type, Any $value, Variant[Enum[clear], Hash[String, Any]] $annotation_hash", annotate}}},
    {"import", "Discontinued: always an error.", {{"Any $args*", import_manifest}}},
};

} // namespace

FunctionTable type_functions() { return table; }

} // namespace pupc
