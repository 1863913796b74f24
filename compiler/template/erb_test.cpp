#include "compiler/template/erb.h"

#include "compiler/build/compile_testing.h"
#include "compiler/eval/ruby_service.h"
#include "compiler/ruby/host/evaluator_host.h"
#include "compiler/ruby/syntax/erb_source.h"

#include <gtest/gtest.h>

namespace pupc::compiler {
namespace {

std::string code(std::string_view text) {
  Arena arena;
  return compile_erb(text, arena).code;
}

std::vector<std::string> problems(std::string_view text) {
  RegexCache regexes;
  auto program = parse_erb(text, regexes, KnownFunctions(builtin_functions()));
  std::vector<std::string> all = program->problems;
  all.insert(all.end(), program->doubts.begin(), program->doubts.end());
  return all;
}
std::string first_problem(std::string_view text) {
  auto all = problems(text);
  return all.empty() ? "" : all[0];
}

struct Rendering {
  TestCompile compile;
  ErbResult render(std::string_view text) { return render_erb_natively(compile.evaluator, *compile.catalog.top.frame, text, ""); }
  std::string text(std::string_view template_text) {
    ErbResult r = render(template_text);
    return r.rendered ? r.text : "NOT RENDERED " + r.reason;
  }
  /// The text of the Ruby error that the template raises.
  std::string error(std::string_view template_text) {
    try {
      return "NO ERROR " + text(template_text);
    } catch (const CompileError& error) { return error.diagnostic.message; }
  }
};

TEST(ErbSource, TextTagsAndNewlinesAsRubyHasThem) {
  EXPECT_EQ(code("a"), "; \x01"
                       "0\x02");
  EXPECT_EQ(code("a\nb"), "; \x01"
                          "0\x02\n");
  EXPECT_EQ(code("<% x %>"), ";  x ");
  EXPECT_EQ(code("<%= x -%>\ny"), "; \x04 x \x05\n\x01"
                                  "0\x02");
  EXPECT_EQ(code("  <%- x -%>\n"), ";  x \n");
  Arena arena;
  EXPECT_EQ(compile_erb("<%% %>", arena).texts, std::vector<std::string_view>{"<% %>"});
  EXPECT_EQ(compile_erb("<% a", arena).texts, std::vector<std::string_view>{" a"});
}

TEST(ErbSource, RefusesWhatItCannotMark) {
  Arena arena;
  EXPECT_EQ(compile_erb("a\x01", arena).problem, "line 1: a control character");
  EXPECT_EQ(compile_erb("<%# -*- coding: latin-1 -*- %>", arena).problem, "line 1: a magic comment");
}

TEST(ErbCheck, KnowsWhatIsBeyondTheSubset) {
  EXPECT_EQ(first_problem("<%= @a.map { |x| x.to_s }.join(',') %>"), "");
  EXPECT_EQ(first_problem("\n<%= @a.to_c %>"), "line 2: method 'to_c'");
  EXPECT_EQ(first_problem("<%= foo %>"), "line 1: name 'foo'");
  EXPECT_EQ(first_problem("<%= foo(1) %>"), "line 1: function 'foo'");
  EXPECT_EQ(first_problem("<%= Puppet.features %>"), "line 1: Puppet.features");
  EXPECT_EQ(first_problem("<% class X; end %>"), "");
  EXPECT_EQ(first_problem("<% File.truncate('/tmp/x', 0) %>"), "line 1: File.truncate");
  EXPECT_EQ(first_problem("<% scope.call_function(@name, []) %>"), "");
  EXPECT_EQ(first_problem("<% x = `ls` %>"), "line 1: a command");
  EXPECT_EQ(first_problem("<% puts 1 %>"), "line 1: function 'puts'");
  EXPECT_EQ(first_problem("<% x = 1 # c %>"), "line 1: a comment at the end of the template");
  EXPECT_EQ(first_problem("a<% # c %>"), "");
  EXPECT_EQ(first_problem("<%= @1 %>"), "line 1: '@'");
  EXPECT_EQ(first_problem("<% if /a/ %><% end %>"), "line 1: a range or regular expression as a condition");
  EXPECT_EQ(first_problem("<% @a.each(&blk) %>"), "line 1: name 'blk'");
  EXPECT_EQ(first_problem("<% blk = proc { |x| x }; @a.each(&blk) %>"), "");
}

TEST(ErbCheck, CodeThatIsNoRubyIsAProblemNotACrash) {
  for (std::string_view text : {"<% if 1 %>", "<% end %>", "<%= ) %>", "<%= ' %>", "<%= \"#{ %>", "<%= [1, %>", "<%= { %>",
                                "<% case 1 %>x<% when 1 %><% end %>", "<%= 1 + %>", "<%= a b c d %>", "<% x = %>", "<%= %w[ %>",
                                "<%= /a %>", "<%= @ %>", "<%= $ %>", "<%= : %>", "<% |x| %>", "<%= x do %>", "\xff"})
    EXPECT_FALSE(problems(text).empty()) << text;
}

TEST(ErbCheck, DeepNestingIsAProblem) {
  EXPECT_FALSE(problems("<%= " + std::string(100'000, '(') + " %>").empty());
  EXPECT_FALSE(problems("<%= " + std::string(100'000, '[') + " %>").empty());
  EXPECT_FALSE(problems("<%= " + std::string(100'000, '!') + "1 %>").empty());
  std::string negations = "<% ";
  for (int i = 0; i < 200'000; ++i) negations += "not ";
  EXPECT_FALSE(problems(negations + "1 %>").empty());
  std::string sum = "<%= 1";
  for (int i = 0; i < 50'000; ++i) sum += "+1";
  Rendering r;
  ErbResult result = r.render(sum + " %>");
  EXPECT_TRUE(!result.rendered || result.text == "50001");
}

TEST(Erb, Renders) {
  Rendering r;
  EXPECT_EQ(r.text("a<% [1,2].each do |x| -%>\n<%= x %>\n<% end -%>\nb"), "a1\n2\nb");
  EXPECT_EQ(r.text("<% h = {'b'=>1,'a'=>2}; h.sort.each do |k, v| %><%= k %>=<%= v %>;<% end %>"), "a=2;b=1;");
}

TEST(Erb, MethodsOfTheTemplate) {
  Rendering r;
  EXPECT_EQ(r.text("<% def twice(a, b = a, *c, d:, e: 5, **f)\n  [a, b, c, d, e, f].inspect\nend %><%= twice(1, d: 2) %> "
                   "<%= twice(1, 2, 3, 4, d: 5, e: 6, g: 7) %>"),
            "[1, 1, [], 2, 5, {}] [1, 2, [3, 4], 5, 6, {:g=>7}]");
  EXPECT_EQ(r.text("<% def first(list)\n  list.each { |x| return x if x > 1 }\n  nil\nend %><%= first([1, 2, 3]) %>"), "2");
  EXPECT_EQ(r.text("<% def each_twice(list)\n  list.each { |x| yield x, x * 2 }\nend\neach_twice([1, 2]) { |a, b| %><%= a + b %>,<% } %>"),
            "3,6,");
  EXPECT_EQ(r.text("<% f = ->(x, y = 2) { x + y }; g = lambda { |x| next x * 3 } %><%= f.call(1) %> <%= f.(1, 5) %> <%= g[2] %> "
                   "<%= [1].map(&g).inspect %>"),
            "3 6 6 [3]");
  EXPECT_THROW(r.render("<% def f(a)\n  a\nend %><%= f %>"), CompileError);
}

TEST(Erb, RescuesByClass) {
  Rendering r;
  EXPECT_EQ(r.text("<% begin; Integer('x'); rescue KeyError => e; %>key<% rescue ArgumentError, TypeError => e %><%= e.message %><% ensure "
                   "%>!<% end "
                   "%>"),
            "invalid value for Integer(): \"x\"!");
  EXPECT_EQ(r.text("<% begin; raise Puppet::ParseError, 'no' ; rescue => e %><%= e.class %> <%= e %><% else %>else<% end %>"),
            "Puppet::ParseError no");
  EXPECT_THROW(r.render("<% begin; raise ArgumentError, 'a'; rescue KeyError; end %>"), CompileError);
}

TEST(Erb, VariablesThatTemplatesSet) {
  Rendering r;
  EXPECT_EQ(r.text("<% scope.setvar('_t', {}); scope.lookupvar('_t')[:a] = 1 %><%= scope['_t'].inspect %> <%= @_t.inspect %> <%= "
                   "scope.to_hash.key?('_t') %>"),
            "{:a=>1} nil true");
  EXPECT_EQ(r.compile.value("$_t"), "{}");
  // A variable that other code has set cannot be set again: leave this to Ruby, which raises the error.
  EXPECT_EQ(r.render("<% scope.setvar('_t', 1) %>").reason, "line 1: scope.setvar of this variable");
}

TEST(Erb, Documents) {
  Rendering r;
  EXPECT_EQ(r.text("<%= {'a' => [1, nil]}.to_yaml %><%= {'a' => [1, nil]}.to_json %>"), "---\na:\n- 1\n-\n{\"a\":[1,null]}");
  EXPECT_EQ(r.text("<%= {'a' => {'b' => [1]}}.to_yaml(indentation: 4) %><%= {'a' => 1}.to_yaml({'indentation' => 4, header: true}) %>"),
            "---\na:\n    b:\n    - 1\n%YAML 1.1\n---\na: 1\n");
  EXPECT_EQ(r.render("<%= {'a' => 1}.to_yaml(stringify_names: true) %>").reason, "line 1: method 'to_yaml' of Hash with these arguments");
  EXPECT_EQ(r.text("<%= JSON.pretty_generate([1], nil) %>"), "[\n  1\n]");
  EXPECT_EQ(r.text("<%= [nil, true, 1, {}].map { |v| begin; Regexp.compile(v); rescue TypeError => e; e.message; end }.join('; ') %>"),
            "no implicit conversion of nil into String; no implicit conversion of true into String; no implicit conversion of Integer into "
            "String; no implicit conversion of Hash into String");
  EXPECT_EQ(r.text("<% require 'shellwords' %><%= Shellwords.escape(\"a b'c\") %>"), "a\\ b\\'c");
}

TEST(Erb, HelpersOfPuppet) {
  Rendering r;
  EXPECT_EQ(r.text("<%= Puppet::Util.deterministic_rand(42, 100).inspect %> <%= Puppet::Util.deterministic_rand_int(42, 100) %>"),
            "\"51\" 51");
  EXPECT_EQ(
      r.text("<%= ['/a', 'a', 'C:/a', '//h/s', \"a\\n/b\"].map { |p| %i[posix windows].map { |s| Puppet::Util.absolute_path?(p, s) } } %>"),
      "[[true, false], [false, false], [false, true], [true, true], [true, false]]");
  EXPECT_EQ(r.text("<% require 'puppet/util/json' %><%= Puppet::Util::Json.load('{\"a\": [1]}') %>"
                   "<%= begin; Puppet::Util::Json.load('{'); rescue StandardError; 'malformed'; end %>"),
            "{\"a\"=>[1]}malformed");
  EXPECT_EQ(r.render("<%= Puppet::Util.which('ls') %>").reason, "line 1: Puppet::Util.which");
}

TEST(Erb, SeesVariables) {
  Rendering r;
  r.compile.evaluator.set_global("x", Value::string("seen"));
  EXPECT_EQ(r.text("<%= @x %> <%= scope['x'] %> <%= scope.lookupvar('::x') %> <%= has_variable?('x') %> <%= @y.inspect %>"),
            "seen seen seen true nil");
}

TEST(Erb, HandsOverBeforeAnythingIsPrinted) {
  Rendering r;
  ErbResult result = r.render("text <%= 'x'.to_c %>");
  EXPECT_FALSE(result.rendered);
  EXPECT_EQ(result.text, "");
  EXPECT_EQ(result.reason, "line 1: method 'to_c'");
  result = r.render("text\n<%= nil.to_r %>");
  EXPECT_FALSE(result.rendered);
  EXPECT_EQ(result.reason, "line 2: method 'to_r'");
}

TEST(Erb, ErrorsOfRubyItself) {
  Rendering r;
  EXPECT_EQ(r.error("<%= nil.upcase %>"), "undefined method `upcase' for nil:NilClass");
  EXPECT_EQ(r.error("<%= 'a'.lenght %>"), "undefined method `lenght' for \"a\":String\nDid you mean?  length");
  EXPECT_EQ(r.error("<%= [1].puts %>"), "private method `puts' called for [1]:Array\nDid you mean?  push");
  EXPECT_EQ(r.error("<%= [1]['a'] %>"), "no implicit conversion of String into Integer");
  EXPECT_EQ(r.error("<%= [1][nil] %>"), "no implicit conversion from nil to integer");
  EXPECT_EQ(r.error("<%= 'a' + 1 %>"), "no implicit conversion of Integer into String");
  EXPECT_EQ(r.error("<%= 1 + 'a' %>"), "String can't be coerced into Integer");
  EXPECT_EQ(r.error("<%= [3, 'a'].sort %>"), "comparison of Integer with String failed");
  EXPECT_EQ(r.error("<%= 'a'.length(1) %>"), "wrong number of arguments (given 1, expected 0)");
  EXPECT_EQ(r.error("<%= Integer(nil) %>"), "can't convert nil into Integer");
  EXPECT_EQ(r.error("<%= 'a'.freeze << 'b' %>"), "can't modify frozen String: \"a\"");
  EXPECT_EQ(r.text("<%= begin; nil.foo; rescue NoMethodError => e; e.message; end %>"), "undefined method `foo' for nil:NilClass");
}

TEST(Erb, AMethodThatIsNotKnownMattersWhereItIsCalled) {
  Rendering r;
  EXPECT_EQ(r.text("<% x = [1] %><% if x.is_a?(Hash) %><%= x.unknown_method %><% else %><%= x[0] %><% end %><% y = nil %><%= "
                   "y&.unknown_method.inspect %>"),
            "1nil");
  ErbResult result = r.render(
      "<% x = [1]; scope.call_function('notice', ['a']) %>printed<% x << 2 %>\n<%= x.is_a?(Array) ? x[0].to_r : 1 %>");
  EXPECT_FALSE(result.rendered);
  EXPECT_EQ(result.text, "");
  EXPECT_EQ(result.reason, "line 2: method 'to_r'");
}

TEST(Erb, LogsOnlyWhenItRenders) {
  Rendering r;
  EXPECT_FALSE(r.render("<% scope.call_function('notice', ['a']) %><%= nil.to_r %>").rendered);
  EXPECT_EQ(r.compile.logs(), "");
  EXPECT_TRUE(r.render("<% scope.call_function('notice', ['a']) %>").rendered);
  EXPECT_NE(r.compile.logs().find("a"), std::string::npos);
}

TEST(Erb, LoopsWithoutEndAreLeftToRuby) {
  Rendering r;
  EXPECT_EQ(r.render("<% while true; end %>").reason, "line 1: too many steps");
  EXPECT_EQ(r.render("<% loop { 1 } %>").reason, "line 1: too many steps");
}

TEST(Erb, IntegersOfAnySize) {
  Rendering r;
  EXPECT_EQ(r.render("<%= 9223372036854775807 + 1 %>").text, "9223372036854775808");
  EXPECT_EQ(r.render("<%= 10 ** 19 %>").text, "10000000000000000000");
}

/// Replaces Ruby: records its calls.
struct FakeRuby : RubyService {
  Value call_function(Evaluator&, std::string_view, const RubyFunctionFile&, std::span<const Value>, const Closure*, Frame&, Loc) override {
    return {};
  }
  RubyDataType load_data_type(Evaluator&, std::string_view, const std::string&) override { return {}; }
  bool call_object(Evaluator&, const Value&, std::string_view, std::span<const Value>, const Closure*, Frame&, Loc, Value&) override {
    return false;
  }
  std::optional<Value> call_backend(Evaluator&, const BackendRequest&, std::string_view, Frame&) override { return {}; }
  std::string render_erb(Evaluator&, Frame&, std::string_view text, std::string_view, Loc) override {
    asked.emplace_back(text);
    return "by ruby";
  }
  std::vector<std::string> asked;
};

TEST(ErbFunctions, GiveTheWholeTemplateToRuby) {
  TestCompile t;
  FakeRuby ruby;
  t.evaluator.set_ruby_service(&ruby);
  EXPECT_EQ(t.value("inline_template('a<%= 1 %>', '-', 'b<%= [1].pack %>')"), "'a1-by ruby'");
  EXPECT_EQ(ruby.asked, std::vector<std::string>{"b<%= [1].pack %>"});
}

TEST(ErbFunctions, RefuseWhatNeedsRubyWhereThereIsNone) {
  // The reason is kept by the compile's NativeRuby, which this one has not: tools/pupc/tests/node_test.py tests the whole text.
  TestCompile t;
  EXPECT_EQ(t.error("inline_template('b<%= Puppet.settings %>')"),
            "Evaluation Error: Error while evaluating a Function Call, The inline template needs Ruby, which is not allowed here (line: 1, "
            "column: 1)");
}

} // namespace
} // namespace pupc::compiler
