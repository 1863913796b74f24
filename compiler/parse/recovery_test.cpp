#include "compiler/parse/parser.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace pupc::compiler {
namespace {

/// The line numbers of the errors in a text.
std::vector<unsigned> error_lines(std::string text) {
  RegexCache regexes;
  ParseResult result = parse("x.pp", text, regexes, {});
  std::vector<unsigned> lines;
  for (const Diagnostic& d : result.diagnostics)
    lines.push_back(static_cast<unsigned>(1 + std::count(text.begin(), text.begin() + d.loc.offset, '\n')));
  return lines;
}
using Lines = std::vector<unsigned>;

TEST(Recovery, MistakeInParametersLeavesTheBodyReadable) {
  EXPECT_EQ(error_lines("class a (\n  $x 5,\n  $y = 2,\n) {\n  notify { 'a': }\n  $z = = 1\n}\nclass b { }\n"), (Lines{2, 6}));
  EXPECT_EQ(error_lines("class a (\n  $x 5,\n) inherits b {\n  include c\n}\n$y = = 1\n"), (Lines{2, 6}));
  EXPECT_EQ(error_lines("define d (\n  $x = {a => [1, },\n) {\n  file { '/x': }\n}\n"), (Lines{2}));
}

TEST(Recovery, LostBraceTakesNoBlockAway) {
  EXPECT_EQ(error_lines("class a {\n  if $x \n    include b\n  } else {\n    include c\n  }\n  $z = = 1\n}\n"), (Lines{3, 7}));
  EXPECT_EQ(error_lines("class a {\n  case $x (\n    1: { include b }\n  }\n  include c\n}\n"), (Lines{3}));
  EXPECT_EQ(error_lines("class a {\n  if $x {\n    include b\n\n  include c\n}\nclass e {\n  $z = = 1\n}\n"), (Lines{8}));
}

/// What the first error advises.
static std::string advice(std::string text) {
  RegexCache regexes;
  ParseResult result = parse("x.pp", std::move(text), regexes, {});
  return result.diagnostics.empty() ? "no error" : result.diagnostics[0].suggestion;
}

TEST(Recovery, AdviceNamesTheQuoteThatIsNotClosed) {
  const std::string wanted = "The text that opens at line 2, column 6 ends at line 3, column 8: is its quote missing?";
  EXPECT_EQ(advice("class x {\n$a = 'abc\nfile { '/x': ensure => file }\n$b = 'd'\n}\n"), wanted); // the last text has no end
  EXPECT_EQ(advice("class x {\n$a = \"abc ${b}\nfile { \"/x\": }\nnotify { \"y\": }\n}\n"), wanted);
  // A text over several lines is no mistake.
  EXPECT_EQ(advice("$a = 'a\nb'\n$b = = 1\n").find("quote"), std::string::npos);
  EXPECT_EQ(advice("$a = 'a\nb'\n"), "no error");
}

TEST(Recovery, NamesTheWordThatIsMeantForElsif) {
  const std::string wanted = "'elseif' on line 2 is no word of the language: write elsif.";
  EXPECT_EQ(advice("if $a {\n} elseif $b {\n  $c = 1\n}\n"), wanted);
  EXPECT_EQ(advice("if $a {\n} elsif $b {\n  $c = = 1\n}\n").find("elsif"), std::string::npos);
}

TEST(Recovery, EachStatementTellsItsMistake) {
  EXPECT_EQ(
      error_lines("file { '/a':\n  mode '0644',\n  owner => 'x',\n}\nfile { '/b':\n  mode => ,\n}\nclass c {\n  $x = )\n  $y = 1\n}\n"),
      (Lines{2, 6, 9}));
  EXPECT_EQ(error_lines("$x = [1, 2\n$y = 3\n"), (Lines{2}));
  EXPECT_EQ(error_lines("class a {\n  notify { 'a' message => 1 }\n"), (Lines{2}));
}

TEST(Recovery, SurplusBraceIsTheOnlyMistake) {
  EXPECT_EQ(error_lines("class a {\n  include b\n}}\nclass c { }\n"), (Lines{3}));
  EXPECT_EQ(error_lines("if $x {\n}}\n"), (Lines{2}));
}

} // namespace
} // namespace pupc::compiler
