#include "compiler/check/checker.h"

#include "compiler/check/heredoc_syntax.h"
#include "compiler/check/phase_summary.h"
#include "compiler/parse/parser.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace pupc::compiler {
namespace {

std::string findings_of(const ParsedFile& file, const CheckOptions& options) {
  std::string out;
  for (const Diagnostic& d : check(file, options)) {
    LineColumn p = d.position();
    if (!out.empty()) out += '\n';
    out += (d.severity == Severity::Error ? "" : "W ") + fmt::format("{}:{} {}", p.line, p.column, d.message);
  }
  return out;
}

/// All findings as lines "line:column message", with "W " before warnings.
std::string findings(std::string text, const CheckOptions& options = {}, bool epp = false) {
  RegexCache regexes;
  ParseOptions parse_options;
  parse_options.epp = epp;
  ParseResult r = parse("t.pp", std::move(text), regexes, parse_options);
  if (!r.file) return "syntax: " + r.diagnostics.at(0).message;
  return findings_of(*r.file, options);
}

bool reads_files(std::string_view function) { return function == "file" || function == "find_file" || function == "generate"; }

/// What is advised to the first finding.
std::string advice(std::string text) {
  RegexCache regexes;
  const ParseResult r = parse("t.pp", std::move(text), regexes, {});
  const auto found = check(*r.file, {});
  return found.empty() ? "" : found[0].suggestion;
}

std::string phase_findings(std::string text) {
  RegexCache regexes;
  ParseResult r = parse("t.pp", std::move(text), regexes, {});
  if (!r.file) return "syntax: " + r.diagnostics.at(0).message;
  std::string out;
  const PhaseSummary summary = summarize_phases(*r.file, reads_files);
  const PhaseSummary* program[] = {&summary};
  const auto found = check_phases(program);
  for (const Diagnostic& d : found[0]) out += fmt::format("{}:{} {}\n", d.position().line, d.position().column, d.message);
  return out;
}

TEST(Checker, AStatementThatIsNearlyACall) {
  EXPECT_EQ(advice("incldue apache"), "Did you mean 'include'?");
  EXPECT_EQ(advice("fial 'x'"), "Did you mean 'fail'?");
  EXPECT_EQ(advice("convert 'x'"), "To call a function, write convert(…).");
}

TEST(Phases, ReadsOfNodeAttributesWhileCompiling) {
  const std::string why = "Phase error: the node attribute 'a.b' is read while compiling, but its value is known at converge only\n";
  EXPECT_EQ(phase_findings("if node_attribute('a.b') { }"), "1:4 " + why);
  EXPECT_EQ(phase_findings("unless (node_attribute('a.b')) { }"), "1:9 " + why);
  EXPECT_EQ(phase_findings("case node_attribute('a.b') { 1: { } }"), "1:6 " + why);
  EXPECT_EQ(phase_findings("$x = node_attribute('a.b') ? { 1 => 2 }"), "1:6 " + why);
  EXPECT_EQ(phase_findings("$x = node_attribute('a.b') + 1"), "1:6 " + why);
  EXPECT_EQ(phase_findings("$x = !node_attribute('a.b')"), "1:7 " + why);
  EXPECT_EQ(phase_findings("$x = \"v ${node_attribute('a.b')}\""), "1:11 " + why);
  EXPECT_EQ(phase_findings("$x = node_attribute('a.b')['c']"), "1:6 " + why);
  EXPECT_EQ(phase_findings("notify { 'x': message => node_attribute('a.b'), only_if => node_attribute('c') }"), "");
  EXPECT_EQ(phase_findings("$x = Deferred('sprintf', ['%s', node_attribute('a.b')])"), "");
}

/// The findings of a program of several files, each with the number of its file.
std::string program_findings(std::vector<std::string> texts) {
  RegexCache regexes;
  std::vector<ParseResult> parsed;
  std::vector<PhaseSummary> summaries;
  for (size_t i = 0; i < texts.size(); ++i) {
    const bool epp = texts[i].starts_with("<%");
    ParseOptions options;
    options.epp = epp;
    parsed.push_back(parse(epp ? "m/templates/t.epp" : "t.pp", texts[i], regexes, options));
    if (!parsed.back().file) return "syntax: " + parsed.back().diagnostics.at(0).message;
    check(*parsed.back().file, {});
    summaries.push_back(summarize_phases(*parsed.back().file, reads_files, epp ? "m/t.epp" : ""));
  }
  std::vector<const PhaseSummary*> program;
  for (const PhaseSummary& s : summaries) program.push_back(&s);
  std::string out;
  const auto found = check_phases(program);
  for (size_t i = 0; i < found.size(); ++i)
    for (const Diagnostic& d : found[i])
      out += fmt::format("{}:{}:{} ", i, d.position().line, d.position().column) +
             (d.message.find("'a.b'") != std::string::npos ? "a.b" : d.message) + "\n";
  return out;
}

TEST(Phases, NodeAttributesByWayOfVariablesParametersAndFunctions) {
  EXPECT_EQ(program_findings({"$x = node_attribute('a.b')\nif $x { }"}), "0:2:4 a.b\n");
  EXPECT_EQ(program_findings({"$x = node_attribute('a.b')\nclass c { if $x { } if $::x { } }"}), "0:2:14 a.b\n0:2:24 a.b\n");
  EXPECT_EQ(program_findings({"class c { $x = node_attribute('a.b') }", "include c\nif $c::x { }"}), "1:2:4 a.b\n");
  EXPECT_EQ(program_findings({"class c { $x = node_attribute('a.b') }", "if $x { }"}), "") << "another variable";
  EXPECT_EQ(program_findings({"class c($p) { if $p { } }", "class { 'c': p => node_attribute('a.b') }"}), "0:1:18 a.b\n");
  EXPECT_EQ(program_findings({"define d($p) { notice(\"v ${p}\") }", "d { 'x': p => node_attribute('a.b') }"}), "0:1:28 a.b\n");
  EXPECT_EQ(program_findings({"define d($p) { file { '/x': content => $p } }", "d { 'x': p => node_attribute('a.b') }"}), "")
      << "a value may pass";
  EXPECT_EQ(program_findings({"class c($p = node_attribute('a.b')) { case $p { 1: { } } }"}), "0:1:44 a.b\n");
  EXPECT_EQ(program_findings({"function m::f() { node_attribute('a.b') }", "if m::f() { }"}), "1:1:4 a.b\n");
  EXPECT_EQ(program_findings({"function m::f($x) { if $x { return(node_attribute('a.b')) } 1 }", "$y = m::f(1)\nunless $y { }"}),
            "1:2:8 a.b\n");
  EXPECT_EQ(
      program_findings({"function m::f() { m::g() }", "function m::g() { $v = node_attribute('a.b')\n $v }", "$y = m::f() ? { 1 => 2 }"}),
      "2:1:6 a.b\n");
  EXPECT_EQ(program_findings({"function m::f() { m::g() }\nfunction m::g() { m::f() }\nif m::f() { }"}), "") << "a circle of functions";
  EXPECT_EQ(program_findings({"<%- | $v | -%><% if $v { %>x<% } %><%= $v %>", "$t = epp('m/t.epp', { 'v' => node_attribute('a.b') })"}),
            "0:1:21 a.b\n0:1:40 a.b\n");
  EXPECT_EQ(program_findings({"$x = node_attribute('a.b')\n[1].each |$x| { if $x { } }"}), "") << "the lambda's own";
}

TEST(Phases, ReadsOfFilesThatOtherFilesOfTheProgramBring) {
  const std::string why = "Phase error: file() reads '/x' while compiling, but File[/x] brings it at converge: it is not there yet\n";
  const std::string brings = "class a { file { '/x': } }", reads = "class b { notice(file('/x')) }";
  EXPECT_EQ(program_findings({brings, reads}), "") << "nothing says that they are of one program";
  EXPECT_EQ(program_findings({brings, reads, "include a\ninclude b"}), "1:1:18 " + why);
  EXPECT_EQ(program_findings({brings, "class b inherits a { notice(file('/x')) }"}), "1:1:29 " + why);
  EXPECT_EQ(program_findings({brings, reads, "include c", "class c { contain a\n class { 'b': } }"}), "1:1:18 " + why);
  EXPECT_EQ(program_findings({"function m::f() { file('/x') }", "class a { file { '/x': content => 'y' } $v = m::f() }"}), "0:1:19 " + why);
  EXPECT_EQ(program_findings({"<%= file('/x') %>", "file { '/x': content => epp('m/t.epp') }"}), "0:1:5 " + why);
  EXPECT_EQ(program_findings({"define m::d() { file { '/x': } }", "m::d { 'y': }\n$v = file('/x')"}), "1:2:6 " + why);
}

TEST(Phases, ReadsOfFilesThatTheProgramBrings) {
  EXPECT_EQ(phase_findings("file { '/x': }\n$a = file('/x')"),
            "2:6 Phase error: file() reads '/x' while compiling, but File[/x] brings it at converge: it is not there yet\n");
  EXPECT_EQ(phase_findings("class c { file { ['/w', '/x']: } }\nnotice(find_file('/y', '/x'))"),
            "2:8 Phase error: find_file() reads '/x' while compiling, but File[/x] brings it at converge: it is not there yet\n");
  EXPECT_EQ(phase_findings("file { 'x': path => '/x' }\n$a = generate('/x', 'y')"),
            "2:6 Phase error: generate() reads '/x' while compiling, but File[/x] brings it at converge: it is not there yet\n");
  EXPECT_EQ(phase_findings("file { '/x': content => file('/y'), only_if => Deferred('find_file', ['/x']) }"), "");
}

TEST(Checker, StatementsWithoutEffect) {
  EXPECT_EQ(
      findings("1\n$a = 1"),
      "1:1 This Literal Integer has no effect. A value was produced and then forgotten (one or more preceding expressions may have the "
      "wrong form)");
  EXPECT_EQ(findings("$a = 1\n1"), "");
  EXPECT_EQ(
      findings("class a { if true { 1 } else { [2] } }"),
      "1:11 This 'if' statement has no effect. A Host Class Definition can not end with a value-producing expression without other effect");
  EXPECT_EQ(findings("class a { $x =~ /a/ }"), "");
  EXPECT_EQ(findings("function a() { 1 }"), "");
  EXPECT_EQ(findings("notify { a => 1 }"), "1:1 This expression is invalid. Did you try declaring a 'notify' resource without a title?");
}

// One text for each rule, and nothing else that the builder could note: the tree is walked when a rule is broken.
TEST(Checker, TheBuilderNotesWhateverARuleIsAbout) {
  auto is_reported = [](const std::string& found) { return !found.empty() && !found.starts_with("syntax"); };
  for (const char* broken : {"1\n$a = 1",
                             "if true { 1 }\n$a = 1",
                             "case 1 { 1: { 2 } }\n$a = 1",
                             "(1)\n$a = 1",
                             "class a { 1 }",
                             "class a { if true { 1 } }",
                             "notify { a => 1 }",
                             "class a { class b { function c() { 1 } } }",
                             "[1].each |$x| { class b { } }",
                             "$Foo = 1",
                             "notice($a::B)",
                             "notice($_a::b)",
                             "notice($01)",
                             "notice($0x1)",

                             "class A { }",
                             "class integer { }",
                             "class plan { }",
                             "type A = Plan",
                             "notice(private)",
                             "class a($a, $a) { }",
                             "class a($name) { }",
                             "class a(*$b) { }",
                             "class a($A) { }",
                             "class a($b = ($c = 1)) { }",
                             "class a($b = [1].map |$x = ($c = 1)| { $x }) { }",
                             "class a(Integer[$b] $a) { }",

                             "function a($b, $b) { 1 }",
                             "function a() >> Plan { 1 }",
                             "[1].each |*$a, $b| { notice($a) }",
                             "[1].each |$A| { notice(1) }",
                             "[1].each |$a| >> Plan { notice(1) }",
                             "$a::b = 1",
                             "[$a, $b[1]] = [1, 2]",
                             "$a[1] = 1",
                             "$a += 1",
                             "$a -= 1",
                             "a = 1",
                             "$1 = 1",
                             "$a = { a => 1, 'a' => 2 }",
                             "notice(a => 1, a => 2)",
                             "$a = [a => 1, a => 2]",
                             "notice { a => 1, a => 2 }",
                             "type A = Object { a => 1, a => 2 }",
                             "$a = { [1] => 1, [1] => 2 }",
                             "$a = 99999999999999999999",
                             "$a = @(X:json)\n {\n | X\n",
                             "$a = File<| |>",
                             "$a = (File<| |>)",
                             "$a = !File<| |>",

                             "$a = [File<| |>]",
                             "$a = { b => File<| |> }",
                             "notify { 'a': message => File<| |> }",
                             "if (File<| |>) { }",
                             "case (File<| |>) { 1: { } }",
                             "$a = 1 ? { 1 => 2, File<| |> => 3 }",
                             "$a = File<| |> ? 1 => 2",
                             "$a = 1 + File<| |>",
                             "notice(\"${File<| |>}\")",
                             "$a = class b { }",
                             "File<| |> -> class b { }",
                             "function a() { 1 } -> File<| |>",
                             "$a = type B = Integer",
                             "File<| 1 + 2 |>",
                             "File[a]<| |>",
                             "case 1 { default: { } default: { } }",
                             "$a = 1 ? { default => 1, default => 2 }",
                             "1(2)",
                             "Foo[1][2](3)",
                             "File { mode +> 1 }",
                             "file { '/a': mode +> 1 }",
                             "@File { mode => 1 }",
                             "@@File['/a'] { mode => 1 }",
                             "@class { 'a': }",
                             "file { '/a': * => $a, * => $b }",
                             "node 'a b' { }",
                             "node a inherits b { }",
                             "node \"a${b}\" { }",
                             "type Runtime[ruby, 'x'] = [/a/, 'b']",
                             "type A[1] = Integer",
                             "type A inherits B { }"})
    EXPECT_TRUE(is_reported(findings(broken))) << broken;
  for (const char* broken :
       {"<%= { File<| |> } %>", "<%- | $a, $a | -%>", "<%- | *$a, $b | -%>", "<% 1 2 %>", "<% class a { } %>", "<%= File<| |> %>"})
    EXPECT_TRUE(is_reported(findings(broken, {}, true))) << broken;
}

TEST(Checker, PlacesOfDefinitions) {
  const std::string nested = "Classes, definitions, and nodes may only appear at toplevel or inside other classes";
  EXPECT_EQ(findings("class a { class b { define c { } } }"), "");
  EXPECT_EQ(findings("if true { class b { } }"), "1:11 " + nested);
  EXPECT_EQ(findings("class a { function b() { } type C = Integer }"),
            "1:11 A Function Definition may only appear at toplevel\n1:33 A Type Alias may only appear at toplevel");
  EXPECT_EQ(findings("[1].each |$x| { class b { } }"), "1:17 " + nested);
}

TEST(Checker, Names) {
  EXPECT_EQ(findings("$Foo = 1"),
            "1:1 Illegal variable name, The given name 'Foo' does not conform to the naming rule /^((::)?[a-z]\\w*)*((::)?[a-z_]\\w*)$/");
  EXPECT_EQ(findings("class A { }"), "1:1 Unacceptable name. The name 'A' is unacceptable as the name of a Host Class Definition");
  EXPECT_EQ(findings("class integer { }"),
            "1:1 The name: 'integer' is already defined by Puppet and can not be used as the name of a Host Class Definition.");
  EXPECT_EQ(findings("class plan { }"), "W 1:1 Use of future reserved word: 'plan'");
  EXPECT_EQ(findings("notice(private)"), "1:8 Use of reserved word: private, must be quoted if intended to be a String value");
}

TEST(Checker, ParametersInTheReferencesOrder) {
  EXPECT_EQ(findings("class b($title, *$c, $c, $d = ($e = 1)) { }"),
            "1:18 Parameter $c has 'captures rest' - not supported in a Host Class Definition\n"
            "1:22 The parameter 'c' is declared more than once in the parameter list\n"
            "1:9 The parameter $title redefines a built in parameter in the Host Class Definition\n"
            "1:35 Assignment not allowed here");
  EXPECT_EQ(findings("class a($b = [1].map |$x| { $y = $x }) { }"), "");
}

TEST(Checker, Assignments) {
  EXPECT_EQ(findings("[$a, $b[1], c, $a::b, $1] = 1"),
            "1:6 Illegal attempt to assign via [index/key]. Not an assignable reference\n"
            "1:13 Illegal attempt to assign to 'a Name'. Not an assignable reference\n"
            "1:16 Illegal attempt to assign to 'a::b'. Cannot assign to variables in other namespaces\n"
            "1:23 Illegal attempt to assign to the numeric match result variable '$1'. Numeric variables are not assignable");
}

TEST(Checker, DuplicateKeysBySeverity) {
  const std::string code = "$x = { a => 1, 'a' => 2, [1, b] => 1, [1, b] => 2, undef => 1, undef => 2, 1 => 1, 1.0 => 2 }";
  const std::string found = "1:20 The key 'a' is declared more than once\n1:46 The key '[1, \"b\"]' is declared more than once\n"
                            "1:70 The key '' is declared more than once";
  EXPECT_EQ(findings(code), found);
  CheckOptions options;
  options.strict = Strict::Warning;
  EXPECT_EQ(findings("$x = { a => 1, a => 2 }", options), "W 1:18 The key 'a' is declared more than once");
  options.strict = Strict::Off;
  EXPECT_EQ(findings(code, options), "");
}

TEST(Checker, NumbersBeyond64Bits) {
  EXPECT_EQ(findings("$x = 9223372036854775807"), "");
  EXPECT_EQ(findings("$x = 99999999999999999999"),
            "1:6 A Literal Integer resulted in a value outside of Puppet Integer max range, got '+0x56bc75e2d630fffff'");
  EXPECT_EQ(findings("$x = 0xFFFFFFFFFFFFFFFFFFFF"),
            "1:6 A Literal Integer resulted in a value outside of Puppet Integer max range, got '+0xffffffffffffffffffff'");
}

TEST(Checker, ModuleFiles) {
  CheckOptions options;
  options.place = CheckOptions::Place::Module;
  options.name_space = "m::a";
  EXPECT_EQ(findings("class m::a { }\nclass m::a::b { }\ntype M::T = Integer", options), "");
  EXPECT_EQ(findings("class m::b { }\n$x = 1", options),
            "2:4 This '=' expression is unacceptable as a top level construct in this location\n"
            "1:1 Unacceptable location. The name 'm::b' is unacceptable in file 't.pp'");
}

TEST(Checker, Templates) {
  EXPECT_EQ(
      findings("<%- | $a, $a, *$b, $c | -%>\n<% 1 2 %>", {}, true),
      "1:16 Parameter $b is not last, and has 'captures rest'\n1:16 Parameter $b has 'captures rest' - not supported in an Epp Template\n"
      "1:11 The parameter 'a' is declared more than once in the parameter list\n"
      "2:4 This Literal Integer has no effect. A value was produced and then forgotten (one or more preceding expressions may have the "
      "wrong form)");
}

TEST(Checker, HeredocSyntax) {
  // The checker reports nothing else with this error.
  EXPECT_EQ(findings("1\n$a = @(X:json)\n {\"a\": }\n | X\n"),
            "3:1 Invalid produced text having syntax: 'json'. JSON syntax checker: Cannot parse invalid JSON string. \"unexpected token at "
            "'{\"a\": }\\n'\"");
  EXPECT_EQ(findings("$a = @(X:base64)\n YWJj\n YWI=\n | X\n"), "");
  CheckOptions options;
  options.embedded_code = [](std::string_view, bool epp) { return std::string(epp ? "template" : "manifest"); };
  EXPECT_EQ(findings("$a = @(X:pp)\n 1\n | X\n", options),
            "2:1 Invalid produced text having syntax: 'pp'. PP syntax checker: \"manifest\"");
}

TEST(JsonSyntax, LikeRubys) {
  for (const char* good : {"1", "\"\\q\"", "/* c */ 1", "[1 // x\n]", "{}", "[]", "{\"a\":[1.5e-3, null, true]}", " 0 ", "-0.1"})
    EXPECT_EQ(json_error(good), "") << good;
  EXPECT_EQ(json_error("[1,2,]"), "unexpected token at ']'");
  EXPECT_EQ(json_error("[01]"), "unexpected token at '01]'");
  EXPECT_EQ(json_error("{\"a\":1,}"), "unexpected token at '{\"a\":1,}'");
  EXPECT_EQ(json_error("{\"a\":{\"b\":[1,2,{\"c\":}]}}"), "unexpected token at '{\"c\":}]}}'");
  EXPECT_EQ(json_error("1 2"), "unexpected token at '2'");
  EXPECT_EQ(json_error("[1.]"), "unexpected token at '.]'");
  EXPECT_EQ(json_error(std::string(101, '[')), "nesting of 101 is too deep");
  EXPECT_EQ(json_error("\"a\nb\""), "unexpected token at '\"a\nb\"'");
  EXPECT_EQ(json_error(""), "unexpected token at ''");
}

} // namespace
} // namespace pupc::compiler
