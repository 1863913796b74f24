// Data types that modules implement in Ruby: runs their files and calls the functions of their objects.
#include "compiler/eval/type_loader.h"
#include "compiler/ruby/worker/session.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

using Clock = std::chrono::steady_clock;

const ObjectType* parent_object(const ObjectType& type) {
  const Type* parent = type.parent;
  while (parent != nullptr && parent->kind == TypeKind::TypeAlias) parent = type_cast<TypeAliasType>(parent).resolved;
  return parent != nullptr && parent->kind == TypeKind::Object ? static_cast<const ObjectType*>(parent) : nullptr;
}

} // namespace

/// Describes a Puppet object so that Ruby can make its own object from it: [identity, number of the handle, [[type, file or nil]… from the
/// root type], [names of the attributes in the order of the constructor], {all attributes}]. Undef for a type that Ruby does not implement.
Value CompileRubySession::describe_object(const Value& object) {
  const ObjectValue* o = as_object(object);
  auto& loader = static_cast<TypeLoader&>(evaluator_->types());
  if (o == nullptr || o->type->kind != TypeKind::Object || !loader.implemented_in_ruby(*o->type)) return Value::undef();
  Arena& arena = evaluator_->arena();
  std::vector<Value> chain;
  for (const ObjectType* t = o->type; t != nullptr; t = parent_object(*t)) {
    const std::string* file = loader.implementation(*t);
    Value both[] = {Value::string(t->name), file ? Value::string(arena.copy(*file)) : Value::undef()};
    chain.insert(chain.begin(), make_list(arena, both));
  }
  ListBuilder names(arena);
  HashBuilder attributes(arena);
  auto all = all_attributes(*o->type);
  for (bool required : {true, false}) // the order of the constructor's parameters
    for (const ObjectAttribute& a : all) {
      if (a.kind == ObjectAttribute::Kind::Derived || a.has_value == required) continue;
      if (a.kind != ObjectAttribute::Kind::Constant) names.add(Value::string(a.name));
      Value value;
      if (object_attribute(object, a.name, value)) attributes.set(Value::string(a.name), value);
    }
  Value parts[] = {Value::integer(static_cast<int64_t>(reinterpret_cast<intptr_t>(object.opaque))),
                   Value::integer(static_cast<int64_t>(handles_.size())), make_list(arena, chain), names.finish(), attributes.finish()};
  handles_.push_back(object);
  return make_list(arena, parts);
}

RubyDataType CompileRubySession::load_data_type(Evaluator& evaluator, std::string_view name, const std::string& file) {
  evaluator_ = &evaluator;
  auto begin = Clock::now();
  Task task{fmt::format("data type '{}' ({})", name, file), {}, pool_.options().timeout, nullptr};
  try {
    start();
  } catch (const RubyWorkerLost& lost) {
    throw_error(ErrorCode::ruby_error, {}, fmt::format("The {} needs Ruby, which {}", task.what, lost.reason));
  }
  Value answer = request(task, RubyRequest::data_type, [&](MarshalWriter& w) {
    w.string(name);
    w.string(file);
  });
  pool_.add_use("data type", name, file, Clock::now() - begin);
  auto parts = answer.items();
  return {std::string(parts[0].str()), std::string(parts[1].str()), parts[2].b};
}

bool CompileRubySession::call_object(Evaluator& evaluator, const Value& object, std::string_view function, std::span<const Value> args,
                                     const Closure* block, Frame& caller, Loc loc, Value& out) {
  evaluator_ = &evaluator;
  auto begin = Clock::now();
  const ObjectType& type = *as_object(object)->type;
  Task task{fmt::format("function '{}' of an object of type {}", function, type.name), loc, pool_.options().timeout, nullptr};
  try {
    start();
  } catch (const RubyWorkerLost& lost) {
    throw_error(ErrorCode::ruby_error, {}, fmt::format("The {} needs Ruby, which {}", task.what, lost.reason));
  }
  NumberedFrame frame(frames_, caller);
  Numbered<const Closure*> numbered(blocks_, block);
  Value description = describe_object(object);
  Value answer = request(task, RubyRequest::object_call, [&](MarshalWriter& w) {
    w.integer(static_cast<int64_t>(frame.number));
    w.value(description);
    w.string(function);
    w.array(args.size());
    for (const Value& arg : args) w.value(arg);
    write_block(w, block, numbered.number);
  });
  pool_.add_use("data type", fmt::format("{}.{}", type.name, function), "", Clock::now() - begin);
  if (!answer.is_list() || answer.items().size() != 1) return false;
  out = answer.items()[0];
  return true;
}

} // namespace pupc::compiler
