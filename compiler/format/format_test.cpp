// The formatter against the golden cases in testdata/format, and its promises for any input.
#include "compiler/format/format.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace pupc::compiler {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string format(const std::string& text, uint32_t first = 0, uint32_t last = 0) {
  const FormatResult result = format_manifest("x.pp", text, {first, last});
  EXPECT_TRUE(result.ok) << text << (result.diagnostics.empty() ? "" : result.diagnostics[0].message);
  return result.text;
}

/// Formats each NAME.pp and expects NAME.formatted. Formatting that file must change nothing.
TEST(Format, Golden) {
  size_t cases = 0;
  for (const auto& entry : fs::directory_iterator("testdata/format")) {
    if (entry.path().extension() != ".pp") continue;
    ++cases;
    const std::string wanted = read(fs::path(entry.path()).replace_extension(".formatted"));
    EXPECT_EQ(format(read(entry.path())), wanted) << entry.path();
    EXPECT_EQ(format(wanted), wanted) << entry.path();
  }
  EXPECT_GE(cases, 8u);
}

TEST(Format, EndsOfLines) {
  EXPECT_EQ(format(""), "");
  EXPECT_EQ(format("\n\n"), "");
  EXPECT_EQ(format("notice(1)"), "notice(1)\n");
  EXPECT_EQ(format("class a{\r\n$x=1 # c \r\n}\r\n"), "class a {\r\n  $x = 1 # c\r\n}\r\n");
  EXPECT_EQ(format("# only a comment"), "# only a comment\n");
}

TEST(Format, ColumnsStayWhereTheAuthorHasThem) {
  const std::string wide = "class a (\n  String          $x    = 'a',\n  Optional[String] $yy  = undef,\n  Integer          $zzz = 1,\n) "
                           "{\n  $q    = 1\n  $long = 2\n"
                           "  $s      = 1\n  $t      = 2\n}\n";
  const std::string kept = format(wide);
  EXPECT_NE(kept.find("  $q    = 1\n  $long = 2\n"), std::string::npos) << kept;
  EXPECT_NE(kept.find("  $s      = 1\n  $t      = 2\n"), std::string::npos) << kept;
  EXPECT_NE(kept.find("  Optional[String] $yy  = undef,\n  Integer          $zzz = 1,\n"), std::string::npos) << kept;
  EXPECT_EQ(format(kept), kept);
  FormatOptions tight;
  tight.keep_columns = false;
  EXPECT_NE(format_manifest("x.pp", wide, tight).text.find("  $s = 1\n  $t = 2\n"), std::string::npos);
  // Tabs have no column of their own.
  EXPECT_EQ(format("$a\t= 1\n$b\t= 2\n"), "$a = 1\n$b = 2\n");
}

TEST(Format, SyntaxErrorsStay) {
  const FormatResult result = format_manifest("x.pp", "class {", {});
  EXPECT_FALSE(result.ok);
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_EQ(result.diagnostics[0].position().line, 1u);
}

TEST(Format, Lines) {
  const std::string text = "class a {\n$x=1\n$y=2\n$z=3\n}\n";
  EXPECT_EQ(format(text, 3, 3), "class a {\n$x=1\n  $y = 2\n$z=3\n}\n");
  EXPECT_EQ(format(text, 1, 9), "class a {\n  $x = 1\n  $y = 2\n  $z = 3\n}\n");
  // Lines that the formatter joins count as one.
  EXPECT_EQ(format("class a\n{\n$x=1\n}\n", 2, 2), "class a {\n$x=1\n}\n");
}

} // namespace
} // namespace pupc::compiler
