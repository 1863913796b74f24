// Operators, comparison, access and conditions. Expected values are Puppet's answers.
#include "compiler/build/compile_testing.h"

#include <gtest/gtest.h>

using namespace pupc::compiler;

namespace {

struct Case {
  const char* code;
  const char* expected;
};

class Expressions : public testing::TestWithParam<Case> {};

TEST_P(Expressions, GiveTheReferencesValue) {
  TestCompile t;
  EXPECT_EQ(t.value(std::string("$result = ") + GetParam().code + "\n$result"), GetParam().expected) << GetParam().code;
}

INSTANTIATE_TEST_SUITE_P(Arithmetic, Expressions,
                         testing::Values(Case{"7 / 2", "3"}, Case{"-7 / 2", "-4"}, Case{"7 % 3", "1"}, Case{"-7 % 3", "2"},
                                         Case{"7 % -3", "-2"}, Case{"7.0 / 2", "3.5"}, Case{"1e3 + 0", "1000.0"}, Case{"1 << 4", "16"},
                                         Case{"256 >> 4", "16"}, Case{"-1 >> 70", "-1"}, Case{"1 << -1", "0"}, Case{"1 << 2.5", "4"},
                                         Case{"-(5)", "-5"}, Case{"- -5", "5"}, Case{"2 + 3 * 4", "14"}, Case{"(2 + 3) * 4", "20"},
                                         Case{"-9223372036854775807 - 1", "-9223372036854775808"}, Case{"0x1F + 017", "46"},
                                         Case{"(-9223372036854775807 - 1) % -1", "0"}));

INSTANTIATE_TEST_SUITE_P(Collections, Expressions,
                         testing::Values(Case{"[1] + 2", "[1, 2]"}, Case{"[1] + [2]", "[1, 2]"}, Case{"[1] + {a=>1}", "[1, ['a', 1]]"},
                                         Case{"{a=>1} + {b=>2}", "{'a' => 1, 'b' => 2}"}, Case{"{a=>1} + [b,2]", "{'a' => 1, 'b' => 2}"},
                                         Case{"{a=>1} + [[b,2]]", "{'a' => 1, 'b' => 2}"}, Case{"{a=>1} + []", "{'a' => 1}"},
                                         Case{"{a=>1} + {a=>2}", "{'a' => 2}"}, Case{"[1] << [2]", "[1, [2]]"}, Case{"[1] << 2", "[1, 2]"},
                                         Case{"[1,2,3] - [2]", "[1, 3]"}, Case{"[1,2,3] - 2", "[1, 3]"}, Case{"[1,'a',1.0] - 1", "['a']"},
                                         Case{"['a', 'A'] - 'a'", "['A']"}, Case{"{a=>1,b=>2} - 'a'", "{'b' => 2}"},
                                         Case{"{a=>1,b=>2} - {a=>5}", "{'b' => 2}"},
                                         Case{"[1, *[2,3], *{a=>4}, *undef, *5]", "[1, 2, 3, ['a', 4], 5]"}));

INSTANTIATE_TEST_SUITE_P(Comparison, Expressions,
                         testing::Values(Case{"[1,2] == [1,2.0]", "true"}, Case{"{a=>1} == {'a'=>1.0}", "true"}, Case{"'a' == 'A'", "true"},
                                         Case{"undef == ''", "false"}, Case{"{a=>undef} == {b=>1}", "true"}, Case{"1 == '1'", "false"},
                                         Case{"'a' != 'B'", "true"}, Case{"'a' < 'B'", "true"}, Case{"'_' < 'a'", "true"},
                                         Case{"'abc' < 'abcd'", "true"}, Case{"1 < 1.5", "true"},
                                         Case{"9007199254740993 == 9007199254740992.0", "false"}, Case{"2 >= 2", "true"},
                                         Case{"'abc' in ['ABC']", "true"}, Case{"'b' in 'ABC'", "true"}, Case{"/b/ in 'abc'", "true"},
                                         Case{"/B/ in ['abc', 'xBx']", "true"}, Case{"1 in [1.0]", "true"}, Case{"'1' in [1]", "false"},
                                         Case{"'a' in {'A'=>1}", "true"}, Case{"/a/ in {a=>1}", "true"}, Case{"1 in '1'", "false"},
                                         Case{"'abc' =~ 'b'", "true"}, Case{"'abc' !~ 'z'", "true"}, Case{"true and undef", "false"},
                                         Case{"'' and true", "true"}, Case{"!''", "false"}, Case{"!undef", "true"},
                                         Case{"false or 'x'", "true"}));

INSTANTIATE_TEST_SUITE_P(Types, Expressions,
                         testing::Values(Case{"Integer < Numeric", "true"}, Case{"Integer[1,2] < Integer", "true"},
                                         Case{"Integer == Integer", "true"}, Case{"String > String[1]", "true"},
                                         Case{"Array[Integer] <= Array", "true"}, Case{"Variant[Integer,String] > Integer", "true"},
                                         Case{"Integer in [1,'a']", "true"}, Case{"'abc' =~ String[1,2]", "false"},
                                         Case{"1 =~ Optional[String]", "false"}, Case{"File['a'] == File['a']", "true"},
                                         Case{"Resource[File]", "File"}, Case{"File['a','b']", "[File['a'], File['b']]"},
                                         Case{"Class['a']", "Class[a]"}, Case{"Class['x'] < Class", "true"},
                                         Case{"File < CatalogEntry", "true"}));

INSTANTIATE_TEST_SUITE_P(Access, Expressions,
                         testing::Values(Case{"'hello'[1]", "'e'"}, Case{"'hello'[-1]", "'o'"}, Case{"'hello'[1,2]", "'el'"},
                                         Case{"'hello'[1,-2]", "'ell'"}, Case{"'hello'[-3,2]", "'ll'"}, Case{"'hello'[10]", "''"},
                                         Case{"'hello'[-10]", "''"}, Case{"'hello'[-10,7]", "'he'"}, Case{"'hello'[2,0]", "''"},
                                         Case{"'h\xC3\xA9llo'[1,2]", "'\xC3\xA9l'"}, Case{"'hello'['1']", "'e'"},
                                         Case{"[1,2,3,4][-1]", "4"}, Case{"[1,2,3,4][1,2]", "[2, 3]"}, Case{"[1,2,3,4][1,-1]", "[2, 3, 4]"},
                                         Case{"[1,2,3,4][9]", "undef"}, Case{"[1,2,3,4][-9]", "undef"}, Case{"[1,2,3,4][5,1]", "[]"},
                                         Case{"[1,2,3][-5,3]", "[1]"}, Case{"{a=>1,b=>2}['a']", "1"},
                                         Case{"{a=>1,b=>2}['a','b','c']", "[1, 2]"}, Case{"{[1]=>2}[[1]]", "2"},
                                         Case{"{1=>2}[1.0]", "undef"}));

INSTANTIATE_TEST_SUITE_P(Conditions, Expressions,
                         testing::Values(Case{"if true { 1 } else { 2 }", "1"}, Case{"if undef { 1 } elsif '' { 2 } else { 3 }", "2"},
                                         Case{"unless true { 1 }", "undef"}, Case{"if false { 1 }", "undef"},
                                         Case{"case 5 { Integer: { 'int' } default: { 'd' } }", "'int'"},
                                         Case{"case [1,'a'] { [Integer, String]: { 't' } default: { 'd' } }", "'t'"},
                                         Case{"case {a=>1} { {a=>Integer}: { 'h' } default: {'d'} }", "'h'"},
                                         Case{"case 'x' { default: { 1 } 'X': { 2 } }", "2"}, Case{"case 'q' { 'a', 'b': { 1 } }", "undef"},
                                         Case{"5 ? { *[1,5] => 'splat', default => 'd' }", "'splat'"},
                                         Case{"'x' ? { default => 'd', 'X' => 'x' }", "'x'"},
                                         Case{"'abc' ? { /b(.)/ => $1, default => 'no' }", "'c'"}));

INSTANTIATE_TEST_SUITE_P(Text, Expressions,
                         testing::Values(Case{"\"${[1,['a'],undef]}${(true)}${Integer[1,2]}${(1.0)}${(undef)}\"",
                                              "'[1, [a], ]trueInteger[1, 2]1.0'"},
                                         Case{"\"${ {x=>[1]} }\"", "'{x => [1]}'"}, Case{"\"${/a\\/b/}\"", "'/a\\/b/'"},
                                         Case{"\"${(1e20)} ${(1e15)} ${(1e16)} ${(0.00001)}\"", "'1.0e+20 1.0e+15 1.0e+16 1.0e-05'"}));

class Errors : public testing::TestWithParam<Case> {};

TEST_P(Errors, HaveTheReferencesTextAndPlace) {
  TestCompile t;
  EXPECT_EQ(t.error(GetParam().code), std::string("Evaluation Error: ") + GetParam().expected) << GetParam().code;
}

INSTANTIATE_TEST_SUITE_P(
    Arithmetic, Errors,
    testing::Values(
        Case{"notice(1 << 64)",
             "A '<<' expression resulted in a value outside of Puppet Integer max range, got '+0x10000000000000000' (line: 1, column: 10)"},
        Case{"notice(9223372036854775807 + 1)",
             "A '+' expression resulted in a value outside of Puppet Integer max range, got '+0x8000000000000000' (line: 1, column: 28)"},
        Case{"notice(-9223372036854775807 - 2)",
             "A '-' expression resulted in a value outside of Puppet Integer min range, got '-0x8000000000000001' (line: 1, column: 29)"},
        Case{"notice([1,2] * 3)", "The value '[1, 2]' cannot be converted to Numeric. (line: 1, column: 8)"},
        Case{"notice({a=>1} * 3)", "The value '{\"a\"=>1}' cannot be converted to Numeric. (line: 1, column: 8)"},
        Case{"notice(undef + 3)", "The value '' cannot be converted to Numeric. (line: 1, column: 8)"},
        Case{"notice('1' + 3)", "The string '1' was automatically coerced to the numerical value 1 (line: 1, column: 8)"},
        Case{"notice(/a/ + 3)", "The value '(?-mix:a)' cannot be converted to Numeric. (line: 1, column: 8)"},
        Case{"notice(1 / 0)", "Division by 0 (line: 1, column: 12)"},
        Case{"notice(1.0 / 0)", "The result of the / expression is Infinity (line: 1, column: 8)"},
        Case{"notice(1 % 2.0)", "Operator '%' is not applicable to an Integer when right side is a Float. (line: 1, column: 8)"},
        Case{"notice(1.0 % 2)", "Operator '%' is not applicable to a Float. (line: 1, column: 8)"},
        Case{"notice({a=>1} << 2)", "Operator '<<' is not applicable to a Hash. (line: 1, column: 8)"},
        Case{"notice({a=>1} + [1,2,3])", "Error while evaluating a '+' expression, odd number of arguments for Hash (line: 1, column: 15)"},
        Case{"notice({a=>1} + 3)",
             "Error while evaluating a '+' expression, Can only append Array or Hash to a Hash (line: 1, column: 15)"},
        Case{"notice({a=>1} + [[1,2,3]])",
             "Error while evaluating a '+' expression, invalid number of elements (3 for 1..2) (line: 1, column: 15)"},
        Case{"notice(- [1])", "The value '[1]' cannot be converted to Numeric. (line: 1, column: 8)"}));

INSTANTIATE_TEST_SUITE_P(
    Comparison, Errors,
    testing::Values(Case{"notice('a' < 1)", "Comparison of: String < Integer, is not possible. Caused by 'A String is not comparable to a "
                                            "non String'. (line: 1, column: 12)"},
                    Case{"notice([1] < [2])", "Comparison of: Array < Array, is not possible. Caused by 'Only Strings, Numbers, Timespans, "
                                              "Timestamps, and Versions are comparable'. (line: 1, column: 12)"},
                    Case{"notice(\"a\" =~ 1)", "Can not convert right match operand to a regular expression. Caused by 'no implicit "
                                               "conversion of Integer into String'. (line: 1, column: 15)"},
                    Case{"notice(1 =~ /a/)", "Left match operand must result in a String value. Got an Integer. (line: 1, column: 8)"},
                    Case{"notice('abc' =~ '(')", "Can not convert right match operand to a regular expression. Caused by 'end pattern with "
                                                 "unmatched parenthesis: /(/'. (line: 1, column: 17)"},
                    Case{"$a = 1 ? { 2 => 3 }", "No matching entry for selector parameter with value '1' (line: 1, column: 6)"}));

INSTANTIATE_TEST_SUITE_P(
    Access, Errors,
    testing::Values(Case{"notice([1,2]['a'])", "The value 'a' cannot be converted to Numeric. (line: 1, column: 14)"},
                    Case{"notice([1,2,3]['1'])", "The string '1' was automatically coerced to the numerical value 1 (line: 1, column: 16)"},
                    Case{"notice([1,2,3][1.5])", "An Array[] cannot use Float where Integer is expected (line: 1, column: 16)"},
                    Case{"notice('abc'['a'])",
                         "A substring operation does not accept a String as a character index. Expected an Integer (line: 1, column: 14)"},
                    Case{"notice('abc'[1,2,3])", "String supports [] with one or two arguments. Got 3 (line: 1, column: 8)"},
                    Case{"notice(1[1])", "Operator '[]' is not applicable to an Integer. (line: 1, column: 8)"},
                    Case{"notice(undef[1])", "Operator '[]' is not applicable to an Undef Value. (line: 1, column: 8)"},
                    Case{"notice(Array[1,2,3,4])", "Array-Type[] accepts 1 to 3 arguments. Got 4 (line: 1, column: 8)"},
                    Case{"notice(File['x']['mode'])", "Resource not found: File['x'] (line: 1, column: 8)"},
                    Case{"notice(Class['foo']['x'])", "Resource not found: Class['foo'] (line: 1, column: 8)"},
                    Case{"notice(Class[Foo])", "Illegal Class name in class reference. A TypeReference['Foo']-Type cannot be used where a "
                                               "String is expected (line: 1, column: 14)"},
                    Case{"notice(Foo)", "Resource type not found: Foo (line: 1, column: 8)"},
                    Case{"notice(Foo[1])", "Resource type not found: Foo (line: 1, column: 8)"}));

INSTANTIATE_TEST_SUITE_P(
    Variables, Errors,
    testing::Values(Case{"notice($nope)", "Unknown variable: 'nope'. (line: 1, column: 8)"},
                    Case{"notice($::nope)", "Unknown variable: '::nope'. (line: 1, column: 8)"},
                    Case{"notice($a::b)", "Unknown variable: 'a::b'. (line: 1, column: 8)"},
                    Case{"notice(\"${nope}\")", "Unknown variable: 'nope'. (line: 1, column: 11)"},
                    Case{"notice(\"$h['a']\")", "Unknown variable: 'h'. (line: 1, column: 9)"},
                    Case{"$x = 1\n$x = 2", "Cannot reassign variable '$x' (line: 2, column: 4)"},
                    Case{"[$a,$b] = [1]", "Mismatched number of assignable entries and values, expected 2, got 1 (line: 1, column: 9)"},
                    Case{"[$a,$b] = {a=>1}", "No value for required key 'b' in assignment to variables from hash (line: 1, column: 9)"},
                    Case{"[$p, $zz] = Class[k]", "Resource not found: Class['k'] (line: 1, column: 13)"},
                    Case{"if false { $q = 1 } notice($q)", "Unknown variable: 'q'. (line: 1, column: 28)"}));

TEST(Strictness, WarningCoercesAndWarns) {
  TestCompile t({Strict::Warning, false});
  EXPECT_EQ(t.value("$r = '0x10' + 3\n$r"), "19");
  EXPECT_EQ(t.logs(), "warning: The string '0x10' was automatically coerced to the numerical value 16 (line: 1, column: 6)\n");
  EXPECT_EQ(t.value("$s = $nope\n$s"), "undef");
  EXPECT_EQ(t.logs(), "warning: Unknown variable: 'nope'. (line: 1, column: 6)\n");
}

TEST(Strictness, OffIsSilent) {
  TestCompile t({Strict::Off, false});
  EXPECT_EQ(t.value("$r = ' -5 ' + \"${nope}7\"\n$r"), "2");
  EXPECT_EQ(t.logs(), "");
}

} // namespace
