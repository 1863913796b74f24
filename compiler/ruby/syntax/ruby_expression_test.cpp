// Values of Ruby expressions that nothing runs.
#include "compiler/ruby/syntax/ruby_expression.h"

#include <gtest/gtest.h>

using namespace pupc::compiler;

namespace {

std::string show(const StaticRubyValue& v) {
  using K = StaticRubyValue::Kind;
  auto list = [&] {
    std::string out;
    for (const auto& item : v.items) out += (out.empty() ? "" : " ") + show(item);
    return out;
  };
  switch (v.kind) {
  case K::Unknown: return "?";
  case K::Nil: return "nil";
  case K::True: return "true";
  case K::False: return "false";
  case K::Integer: return v.text;
  case K::String: return '"' + v.text + '"';
  case K::Symbol: return ":" + v.text;
  case K::Regex: return "/" + v.text + "/" + std::to_string(v.options);
  case K::Array: return "[" + list() + "]";
  case K::Hash: return "{" + list() + "}";
  case K::Identity: return "identity";
  case K::Block: return "block";
  case K::Type: return "type";
  case K::Constant: return v.text;
  }
  return "";
}

/// The value of the last line of a file; `a` is a variable with the value :a.
std::string value(std::string text) {
  RubyFileSet program({});
  std::string error;
  const RubyFile* file = program.load(read_ruby_file("/m/lib/x.rb", std::move(text)), error);
  if (file == nullptr) return error;
  RubyLocals locals{{"a", StaticRubyValue::of(StaticRubyValue::Kind::Symbol, "a")}};
  RubyRange rest{file, 0, static_cast<uint32_t>(file->tokens.tokens.size())}, statement;
  while (next_statement(rest, statement)) {}
  return show(program.evaluate(statement, locals));
}

} // namespace

TEST(RubyExpression, Literals) {
  EXPECT_EQ(value("'it\\'s \\n'"), "\"it's \\n\"");
  EXPECT_EQ(value("\"a\\tb#{a}#{1}\" 'c'"), "\"a\tba1c\"");
  EXPECT_EQ(value(":\"a-#{a}\""), ":a-a");
  EXPECT_EQ(value("%w[a b\\ c]"), "[\"a\" \"b c\"]");
  EXPECT_EQ(value("%i{a b}"), "[:a :b]");
  EXPECT_EQ(value("/a\\/#{/b/i}/mx"), "/a/(?i-mx:b)/6");
  EXPECT_EQ(value("[a, :b, nil, true, 3]"), "[:a :b nil true 3]");
  EXPECT_EQ(value("{a: 1, 'b' => a, \"c\": 2}"), "{:a 1 \"b\" :a :c 2}");
}

TEST(RubyExpression, OperatorsAndCalls) {
  EXPECT_EQ(value("!a && 1 || 'x' + 'y'"), "\"xy\"");
  EXPECT_EQ(value("[1, 2] + %w[c] == 3"), "?");
  EXPECT_EQ(value("%w[c d d].uniq.map { |x| x.to_sym }"), "[:c :d]");
  EXPECT_EQ(value("%w[c d].map(&:to_sym).first"), ":c");
  EXPECT_EQ(value("File.join(File.dirname(__FILE__), 'b')"), "\"/m/lib/b\"");
  EXPECT_EQ(value("X = { k: [1, 2] }\nX[:k][1]"), "2");
  EXPECT_EQ(value("module M\n  def self.x(v = 'd')\n    \"#{v}!\"\n  end\nend\n[M.x, M.x('e'), M::x('f')]"), "[\"d!\" \"e!\" \"f!\"]");
  EXPECT_EQ(value("->(x) { x }"), "identity");
  EXPECT_EQ(value("proc { |x| x.to_s }"), "block");
}

// What the parser does not know makes only the smallest part unknown.
TEST(RubyExpression, WhatIsNotReadStaysSmall) {
  EXPECT_EQ(value("[$x, @@y, `z`, 'k', super(1, 2), [defined?(yield), 2]]"), "[? ? ? \"k\" ? [? 2]]");
  EXPECT_EQ(value("{a: $x, b: 2, c: if x then 1 else 2 end, d: 3}"), "{:a ? :b 2 :c ? :d 3}");
  EXPECT_EQ(value("{$x => 1}"), "?");
  EXPECT_EQ(value("[1, -> { $x }, proc do |y| @@z end]"), "[1 block block]");
  EXPECT_EQ(value("[<<~X, $z, 'e']\n  text\nX\n"), "[\"text\n\" ? \"e\"]");
}
