#include "compiler/parse/parser.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace pupc {
namespace {

/// "OK", or the first error in the reference's form.
std::string verdict(std::string text, bool epp = false) {
  RegexCache regexes;
  ParseOptions options;
  options.epp = epp;
  ParseResult r = parse("t.pp", std::move(text), regexes, options);
  if (r.file) return "OK";
  EXPECT_FALSE(r.diagnostics.empty());
  return r.diagnostics.empty() ? "" : r.diagnostics[0].reference_text();
}

TEST(Parser, AcceptsTheStatementForms) {
  for (const char* text : {"", "$a = 1", "include foo, bar", "notice('x')", "class a::b($x, Integer $y = 1) inherits c { }",
                           "define d { file { $title: ensure => present; default: mode => '0644' } }", "node a.b, /x/, default { }",
                           "function f(*$r) >> Integer { 1 }", "type A = Struct[{a => Integer}]", "File['a'] -> File['b'] ~> Exec['c']",
                           "File <| tag == 'x' |> { mode => '1' }", "@@file { 'a': }", "$x ? { 1 => 2, default => 3 }",
                           "case $x { 1, 2: { } default: { } }", "if $a { } elsif $b { } else { }", "unless $a { } else { }",
                           "$a.each |$x| { notice($x) }", "$a = @(X)\n  text\n  | X\n", "\"a ${b[1]} c\""})
    EXPECT_EQ(verdict(text), "OK") << text;
}

TEST(Parser, ReportsTheReferencesFirstError) {
  EXPECT_EQ(verdict("$a = 1;"), "Syntax error at end of input (file: t.pp)");
  EXPECT_EQ(verdict("$x.foo(1,)"), "Syntax error at ')' (file: t.pp, line: 1, column: 10)");
  EXPECT_EQ(verdict("file {\"a\": ,, }"), "Syntax error at ',' (file: t.pp, line: 1, column: 13)");
  EXPECT_EQ(verdict("$x = ~ 1"), "Syntax error at '~' (file: t.pp, line: 1, column: 6)");
}

} // namespace
} // namespace pupc
