#include "catalog/base/arena.h"
#include "catalog/base/diagnostic.h"
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

TEST(Diagnostic, SuggestsCloseNames) {
  auto names = similar_names("inclde", {"include", "notice", "each"});
  ASSERT_EQ(names.size(), 1u);
  EXPECT_EQ(names[0], "include");
}
