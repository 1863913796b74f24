// Checks of statements and expressions: no effect, assignments, values, queries, literals, calls.
#include "catalog/base/similar_names.h"
#include "catalog/base/stack_memory.h"
#include "compiler/ast/children.h"
#include "compiler/ast/construct_names.h"
#include "compiler/check/heredoc_syntax.h"
#include "compiler/check/literal_text.h"
#include "compiler/check/tree_checker.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

namespace pupc::compiler {
namespace {

struct LiteralHashing {
  size_t operator()(const Value& v) const { return hash_of(v); }
};
struct LiteralEquality {
  bool operator()(const Value& a, const Value& b) const { return eql(a, b); }
};

/// What the user probably meant by a statement without effect, as a suggestion; empty if nothing is likely.
std::string suggest_effect(const Node& statement) {
  if (statement.kind == NodeKind::Comparison && statement.as<Binary>().op() == BinaryOp::Equal &&
      statement.as<Binary>().left->kind == NodeKind::Variable)
    return "To assign, use = instead of ==.";
  if (statement.kind != NodeKind::Name) return {};
  const std::string_view name = statement.as<Name>().name.str();
  const std::string near = catalog::did_you_mean(name, {std::begin(statement_functions), std::end(statement_functions)});
  return near.empty() ? fmt::format("To call a function, write {}(…).", name) : near;
}

} // namespace

void Checker::check_block(const Block& block) {
  if (!tasks_ && is_untitled_resource(block)) {
    std::string_view name = block.statements[0]->as<Name>().name.str();
    error(ErrorCode::resource_without_title, block,
          fmt::format("This expression is invalid. Did you try declaring a '{}' resource without a title?", name),
          fmt::format("Write {} {{ 'title': … }}.", name));
    return;
  }
  for (uint32_t i = 0; i + 1 < block.statements.size; ++i) {
    const Node* statement = block.statements[i];
    if (!has_no_effect(statement)) continue;
    error(ErrorCode::no_effect, *statement,
          fmt::format(
              "This {} has no effect. A value was produced and then forgotten (one or more preceding expressions may have the wrong form)",
              label(*statement)),
          suggest_effect(*statement));
    return; // Puppet reports only the first
  }
}

void Checker::check_call(const Call& call) {
  const Node& functor = *call.functor;
  switch (functor.kind) {
  case NodeKind::Name:
  case NodeKind::Reference: return;
  case NodeKind::Access:
    if (functor.as<Access>().left->kind == NodeKind::Reference) return;
    break;
  case NodeKind::RenderString:
    error(ErrorCode::epp_parameters, call,
          "Ambiguous EPP parameter expression. Probably missing '<%-' before parameters to remove leading whitespace");
    return;
  default: break;
  }
  error(ErrorCode::illegal_expression, functor,
        fmt::format("Illegal expression. {} is unacceptable as function name in {}", a_an_upper(label(functor)), a_an(label(call))));
}

void Checker::check_case(const Case& node) {
  produces_value(*node.test);
  bool found = false;
  for (const CaseOption& option : node.options)
    for (const Node* value : option.values) {
      if (value->kind != NodeKind::Literal || !value->as<Literal>().value.is(Kind::Default)) continue;
      if (found)
        error(ErrorCode::duplicate_default, *value,
              fmt::format("This {} already has a 'default' entry - this is a duplicate", label(node)));
      found = true;
    }
}

void Checker::check_selector(const Selector& selector) {
  produces_value(*selector.left);
  int defaults = 0;
  for (const SelectorEntry& entry : selector.entries) {
    if (entry.match->kind != NodeKind::Literal || !entry.match->as<Literal>().value.is(Kind::Default)) continue;
    if (++defaults == 2)
      error(ErrorCode::duplicate_default, *entry.match,
            fmt::format("This {} already has a 'default' entry - this is a duplicate", label(selector)));
  }
}

/// Sets `out` to what Puppet takes for the value of an expression that it knows without evaluation, and returns false for all others. As
/// there, a type is its name in lower case, and what is in the brackets of an access is all that counts of it: X['a'] is ['a'].
bool Checker::literal_value(const Node& node, Value& out) {
  switch (node.kind) {
  case NodeKind::Literal:
  case NodeKind::RegexLiteral: out = node.as<Literal>().value; return true;
  case NodeKind::Name: out = Value::string(node.as<Name>().name.str()); return true;
  case NodeKind::RenderString: out = Value::string(node.as<RenderString>().text); return true;
  case NodeKind::Reference: out = Value::string(node.as<Reference>().name.str()); return true;
  case NodeKind::ListLiteral: return literal_values(node.as<ListLiteral>().elements, out);
  case NodeKind::Access: {
    const Seq<Node*>& keys = node.as<Access>().keys;
    if (keys.size == 1 && keys[0]->kind == NodeKind::ListLiteral) return false; // Optional[[String]]
    return literal_values(keys, out);
  }
  case NodeKind::Minus: {
    if (!literal_value(*node.as<Unary>().operand, out)) return false;
    if (out.is_int())
      out = Value::integer(-out.i);
    else if (out.kind == Kind::Float)
      out = Value::floating(-out.d);
    else if (!out.is_string()) // Ruby's -'a' is 'a'
      return false;
    return true;
  }
  case NodeKind::HashLiteral: {
    HashBuilder hash(scratch_);
    for (const KeyedEntry& entry : node.as<HashLiteral>().entries) {
      Value key, value;
      if (!literal_value(*entry.key, key) || !literal_value(*entry.value, value)) return false;
      hash.set(key, value);
    }
    out = hash.finish();
    return true;
  }
  default: return false;
  }
}

bool Checker::literal_values(const Seq<Node*>& nodes, Value& out) {
  ListBuilder list(scratch_);
  for (const Node* node : nodes) {
    Value v;
    if (!literal_value(*node, v)) return false;
    list.add(v);
  }
  out = list.finish();
  return true;
}

void Checker::check_hash(const HashLiteral& hash) {
  if (options_.strict == Strict::Off || hash.entries.size < 2) return;
  // A search is faster than a table for the few keys of a usual hash.
  constexpr size_t few = 16;
  StackMemory<1024> memory;
  std::pmr::vector<Value> before(&memory.resource);
  std::pmr::unordered_set<Value, LiteralHashing, LiteralEquality> table(&memory.resource);
  before.reserve(std::min<size_t>(few, hash.entries.size));
  auto is_new = [&](const Value& key) {
    if (hash.entries.size > few) return table.insert(key).second;
    if (std::any_of(before.begin(), before.end(), [&](const Value& other) { return eql(other, key); })) return false;
    before.push_back(key);
    return true;
  };
  for (const KeyedEntry& entry : hash.entries) {
    Value key;
    if (!literal_value(*entry.key, key) || is_new(key)) continue;
    Diagnostic& d = error_at(ErrorCode::duplicate_key, entry.offset, 2,
                             fmt::format("The key '{}' is declared more than once", literal_text(key)),
                             "Only the last entry of equal keys would count.");
    // Puppet 8 refuses an access like Optional['a'] that is there twice, and with it Debian's packaged apache module, which Puppet 7 takes.
    const bool in_a_module = entry.key->kind == NodeKind::Access && options_.place == CheckOptions::Place::Module;
    if (options_.strict == Strict::Warning || in_a_module) d.severity = Severity::Warning;
  }
}

void Checker::check_heredoc(const Heredoc& heredoc) {
  if (heredoc.syntax.empty() || heredoc.text->kind != NodeKind::Literal) return; // the evaluator checks interpolated text
  std::string message = heredoc_text_error(heredoc.syntax, heredoc.text->as<Literal>().value.str(), options_.embedded_code);
  if (message.empty()) return;
  error(ErrorCode::heredoc_text, *heredoc.text, std::move(message));
  throw Abort{};
}

void Checker::check_variable(const Variable& variable) {
  if ((variable.flags & variable_plain) != 0) return;
  std::string_view name = variable.name.str();
  if (!name.empty() && name[0] >= '0' && name[0] <= '9') {
    if (!is_numeric_variable_name(name))
      error(ErrorCode::illegal_name, variable,
            fmt::format("Illegal numeric variable name, The given name '{}' must be a decimal value if it starts with a digit 0-9", name));
    return;
  }
  if (is_variable_name(name)) return;
  std::string better(name);
  for (char& c : better)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  error(ErrorCode::illegal_name, variable,
        fmt::format("Illegal variable name, The given name '{}' does not conform to the naming rule /^((::)?[a-z]\\w*)*((::)?[a-z_]\\w*)$/",
                    name),
        is_variable_name(better) ? fmt::format("Did you mean ${}?", better) : std::string());
}

void Checker::check_number(const Literal& literal) {
  if ((literal.flags & literal_overflow) == 0) return;
  const std::string_view digits = literal.value.str();
  constexpr size_t most_shown = 100'000; // the conversion of more takes too long
  error(ErrorCode::number_out_of_range, literal,
        fmt::format("{} resulted in a value outside of Puppet Integer max range, got {}", a_an_upper(label(literal)),
                    digits.size() > most_shown ? fmt::format("a number of {} digits", digits.size())
                                               : fmt::format("'+0x{}'", hexadecimal(digits, literal.flags))));
}

void Checker::check_assignment(const Binary& assignment) {
  if (assignment.op() == BinaryOp::Assign) {
    assignable(*assignment.left);
    produces_value(*assignment.right);
    return;
  }
  error(ErrorCode::unsupported_operator, assignment,
        fmt::format("The operator '{}' is no longer supported. See http://links.puppet.com/remove-plus-equals", spelling(assignment.op())),
        fmt::format("Assign the result of {} to a new variable.", assignment.op() == BinaryOp::AppendAssign ? "+" : "-"));
}

/// Checks the left side of an assignment.
void Checker::assignable(const Node& target) {
  switch (target.kind) {
  case NodeKind::Variable: {
    if ((target.flags & variable_plain) != 0) return;
    std::string_view name = target.as<Variable>().name.str();
    if (is_numeric_variable_name(name))
      error(
          ErrorCode::illegal_assignment, target,
          fmt::format("Illegal attempt to assign to the numeric match result variable '${}'. Numeric variables are not assignable", name));
    if (name.find("::") != std::string_view::npos)
      error(ErrorCode::illegal_assignment, target,
            fmt::format("Illegal attempt to assign to '{}'. Cannot assign to variables in other namespaces", name));
    return;
  }
  case NodeKind::Access:
    error(ErrorCode::illegal_assignment, target, "Illegal attempt to assign via [index/key]. Not an assignable reference",
          "Values cannot be changed; make a new one, for example with + or merge.");
    return;
  case NodeKind::ListLiteral:
    for (const Node* element : target.as<ListLiteral>().elements) assignable(*element);
    return;
  default:
    error(ErrorCode::illegal_assignment, target,
          fmt::format("Illegal attempt to assign to '{}'. Not an assignable reference", a_an(label(target))),
          target.kind == NodeKind::Name ? fmt::format("Did you mean ${}?", target.as<Name>().name.str()) : std::string());
  }
}

void Checker::produces_value(const Node& node) {
  static constexpr NodeKinds around = {NodeKind::Parenthesized, NodeKind::Not, NodeKind::Minus, NodeKind::Unfold, NodeKind::RenderExpr};
  const Node* n = &node;
  while (around.contain(n->kind)) n = n->as<Unary>().operand;
  if (kinds_without_value.contain(n->kind))
    error(ErrorCode::no_value, *n, fmt::format("Invalid use of expression. {} does not produce a value", a_an_upper(label(*n))));
}

/// Checks the query of a collector.
void Checker::query(const Node& node) {
  switch (node.kind) {
  case NodeKind::And:
  case NodeKind::Or:
    query(*node.as<Binary>().left);
    query(*node.as<Binary>().right);
    return;
  case NodeKind::Parenthesized: return query(*node.as<Unary>().operand);
  case NodeKind::Comparison:
    if (node.as<Binary>().op() == BinaryOp::Equal || node.as<Binary>().op() == BinaryOp::NotEqual) return;
    break;
  case NodeKind::Variable:
  case NodeKind::Name:
  case NodeKind::RenderString: return;
  case NodeKind::Literal: {
    const Value& v = node.as<Literal>().value;
    if (v.is_string() || v.is_number() || v.is_bool()) return;
    break;
  }
  default: break;
  }
  error(ErrorCode::illegal_query, node, fmt::format("Illegal query expression. {} cannot be used in a query", a_an_upper(label(node))),
        "Queries compare attributes with == and != and join comparisons with and, or and parentheses.");
}

/// Reports assignments in the default value of a parameter. They are allowed only inside lambdas.
void Checker::check_no_assignment(const Node* node) {
  if (node == nullptr || node->kind == NodeKind::Lambda) return;
  if (node->kind == NodeKind::Assignment) {
    error(ErrorCode::illegal_assignment, *node, "Assignment not allowed here");
    return;
  }
  for_each_child(*node, [this](const Node* part) { check_no_assignment(part); });
}

} // namespace pupc::compiler
