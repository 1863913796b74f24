#include "compiler/ast/construct_names.h"

#include "compiler/ast/plans.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

std::string operator_label(BinaryOp op) { return fmt::format("'{}' expression", spelling(op)); }

std::string literal_label(const Literal& node) {
  if (node.flags & literal_overflow) return "Literal Integer";
  switch (node.value.kind) {
  case Kind::Undef: return "'undef' expression";
  case Kind::Default: return "'default' expression";
  case Kind::Bool: return "Boolean";
  case Kind::Int: return "Literal Integer";
  case Kind::Float: return "Literal Float";
  default: return "String";
  }
}

bool starts_with_vowel(std::string_view text) {
  if (text.size() > 1 && (text[0] == '"' || text[0] == '\'')) text.remove_prefix(1);
  return !text.empty() && std::string_view("aeiouyAEIOUY").find(text[0]) != std::string_view::npos;
}

} // namespace

std::string label(const Node& node) {
  switch (node.kind) {
  case NodeKind::Nop: return "Nop Expression";
  case NodeKind::Literal: return literal_label(node.as<Literal>());
  case NodeKind::RegexLiteral: return "Regular Expression";
  case NodeKind::Name: return "Name";
  case NodeKind::Reference: return "Type-Name";
  case NodeKind::ReservedWord: return fmt::format("Reserved Word '{}'", node.as<ReservedWord>().word.str());
  case NodeKind::Variable: return "Variable";
  case NodeKind::Interpolation: return "Double Quoted String";
  case NodeKind::Heredoc: return fmt::format("'@({})' expression", node.as<Heredoc>().syntax);
  case NodeKind::ListLiteral: return "Array Expression";
  case NodeKind::HashLiteral: return "Hash Expression";
  case NodeKind::Access: return "'[]' expression";
  case NodeKind::Call: return is_apply(node) ? "'apply' expression" : "Function Call";
  case NodeKind::MethodCall: return "Method call";
  case NodeKind::Arithmetic:
  case NodeKind::Comparison:
  case NodeKind::Match:
  case NodeKind::In:
  case NodeKind::And:
  case NodeKind::Or:
  case NodeKind::Assignment:
  case NodeKind::Relationship: return operator_label(node.as<Binary>().op());
  case NodeKind::Not: return "'not' expression";
  case NodeKind::Minus: return "Unary Minus";
  case NodeKind::Unfold: return "Unfold";
  case NodeKind::Parenthesized: return "Parenthesized Expression";
  case NodeKind::If: return node.flags & if_unless ? "'unless' Statement" : "'if' statement";
  case NodeKind::Case: return "'case' statement";
  case NodeKind::Selector: return "Selector Expression";
  case NodeKind::Block: return "Block Expression";
  case NodeKind::Lambda: return "Lambda";
  case NodeKind::ResourceExpr: return "Resource Statement";
  case NodeKind::ResourceDefaults: return "Resource Defaults Expression";
  case NodeKind::ResourceOverride: return "Resource Override";
  case NodeKind::Collector: return node.as<Collector>().exported() ? "Exported Query" : "Virtual Query";
  case NodeKind::ClassDef: return "Host Class Definition";
  case NodeKind::DefineDef: return "'define' expression";
  case NodeKind::NodeDef: return "Node Definition";
  case NodeKind::FunctionDef: return is_plan(node) ? "Plan Definition" : "Function Definition";
  case NodeKind::TypeAlias: return "Type Alias";
  case NodeKind::TypeDefinition: return "Type Definition";
  case NodeKind::TypeMapping: return "Type Mapping";
  case NodeKind::Epp: return "Epp Template";
  case NodeKind::RenderString: return "Epp Text";
  case NodeKind::RenderExpr: return "Epp Interpolated Expression";
  }
  return "Expression";
}

std::string a_an(std::string_view text) { return fmt::format("{} {}", starts_with_vowel(text) ? "an" : "a", text); }
std::string a_an_upper(std::string_view text) { return fmt::format("{} {}", starts_with_vowel(text) ? "An" : "A", text); }

std::string_view model_class(const Node& node) {
  switch (node.kind) {
  case NodeKind::Access: return "AccessExpression";
  case NodeKind::Variable: return "VariableExpression";
  case NodeKind::Interpolation: return "ConcatenatedString";
  case NodeKind::Parenthesized: return "ParenthesizedExpression";
  case NodeKind::ListLiteral: return "LiteralList";
  case NodeKind::HashLiteral: return "LiteralHash";
  case NodeKind::Call: return "CallNamedFunctionExpression";
  case NodeKind::MethodCall: return "CallMethodExpression";
  case NodeKind::RegexLiteral: return "LiteralRegularExpression";
  case NodeKind::Reference: return "QualifiedReference";
  case NodeKind::Arithmetic: return "ArithmeticExpression";
  case NodeKind::Not: return "NotExpression";
  case NodeKind::Minus: return "UnaryMinusExpression";
  case NodeKind::In: return "InExpression";
  case NodeKind::Match: return "MatchExpression";
  case NodeKind::Selector: return "SelectorExpression";
  case NodeKind::Literal: return node.as<Literal>().value.is_undef() ? "LiteralUndef" : "LiteralDefault";
  case NodeKind::Heredoc: return "HeredocExpression";
  default: return "Expression";
  }
}

} // namespace pupc::compiler
