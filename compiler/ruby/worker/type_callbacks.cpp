// Answers to what Ruby code asks about data types and values.
#include "catalog/json/rich_data.h"
#include "compiler/conversion/new_instance.h"
#include "compiler/ruby/worker/session.h"
#include "compiler/ruby/worker/type_members.h"
#include "compiler/types/core_types.h"

namespace pupc::compiler {

/// Returns the given type, or parses the text of one.
const Type* CompileRubySession::type_of(const Value& given) {
  if (given.is(Kind::Type)) return as_type(given);
  return parse_type(evaluator_->types(), given.is_string() ? evaluator_->arena().copy(given.str()) : "Any");
}

Value CompileRubySession::on_instance(const Given& arg, Task&) {
  return Value::boolean(is_instance(evaluator_->types(), type_of(arg[0]), arg[1]));
}

Value CompileRubySession::on_assignable(const Given& arg, Task&) {
  return Value::boolean(is_assignable(evaluator_->types(), type_of(arg[0]), type_of(arg[1])));
}

Value CompileRubySession::on_new_instance(const Given& arg, Task&) {
  return new_instance(evaluator_->types(), type_of(arg[0]), arg[1].items());
}

Value CompileRubySession::on_parse_type(const Given& arg, Task&) { return Value::type(type_of(arg[0])); }

Value CompileRubySession::on_infer(const Given& arg, Task&) {
  return Value::type(arg[1].truthy() ? infer_detailed(evaluator_->types(), arg[0]) : infer(evaluator_->types(), arg[0]));
}

Value CompileRubySession::on_describe_mismatch(const Given& arg, Task&) {
  return text_value(describe_mismatch(evaluator_->types(), arg.text(0), type_of(arg[1]), type_of(arg[2])));
}

Value CompileRubySession::on_type_members(const Given& arg, Task&) { return type_members(evaluator_->types(), *type_of(arg[0])); }

Value CompileRubySession::on_type_generalize(const Given& arg, Task&) {
  return Value::type(generalize(evaluator_->types(), type_of(arg[0])));
}

Value CompileRubySession::on_type_normalize(const Given& arg, Task&) {
  return Value::type(normalize(evaluator_->types(), type_of(arg[0])));
}

Value CompileRubySession::on_type_callable(const Given& arg, Task&) {
  return Value::boolean(kind_of_callable(evaluator_->types(), type_of(arg[0]), arg[1].truthy()));
}

Value CompileRubySession::on_type_iterable(const Given& arg, Task&) {
  return Value::boolean(iterable(evaluator_->types(), type_of(arg[0])));
}

Value CompileRubySession::on_type_iterable_element(const Given& arg, Task&) {
  const Type* element = iterable_element(evaluator_->types(), type_of(arg[0]));
  return element == nullptr ? Value::undef() : Value::type(element);
}

/// Whether a Callable accepts a call. A Tuple gives the types of the arguments; the last member gives the type of the block.
Value CompileRubySession::on_type_accepts(const Given& arg, Task&) {
  TypeContext& types = evaluator_->types();
  const Type* callable = resolve_alias(types, type_of(arg[0]));
  const Type* given = type_of(arg[1]);
  if (callable->kind != TypeKind::Callable || given->kind != TypeKind::Tuple) return Value::boolean(false);
  return Value::boolean(callable_accepts(types, type_cast<CallableType>(callable), type_cast<TupleType>(given).types,
                                         arg[2].is_undef() ? nullptr : type_of(arg[2])));
}

Value CompileRubySession::on_common_type(const Given& arg, Task&) {
  return Value::type(common_type(evaluator_->types(), type_of(arg[0]), type_of(arg[1])));
}

Value CompileRubySession::on_expanded_text(const Given& arg, Task&) { return text_value(type_to_string_expanded(type_of(arg[0]))); }

Value CompileRubySession::on_to_data(const Given& arg, Task&) {
  std::string out;
  JsonWriter json(out);
  write_rich_value(json, arg[0], evaluator_->arena());
  return text_value(out);
}

Value CompileRubySession::on_to_text(const Given& arg, Task&) { return text_value(evaluator_->to_string(arg[0])); }

} // namespace pupc::compiler
