#include "compiler/ast/printer.h"
#include "compiler/check/checker.h"
#include "compiler/parse/parser.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace pupc {
namespace {

std::shared_ptr<ParsedFile> resolved(std::string text) {
  static RegexCache regexes;
  ParseResult r = parse("t.pp", std::move(text), regexes);
  EXPECT_TRUE(r.file);
  if (r.file) resolve_names(*r.file);
  return r.file;
}

std::string names(const FrameLayout* layout) {
  std::string out;
  for (Symbol s : layout->names) out.append(out.empty() ? "" : " ").append(s.str());
  return out;
}

const Variable& variable_of(const Node& call) { return call.as<Call>().arguments[0]->as<Variable>(); }

TEST(ResolveNames, ParametersComeFirst) {
  auto file = resolved("class a($p, $q = 1) { $x = $p if $x { $y = 1 } }");
  const auto& a = file->body->as<Block>().statements[0]->as<ClassDef>();
  EXPECT_EQ(names(a.layout), "p q title name module_name caller_module_name x y");
}

TEST(ResolveNames, LambdasReachOut) {
  auto file = resolved("function f($p) { $x = 1 [1].each |$i| { $z = $i notice($x) notice($i) notice($unknown) } }");
  const auto& f = file->body->as<Block>().statements[0]->as<FunctionDef>();
  EXPECT_EQ(names(f.layout), "p x");
  const auto& lambda = *f.body->statements[1]->as<MethodCall>().lambda;
  EXPECT_EQ(names(lambda.layout), "i z");
  const Variable& outer = variable_of(*lambda.body->statements[1]);
  EXPECT_EQ(outer.up, 1);
  EXPECT_EQ(outer.slot, 1);
  const Variable& own = variable_of(*lambda.body->statements[2]);
  EXPECT_EQ(own.up, 0);
  EXPECT_EQ(own.slot, 0);
  EXPECT_EQ(variable_of(*lambda.body->statements[3]).slot, Variable::no_slot);
}

const Variable& bound_of(const Node* type) { return type->as<Access>().keys[1]->as<Variable>(); }

TEST(ResolveNames, TypesOfALambdaAreOutsideIt) {
  auto file = resolved("$m = 1 $n = 2 [1].each |Integer[0, $n] $a, $n| >> Integer[0, $m] { $a }");
  const auto& lambda = *file->body->as<Block>().statements[2]->as<MethodCall>().lambda;
  EXPECT_EQ(names(lambda.layout), "a n");
  EXPECT_EQ(bound_of(lambda.parameters[0].type).up, 0);
  EXPECT_EQ(bound_of(lambda.parameters[0].type).slot, 1);
  EXPECT_EQ(bound_of(lambda.return_type).slot, 0);
}

TEST(ResolveNames, TypesOfADefinitionHaveNoSlots) {
  auto file = resolved("$q = 1 $m = 2 function f(Integer[0, $m] $a, $m) >> Integer[0, $a] { $a } define d(Integer[0, $m] $a, $m) { }");
  const auto& f = file->body->as<Block>().statements[2]->as<FunctionDef>();
  EXPECT_EQ(names(f.layout), "a m");
  EXPECT_EQ(bound_of(f.parameters[0].type).slot, Variable::no_slot);
  EXPECT_EQ(bound_of(f.return_type).slot, Variable::no_slot);
  const auto& d = file->body->as<Block>().statements[3]->as<DefineDef>();
  EXPECT_EQ(bound_of(d.parameters[0].type).slot, Variable::no_slot);
}

TEST(ResolveNames, AssignedAfterUse) {
  auto file = resolved("notice($x)\n$x = 1");
  EXPECT_EQ(variable_of(*file->body->as<Block>().statements[0]).slot, 0);
}

TEST(ResolveNames, MetaparametersAreExposedWhenMentioned) {
  auto file = resolved("define d() { notice($require) }");
  EXPECT_EQ(names(file->body->as<Block>().statements[0]->as<DefineDef>().layout), "title name module_name caller_module_name require");
}

TEST(ResolveNames, MoreNamesThanSlots) {
  std::string code;
  for (int i = 0; i < 70000; ++i) code += fmt::format("$v{} = {}\n", i, i);
  auto file = resolved(code + "notice($v65534)\nnotice($v65535)\n");
  const auto& statements = file->body->as<Block>().statements;
  EXPECT_EQ(file->layout->names.size, 70000u);
  EXPECT_EQ(variable_of(*statements[70000]).slot, 65534);
  EXPECT_EQ(variable_of(*statements[70001]).slot, Variable::no_slot);
}

} // namespace
} // namespace pupc
