// What Ruby 3.1 answers, asked of it for each line.
#include "catalog/value/plain_pattern.h"
#include "catalog/value/regex.h"

#include <gtest/gtest.h>

#include <random>
#include <span>

namespace pupc::catalog {
namespace {

/// The whole match in a text, "-" for none, or the message for a pattern that is refused.
std::string found(const char* pattern, const std::string& text, bool ignore_case = false, bool extended = false) {
  try {
    const MatchResult m = Regex(pattern, ignore_case, extended).search(text);
    if (!m.matched) return "-";
    return text.substr(static_cast<size_t>(m.groups[0].begin), static_cast<size_t>(m.groups[0].end - m.groups[0].begin));
  } catch (const RegexError& e) { return e.message; }
}

TEST(RubyPattern, WordsAreAsciiWithoutCaseToo) {
  const std::string kelvin = "\u212A", long_s = "\u017F";
  for (const char* pattern : {"\\w", "[\\w]", "[\\w-]", "[\\d\\w]", "\\b\\w"}) {
    EXPECT_EQ(found(pattern, kelvin, true), "-") << pattern;
    EXPECT_EQ(found(pattern, long_s, true), "-") << pattern;
    EXPECT_EQ(found(pattern, "K", true), "K") << pattern;
  }
  for (const char* pattern : {"\\W", "[^\\w]", "[^\\w ]", "[\\W]", "(?i)\\W", "(?i:[\\W])"})
    EXPECT_EQ(found(pattern, kelvin, true), kelvin) << pattern;
  EXPECT_EQ(found("(?i)\\w", kelvin), "-");
  EXPECT_EQ(found("(?mi-x:\\w+)", kelvin), "-");
  EXPECT_EQ(found("k", kelvin, true), kelvin) << "letters do change their case";
  EXPECT_EQ(found("[\\wk]", kelvin, true), kelvin);
  EXPECT_EQ(found("[\\w\u00e9]", "\u00c9", true), "\u00c9");
  EXPECT_EQ(found("[^\\w\u00e9]", "\u00c9", true), "-");
  EXPECT_EQ(found("[[:alpha:]]", "\u00e9"), "\u00e9");
  EXPECT_EQ(found("(?u)\\w", "\u00e9"), "\u00e9");
  EXPECT_EQ(found("(?d)\\w", "\u00e9"), "-");
}

TEST(RubyPattern, RangesOfSets) {
  for (const char* pattern : {"[a-\\d]", "[a-\\w]", "[a-\\S]", "[--\\d]", "[a-\\p{Lu}]", "[a-\\h]"})
    EXPECT_EQ(found(pattern, "a"), "char-class value at end of range") << pattern;
  for (const char* pattern : {"[\\d-a]", "[\\w-.]", "[\\s-\\d]", "[\\d-[a]]", "[\\d--]", "[^\\d-a]", "[[:alpha:]-z]"})
    EXPECT_EQ(found(pattern, "a"), "unmatched range specifier in char-class") << pattern;
  for (const char* pattern : {"[a-c-\\d]", "[\\d-]", "[-\\d]", "[\\d\\-]", "[0-9-\\d]", "[]-]", "[\\p{Nd}-]", "[[a]-\\d]"})
    EXPECT_EQ(found(pattern, "-"), "-") << pattern; // the text itself
  for (bool ignore_case : {false, true}) {          // a dash and a caret stay what they are beside a \w
    EXPECT_EQ(found("[\\w^]+", " a^b ", ignore_case), "a^b");
    EXPECT_EQ(found("[^\\w^]+", "a^ -b", ignore_case), " -");
    EXPECT_EQ(found("[-.\\w]+", " a-b.c ", ignore_case), "a-b.c");
    EXPECT_EQ(found("[\\w:[:digit:]-]+", " a:1- ", ignore_case), "a:1-");
  }
  EXPECT_EQ(found("[\u65e5-\u672c]", "\u6600"), "\u6600");
  EXPECT_EQ(found("[[:punct:]]", "$"), "$");
  EXPECT_EQ(found("[^[:punct:]]", "$a"), "a");
  EXPECT_EQ(found("[[:^punct:]]", "|a"), "a");
}

TEST(RubyPattern, WhatLooksBehindHasAFixedLength) {
  for (const char* pattern :
       {"(?<!a+)c", "(?<=a*)c", "(?<=a?)c", "(?<=a{1,2})c", "(?<=a{2}?)c", "(?<=a{2}+)c", "(?<=.*)c", "(?<=(?:a|b)?)c", "(a)(?<=\\1)c",
        "(?<n>a)(?<=\\k<n>)c", "(?<=(?>a))c", "(?<=(?~a))c", "(?<=a(?=c+))c", "(?<=^*a)c", "(?<=x(?:a|bc))c"})
    EXPECT_EQ(found(pattern, "bc"), "invalid pattern in look-behind") << pattern;
  for (const char* pattern : {"(?<=b)c", "(?<=a|b)c", "(?<=aa|b)c", "(?<!a|cc)c", "(?<=b{1})c", "(?<=b{1,1})c", "(?<=[ab])c", "(?<=^b)c",
                              "(?<=\\b)c|c", "(?<!\\d)c", "(?<=\\10|b)c"})
    EXPECT_EQ(found(pattern, "bc"), "c") << pattern;
}

TEST(RubyPattern, Characters) {
  EXPECT_EQ(found("\\u{61 62}+", "xabb"), "abb");
  EXPECT_EQ(found("[\\u{61 7a}]+", "xaz"), "az");
  EXPECT_EQ(found("[\\u{5d}\\u{2d}]+", "x]-"), "]-");
  EXPECT_EQ(found("\\u00e9", "\u00e9"), "\u00e9");
  EXPECT_EQ(found("\\xc3\\xa9", "\u00e9"), "\u00e9");
  EXPECT_EQ(found("\\x41\\x2e", "A."), "A.");
  EXPECT_EQ(found("\\y\\o", "yo"), "yo");
  EXPECT_EQ(found("\\u{}", ""), "invalid Unicode list");
  EXPECT_EQ(found("\\u{110000}", ""), "invalid Unicode range");
  EXPECT_EQ(found("\\ud800", ""), "invalid Unicode range");
  EXPECT_EQ(found("\\x", ""), "invalid hex escape");
  EXPECT_EQ(found("\\x{61}", ""), "invalid hex escape");
  EXPECT_EQ(found("\\xff", ""), "invalid multibyte escape");
  EXPECT_EQ(found("\\xc3", ""), "too short escaped multibyte character");
  EXPECT_EQ(found("\\M-a", ""), "too short escaped multibyte character");
  EXPECT_EQ(found("(?(a)b)", ""), "invalid conditional pattern");
}

TEST(RubyPattern, AnchorsMayBeRepeated) {
  for (const char* pattern : {"^*a", "^{0}a", "^*?a", "(?=a)*a", "(?:^)*a", "\\K*a", "(?<=b)?a", "(?:^|b)*a", "(^)*a", "\\b{2}a|a"})
    EXPECT_EQ(found(pattern, "a"), "a") << pattern;
  EXPECT_EQ(found("(?=b)+a", "a"), "-");
  EXPECT_EQ(found("^+a", "ba"), "-");
  EXPECT_EQ(found("(?=(a))?a\\1", "aa"), "aa") << "the groups keep their numbers";
  EXPECT_EQ(found("a{2,1}", "a"), "upper is smaller than lower in repeat range");
  EXPECT_EQ(found("a # (\nb", "ab", false, true), "ab");
}

TEST(RubyPattern, AsciiOnly) {
  EXPECT_EQ(found("(?a)\\w+", "\u00e9a"), "a");
  EXPECT_EQ(found("(?a)\\b.", "\u00e9a"), "a");
  EXPECT_EQ(found("(?a)[[:alpha:]]+", "\u00e9ab"), "ab");
  EXPECT_EQ(found("(?a)[[:^alpha:]]", "a\u00e9"), "\u00e9");
  EXPECT_EQ(found("(?a)[^[:alpha:]]", "a\u00e9"), "\u00e9");
  EXPECT_EQ(found("(?a)[[:punct:]]", "a$"), "$");
  EXPECT_EQ(found("(?a)\\p{Alpha}", "\u00e9"), "\u00e9") << "properties know all of Unicode";
  EXPECT_EQ(found("(?a:[[:alpha:]])|\u00e9", "\u00e9"), "\u00e9");
  EXPECT_EQ(found("(?a)(?u)[[:alpha:]]", "\u00e9"), "\u00e9");
  EXPECT_EQ(found("(?ai)K", "k"), "k");
  EXPECT_EQ(found("(?-a)k", "k"), "undefined group option");
}

TEST(RubyPattern, TextWithoutAMatch) {
  EXPECT_EQ(found("(?~abc)", "abcabc"), "ab");
  EXPECT_EQ(found("(?~abc)\\z", "abcabc"), "bc");
  EXPECT_EQ(found("(?~abc){2}", "abcabc"), "abcab");
  EXPECT_EQ(found("(?:(?~ab))b", "ab"), "ab");
  EXPECT_EQ(found("/\\*(?~\\*/)\\*/", "/* a */ b */"), "/* a */");
  EXPECT_EQ(found("\\A(?~ab|cd)", "xabcd"), "xa");
  EXPECT_EQ(found("(?~[a-c])", "xxa"), "xx");
  for (const char* pattern : {"(?~)", "(?~|a)", "(?~a|)"}) EXPECT_EQ(found(pattern, "b"), "-") << pattern;
  // Ruby finds "xabb": without a fixed length the text ends where the pattern begins (tools/conformance/DIFFERENCES.md).
  EXPECT_EQ(found("\\A(?~ab+c)", "xabbcy"), "x");
}

TEST(RubyPattern, PropertiesWithoutCase) {
  for (const char* pattern : {"\\P{Lu}", "\\p{^Lu}", "\\P{Ll}", "[^\\p{Lu}]"}) EXPECT_EQ(found(pattern, "aA", true), "-") << pattern;
  EXPECT_EQ(found("\\p{Lu}", "a", true), "a");
  EXPECT_EQ(found("\\P{^Lu}", "a", true), "a");
  EXPECT_EQ(found("\\P{Lu}", "1", true), "1");
  // Ruby's sets do not fold to the letters from U+0080 to U+00FF: [\p{Lu}] does not match "\u00e9" there. Here they do
  // (tools/conformance/DIFFERENCES.md).
  EXPECT_EQ(found("[\\p{Lu}]", "\u00e9", true), "\u00e9");
}

TEST(RubyPattern, RequiredTexts) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(required_texts("^db(1|2)\\d+\\.example\\.com$"), (Texts{"db", ".example.com"}));
  EXPECT_EQ(required_texts("ab+c?d*e"), (Texts{"ab", "e"}));
  EXPECT_EQ(required_texts("a.b"), (Texts{"a", "b"}));
  EXPECT_EQ(required_texts("a{2}b"), (Texts{"b"}));
  EXPECT_EQ(required_texts("a(?!b)c\\nd"), (Texts{"a", "c", "d"}));
  for (const char* pattern : {"", "a|b", "(ab)", "(?i)ab", "a?", "[ab]", "\\d\\n"}) EXPECT_EQ(required_texts(pattern), Texts{}) << pattern;
}

/// A group around the whole pattern hides its texts: with and without them the same is found.
TEST(RubyPattern, RequiredTextsDecideNothing) {
  std::mt19937 random(42); // NOLINT(cert-msc51-cpp): the same each time
  const auto pick = [&](std::span<const char* const> from) { return std::string(from[random() % from.size()]); };
  constexpr const char* pieces[] = {"a", "b", "ab",    ".",     "\\.", "[ab]", "(a|b)", "(?:ab)",
                                    "^", "$", "(?=b)", "(?!a)", "\\b", "\\w",  "|",     "-"};
  constexpr const char* counts[] = {"", "", "", "", "+", "*", "?", "{2}", "+?", "{0,1}"};
  constexpr const char* letters[] = {"a", "b", ".", "-", "\n", " ", "A"};
  int searched = 0, matched = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string pattern, text;
    for (size_t n = random() % 5 + 1; n > 0; --n) pattern += pick(pieces) + pick(counts);
    for (size_t n = random() % 7; n > 0; --n) text += pick(letters);
    const std::string with = found(pattern.c_str(), text), without = found(("(?:" + pattern + ")").c_str(), text);
    EXPECT_EQ(with, without) << pattern << " in " << text;
    searched += !required_texts(pattern).empty();
    matched += with != "-";
  }
  EXPECT_GT(searched, 500);
  EXPECT_GT(matched, 1000);
}

} // namespace
} // namespace pupc::catalog
