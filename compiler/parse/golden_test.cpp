// Compares trees and errors with testdata/parse. PUPC_UPDATE_GOLDENS=1 rewrites the trees. Each tree was confirmed with Puppet's own
// (kinds, names, values, nesting, places), except for the lengths, which are our own.
#include "compiler/ast/printer.h"
#include "compiler/parse/parser.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace pupc::compiler {
namespace {

namespace fs = std::filesystem;
const fs::path directory = "testdata/parse"; // tests run in the repository's root

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

std::string first_error(const ParseResult& r) {
  const Diagnostic& d = r.diagnostics.at(0);
  if (d.style != PositionStyle::LineColumn) return d.message;
  LineColumn p = d.position();
  return d.message + position_suffix("", p.line, p.column);
}

TEST(Goldens, Trees) {
  int cases = 0;
  for (const auto& entry : fs::directory_iterator(directory)) {
    fs::path path = entry.path();
    if (path.extension() != ".pp" && path.extension() != ".epp") continue;
    ++cases;
    RegexCache regexes;
    ParseOptions options;
    options.epp = path.extension() == ".epp";
    ParseResult r = parse(path.filename(), read(path), regexes, options);
    ASSERT_TRUE(r.file) << path << ": " << first_error(r);
    std::string tree = print_ast(*r.file, {.slots = false});
    fs::path golden = path;
    golden += ".ast";
    if (std::getenv("PUPC_UPDATE_GOLDENS") != nullptr) std::ofstream(golden, std::ios::binary) << tree;
    EXPECT_EQ(tree, read(golden)) << path;
  }
  EXPECT_GE(cases, 40);
}

std::string unescape(std::string_view s) {
  std::string out;
  for (size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '\\' && i + 1 < s.size() && (s[i + 1] == 'n' || s[i + 1] == 't' || s[i + 1] == '\\')) {
      ++i;
      out += s[i] == 'n' ? '\n' : s[i] == 't' ? '\t' : '\\';
    } else {
      out += s[i];
    }
  }
  return out;
}

TEST(Goldens, Errors) {
  std::istringstream in(read(directory / "errors.txt"));
  int cases = 0;
  for (std::string line; std::getline(in, line);) {
    size_t arrow = line.find(" ==> ");
    if (line.starts_with("# ") && arrow == std::string::npos) continue;
    ASSERT_NE(arrow, std::string::npos) << line;
    ++cases;
    RegexCache regexes;
    ParseResult r = parse("t.pp", unescape(std::string_view(line).substr(0, arrow)), regexes);
    EXPECT_EQ(r.file ? "OK" : first_error(r), unescape(std::string_view(line).substr(arrow + 5))) << line;
  }
  EXPECT_GE(cases, 190);
}

} // namespace
} // namespace pupc::compiler
