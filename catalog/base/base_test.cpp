#include "catalog/base/arena.h"
#include "catalog/base/diagnostic.h"
#include "catalog/base/octal_escapes.h"
#include "catalog/base/symbol.h"

#include <gtest/gtest.h>

using namespace pupc;

TEST(Arena, KeepsSmallObjectsAfterAnOversizedOne) {
  Arena a;
  auto s = a.copy("hello");
  char* big = static_cast<char*>(a.allocate(1 << 20));
  big[0] = big[(1 << 20) - 1] = 'x';
  auto t = a.copy("world");
  EXPECT_EQ(s, "hello");
  EXPECT_EQ(t, "world");
}

TEST(Symbol, WellKnownNamesAreConstants) {
  EXPECT_EQ(intern("title"), sym::title);
  EXPECT_EQ(sym::default_.str(), "default");
  EXPECT_EQ(intern("some::name"), intern("some::name"));
  EXPECT_FALSE(find_symbol("never interned before"));
}

TEST(SourceFile, CountsColumnsInCodePoints) {
  SourceFile f("x.pp", "a\n\xC3\xA9\xC3\xA9x\n");
  EXPECT_EQ(f.position(0).line, 1u);
  EXPECT_EQ(f.position(6).line, 2u);
  EXPECT_EQ(f.position(6).column, 3u);
  EXPECT_EQ(f.line_text(2), "\xC3\xA9\xC3\xA9x");
}

TEST(Diagnostic, ReferenceFormLeavesOutWhatIsUnknown) {
  EXPECT_EQ(position_suffix("", 2, 3), " (line: 2, column: 3)");
  EXPECT_EQ(position_suffix("f.pp", 2, 0), " (file: f.pp, line: 2)");
  EXPECT_EQ(position_suffix("", 0, 0), "");
}

TEST(OctalEscapes, OnlyThreeOctalDigitsCount) {
  EXPECT_EQ(without_octal_escapes("/a\\040b\\303\\251"), "/a b\xC3\xA9");
  EXPECT_EQ(without_octal_escapes("\\04 \\048 \\n \\04"), "\\04 \\048 \\n \\04");
  EXPECT_EQ(octal_escape("\\101", 0), 'A');
  EXPECT_FALSE(octal_escape("\\101", 1));
}

TEST(Diagnostic, SuggestsCloseNames) {
  auto names = similar_names("inclde", {"include", "notice", "each"});
  ASSERT_EQ(names.size(), 1u);
  EXPECT_EQ(names[0], "include");
}
