// Which changes of a Ruby file make another program. The digests of real files are checked by tools/conformance/function_programs.py.
#include "compiler/ruby/syntax/program_digest.h"

#include <gtest/gtest.h>

using namespace pupc::compiler;

namespace {

constexpr std::string_view program = R"(
Puppet::Functions.create_function(:'m::f') do
  # A comment.
  dispatch :f do
    param 'String', :name
  end

  def f(name)
    raise ArgumentError, "no #{name}" unless name =~ %r{a/b}
    [name, 'x']
  end
end
)";

std::string changed(std::string_view from, std::string_view to) {
  std::string out(program);
  size_t at = out.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return out.replace(at, from.size(), to);
}

TEST(ProgramDigest, IgnoresWhatMeansNothing) {
  const auto digest = ruby_program_digest(program);
  ASSERT_TRUE(digest);
  for (auto [from, to] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"  # A comment.\n", ""},
           {"'String'", "\"String\""},
           {"%r{a/b}", "/a\\/b/"},
           {"[name, 'x']", "[\n      name, # first\n      'x',\n    ]"},
           {"  end\n\n", "  end\n\n\n=begin\ntext\n=end\n"},
           {"[name, 'x']", "[name,'x'];"},
       })
    EXPECT_EQ(ruby_program_digest(changed(from, to)), digest) << to;
  std::string windows;
  for (char c : program) windows += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(ruby_program_digest(windows), digest);
}

TEST(ProgramDigest, SeesWhatMeansSomething) {
  const auto digest = ruby_program_digest(program);
  for (auto [from, to] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"'x'", "'y'"},
           {"no #{name}", "no #{nam}"},
           {"unless", "if"},
           {"String", "String[1]"},
           {"[name, 'x']", "[name 'x']"},
           {"%r{a/b}", "%r{a/b}i"},
           {"def f(name)", "def f(name = nil)"},
       })
    EXPECT_NE(ruby_program_digest(changed(from, to)), digest) << to;
}

TEST(ProgramDigest, LeavesOutDocumentation) {
  const auto a = ruby_program_text("newfunction(:f, :type => :rvalue, :doc => <<-EOS\nOld text.\nEOS\n) do |args|\n  args[0]\nend\n");
  const auto b = ruby_program_text("newfunction(:f, :type => :rvalue, :doc => 'New text.') do |args|\n  args[0]\nend\n");
  ASSERT_TRUE(a);
  EXPECT_EQ(a, b);
  EXPECT_EQ(ruby_program_text("desc 'x'\nfoo\n"), ruby_program_text("foo\n"));
}

TEST(ProgramDigest, SaysSoWhereItCannotFollow) {
  EXPECT_FALSE(ruby_program_digest("def f(\n  'no end"));
  EXPECT_FALSE(ruby_program_digest("x = \"#{1\"\n"));
  EXPECT_TRUE(ruby_program_digest(""));
}

} // namespace
