#include "compiler/ast/printer.h"
#include "compiler/parse/parser.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace pupc::compiler {
namespace {

std::shared_ptr<ParsedFile> parsed(std::string text) {
  static RegexCache regexes;
  ParseResult r = parse("t.pp", std::move(text), regexes);
  EXPECT_TRUE(r.file);
  return r.file;
}

std::string names(const FrameLayout* layout) {
  std::string out;
  for (Symbol s : layout->names) out.append(out.empty() ? "" : " ").append(s.str());
  return out;
}

const Variable& variable_of(const Node& call) { return call.as<Call>().arguments[0]->as<Variable>(); }

TEST(FrameBuilder, ParametersComeFirst) {
  auto file = parsed("class a($p, $q = 1) { $x = $p if $x { $y = 1 } }");
  const auto& a = file->body->as<Block>().statements[0]->as<ClassDef>();
  EXPECT_EQ(names(a.layout), "p q title name module_name caller_module_name x y");
}

TEST(FrameBuilder, LambdasReachOut) {
  auto file = parsed("function f($p) { $x = 1 [1].each |$i| { $z = $i notice($x) notice($i) notice($unknown) } }");
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

TEST(FrameBuilder, TypesOfALambdaAreOutsideIt) {
  auto file = parsed("$m = 1 $n = 2 [1].each |Integer[0, $n] $a, $n| >> Integer[0, $m] { $a }");
  const auto& lambda = *file->body->as<Block>().statements[2]->as<MethodCall>().lambda;
  EXPECT_EQ(names(lambda.layout), "a n");
  EXPECT_EQ(bound_of(lambda.parameters[0].type).up, 0);
  EXPECT_EQ(bound_of(lambda.parameters[0].type).slot, 1);
  EXPECT_EQ(bound_of(lambda.return_type).slot, 0);
}

TEST(FrameBuilder, TypesOfADefinitionHaveNoSlots) {
  auto file = parsed("$q = 1 $m = 2 function f(Integer[0, $m] $a, $m) >> Integer[0, $a] { $a } define d(Integer[0, $m] $a, $m) { }");
  const auto& f = file->body->as<Block>().statements[2]->as<FunctionDef>();
  EXPECT_EQ(names(f.layout), "a m");
  EXPECT_EQ(bound_of(f.parameters[0].type).slot, Variable::no_slot);
  EXPECT_EQ(bound_of(f.return_type).slot, Variable::no_slot);
  const auto& d = file->body->as<Block>().statements[3]->as<DefineDef>();
  EXPECT_EQ(bound_of(d.parameters[0].type).slot, Variable::no_slot);
}

TEST(FrameBuilder, AssignedAfterUse) {
  auto file = parsed("notice($x)\n$x = 1");
  EXPECT_EQ(variable_of(*file->body->as<Block>().statements[0]).slot, 0);
}

TEST(FrameBuilder, MetaparametersAreExposedWhenMentioned) {
  auto file = parsed("define d() { notice($require) }");
  EXPECT_EQ(names(file->body->as<Block>().statements[0]->as<DefineDef>().layout), "title name module_name caller_module_name require");
}

TEST(FrameBuilder, MetaparametersOfALambdaAreThoseOfItsResource) {
  auto file = parsed("class c { [1].each |$tag| { [2].each |$i| { notice($tag) notice($noop) } } } [1].each |$i| { notice($noop) }");
  const auto& c = file->body->as<Block>().statements[0]->as<ClassDef>();
  EXPECT_EQ(names(c.layout), "title name module_name caller_module_name noop");
  EXPECT_EQ(names(file->layout), "");
  const auto& outer = *c.body->statements[0]->as<MethodCall>().lambda;
  const auto& inner = *outer.body->statements[0]->as<MethodCall>().lambda;
  EXPECT_EQ(variable_of(*inner.body->statements[0]).up, 1);
  EXPECT_EQ(variable_of(*inner.body->statements[0]).slot, 0);
  EXPECT_EQ(variable_of(*inner.body->statements[1]).up, 2);
  EXPECT_EQ(variable_of(*inner.body->statements[1]).slot, 4);
}

TEST(FrameBuilder, NamesStandInTheOrderOfTheText) {
  EXPECT_EQ(names(parsed("$a = $b = 1 [$c, [$d]] = [1, [2]] $e = [1].map |$x| { $y = $x }")->layout), "a b c d e");
}

// Types and defaults take turns, and each holds a lambda.
TEST(FrameBuilder, LambdasInParametersOfALambda) {
  auto file = parsed(
      "function f($v) { $v.each |Enum[$v.map |$x| { $x + $v }] $a = $v.map |$y| { $y + $a }, Integer[$v, $a] $b = $a| { $b } }");
  const auto& f = file->body->as<Block>().statements[0]->as<FunctionDef>();
  EXPECT_EQ(names(f.layout), "v");
  const auto& lambda = *f.body->statements[0]->as<MethodCall>().lambda;
  EXPECT_EQ(names(lambda.layout), "a b");
  auto sum = [](const Node* call) -> const Binary& { return call->as<MethodCall>().lambda->body->statements[0]->as<Binary>(); };
  const Variable& in_type = sum(lambda.parameters[0].type->as<Access>().keys[0]).right->as<Variable>();
  EXPECT_EQ(in_type.up, 1);
  EXPECT_EQ(in_type.slot, 0);
  const Variable& in_default = sum(lambda.parameters[0].default_value).right->as<Variable>();
  EXPECT_EQ(in_default.up, 1);
  EXPECT_EQ(in_default.slot, 0);
  const Variable& of_type = bound_of(lambda.parameters[1].type);
  EXPECT_EQ(of_type.up, 0);
  EXPECT_EQ(of_type.slot, Variable::no_slot); // $a is the lambda's own
  const Variable& default_of_b = lambda.parameters[1].default_value->as<Variable>();
  EXPECT_EQ(default_of_b.up, 0);
  EXPECT_EQ(default_of_b.slot, 0);
}

TEST(FrameBuilder, DefinitionsTakeNothingFromAround) {
  auto file = parsed("class c { $a = 1 define c::d { notice($a) } notice($a) }");
  const auto& c = file->body->as<Block>().statements[0]->as<ClassDef>();
  EXPECT_EQ(variable_of(*c.body->statements[1]->as<DefineDef>().body->statements[0]).slot, Variable::no_slot);
  EXPECT_EQ(variable_of(*c.body->statements[2]).slot, 4);
  EXPECT_EQ(c.layout->assignments.size, 1u);
}

TEST(FrameBuilder, MoreNamesThanSlots) {
  std::string code;
  for (int i = 0; i < 70000; ++i) code += fmt::format("$v{} = {}\n", i, i);
  auto file = parsed(code + "notice($v65534)\nnotice($v65535)\n");
  const auto& statements = file->body->as<Block>().statements;
  EXPECT_EQ(file->layout->names.size, 70000u);
  EXPECT_EQ(variable_of(*statements[70000]).slot, 65534);
  EXPECT_EQ(variable_of(*statements[70001]).slot, Variable::no_slot);
}

} // namespace
} // namespace pupc::compiler
