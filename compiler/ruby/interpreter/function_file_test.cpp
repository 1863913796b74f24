#include "compiler/ruby/interpreter/function_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace pupc::compiler::ruby {
namespace {

struct AllFunctions : CallableFunctions {
  FunctionUse use_of(std::string_view name, bool) const override { return name == "include" ? FunctionUse::Effects : FunctionUse::Yes; }
};

std::shared_ptr<const FunctionFile> read(std::string_view text, bool old_api = false) {
  static RegexCache regexes;
  return read_function_file(text, "m::f", old_api, regexes, AllFunctions());
}

std::string problem(std::string_view text, bool old_api = false) {
  auto file = read(text, old_api);
  return file->program.problems.empty() ? "" : file->program.problems[0];
}

TEST(FunctionFile, ReadsDispatches) {
  auto file = read(
      "# frozen_string_literal: true\n"
      "Puppet::Functions.create_function(:'m::f') do\n"
      "  local_types do\n    type 'Names = Array[String]'\n  end\n"
      "  dispatch :plain do\n    param 'Names', :a\n    optional_param 'Integer', :b\n    required_block_param 'Callable[1]', :c\n"
      "    return_type 'String'\n  end\n"
      "  dispatch :many do\n    required_repeated_param 'Any', :rest\n  end\n"
      "  LIMIT = 3\n"
      "  def plain(a, b = LIMIT, &block)\n    a.map(&block).join(b.to_s)\n  end\n"
      "  def many(*rest)\n    rest.first\n  end\nend\n");
  ASSERT_EQ(file->program.problems, std::vector<std::string>{});
  EXPECT_TRUE(file->program.frozen_literals);
  ASSERT_EQ(file->types.size(), 1u);
  EXPECT_EQ(file->types[0], (std::pair<std::string, std::string>("Names", "Array[String]")));
  ASSERT_EQ(file->dispatches.size(), 2u);
  EXPECT_EQ(file->dispatches[0].least, 1);
  EXPECT_EQ(file->dispatches[0].most, 2);
  EXPECT_EQ(file->dispatches[0].block->type, "Callable[1]");
  EXPECT_TRUE(file->dispatches[0].block->required);
  EXPECT_EQ(file->dispatches[0].returns, "String");
  EXPECT_EQ(file->dispatches[1].least, 1);
  EXPECT_EQ(file->dispatches[1].most, -1);
}

// Puppet evaluates the file in its loader, so the method belongs to that, and a function that calls it fails.
TEST(FunctionFile, LeavesOutAMethodAroundTheFunction) {
  const std::string function = "Puppet::Functions.create_function(:'m::f') do\n  def f\n    helper(1)\n  end\nend\n";
  auto file = read("def helper(a)\n  a\nend\n" + function);
  ASSERT_EQ(file->program.problems, std::vector<std::string>{});
  ASSERT_EQ(file->program.body->statements.size(), 1u);
  EXPECT_EQ(file->program.body->statements[0]->as<Def>().name, "f");
  EXPECT_EQ(problem("def self.helper(a)\n  a\nend\n" + function), "line 1: a method of its own around the function");
}

// What functions of stdlib do that wrap those of the 3.x API.
TEST(FunctionFile, ReadsACallThatPutsTheScopeFirst) {
  const auto text = [](std::string_view parameter, std::string_view dispatch) {
    return fmt::format("Puppet::Functions.create_function(:'m::f') do\n"
                       "  dispatch :wrap do\n    param '{}', :scope\n    repeated_param 'Any', :args\n  end\n"
                       "  def call(scope, *args)\n    manipulated_args = [scope] + args\n    self.class.dispatcher.{}\n  end\n"
                       "  def wrap(scope, *args)\n    args.size\n  end\nend\n",
                       parameter, dispatch);
  };
  auto file = read(text("Any", "dispatch(self, scope, manipulated_args)"));
  ASSERT_EQ(file->program.problems, std::vector<std::string>{});
  ASSERT_EQ(file->dispatches.size(), 1u);
  EXPECT_TRUE(file->scope_first);
  EXPECT_TRUE(file->dispatches[0].with_scope);
  EXPECT_EQ(problem(text("Any", "dispatch(self, scope, args)")), "line 6: a method 'call'");
  EXPECT_EQ(problem(text("String", "dispatch(self, scope, manipulated_args)")), "line 2: a method 'call'");
}

TEST(FunctionFile, KnowsWhatCallsKeep) {
  const auto keeps = [](std::string_view body) {
    return read(fmt::format("Puppet::Functions.create_function(:'m::f') do\n{}\nend\n", body))->program.keeps_state;
  };
  EXPECT_FALSE(keeps("def f(a)\n  @n = a\n  @n\nend"));
  EXPECT_TRUE(keeps("def f(a)\n  @n ||= a\nend"));
  EXPECT_TRUE(keeps("attr_accessor :n\ndef f(a)\n  self.n = a\nend"));
  EXPECT_FALSE(keeps("attr_reader :n\ndef f(a)\n  n\nend"));
  EXPECT_EQ(problem("Puppet::Functions.create_function(:'m::f') do\n  def f(a)\n    @n ||= a\n    call_function('M::f', 1)\n  end\nend\n"),
            "line 4: a function with instance variables that calls itself");
}

TEST(FunctionFile, ReadsTheOldApi) {
  auto file = read(
      "module Puppet::Parser::Functions\n  newfunction(:'m::f', :type => :rvalue, :arity => -2, :doc => <<-EOS\n  words\n    EOS\n"
      "  ) do |args|\n    return args[0] if args.size > 1\n    args.join\n  end\nend\n",
      true);
  EXPECT_EQ(file->program.problems, std::vector<std::string>{});
  EXPECT_EQ(file->arity, -2);
  EXPECT_TRUE(file->returns_value);
}

TEST(FunctionFile, WhatIsNotKnownIsAProblem) {
  auto function = [](std::string_view code) {
    return "Puppet::Functions.create_function(:'m::f') do\n  def f(a)\n    " + std::string(code) + "\n  end\nend\n";
  };
  auto body = [&](std::string_view code) { return problem(function(code)); };
  auto doubts = [&](std::string_view code) { return read(function(code), false)->program.doubts; };
  EXPECT_EQ(body("a + 1"), "");
  EXPECT_EQ(doubts("a + 1"), std::vector<std::string>{});
  EXPECT_EQ(doubts("File.truncate(a, a)"), std::vector<std::string>{"line 3: File.truncate"});
  EXPECT_EQ(doubts("`ls`"), std::vector<std::string>{"line 3: a command"});
  EXPECT_EQ(body("@cache ||= a"), "");
  EXPECT_TRUE(read(function("@cache ||= a"), false)->program.keeps_state);
  EXPECT_FALSE(read(function("@cache = []\n    @cache << a"), false)->program.keeps_state);
  EXPECT_EQ(problem("module Puppet::Parser::Functions\n  newfunction(:'m::f') { |args| @a ||= 1 }\nend\n", true),
            "line 2: an instance variable");
  EXPECT_EQ(doubts("system(a)"), std::vector<std::string>{"line 3: function 'system'"});
  EXPECT_EQ(problem("Puppet::Functions.create_function(:'m::g') do\n  def g\n  end\nend"), "line 1: a function of another name");
  EXPECT_EQ(problem("class X\nend\nPuppet::Functions.create_function(:'m::f') do\n  def f\n  end\nend"), "");
  EXPECT_FALSE(problem("Puppet::Functions.create_function(:'m::f') do\n  def f(").empty());
  EXPECT_EQ(problem("module Puppet::Parser::Functions\n  newfunction(:'m::f') do |args|\n    def x; end\n  end\nend\n", true),
            "line 3: a method in the file of a 3.x function");
  EXPECT_EQ(problem("module Puppet::Parser::Functions\n  def self.y; end\n  newfunction(:'m::f') { |args| 2 }\nend\n", true),
            "line 2: a method in the file of a 3.x function");
  EXPECT_EQ(problem("module Puppet::Parser::Functions\n  newfunction(:'m::g') { |args| 1 }\n  newfunction(:'m::f') { "
                    "|args| 2 }\nend\n",
                    true),
            "");
}

TEST(FunctionFile, CallsWithEffectsAreKnown) {
  auto read_body = [](std::string_view code) {
    return read("Puppet::Functions.create_function(:'m::f') do\n  def f(a)\n    " + std::string(code) + "\n  end\nend\n");
  };
  for (std::string_view code :
       {"call_function('include', a)\n    a", "x = [call_function('include', a)]", "call_function('template', a)", "FileUtils.mkdir_p(a)",
        "File.open(a, 'w') { |file| file.write(a) }", "File.write(a, a)", "File.chown(0, nil, a)"}) {
    EXPECT_EQ(read_body(code)->program.problems, std::vector<std::string>{}) << code;
    EXPECT_EQ(read_body(code)->program.doubts, std::vector<std::string>{}) << code;
    EXPECT_TRUE(read_body(code)->program.effects) << code;
  }
  for (std::string_view code : {"call_function('upcase', a)", "File.open(a) { |file| file.read }", "File.open(a, 'r')", "File.join(a, a)"})
    EXPECT_FALSE(read_body(code)->program.effects) << code;
}

} // namespace
} // namespace pupc::compiler::ruby
