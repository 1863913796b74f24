// Tests the table of all functions, and edge values that a conformance snippet cannot contain.
#include "catalog/value/ip_address.h"
#include "catalog/value/mersenne_twister.h"
#include "compiler/build/compile_testing.h"
#include "compiler/eval/signature.h"
#include "compiler/stdlib/replaced_functions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

using namespace pupc::compiler;

namespace {

TEST(FunctionTable, NamesAreUnique) {
  std::set<std::pair<std::string_view, std::string_view>> names;
  for (const FunctionEntry* f : builtin_functions().entries()) EXPECT_TRUE(names.insert({f->name, f->variant}).second) << f->name;
  EXPECT_GT(names.size(), 270u);
}

TEST(FunctionTable, EveryFunctionIsDocumented) {
  for (const FunctionEntry* f : builtin_functions().entries()) {
    ASSERT_FALSE(f->doc.empty()) << f->name;
    EXPECT_EQ(f->doc.back(), '.') << f->name;
    EXPECT_FALSE(f->dispatches.empty()) << f->name;
  }
}

TEST(FunctionTable, SignaturesCanBeRead) {
  for (const FunctionEntry* f : builtin_functions().entries()) {
    const BuiltinSignatures& signatures = signatures_of(*f);
    ASSERT_EQ(signatures.dispatches.size(), f->dispatches.size()) << f->name;
    for (const ParsedDispatch& d : signatures.dispatches) {
      if (d.old_api) {
        EXPECT_EQ(f->dispatches.size(), 1u) << f->name << ": the old API has no overloads";
        continue;
      }
      for (const SignatureParameter& p : d.parameters) EXPECT_FALSE(p.name.empty()) << f->name << " " << d.dispatch->signature;
      EXPECT_LE(d.required, d.maximum) << f->name;
    }
  }
}

TEST(FunctionTable, FunctionsOfModulesNameThem) {
  EXPECT_EQ(builtin_functions().find("abs")->module, "");
  EXPECT_EQ(builtin_functions().find("validate_re"), nullptr);
  EXPECT_EQ(builtin_functions().find_native("validate_re")->module, "stdlib");
  EXPECT_EQ(builtin_functions().find_native("stdlib::merge")->module, "stdlib");
  EXPECT_EQ(builtin_functions().find_native("ensure_packages", "8.6")->module, "stdlib");
  EXPECT_EQ(builtin_functions().find_native("mysql::password")->module, "mysql");
  EXPECT_EQ(builtin_functions().find_native("abs"), nullptr);
}

// Checks both directions: a native function without a program would never run, and Ruby would run a program without its function.
TEST(KnownPrograms, AndNativeFunctionsBelongTogether) {
  std::set<std::pair<std::string_view, std::string_view>> named;
  for (const ReplacedFunction& program : replaced_functions()) {
    EXPECT_NE(builtin_functions().find_native(program.function, program.variant), nullptr) << program.function << " " << program.variant;
    EXPECT_NE(builtin_functions().find_program(program.function, program.digest), nullptr) << program.function;
    named.insert({program.function, program.variant});
  }
  for (const FunctionEntry* f : builtin_functions().entries()) {
    if (f->module.empty()) {
      EXPECT_TRUE(f->is_native()) << f->name;
      continue;
    }
    EXPECT_EQ(f->is_native(), named.contains({f->name, f->variant})) << f->name << " " << f->variant;
    // A name is native in all of its programs or in none: whether an unknown program is news depends on the name alone.
    EXPECT_EQ(f->is_native(), builtin_functions().find_native(f->name)->is_native()) << f->name;
  }
  EXPECT_EQ(builtin_functions().find_program("any2bool", 1), nullptr);
}

// The parser has its own list of calls without parentheses (compiler/parse/ast_builder.cpp), because it may not depend on the functions.
// Both lists must agree.
TEST(FunctionTable, StatementsOfTheGrammarAreStatements) {
  for (std::string_view name : {"require", "realize", "include", "contain", "tag", "debug", "info", "notice", "warning", "err", "fail",
                                "break", "next", "return"}) {
    const FunctionEntry* entry = builtin_functions().find(name);
    ASSERT_NE(entry, nullptr) << name;
    EXPECT_TRUE(entry->has(FunctionTrait::Statement)) << name;
  }
}

// Signatures that Puppet 8 has and 7 lacks: split accepts Sensitive[String] in three forms (lib/puppet/functions/split.rb), and regsubst
// accepts Sensitive targets.
TEST(Puppet8, SplitTakesSensitive) {
  for (const char* pattern : {"' '", "/ /", "Regexp[/ /]"}) {
    TestCompile t;
    EXPECT_EQ(t.value(fmt::format("split(Sensitive('a b'), {}).unwrap", pattern)), "['a', 'b']");
    EXPECT_EQ(t.value(fmt::format("type(split(Sensitive('a b'), {}), generalized)", pattern)), "Sensitive[Array[String]]");
  }
  TestCompile t;
  EXPECT_NE(t.error("split(Sensitive(1), ' ')").find("(Sensitive[String] sensitive, Type[Regexp] pattern)"), std::string::npos);
}
TEST(Puppet8, RegsubstTakesSensitive) {
  TestCompile t;
  EXPECT_EQ(t.value("regsubst(Sensitive('ab'), 'a', 'x').unwrap"), "'xb'");
  EXPECT_EQ(t.value("regsubst(['ab', Sensitive('ac')], 'a', 'x').map |$v| { $v.unwrap }"), "['xb', 'xc']");
  // Puppet returns a bare array here, which would show the secret.
  EXPECT_EQ(t.value("regsubst(Sensitive(['ab']), 'a', 'x') =~ Sensitive[Array[String]]"), "true");
}

TEST(OldFunctions, TakeConvertedArguments) {
  TestCompile t;
  EXPECT_EQ(t.value("sprintf(undef)"), "''");
  EXPECT_EQ(t.value("sha1(/a/)"), t.value("sha1('/a/')"));
  EXPECT_EQ(t.value("sprintf('%s', SemVer('1.2.3'))"), "'1.2.3'");
  EXPECT_EQ(t.value("sprintf('x') |$y| { }"), "'x'");
  EXPECT_NE(t.error("md5()").find("md5(): Wrong number of arguments given (0 for 1)"), std::string::npos);
  EXPECT_NE(t.error("fqdn_rand()").find("fqdn_rand(): Wrong number of arguments given (0 for minimum 1)"), std::string::npos);
  EXPECT_NE(t.error("sprintf([1].reverse_each)").find("Use of an Iterator is not supported here"), std::string::npos);
}

// Ruby may add "Did you mean?" to these messages.
TEST(OldFunctions, FailAsTheirRubyDoes) {
  TestCompile t;
  EXPECT_NE(t.error("create_resources(5, {})").find("undefined method `sub' for 5:Integer"), std::string::npos);
  EXPECT_NE(t.error("create_resources(['a'], {})").find("undefined method `sub' for [\"a\"]:Array"), std::string::npos);
  EXPECT_NE(t.error("create_resources(Notify, {'a' => {}})").find("undefined method `sub' for"), std::string::npos);
  EXPECT_NE(t.error("create_resources(5, 6)").find("second argument must be a hash"), std::string::npos);
  EXPECT_NE(t.error("fqdn_rand(100, 'x', true)").find("undefined method `downcase' for nil:NilClass"), std::string::npos);
}

TEST(IpAddress, ReadsWhatIpAddrReads) {
  EXPECT_EQ(parse_ip_address("1.2.3.4")->family, 4);
  EXPECT_EQ(parse_ip_address("[::1]")->family, 6);
  EXPECT_EQ(parse_ip_address("fe80::1%eth0")->family, 6);
  EXPECT_EQ(parse_ip_address("10.0.0.0/255.255.0.0")->prefix, 16);
  for (std::string_view bad : {"", "/", "1.2.3", "1.2.3.256", "1.2.3.4/33", "1.2.3.4/", "1.2.3.4/255.0.255.0", "::1/129", "1::2::3", "x",
                               "1.2.3.4 ", "1.2.3.4/99999999999"})
    EXPECT_FALSE(parse_ip_address(bad)) << bad;
  EXPECT_TRUE(parse_ip_address("10.0.0.0/8")->includes(*parse_ip_address("10.255.0.1")));
  EXPECT_FALSE(parse_ip_address("10.0.0.0/8")->includes(*parse_ip_address("11.0.0.1")));
  EXPECT_TRUE(parse_ip_address("::/0")->includes(*parse_ip_address("2001:db8::1")));
  EXPECT_FALSE(parse_ip_address("::/0")->includes(*parse_ip_address("1.2.3.4")));
}

TEST(MersenneTwister, DrawsBelowTheLimit) {
  EXPECT_EQ(random_below("anything", 1), 0u);
  for (int i = 0; i < 200; ++i) {
    EXPECT_LT(random_below(std::to_string(i), 7), 7u);
    EXPECT_LT(random_below(std::to_string(i), UINT64_C(1) << 40), UINT64_C(1) << 40);
  }
}

} // namespace
