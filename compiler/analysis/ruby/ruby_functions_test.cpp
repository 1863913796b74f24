#include "compiler/analysis/ruby/ruby_functions.h"

#include "compiler/ruby/syntax/ruby_static.h"

#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>

namespace pupc::compiler {
namespace {

ModuleRubyFunction read(const char* body) {
  return read_ruby_function("f.rb", std::string("Puppet::Functions.create_function(:'m::f') do\n") + body + "\nend\n");
}

TEST(RubyFunctions, DispatchesAndMethods) {
  const ModuleRubyFunction f = read("dispatch :go do\n  param 'String', :a\n  optional_param 'Integer', :b\n  optional_block_param\nend\n"
                                    "def go(a, b = 1)\nend");
  EXPECT_EQ(f.name, "m::f");
  EXPECT_TRUE(f.known);
  ASSERT_EQ(f.dispatches.size(), 1u);
  const auto& d = f.dispatches[0];
  EXPECT_EQ(d.method, "go");
  EXPECT_EQ(d.least, 1u);
  EXPECT_EQ(d.most, 2u);
  EXPECT_EQ(d.block, ModuleRubyFunction::Block::Optional);
  EXPECT_EQ(d.parameters[1].type, "Integer");
  EXPECT_EQ(d.parameters[1].line, 4u);
  ASSERT_EQ(f.methods.size(), 1u);
  EXPECT_EQ(f.methods[0].least, 1u);
  EXPECT_EQ(f.methods[0].most, 2u);
}

TEST(RubyFunctions, ArityOfTheOldApi) {
  const auto old = [](const char* options) {
    return read_ruby_function("f.rb",
                              fmt::format("module Puppet::Parser::Functions\n  newfunction(:f, {}) do |args|\n  end\nend\n", options))
        .dispatches;
  };
  const auto one = old(":type => :rvalue, :arity => 1, :doc => <<-D\n  text\n  D\n");
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].least, 1u);
  EXPECT_EQ(one[0].most, 1u);
  const auto more = old("arity: -3, type: :rvalue");
  ASSERT_EQ(more.size(), 1u);
  EXPECT_EQ(more[0].least, 2u);
  EXPECT_EQ(more[0].most, ModuleRubyFunction::no_limit);
  for (const char* unknown : {":type => :rvalue", ":arity => COUNT", ":arity => 1, **options", ":arity => 1 + 1", ":arity => -n"})
    EXPECT_TRUE(old(unknown).empty()) << unknown;
}

TEST(RubyFunctions, RepeatedParameterHasNoLimit) {
  const ModuleRubyFunction f = read("dispatch :go do\n  repeated_param 'Any', :a\nend\ndef go(*a)\nend");
  ASSERT_EQ(f.dispatches.size(), 1u);
  EXPECT_EQ(f.dispatches[0].most, ModuleRubyFunction::no_limit);
  EXPECT_EQ(values_text(f.dispatches[0].least, f.dispatches[0].most), "at least 0");
  EXPECT_EQ(values_text(2, 2), "2");
  EXPECT_EQ(values_text(1, 3), "1 to 3");
}

TEST(RubyFunctions, AnOptionalParameterBeforeARequiredOneIsWrong) {
  const ModuleRubyFunction f = read("dispatch :go do\n  optional_param 'Any', :a\n  param 'Any', :b\nend\ndef go(a, b)\nend");
  ASSERT_EQ(f.dispatches.size(), 1u);
  EXPECT_NE(f.dispatches[0].wrong_order, "");
}

TEST(RubyFunctions, WhatRunsWhileTheFileIsReadIsUnknown) {
  const ModuleRubyFunction f = read("%w[a b].each { |n| define_method(n) { } }\ndispatch :a do\n  param 'Any', :x\nend");
  EXPECT_FALSE(f.known);
  EXPECT_TRUE(f.readable);
}

TEST(RubyFunctions, OldApi) {
  const ModuleRubyFunction f = read_ruby_function(
      "f.rb", "module Puppet::Parser::Functions\n  newfunction(:f) do |args|\n    lookupvar('x')\n  end\nend\n");
  EXPECT_TRUE(f.old_api);
  EXPECT_TRUE(f.reads_variables);
  EXPECT_EQ(f.name, "f");
}

TEST(RubyFiles, AreReadOnceUntilTheLastAsks) {
  const std::string path = testing::TempDir() + "/ruby_files_test.rb";
  std::ofstream(path) << "newtype(:a)";
  RubyFiles files;
  const auto first = files.read(path);
  ASSERT_TRUE(first);
  EXPECT_EQ(files.read(path), first);
  EXPECT_EQ(files.take(path), first);
  EXPECT_NE(files.take(path), first); // read anew
  EXPECT_EQ(files.read(path + ".none"), nullptr);
  std::remove(path.c_str());
}

} // namespace
} // namespace pupc::compiler
