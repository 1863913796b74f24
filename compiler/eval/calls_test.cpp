// Functions, jumps, variables in scopes, match variables, templates.
#include "compiler/build/compile_testing.h"

#include <gtest/gtest.h>

using namespace pupc::compiler;

namespace {

std::string logged(std::string_view code) {
  TestCompile t;
  std::string value = t.value(code);
  std::string logs = t.logs();
  return value.starts_with("ERROR") ? logs + value : logs;
}

std::string notices(std::initializer_list<std::string_view> lines) {
  std::string out;
  for (auto line : lines) out += fmt::format("notice: Scope(Class[main]): {}\n", line);
  return out;
}

TEST(Functions, BindParametersAndDefaults) {
  EXPECT_EQ(logged("function f(Integer $a, String $b = 'x', *$c) { [$a,$b,$c] } notice(f(1), f(1,'y'), f(1,'y',2,3))"),
            notices({"[1, x, []] [1, y, []] [1, y, [2, 3]]"}));
  EXPECT_EQ(logged("function f($a, $b = $a + 1, $c = $b * 2) { [$a,$b,$c] } notice(f(1))"), notices({"[1, 2, 4]"}));
}

TEST(Functions, SeeGlobalVariablesOnly) {
  EXPECT_EQ(logged("$a = 5\nfunction g() { $a }\nnotice(g())"), notices({"5"}));
  EXPECT_EQ(logged("function g() { $zz }\nfunction h() { $zz = 1 g() }\nnotice(h())"),
            "ERROR Evaluation Error: Unknown variable: 'zz'. (line: 1, column: 16)");
}

TEST(Functions, HideBuiltInsOfTheSameName) { EXPECT_EQ(logged("function fail($x) { 5 } notice(fail(1))"), notices({"5"})); }

struct CallError {
  const char* code;
  const char* expected;
};
class CallErrors : public testing::TestWithParam<CallError> {};

TEST_P(CallErrors, HaveTheReferencesText) {
  TestCompile t;
  EXPECT_EQ(t.error(GetParam().code), GetParam().expected) << GetParam().code;
}

#define CALL "Evaluation Error: Error while evaluating a Function Call, "
INSTANTIATE_TEST_SUITE_P(
    Calls, CallErrors,
    testing::Values(CallError{"function f($x) { 1 } f()", CALL "'f' expects 1 argument, got none (line: 1, column: 22)"},
                    CallError{"function f(Integer $x) >> String { 1 } f(1)",
                              CALL "value returned from f has wrong type, expects a String value, got Integer (line: 1, column: 40)"},
                    CallError{"function f(Integer $a, String $b = 'x') { 1 } f('x')",
                              CALL "'f' parameter 'a' expects an Integer value, got String (line: 1, column: 47)"},
                    CallError{"function f(Integer $a, String $b = 'x') { 1 } f(1, 2)",
                              CALL "'f' parameter 'b' expects a String value, got Integer (line: 1, column: 47)"},
                    CallError{"function f(Integer $a, String $b = 'x') { 1 } f(1, 'a', 3)",
                              CALL "'f' expects between 1 and 2 arguments, got 3 (line: 1, column: 47)"},
                    CallError{"function f(Integer $a) { 1 } f(1) |$x| { }", CALL "'f' does not expect a block (line: 1, column: 30)"},
                    CallError{"function f(Integer $a = 'x') { 1 } f()",
                              CALL "'f' parameter 'a' expects an Integer value, got String (line: 1, column: 36)"},
                    CallError{"function f($a, $b = $c, $c = 1) { 1 } f(1)",
                              CALL "f: default expression for $b tries to illegally access not yet evaluated $c (line: 1, column: 39)"},
                    CallError{"foo(1)", "Evaluation Error: Unknown function: 'foo'. (line: 1, column: 1)"},
                    CallError{"1.foo", "Evaluation Error: Unknown function: 'foo'. (line: 1, column: 2)"},
                    CallError{"fail('a', undef, [1,undef,'a'])", CALL "a  [1, nil, \"a\"] (line: 1, column: 1)"},
                    CallError{"break()", "break() from context where this is illegal (file: unknown, line: 1)"},
                    CallError{"next()", "next() from context where this is illegal (file: unknown, line: 1)"},
                    CallError{"\nif true { return(1) }", "return() from context where this is illegal (file: unknown, line: 2)"}));

TEST(Functions, WithoutEndAreAnErrorNotACrash) {
  TestCompile t;
  EXPECT_NE(t.error("function f($x) { f($x + 1) } f(1)").find("stack level too deep"), std::string::npos);
  EXPECT_NE(t.error("function g($x) { if true { [1, g($x)] } } g(1)").find("stack level too deep"), std::string::npos);
}

TEST(Jumps, LeaveTheFunction) {
  EXPECT_EQ(logged("function f($x) { if $x > 1 { return('big') } 'small' } notice(f(1), f(2))"), notices({"small big"}));
  EXPECT_EQ(logged("function f($x) { $y = if $x > 1 { return('big') } 'small' } notice(f(1), f(2))"), notices({"small big"}));
  EXPECT_EQ(logged("function f($x) { case $x { 1: { return('one') } default: { next('other') } } 'end' } notice(f(1), f(2))"),
            notices({"one other"}));
  EXPECT_EQ(logged("function f($x) >> Integer { return('x') } notice(f(1))"), notices({"x"}));
  EXPECT_EQ(logged("function f($x) >> Integer { next('x') } notice(f(1))"),
            "ERROR " CALL "value returned from f has wrong type, expects an Integer value, got String (line: 1, column: 48)");
}

TEST(MatchVariables, LastAsLongAsTheReferencesScopes) {
  EXPECT_EQ(logged("if 'abc' =~ /b(.)/ { notice($1) } notice($1)"), notices({"c", ""}));
  EXPECT_EQ(logged("'abc' =~ /b(.)/\nnotice($1, $0, $2)"), notices({"c bc "}));
  EXPECT_EQ(logged("'abc' =~ /b(.)/\n'abc' =~ /x/\nnotice($1)"), notices({"c"}));
  EXPECT_EQ(logged("case 'abc' { /b(.)/: { notice($1) } default: {} } notice($1)"), notices({"c", ""}));
  EXPECT_EQ(logged("function f() { $1 }\n'abc' =~ /b(.)/\nnotice(f())"), notices({""}));
}

TEST(Variables, DestructureListsAndHashes) {
  EXPECT_EQ(logged("[$a, [$b, $c]] = [1, [2, 3]] notice($a,$b,$c)"), notices({"1 2 3"}));
  EXPECT_EQ(logged("[$a, $b] = {a=>1, b=>2, c=>3} notice($a,$b)"), notices({"1 2"}));
  EXPECT_EQ(logged("$a = $b = 3\nnotice($a, $b)"), notices({"3 3"}));
}

TEST(Variables, OfTopScopeAreFoundByEveryName) {
  TestCompile t;
  t.evaluator.set_global("osfamily", Value::string("Debian"));
  EXPECT_EQ(t.value("$r = [$osfamily, $::osfamily, \"${osfamily}\"]\n$r"), "['Debian', 'Debian', 'Debian']");
  EXPECT_EQ(t.error("$osfamily = 1"), "Evaluation Error: Cannot reassign variable '$osfamily' (line: 1, column: 11)");
  // a second main manifest sees what the first one set
  t.value("$mine = 7");
  EXPECT_EQ(t.value("$again = $::mine + $mine\n$again"), "14");
  EXPECT_EQ(t.error("$mine = 8"), "Evaluation Error: Cannot reassign variable '$mine' (line: 1, column: 7)");
  Value v;
  EXPECT_TRUE(t.evaluator.lookup_variable("mine", *t.catalog.top.frame, v));
  EXPECT_FALSE(t.evaluator.lookup_variable("nope::x", *t.catalog.top.frame, v));
}

TEST(Logging, JoinsValuesAsInterpolationPrintsThem) {
  EXPECT_EQ(logged("notice(1, 2.5, undef, default, /a/, [1,'a',undef], {a=>'b', 1=>undef}, String)"),
            notices({"1 2.5  default /a/ [1, a, ] {a => b, 1 => } String"}));
  EXPECT_EQ(logged("warning('x')"), "warning: Scope(Class[main]): x\n");
}

TEST(Aliases, MayNameThemselves) {
  TestCompile t;
  EXPECT_EQ(t.value("type Tree = Variant[Integer, Array[Tree]]\n$r = [[1, [2]] =~ Tree, [1, ['x']] =~ Tree]\n$r"), "[true, false]");
  EXPECT_EQ(t.value("type Port = Integer[1, 65535]\nfunction p(Port $x) { $x }\np(80)"), "80");
  EXPECT_EQ(t.error("p(0)"), CALL "'p' parameter 'x' expects a Port = Integer[1, 65535] value, got Integer[0, 0] (line: 1, column: 1)");
}

} // namespace
