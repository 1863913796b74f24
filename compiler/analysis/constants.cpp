// Calls, operators and indexes whose operands are all known: they are evaluated, and what they raise is told.
#include "catalog/base/stack_memory.h"
#include "compiler/analysis/codebase/tree_queries.h"
#include "compiler/analysis/walker.h"

#include "compiler/types/core_types.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// Whether TypeInterpreter makes the type as code does: of the same values, which it changes in no way.
bool made_as_code_does(const Access& a) {
  static constexpr std::string_view types[] = {"array",    "boolean", "enum",      "float",  "hash",   "integer", "notundef",
                                               "optional", "pattern", "sensitive", "string", "struct", "type",    "variant"};
  const std::string_view name = a.left->as<Reference>().name.str();
  if (a.keys.empty() || !std::ranges::binary_search(types, name)) return false;
  const bool collection = name == "array" || name == "hash"; // Array[1, 2] has a size alone
  return !collection || a.keys[0]->kind == NodeKind::Reference || a.keys[0]->kind == NodeKind::Access;
}

} // namespace

std::optional<std::vector<Value>> Walker::known_values(Arguments arguments, int depth) {
  std::vector<Value> out;
  for (const Node* argument : arguments) {
    if (argument->kind == NodeKind::Unfold) return std::nullopt;
    if (argument->kind == NodeKind::Reference ||
        (argument->kind == NodeKind::Access && argument->as<Access>().left->kind == NodeKind::Reference)) {
      const Type* type = program_.type_of(*argument, *source_);
      if (type == nullptr) return std::nullopt;
      out.push_back(Value::type(type));
      continue;
    }
    const StaticValue v = static_value(argument, depth);
    if (!v.known) return std::nullopt;
    if (out.empty()) out.reserve(arguments.size()); // not before: the first argument is seldom known
    out.push_back(v.value);
  }
  return out;
}

/// The value of a call of one of the language's functions whose arguments are known.
StaticValue Walker::static_call(const Node& call, Symbol name, int depth) {
  // Before the arguments, whose values may take many steps.
  const Callee& c = callee(name);
  if (!c.constant || c.name != name) return {};
  StackMemory<128> memory;
  std::pmr::vector<const Node*> arguments(&memory.resource);
  const bool method = call.kind == NodeKind::MethodCall;
  if (method) arguments.push_back(call.as<MethodCall>().receiver);
  const Seq<Node*>& given = method ? call.as<MethodCall>().arguments : call.as<Call>().arguments;
  arguments.insert(arguments.end(), given.begin(), given.end());
  if ((method ? call.as<MethodCall>().lambda : call.as<Call>().lambda) != nullptr) return {};
  if (name == sym::new_ && arguments.size() == 1) return {}; // Timestamp.new() is another value each time
  const auto values = known_values(arguments, depth);
  if (!values) return {};
  const auto value = program_.constant_calls().call(*c.builtin, *values).value;
  return value ? StaticValue{true, *value, kinds_of_value(*value)} : StaticValue{};
}

/// A call that fails whenever it is made: its arguments are all known.
void Walker::check_constant_call(const Node& at, const FunctionEntry& function, Arguments arguments) {
  if (!ConstantCalls::knows(function)) return;
  const auto values = known_values(arguments);
  if (!values) return;
  if (std::string why = program_.constant_calls().call(function, *values).error; !why.empty())
    report(CheckCode::argument_type, at, fmt::format("'{}' fails: {}", function.name, why));
}

/// Integer('abc'), Integer.new('abc'): a value that the type cannot make of its arguments. A call of a type is a call of `new`.
void Walker::check_conversion(const Call& c) {
  StackMemory<128> memory;
  std::pmr::vector<const Node*> arguments({c.functor}, &memory.resource);
  arguments.insert(arguments.end(), c.arguments.begin(), c.arguments.end());
  if (c.lambda == nullptr) check_constant_call(c, *program_.functions().find("new"), arguments);
}

