#include "compiler/conversion/new_instance.h"

#include "catalog/base/stack.h"
#include "catalog/value/conversion_error.h"
#include "compiler/conversion/constructor_call.h"
#include "compiler/types/alias_step.h"
#include "compiler/types/init_type.h"
#include "compiler/types/object_definition.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

[[noreturn]] void not_supported(const Type* type) {
  // In Puppet these two are aliases, and its message names what they stand for.
  if (type->kind == TypeKind::Data)
    fail_conversion("Creation of new instance of type 'Variant[ScalarData, Undef, Hash[String, Data], Array[Data]]' is not supported");
  if (type->kind == TypeKind::RichData)
    fail_conversion(
        fmt::format("Creation of new instance of type 'Variant[Scalar, SemVerRange, Binary, Sensitive, Type, {}, URI, Object, Undef, "
                    "Default, Hash[RichDataKey, RichData], Array[RichData]]' is not supported",
                    types::type_set()->to_string()));
  fail_conversion(fmt::format("Creation of new instance of type '{}' is not supported", type->to_string()));
}

bool accepts(TypeContext& ctx, const Constructor& c, std::span<const Value> args) {
  const auto* parameters = type_cast<CallableType>(c.callable).parameters;
  List list{static_cast<uint32_t>(args.size()), args.data()};
  return is_instance(ctx, parameters, Value::of(&list));
}

/// Makes the value by the code of the signature that accepts the arguments, or throws the reason why they are wrong.
Value run(const ConstructorSet& set, const Constructor& constructor, const ConstructorCall& call) {
  auto refuse = [&](const std::string& why) -> Value {
    throw_error(ErrorCode::argument_mismatch, {}, fmt::format("'{}' {}", set.function, why), PositionStyle::None);
  };
  switch (constructor.code) {
// clang-format off
#define CONSTRUCTOR(name) case ConstructorCode::name: return constructors::name(call);
#define REFUSAL(name) case ConstructorCode::name: return refuse(constructors::name(call));
// clang-format on
#include "compiler/types/constructors.def"
#undef CONSTRUCTOR
#undef REFUSAL
  }
  return Value::undef();
}

Value construct(const ConstructorSet& set, const ConstructorCall& call) {
  for (const Constructor& c : set.list)
    if (accepts(call.ctx, c, call.args)) return run(set, c, call);
  std::vector<CallSignature> signatures;
  for (const Constructor& c : set.list)
    if (!c.refuses) signatures.push_back({c.callable, c.names, {}});
  throw_error(ErrorCode::argument_mismatch, {}, describe_signatures(call.ctx, set.function, signatures, call.args, nullptr),
              PositionStyle::None);
}

Value make_init(TypeContext& ctx, const InitType& init, std::span<const Value> args) {
  if (init.inner == nullptr) not_supported(&init);
  init_info(ctx, init); // throws when T has no fitting `new`
  if (args.size() != 1) {
    const Type* any[] = {types::any()};
    std::string_view names[] = {"value"};
    CallSignature one[] = {{callable_type(ctx.arena, any, 1, 1), names, {}}};
    throw_error(ErrorCode::argument_mismatch, {}, describe_signatures(ctx, "new_Init", one, args, nullptr), PositionStyle::None);
  }
  std::vector<Value> all(args.begin(), args.end());
  if (!init.arguments.empty())
    all.insert(all.end(), init.arguments.begin(), init.arguments.end());
  else if (args[0].is_list() && !init_takes_list(ctx, init, args[0]))
    all.assign(args[0].items().begin(), args[0].items().end());
  return new_instance(ctx, init.inner, all);
}

Value make(TypeContext& ctx, const Type* type, std::span<const Value> args) {
  check_native_stack();
  switch (type->kind) {
  case TypeKind::TypeAlias: {
    const AliasStep step(type, args.data());
    step.refuse_again();
    return make(ctx, resolve_alias(ctx, type), args);
  }
  case TypeKind::Optional:
  case TypeKind::NotUndef: {
    const Type* inner = type_cast<WrapperType>(type).inner;
    if (inner != nullptr) return make(ctx, inner, args);
    if (type->kind == TypeKind::NotUndef) return make(ctx, types::unit(), args);
    not_supported(type);
  }
  case TypeKind::ObjectExtension: return make(ctx, type_cast<ObjectExtensionType>(type).object, args);
  case TypeKind::Init: return make_init(ctx, type_cast<InitType>(type), args);
  case TypeKind::Object:
  case TypeKind::Deferred:
  case TypeKind::Error: {
    ConstructorSet set = object_constructors(ctx, type);
    if (set.list.empty()) not_supported(type);
    return construct(set, {ctx, type, args});
  }
  default: {
    const ConstructorSet* set = find_constructors(type);
    if (set == nullptr) not_supported(type);
    return construct(*set, {ctx, type, args});
  }
  }
}

} // namespace

Value new_instance(TypeContext& ctx, const Type* type, std::span<const Value> args) {
  if (args.size() == 1 && type->kind != TypeKind::Init && is_instance(ctx, type, args[0])) return args[0];
  Value made = make(ctx, type, args);
  if (is_instance(ctx, type, made)) return made;
  throw_error(
      ErrorCode::type_mismatch, {},
      describe_mismatch(ctx, fmt::format("Converted value from {}.new() has wrong type,", type_to_string_expanded(type)), type, made),
      PositionStyle::None);
}

void ConstructorCall::fail(std::string message) const {
  throw_error(ErrorCode::evaluation_error, {}, std::move(message), PositionStyle::None);
}

Value ConstructorCall::named(std::string_view key) const {
  const Value* v = args[0].hash->find(key);
  return v == nullptr ? Value::undef() : *v;
}

std::string cannot_convert(TypeContext& ctx, const Value& v, std::string_view to) {
  if (v.is_string()) return fmt::format("The string '{}' cannot be converted to {}", v.str(), to);
  return fmt::format("Value of type {} cannot be converted to {}", generalize(ctx, infer(ctx, v))->to_string(), to);
}

} // namespace pupc::compiler
