#include "catalog/json/json_scanner.h"
#include "catalog/json/plain_json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <random>

namespace pupc::catalog {
namespace {

/// What was read, written again; "refused" if it was not taken.
std::string scanned(std::string_view text, size_t most_levels = 100) {
  Arena arena;
  const auto value = scan_json(text, arena, most_levels);
  if (!value) return "refused";
  std::string out;
  JsonWriter w(out);
  write_plain_json(w, *value);
  return out;
}

TEST(JsonScanner, Takes) {
  EXPECT_EQ(scanned(R"( {"a" : [1, -2, 2.5, true, false, null, "x"], "b":{}, "c":[ ], "a":[[{"d":[]}], ""]} )"),
            R"({"a":[[{"d":[]}],""],"b":{},"c":[]})");
  EXPECT_EQ(scanned("\r\n\t7"), "7");
  EXPECT_EQ(scanned(R"("a\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac")"), "\"a\\\"\\\\/\\b\\f\\n\\r\\tA\xc3\xa9\xe2\x82\xac\"");
  EXPECT_EQ(scanned("\"na\xc3\xafve \xf0\x9f\x98\x80 and a tail without an end\""),
            "\"na\xc3\xafve \xf0\x9f\x98\x80 and a tail without an end\"");
  EXPECT_EQ(scanned("[-9223372036854775808,9223372036854775807,-0,0,-0.0,1e2,1E+2,1.25e-2]"),
            "[-9223372036854775808,9223372036854775807,0,0,-0.0,100.0,100.0,0.0125]");
  EXPECT_EQ(scanned("[[1]]", 2), "[[1]]");
}

TEST(JsonScanner, LeavesToTheWholeParser) {
  for (const char* text : {"",
                           " ",
                           "[",
                           "]",
                           "[1",
                           "[1,",
                           "[1,]",
                           "[,1]",
                           "[1 2]",
                           "{",
                           "{\"a\"",
                           "{\"a\":",
                           "{\"a\":1",
                           "{\"a\":1,",
                           "{\"a\":1,}",
                           "{,}",
                           "{1:2}",
                           "{\"a\" 1}",
                           "[1}",
                           "{\"a\":1]",
                           "1 2",
                           "tru",
                           "nul",
                           "falsy",
                           "True",
                           "01",
                           "-",
                           "-a",
                           "+1",
                           "1.",
                           ".5",
                           "1.e2",
                           "1e",
                           "1e+",
                           "0x1",
                           "9223372036854775808",
                           "1e999",
                           "1e-999",
                           "NaN",
                           "\"",
                           "\"a",
                           "\"\\",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\u12g4\"",
                           "\"\\u-123\"",
                           "\"\\ud83d\\ude00\"",
                           "\"a\nb\"",
                           "\"\x01\"",
                           "\"\xff\"",
                           "\"\xed\xa0\x80\"",
                           "\xef\xbb\xbf[]",
                           "/* */ []",
                           "'a'",
                           "[[[1]]]"})
    EXPECT_EQ(scanned(text, 2), "refused") << text;
  EXPECT_EQ(scanned(std::string_view("[]\0", 3)), "refused");
}

/// Texts near right ones: what is taken is what the whole parser reads.
TEST(JsonScanner, ChangedTexts) {
  const std::vector<std::string> seeds{R"({"name":"web1","values":{"os":{"family":"Debian","n":[1,2.50,-3e2]},"é\u00e9\n":null,"t":true}})",
                                       R"([[],{},"",0,-0.1,[{"a":[""]}]])",
                                       R"({"a":{"b":{"c":["12345678\\","123456789\"x"]}},"a":"\/\u0041"})"};
  constexpr std::string_view bytes = "{}[]:,\"\\ \n0123456789eE+-.utrfalsn/\xc3\xa9\x01\x7f";
  std::mt19937 random(7);
  const auto below = [&](size_t n) { return random() % n; };
  size_t taken = 0;
  for (int i = 0; i < 60000; ++i) {
    std::string text = seeds[below(seeds.size())];
    for (size_t n = below(4); n-- > 0;) {
      const size_t at = below(text.size());
      switch (below(3)) {
      case 0: text[at] = bytes[below(bytes.size())]; break;
      case 1: text.erase(at, 1 + below(3)); break;
      default: text.insert(at, 1, bytes[below(bytes.size())]);
      }
      if (text.empty()) text = "1";
    }
    const std::string got = scanned(text);
    if (got == "refused") continue;
    ++taken;
    ASSERT_TRUE(nlohmann::json::accept(text)) << text;
    ASSERT_EQ(nlohmann::json::parse(got), nlohmann::json::parse(text)) << text;
  }
  EXPECT_GT(taken, 15000U);
}

} // namespace
} // namespace pupc::catalog
