#include "compiler/analysis/ruby/ruby_known_names.h"
#include "compiler/analysis/ruby/ruby_names.h"

#include <gtest/gtest.h>

namespace pupc::compiler {
namespace {

/// The unknown names of the code, each with what is meant: "lenght>length srv>".
std::string unknown(std::string_view code, bool of_template = false) {
  const RubyTokens ruby = ruby_tokens(code);
  EXPECT_EQ(ruby.error, "") << code;
  RubyNames names(of_template);
  names.read(ruby.tokens);
  std::string out;
  for (const RubyNames::Unknown& u : names.unknown(ruby.tokens))
    out += (out.empty() ? "" : " ") + std::string(u.name) + ">" + std::string(u.meant);
  return out;
}

TEST(RubyNames, TellsWhatNothingBinds) {
  EXPECT_EQ(unknown("length = 1\nputs lenght\n"), "lenght>length");
  EXPECT_EQ(unknown("def clean(word)\n  wrd.strip\nend\nclean('x')\n"), "wrd>");
  EXPECT_EQ(unknown("names.each { |name| puts nam }\nnames = []\n"), "nam>");
  EXPECT_EQ(unknown("total = 1\nputs \"a #{[totla, \"#{ttal}\"].join}\"\n"), "totla>total ttal>total");
  EXPECT_EQ(unknown("newproprty(:value)\n"), "newproprty>newproperty");
  EXPECT_EQ(unknown("rescue_me(1)\n"), "rescue_me>");
  EXPECT_EQ(unknown("begin\nrescue ArgumentError => e\n  puts err, ex.message\nend\n"), "ex>"); // err() is Puppet's
}

TEST(RubyNames, KnowsAllThatBinds) {
  for (std::string_view code : {
           "a, (b, *c) = 1\nputs a, b, c\n",
           "def x(a, b = 1, *c, d:, e: 2, **f, &g)\n  puts a, b, c, d, e, f, g\nend\n",
           "def x a,\n  b\n  puts a, b\nend\n",
           "def self.made\nend\nmade\nalias other made\nother\n",
           "z = ->(a, b = 1) { a + b }\nz.call\ny = -> c do c end\ny.call\n",
           "for i, k in list do puts i, k end\nlist = 1\n",
           "begin\nrescue KeyError, IOError => e\n  puts e\nend\n",
           "x.each do |a, (b, c), d: 1; e|\n  puts a, b, c, d, e\nend\nx = 1\n",
           "case x\nin {name:, size: Integer => n}\n  puts name, n\nend\nx = 1\n",
           "/(?<year>\\d+)/ =~ text\nputs year\ntext = 1\n",
           "count += 1\nputs count\nfound ||= 2\nfound\n",
           "attr_reader :size_of\nsize_of\ncommands appctl: 'x'\nappctl('y')\n",
           "%w[one two].each { |n| define_method(n) {} }\none\ntwo\n",
           "define_method('three') {}\nthree\n",
           "puts @x, $y, x.unknown, x&.other, X::method, defined?(zzz), self.foo\nx = 1\n",
           "function_template([1])\n_1\n__dir__\n",
           "puts(a: 1, 'b': 2)\ny = true ? 1 : 2\ny\n",
           "<<~TEXT\n  #{1}\n  words of text\nTEXT\n",
       })
    EXPECT_EQ(unknown(code), "") << code;
  EXPECT_EQ(unknown("puts @a if has_variable?('b')\n scope.to_hash\n", true), "");
  EXPECT_EQ(unknown("commands :x\nnewparam\n", true), "commands> newparam>"); // no methods of templates
}

TEST(RubyNames, DoesNotJudgeWhatMayComeFromElsewhere) {
  const auto open = [](std::string_view code) {
    const RubyTokens ruby = ruby_tokens(code);
    RubyNames names(false);
    names.read(ruby.tokens);
    return names.open();
  };
  EXPECT_TRUE(open("include PuppetX::Tool\n"));
  EXPECT_TRUE(open("require_relative '../x'\n"));
  EXPECT_TRUE(open("class A < B\nend\n"));
  EXPECT_TRUE(open("def method_missing(name)\nend\n"));
  EXPECT_FALSE(open("class << self\n  def x\n  end\nend\nrequire 'json'\n"));
}

TEST(RubyKnownNames, KnowsModulesAndConstants) {
  ASSERT_NE(find_ruby_module("Etc"), nullptr);
  EXPECT_EQ(find_ruby_module("Etcetera"), nullptr);
  EXPECT_EQ(meant_constant("", "ArgumentEror"), "ArgumentError");
  EXPECT_EQ(meant_constant("", "Json"), "JSON");
  EXPECT_EQ(meant_constant("Puppet", "Function"), "Functions");
  EXPECT_EQ(meant_constant("Puppet", "Error"), "");
  EXPECT_EQ(meant_constant("", "Mine"), "");
  ASSERT_NE(find_removed("File", "exists?"), nullptr);
  EXPECT_EQ(find_removed("File", "exist?"), nullptr);
  ASSERT_NE(find_removed("Fixnum", ""), nullptr);
}

} // namespace
} // namespace pupc::compiler
