// Calls, operators and indexes whose operands are all known: they are evaluated, and what they raise is told.
#include "catalog/base/stack_memory.h"
#include "compiler/analysis/codebase/tree_queries.h"
#include "compiler/analysis/walker.h"

#include "compiler/types/bare_type.h"
#include "compiler/types/constructor.h"
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
void Walker::check_conversion(const Node& at, const Node& named, Arguments given) {
  StackMemory<128> memory;
  std::pmr::vector<const Node*> arguments({&named}, &memory.resource);
  arguments.insert(arguments.end(), given.begin(), given.end());
  const size_t before = findings_.count();
  check_constant_call(at, *program_.functions().find("new"), arguments);
  if (findings_.count() != before || std::ranges::any_of(given, [](const Node* n) { return n->kind == NodeKind::Unfold; })) return;
  const Type* type = bare_type(program_.type_of(named, *source_));
  if (type != nullptr && type->kind == TypeKind::Deferred && given.size() == 2) {
    std::string why;
    if (rejects(types::array(), given[1], why))
      report(CheckCode::argument_type, *given[1], "The second argument of Deferred is an Array of arguments");
    return;
  }
  if (type != nullptr && (type->kind == TypeKind::Resource || type->kind == TypeKind::Class))
    return report(CheckCode::argument_type, at, fmt::format("Nothing makes a value of the type {}", source_text(*source_, named)),
                  "A reference has brackets: Type['title'].");
  if (type == nullptr || type->kind == TypeKind::Object || type->kind == TypeKind::Init || type->kind == TypeKind::Deferred ||
      type->kind == TypeKind::Error || type->kind == TypeKind::ObjectExtension)
    return;
  const ConstructorSet* set = find_constructors(type);
  if (set == nullptr || set->list.empty()) return;
  std::string reason; // one value that the type has already is given back
  if (given.size() == 1 && !rejects(type, given[0], reason)) return;
  const Node* blamed = &at;
  for (const Constructor& constructor : set->list) {
    const TupleType* parameters = type_cast<CallableType>(constructor.callable).parameters;
    if (parameters == nullptr) return;
    const Range& size = parameters->size;
    if (constructor.refuses || !size.contains(static_cast<int64_t>(given.size()))) continue;
    const Node* refused = nullptr;
    std::string why;
    for (size_t i = 0; i < given.size() && !parameters->types.empty() && refused == nullptr; ++i)
      if (rejects(parameters->types[std::min(i, parameters->types.size() - 1)], given[i], why)) refused = given[i];
    if (refused == nullptr) return;
    blamed = refused;
    reason = std::move(why);
  }
  const std::string shown = fmt::format("{}()", source_->text().substr(named.offset, named.length));
  if (blamed == &at)
    report(CheckCode::argument_count, at, fmt::format("{} takes no {} arguments", shown, given.size()));
  else
    report(CheckCode::argument_type, *blamed, fmt::format("An argument of {} {}", shown, reason));
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

/// `$ports[$app]['port']`, where the hash stands in the code and the parameter gets what declarations give it.
void Walker::note_key_chosen(const Access& a) {
  if (!program_.whole() || a.keys.size != 1 || a.keys[0]->kind != NodeKind::Variable || a.left->kind != NodeKind::Variable) return;
  StaticValue left = static_value(a.left);
  if (!left.known)
    if (const auto values = class_values(a.left->as<Variable>()); values.size() == 1) left = known_value(values.front().value);
  if (!left.known || !left.value.is_hash() || left.value.hash->find("default") != nullptr) return;
  if (auto made = made_texts(a.keys[0]))
    if (!is_compared(a.keys[0]->as<Variable>()))
      chosen_keys_.push_back({left.value, std::move(*made), source_, a.keys[0]->offset, a.keys[0]->length});
}

/// Once all is walked: a key that is chosen by a parameter, and that the hash has not.
void Walker::check_chosen_keys() {
  for (const ChosenKey& chosen : chosen_keys_) {
    const PossibleTexts possible = given_.texts(chosen.key, program_, *data_);
    for (const std::string& text : possible.texts) {
      if (chosen.hash.hash->find(text) != nullptr) continue;
      std::vector<std::string_view> names;
      for (const HashEntry& e : chosen.hash.hash->entries())
        if (e.key.is_string()) names.push_back(e.key.str());
      findings_.add(CheckCode::no_such_key, *chosen.source, chosen.offset, chosen.length,
                    fmt::format("This may be '{}', which is no key of the hash: the index behind it fails", text),
                    did_you_mean(text, names));
    }
  }
}

/// `$h['prot']`: a key that a hash of the code, or the declared type of what is indexed, has not.
void Walker::check_key(const Access& a) {
  if (a.keys.size != 1 || a.left->kind == NodeKind::Reference || a.left->kind == NodeKind::Name || fact_kinds(&a) != kinds::any) return;
  if (a.left->kind == NodeKind::Access) note_key_chosen(a.left->as<Access>());
  const auto key = a.keys[0]->kind == NodeKind::Variable ? std::nullopt : literal_text(a.keys[0]);
  const StaticValue left = static_value(a.left);
  if (!key) {
    const StaticValue index = a.keys[0]->kind == NodeKind::Variable ? StaticValue{} : static_value(a.keys[0]);
    if (left.known && left.value.is_list() && index.known && index.value.is_int() &&
        index.value.i >= static_cast<int64_t>(left.value.items().size()))
      report(CheckCode::no_such_key, *a.keys[0],
             fmt::format("This array has {} elements: the value is always undef", left.value.items().size()));
    return;
  }
  if (left.kinds == kinds::list && !key->empty() && key->find_first_of("0123456789") == std::string_view::npos)
    return report(CheckCode::operand_type, *a.keys[0], fmt::format("The index of an array is a number, not '{}'", *key));
  std::vector<std::string_view> names;
  if (left.known && left.value.is_hash()) {
    if (left.value.hash->find(*key) != nullptr) return;
    for (const HashEntry& e : left.value.hash->entries())
      if (e.key.is_string()) names.push_back(e.key.str());
  } else {
    const Type* type = (left.kinds & kinds::hash) != 0 ? bare_type(declared_type(a.left)) : nullptr;
    if (type == nullptr || type->kind != TypeKind::Struct || type_cast<StructType>(type).find(*key) != nullptr) return;
    for (const StructElement& e : type_cast<StructType>(type).elements) names.push_back(e.name);
  }
  if (names.empty()) return;
  report(CheckCode::no_such_key, *a.keys[0], fmt::format("There is no key '{}' in this hash: the value is always undef", *key),
         did_you_mean(*key, names));
}

} // namespace pupc::compiler
