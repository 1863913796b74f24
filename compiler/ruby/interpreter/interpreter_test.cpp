// Evaluates the table of Ruby expressions, which tools/conformance/ruby_expressions.py confirms with Ruby.
#include "compiler/ruby/interpreter/interpreter.h"
#include "compiler/ruby/interpreter/ruby_checker.h"
#include "compiler/types/type_testing.h"

#include <gtest/gtest.h>

#include <deque>
#include <fstream>

namespace pupc::compiler::ruby {
namespace {

/// A host that has no scope, no functions and no documents.
class NoHost final : public RubyHost {
public:
  Arena& arena() override { return arena_; }
  TypeContext& types() override { return types_; }
  RegexCache& regexes() override { return regexes_; }
  bool lookup_variable(std::string_view, Value&) override { return false; }
  Unknown unknown_variable(std::string_view) override { return {}; }
  bool instance_variable(const std::string&, Value&) override { return false; }
  void change_variable(std::string_view, Value) override {}
  bool can_set_variable(std::string_view) override { return false; }
  void set_variable(std::string_view, Value) override {}
  Value all_variables() override { return {}; }
  std::string scope_text() override { return ""; }
  bool has_ruby() override { return false; }
  const CallableFunctions& functions() override { return functions_; }
  bool in_old_api(std::string_view) override { return false; }
  bool function_exists(std::string_view) override { return false; }
  bool harmless(std::string_view, std::span<const Value>) override { return false; }
  Value call_function(std::string_view, std::span<const Value>, bool, bool, const Block*) override { throw NeedsRuby{1, "a document"}; }
  Value call_with_effects(std::string_view, std::span<const Value>, bool, bool) override { return {}; }
  Value call_block(std::span<const Value>) override { return {}; }
  TemplateFile find_template(std::string_view) override { return {}; }
  std::string_view keep(std::string text) override { return texts_.emplace_back(std::move(text)); }
  const RubyScript* parse_template(std::string_view) override { return nullptr; }
  std::string document(std::string_view, const Value&, const Value&) override { throw NeedsRuby{1, "a document"}; }
  Read parse_json(std::string_view, Value&) override { return Read::Unsure; }
  std::string text_of(const Value&) override { return ""; }
  void log(Log) override {}

private:
  struct NoFunctions : CallableFunctions {
    FunctionUse use_of(std::string_view, bool) const override { return FunctionUse::Yes; }
  };
  Arena arena_;
  RegexCache regexes_;
  NoTypes types_{arena_, regexes_};
  NoFunctions functions_;
  std::deque<std::string> texts_;
};

/// What `(code).inspect` gives; "needs Ruby: …" where the interpreter hands the code over.
std::string evaluated(std::string_view code) {
  NoHost host;
  RubyScript program;
  program.code = std::string(1, output_mark) + "(" + std::string(code) + ").inspect" + output_end;
  parse_program(program, host.regexes(), host.functions());
  if (!program.problems.empty()) return "needs Ruby: " + program.problems[0];
  try {
    return Interpreter(program, host, "", 0).run();
  } catch (const NeedsRuby& beyond) { return "needs Ruby: " + beyond.reason; } catch (const RubyError& error) {
    return std::string(class_name(error.class_)) + ": " + error.message;
  }
}

std::string without(std::string text, std::string_view part) {
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) text.erase(at, part.size());
  return text;
}

TEST(Interpreter, EvaluatesTheTableAsRubyDoes) {
  std::ifstream table("testdata/ruby/expressions.txt");
  ASSERT_TRUE(table);
  size_t count = 0;
  std::string code;
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with("# ")) continue;
    if (!line.starts_with("=> ")) {
      code = line;
      continue;
    }
    // The table has Ruby's answers, where classes are defined at the top; code of a template defines them inside Puppet's wrapper.
    const std::string own = without(evaluated(code), "Puppet::Parser::TemplateWrapper::"), wanted = line.substr(3);
    // What the host has to do is not here.
    if (own == "needs Ruby: a document" || own.starts_with("needs Ruby: JSON.parse") || own.starts_with("needs Ruby: YAML")) continue;
    EXPECT_EQ(own, wanted) << code;
    ++count;
  }
  EXPECT_GT(count, 150u);
}

TEST(Interpreter, HandsOverWhatItDoesNotKnow) {
  for (std::string_view code :
       {"ObjectSpace.count_objects", "`ls`", "fork", "\"a\".crypt(\"a\")", "$stdout", "Object.new.inspect", "5.frobnicate_x rescue `x`"})
    EXPECT_TRUE(evaluated(code).starts_with("needs Ruby: ")) << code << ": " << evaluated(code);
}

/// An error inside a method of the library's Ruby text is worded by Ruby; one that the code's own block raises is the code's.
TEST(Interpreter, KnowsWhoseAnErrorIs) {
  EXPECT_EQ(evaluated("begin; Set.new([1]).each { |x| raise 'mine' }; rescue => e; e.message; end"), "\"mine\"");
  EXPECT_TRUE(evaluated("begin; Set.new(5); rescue => e; e.message; end").starts_with("needs Ruby: "));
}

} // namespace
} // namespace pupc::compiler::ruby
