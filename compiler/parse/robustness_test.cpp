// Hostile and damaged input must give one clear error, without a crash and in linear time. Also tests promises of the grammar.
#include "compiler/ast/printer.h"
#include "compiler/parse/parser.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <thread>

namespace pupc::compiler {
namespace {

std::string repeat(std::string_view s, size_t n) {
  std::string out;
  out.reserve(s.size() * n);
  for (size_t i = 0; i < n; ++i) out += s;
  return out;
}

ParseResult run(std::string text, bool epp = false) {
  static RegexCache regexes;
  ParseOptions options;
  options.epp = epp;
  return parse("t.pp", std::move(text), regexes, options);
}

std::string first(std::string text) {
  ParseResult r = run(std::move(text));
  return r.file ? "OK" : r.diagnostics.at(0).message;
}

TEST(Depth, AThousandLevelsAreFine) {
  EXPECT_EQ(first("$x = " + repeat("(", 1000) + "1" + repeat(")", 1000)), "OK");
  EXPECT_EQ(first("$x = " + repeat("[", 1000) + "1" + repeat("]", 1000)), "OK");
  EXPECT_EQ(first(repeat("if true {", 700) + repeat("}", 700)), "OK");
  EXPECT_EQ(first("$x = " + repeat("1 + ", 1500) + "1"), "OK");
  EXPECT_EQ(first("if a { }" + repeat(" elsif b { }", 1000)), "OK");
}

TEST(Depth, BeyondTheLimitIsAnErrorOfItsOwn) {
  for (std::string text : {"$x = " + repeat("(", 10000) + "1" + repeat(")", 10000), "$x = " + repeat("[", 10000) + "1" + repeat("]", 10000),
                           "$x = " + repeat("{ a => ", 10000) + "1" + repeat("}", 10000), repeat("if true {", 10000) + repeat("}", 10000),
                           "$x = " + repeat("1 + ", 10000) + "1", "$x = " + repeat("!", 10000) + "1", "$x" + repeat(".a", 10000),
                           "$x" + repeat("[1]", 10000), "if a { }" + repeat(" elsif b { }", 10000), repeat("class a { ", 10000),
                           repeat("a() |$x = ", 10000), repeat("a { b: c => [", 10000), "A[a]" + repeat(" -> A[a]", 10000),
                           "$x " + repeat("? a => b", 10000), repeat("case a { 1: {", 10000)}) {
    ParseResult r = run(std::move(text));
    ASSERT_FALSE(r.file);
    EXPECT_EQ(r.diagnostics.at(0).code, ErrorCode::too_deep) << r.diagnostics.at(0).message;
  }
  EXPECT_EQ(first("$x = " + repeat("\"${", 10000)), "Interpolations are nested too deeply");
}

TEST(Damaged, Encodings) {
  EXPECT_EQ(first(std::string("$x = 'a\0b'", 10)), "The source text contains a NUL byte");
  EXPECT_EQ(first("$x = 'a\xFF'"), "The source text is not valid UTF-8");
  EXPECT_EQ(first("$x = 'a\xC3"), "The source text is not valid UTF-8");
  EXPECT_EQ(first("$x = '\xED\xA0\x80'"), "The source text is not valid UTF-8"); // a surrogate
  EXPECT_EQ(first("\xEF\xBB\xBF$x = 1"),
            "Illegal UTF-8 Byte Order mark at beginning of input: [EF BB BF] - remove these from the puppet source");
  EXPECT_EQ(first("$x = '\xC3\xA9\xF0\x9F\x98\x80'"), "OK");
}

TEST(Damaged, EveryPrefixOfAManifestHasAVerdict) {
  std::string text =
      "class a($x = { b => [1, 2] }) inherits c {\n  file { \"/a/${x['b'][0]}\": content => @(\"T\"/L), * => $h }\n    a ${y} \\\n    | T\n"
      "  $z = $x ? { /a\\/b/ => 1.5, default => -1 } File <| a == b and c != d |> -> Foo['x']\n  case $x { 1: { f() |$q| { $q } } }\n}\n";
  for (size_t n = 0; n <= text.size(); ++n) {
    ParseResult r = run(text.substr(0, n));
    EXPECT_TRUE(r.file != nullptr || !r.diagnostics.empty()) << n;
    EXPECT_EQ(r.file == nullptr, r.source != nullptr) << n;
  }
  std::string epp = "<%- | $a = 1 | -%>\na <%= $a %> <% if $a { -%>\n b <%# c %> <% } %>\n";
  for (size_t n = 0; n <= epp.size(); ++n) {
    ParseResult r = run(epp.substr(0, n), true);
    EXPECT_TRUE(r.file != nullptr || !r.diagnostics.empty()) << n;
  }
}

TEST(Damaged, LargeHostileTextsTakeLinearTime) {
  const size_t n = 1'000'000;
  const auto begin = std::chrono::steady_clock::now();
  for (std::string text :
       {repeat("\\/", n / 2), repeat(" ", n / 2) + repeat("(", n / 2), repeat(") ", n / 2), repeat("$x = ]\n", n / 7), repeat("@", n),
        "\"" + repeat("$", n) + "\"", "\"" + repeat("\\u0041", n / 6) + "\"", "\"" + repeat("\\d", n / 2) + "\"",
        repeat("$x = @(A)\n", n / 10), repeat("{ ", n / 2), repeat("'a' ", n / 4), repeat("notice 1, ", n / 10), repeat("\"${a}", n / 5),
        repeat("x{", n / 2), "$a = [" + repeat("a=>1,", n / 5) + "]"})
    run(std::move(text));
  run(repeat("<% } %>", n / 7), true);
  run(repeat("<%# ", n / 4), true);
  // Some 17 MB; quadratic behaviour in any of them would take minutes.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST(Errors, SeveralInOneFile) {
  ParseResult r = run("class a {\n  file { 'x'\n    ensure => present,\n  }\n  $y = [1, 2\n  notice('z')\n}\nclass b {\n  $b = = 3\n}\n"
                      "$c = 08\n$d = Foo::bar\n");
  ASSERT_EQ(r.diagnostics.size(), 5u);
  const std::pair<uint32_t, const char*> expected[] = {{3, "Syntax error at 'ensure'"},
                                                       {6, "Syntax error at 'notice'"},
                                                       {9, "Syntax error at '='"},
                                                       {11, "Not a valid octal number 08"},
                                                       {12, "Illegal class reference"}};
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(r.diagnostics[i].position().line, expected[i].first);
    EXPECT_EQ(r.diagnostics[i].message, expected[i].second);
  }
  EXPECT_EQ(r.diagnostics[0].suggestion, "Expected ':' here.");
  EXPECT_EQ(r.diagnostics[1].suggestion, "Expected ']' or ',' here.");
  EXPECT_EQ(r.diagnostics[2].suggestion, "Expected an expression here.");
}

TEST(Errors, WarningsComeWithTheTree) {
  ParseResult r = run("$a = \"\\d\"");
  ASSERT_TRUE(r.file);
  ASSERT_EQ(r.diagnostics.size(), 1u);
  EXPECT_EQ(r.diagnostics[0].severity, Severity::Warning);
}

/// The generated parser must decide every alternative by one token. Adaptive prediction would need a DFA, a lock and a warm-up.
TEST(Grammar, IsLL1) {
  std::ifstream in(PUPC_GENERATED_PARSER);
  ASSERT_TRUE(in);
  std::stringstream s;
  s << in.rdbuf();
  EXPECT_NE(s.str().find("_errHandler->sync"), std::string::npos);
  EXPECT_EQ(s.str().find("adaptivePredict"), std::string::npos);
}

TEST(Threads, ParseAtTheSameTime) {
  RegexCache regexes;
  const std::string good = "class a { file { 'x': mode => $x ? { /a/ => 1, default => \"${y}\" } } }";
  const std::string bad = "class a { file { 'x' mode => 1 } }";
  std::vector<std::thread> threads;
  std::vector<std::string> results(8);
  for (size_t i = 0; i < results.size(); ++i)
    threads.emplace_back([&, i] {
      for (int n = 0; n < 50; ++n) {
        ParseResult r = parse("t.pp", i % 2 == 0 ? good : bad, regexes);
        results[i] = r.file ? print_ast(*r.file) : r.diagnostics[0].puppet_text() + r.diagnostics[0].suggestion;
      }
    });
  for (auto& t : threads) t.join();
  for (size_t i = 2; i < results.size(); ++i) EXPECT_EQ(results[i], results[i - 2]);
  EXPECT_EQ(results[1], "Syntax error at 'mode' (file: t.pp, line: 1, column: 22)Expected ':' here.");
}

/// Parses every manifest and template of the installed module packages. Puppet accepts them all.
TEST(Corpus, PackagedModulesParse) {
  namespace fs = std::filesystem;
  const fs::path root = "/usr/share/puppet/modules.available";
  if (!fs::exists(root)) GTEST_SKIP() << "no module packages are installed";
  RegexCache regexes;
  size_t files = 0, bytes = 0;
  std::chrono::nanoseconds time{};
  for (const auto& entry : fs::recursive_directory_iterator(root, fs::directory_options::skip_permission_denied)) {
    const fs::path& path = entry.path();
    if ((path.extension() != ".pp" && path.extension() != ".epp") || !entry.is_regular_file()) continue;
    std::ifstream in(path, std::ios::binary);
    std::stringstream s;
    s << in.rdbuf();
    std::string text = s.str();
    bytes += text.size();
    ++files;
    ParseOptions options;
    options.epp = path.extension() == ".epp";
    const auto begin = std::chrono::steady_clock::now();
    ParseResult r = parse(path, std::move(text), regexes, options);
    time += std::chrono::steady_clock::now() - begin;
    EXPECT_TRUE(r.file) << (r.diagnostics.empty() ? path.string() : r.diagnostics[0].puppet_text());
  }
  std::printf("%zu files, %.1f MB, %.0f MB/s\n", files, static_cast<double>(bytes) / 1e6,
              static_cast<double>(bytes) * 1e3 / static_cast<double>(time.count()));
}

} // namespace
} // namespace pupc::compiler