/// A literal node with a value, to be evaluated in place of an expression.
Node* Walker::constant_node(const Node& at, const Value& value) {
  auto* literal = program_.arena().make<Literal>();
  literal->kind = NodeKind::Literal;
  literal->offset = at.offset;
  literal->length = at.length;
  literal->value = value;
  return literal;
}

/// An operator that fails whatever its unknown operand is, or whose operands are both known.
void Walker::check_constant(const Binary& b) {
  const BinaryOp op = b.op();
  StaticValue left = static_value(unparenthesised(b.left)), right = static_value(unparenthesised(b.right));
  // A wrong pattern fails for every text, a division by zero for every number.
  if (!left.known && (op == BinaryOp::Matches || op == BinaryOp::NotMatches)) {
    if (right.known && right.value.is(Kind::Regex)) return; // one that is written there is right, or the file could not be parsed
    left = {true, Value::string(""), kinds::string};
  }
  if (!left.known && (op == BinaryOp::Divide || op == BinaryOp::Modulo)) left = {true, Value::integer(1), kinds::integer};
  if (!left.known || !right.known) return;
  auto* evaluated = program_.arena().make<Binary>(b);
  evaluated->left = constant_node(*b.left, left.value);
  evaluated->right = constant_node(*b.right, right.value);
  if (const std::string why = program_.constant_calls().evaluate(*evaluated).error; !why.empty())
    report_at(CheckCode::operand_type, b.op_offset, static_cast<uint32_t>(spelling(op).size()),
              fmt::format("The operator '{}' fails: {}", spelling(op), why));
}

/// The negative of what is no number.
void Walker::check_constant(const Unary& minus) {
  const StaticValue v = static_value(unparenthesised(minus.operand));
  if (!v.known || v.value.is_int() || v.value.is_float()) return;
  auto* evaluated = program_.arena().make<Unary>(minus);
  evaluated->operand = constant_node(*minus.operand, v.value);
  if (const std::string why = program_.constant_calls().evaluate(*evaluated).error; !why.empty())
    report(CheckCode::operand_type, minus, fmt::format("The operator '-' fails: {}", why));
}

/// An index into a value that is written there, or the parameters of one of the language's types.
void Walker::check_constant(const Access& a) {
  const Node* left = unparenthesised(a.left);
  const bool type = left->kind == NodeKind::Reference;
  const auto is_builtin = [&](Symbol name) { return builtin_types_.ask(name, [&] { return builtin_type(name.str()) != nullptr; }); };
  if (type ? !is_builtin(left->as<Reference>().cased)
           : left->kind != NodeKind::Literal && left->kind != NodeKind::ListLiteral && left->kind != NodeKind::HashLiteral)
    return;
  CheckedCodebase::TypeText* const known = type ? program_.type_text(a, *source_) : nullptr;
  if (known != nullptr && known->evaluates) return;
  if (known != nullptr && made_as_code_does(a) && program_.type_of(a, *source_) != nullptr) {
    known->evaluates = true; // it is made of literals and types alone
    return;
  }
  auto* evaluated = program_.arena().make<Access>(a);
  if (!type) {
    const StaticValue v = static_value(left);
    if (!v.known) return;
    evaluated->left = constant_node(*left, v.value);
  }
  const auto keys = known_values({a.keys.data, a.keys.size});
  if (!keys) return;
  evaluated->keys.data = program_.arena().make_array<Node*>(keys->size());
  for (size_t i = 0; i < keys->size(); ++i) evaluated->keys[i] = constant_node(*a.keys[i], (*keys)[i]);
  if (const std::string why = program_.constant_calls().evaluate(*evaluated).error; !why.empty())
    report(type ? CheckCode::bad_data_type : CheckCode::operand_type, a, type ? why : fmt::format("This index fails: {}", why));
  else if (known != nullptr)
    known->evaluates = reads_nothing(a);
}

} // namespace pupc::compiler
