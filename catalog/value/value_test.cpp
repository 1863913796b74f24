#include "catalog/base/diagnostic.h"
#include "catalog/value/digest.h"
#include "catalog/value/frozen.h"
#include "catalog/value/inspect.h"
#include "catalog/value/number_format.h"
#include "catalog/value/plain_pattern.h"
#include "catalog/value/regex.h"
#include "catalog/value/semver.h"
#include "catalog/value/value.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

#include <algorithm>
#include <thread>

using namespace pupc::catalog;

TEST(Value, HashKeepsOrderAndFindsAboveTheIndexThreshold) {
  Arena a;
  HashBuilder b(a);
  for (int i = 0; i < 100; ++i) b.set(Value::integer(i), Value::integer(i * 2));
  b.set(Value::integer(7), Value::string("seven"));
  Value h = b.finish();
  ASSERT_EQ(h.hash->size, 100u);
  EXPECT_EQ(h.hash->find(Value::integer(7))->str(), "seven");
  EXPECT_EQ(h.hash->data[7].key.i, 7);
  EXPECT_EQ(h.hash->find(Value::integer(100)), nullptr);
}

TEST(Value, KeysAreStrict) {
  EXPECT_FALSE(eql(Value::integer(1), Value::floating(1.0)));
  EXPECT_FALSE(eql(Value::string("a"), Value::string("A")));
  EXPECT_TRUE(eql(Value::string("a"), Value::string("a")));
}

TEST(NumberFormat, PrintsFloatsAsRuby) {
  EXPECT_EQ(format_float(100.0), "100.0");
  EXPECT_EQ(format_float(0.0001), "0.0001");
  EXPECT_EQ(format_float(0.000015), "1.5e-05");
  EXPECT_EQ(format_float(1e16), "1.0e+16");
  EXPECT_EQ(format_float(1e15), "1.0e+15");
  EXPECT_EQ(format_float(123456789012345.0), "123456789012345.0");
  EXPECT_EQ(format_float(-0.0), "-0.0");
  EXPECT_EQ(format_float(123.456), "123.456");
  EXPECT_EQ(format_float(1.5e300), "1.5e+300");
}

TEST(Regex, AnchorsMatchAtLinesAsInRuby) {
  RegexCache cache;
  const Regex* r = cache.get("^b(.)$");
  auto m = r->search("a\nbc\nd");
  ASSERT_TRUE(m.matched);
  EXPECT_EQ(m.groups[1].begin, 3);
  EXPECT_EQ(r, cache.get("^b(.)$"));
  EXPECT_THROW(cache.get("("), RegexError);
}

TEST(Regex, PlainlyValidPatternsCompile) {
  for (const char* known : {"^\\d+$", "^(a|b)?$", "(?i:x+)", "[0-9a-f]{8}-[0-9a-f]{4,}", "[\\w.-]+@", "[-+=]", "([^/\\0]+)+", "=={,6}",
                            "1\\d(?!\\d)", "[[:xdigit:]]{1,4}:", "^(?-mix:a)$", "^https?:\\/\\/", "\\A[^:]*\\z"})
    EXPECT_TRUE(plainly_valid(known)) << known;
  for (const char* other : {"a**",    "[]", "[b-a]", "[a-\\d]", "(",       ")",      "a)",    "(?<n>a)", "\\1",  "{2}",  "a{2",
                            "a{3,2}", "[a", "\\",    "^*",      "[[:x:]]", "[a&&b]", "[--a]", "(?!a)*",  "a{,}", "\\01", "\\p{x}"})
    EXPECT_FALSE(plainly_valid(other)) << other;
  // Anything else that it accepts is valid as well.
  static constexpr const char* parts[] = {
      "a", "b", "Z",   "0",  "9",     "-", "[",   "]",         "(",   ")",   "(?:",     "(?i:", "|",   "^",   "$",   "*",
      "+", "?", "{",   "}",  "{1,2}", ",", "\\d", "\\w",       "\\S", "\\.", "\\/",     "\\]",  "\\-", "\\A", "\\b", "&",
      ".", " ", "a-z", "[^", "2",     ":", "#",   "[:digit:]", "(?!", "(?=", "(?-mix:", "{,2}", "\\0", "A-z", "[-"};
  std::mt19937 random(1);
  size_t accepted = 0;
  for (int i = 0; i < 60000; ++i) {
    std::string source;
    for (size_t n = random() % 9; n > 0; --n) source += parts[random() % std::size(parts)];
    if (!plainly_valid(source)) continue;
    ++accepted;
    EXPECT_NO_THROW(Regex(source).matches("ab-9")) << source;
    EXPECT_NO_THROW(Regex(source, true).matches("ab-9")) << source;
  }
  EXPECT_GT(accepted, 1000u);
}

TEST(Regex, NamesComeInTheOrderOfThePattern) {
  RegexCache cache;
  std::string told;
  for (const auto& [name, number] : cache.get("(?<name>a)(?<kind>b)(?<size>c)(?<zone>d)(?<area>e)(?<name>f)(?<id>g)")->names())
    told += fmt::format("{}{} ", name, number);
  EXPECT_EQ(told, "name6 kind2 size3 zone4 area5 id7 ");
}

TEST(Regex, TheMostRecentPatternsAreKept) {
  RegexCache shared;
  const Regex* of_a_file = shared.get("^file$");
  for (int i = 0; i < 10'000; ++i) {
    RegexCache of_a_compile(shared);
    EXPECT_EQ(of_a_compile.get("^file$"), of_a_file);
    EXPECT_TRUE(of_a_compile.get("^a" + std::to_string(i) + "$")->matches("a" + std::to_string(i)));
    EXPECT_TRUE(of_a_compile.recent("^b" + std::to_string(i) + "$")->matches("b" + std::to_string(i)));
    EXPECT_EQ(of_a_compile.size(), 2U);
  }
  EXPECT_EQ(shared.size(), 1U);
  EXPECT_EQ(shared.recent_size(), RegexCache::most_recent);
  // The last ones are still there; the first ones are made anew.
  EXPECT_EQ(shared.recent("^b9999$").get(), shared.recent("^b9999$").get());
  EXPECT_EQ(shared.get("^b9998$"), shared.recent("^b9998$").get());
  EXPECT_TRUE(shared.recent("^a0$")->matches("a0"));
}

TEST(Regex, LargePatternsMakeRoomSooner) {
  RegexCache shared;
  std::shared_ptr<const Regex> held = shared.recent("held");
  const std::string large(100'000, 'x');
  for (int i = 0; i < 100; ++i) shared.recent(large + std::to_string(i));
  EXPECT_LT(shared.recent_size(), 10U);
  EXPECT_TRUE(held->matches("is held")); // whoever holds a pattern still has it
  EXPECT_THROW(shared.recent("("), RegexError);
  RegexCache of_a_compile(shared);
  EXPECT_THROW(of_a_compile.get("("), RegexError);
  EXPECT_EQ(of_a_compile.size(), 0U);
}

TEST(Regex, ThreadsShareOneCache) {
  RegexCache shared;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&shared, t] {
      for (int i = 0; i < 3000; ++i) {
        RegexCache own(shared);
        const std::string text = std::to_string((i * (t + 1)) % 4000);
        EXPECT_TRUE(own.get(text)->matches(text));
        EXPECT_TRUE(own.recent("a" + text)->matches("a" + text));
      }
    });
  for (std::thread& t : threads) t.join();
}

TEST(Digest, PartsAreOneText) {
  const std::string text(300, 'x');
  for (const auto algorithm : {DigestAlgorithm::Md5, DigestAlgorithm::Sha1, DigestAlgorithm::Sha224, DigestAlgorithm::Sha256,
                               DigestAlgorithm::Sha384, DigestAlgorithm::Sha512}) {
    Digest digest(algorithm);
    for (const size_t size : {0, 1, 127, 172}) digest.add(std::string_view(text).substr(0, size));
    EXPECT_EQ(digest.hex(), hex_digest(algorithm, text));
    EXPECT_EQ(Digest(algorithm).hex(), hex_digest(algorithm, ""));
  }
}

TEST(Regex, TooManyStepsAreNoMismatch) {
  auto message = [](const char* pattern, const std::string& text) -> std::string {
    try {
      return Regex(pattern).matches(text) ? "match" : "no match";
    } catch (const CompileError& e) {
      EXPECT_EQ(e.diagnostic.code, ErrorCode::pattern_limit);
      return e.diagnostic.message;
    }
  };
  EXPECT_NE(message("^(a+)+$", std::string(40, 'a') + "b").find("/^(a+)+$/"), std::string::npos);
  EXPECT_NE(message("(x+x+)+[yz]", std::string(4000, 'x')).find("too many steps"), std::string::npos);
  EXPECT_NE(message("(a|b)*c", std::string(20'000'000, 'a') + "c").find("too many steps"), std::string::npos); // too many to keep
  EXPECT_EQ(message("^(a+)+$", std::string(40, 'a')), "match");
  EXPECT_EQ(message("a.*b.*c$", std::string(1000, 'a')), "no match");
}

TEST(SemVer, OrdersByPrecedence) {
  auto a = parse_semver("1.0.0-alpha.2"), b = parse_semver("1.0.0-alpha.10"), c = parse_semver("1.0.0");
  ASSERT_TRUE(a && b && c);
  EXPECT_LT(compare(*a, *b), 0);
  EXPECT_LT(compare(*b, *c), 0);
  EXPECT_FALSE(parse_semver("1.0"));
  EXPECT_FALSE(parse_semver("01.0.0"));
}

TEST(Regex, EscapesAreAsciiAsInRuby) {
  EXPECT_FALSE(Regex("\\w").matches("\xC3\xA9"));
  EXPECT_TRUE(Regex("[[:alpha:]]").matches("\xC3\xA9"));
  EXPECT_TRUE(Regex("^[\\w-]+$").matches("a-b"));
  EXPECT_TRUE(Regex("[^\\W_]").matches("a"));
  EXPECT_FALSE(Regex("[^\\W_]").matches("_"));
  EXPECT_TRUE(Regex("\\\\w").matches("\\w"));
}

TEST(Regex, RepeatsAnchorsAndRefusesReversedRangesAsRubyDoes) {
  EXPECT_TRUE(Regex("^?b").matches("ab"));
  EXPECT_TRUE(Regex("^*?b").matches("ab"));
  EXPECT_FALSE(Regex("^+b").matches("ab"));
  EXPECT_TRUE(Regex("a\\b{0,2}b$+").matches("ab"));
  EXPECT_TRUE(Regex("^[$?^*]{2,3}\\$?$").matches("?*$"));
  EXPECT_THROW(Regex("a{4,2}"), RegexError);
  EXPECT_NO_THROW(Regex("a\\{4,2}[{4,2}]a{,2}a{2,}a{"));
}

TEST(Inspect, ShowsTextsAsRubyDoes) {
  EXPECT_EQ(inspected(""), "\"\"");
  EXPECT_EQ(inspected("a \"b\" \\ #{c} #$d #@e #f"), R"("a \"b\" \\ \#{c} \#$d \#@e #f")");
  EXPECT_EQ(inspected("\a\b\t\n\v\f\r\x1b\x01\x7f"), R"("\a\b\t\n\v\f\r\e\u0001\u007F")");
  EXPECT_EQ(inspected("\u00e9\u2028\U0010FFFF"), "\"\u00e9\\u2028\\u{10FFFF}\"");
  EXPECT_EQ(inspected("a\xe9z"), R"("a\xE9z")");
}

TEST(Frozen, AtEveryDepthAndThawedAgain) {
  Arena arena;
  ListBuilder list(arena);
  list.add(Value::string("a"));
  HashBuilder hash(arena);
  for (int i = 0; i < 12; ++i) hash.set(arena.copy(std::to_string(i)), list.finish());
  const Value plain = hash.finish();
  EXPECT_FALSE(is_frozen(plain));
  EXPECT_TRUE(is_frozen(plain.hash->data[0].key)) << "Ruby freezes keys";
  EXPECT_EQ(thawed(arena, plain).hash, plain.hash) << "nothing to copy";

  const Value frozen = deep_frozen(arena, plain);
  EXPECT_TRUE(is_frozen(frozen) && is_frozen(*frozen.hash->find("11")) && is_frozen(frozen.hash->find("11")->items()[0]));
  EXPECT_FALSE(is_frozen(plain.hash->find("11")->items()[0]));
  const Value free = thawed(arena, frozen);
  EXPECT_TRUE(eql(free, plain));
  EXPECT_FALSE(is_frozen(free) || is_frozen(*free.hash->find("11")) || is_frozen(free.hash->find("11")->items()[0]));

  Value part = make_list(arena, std::vector{frozen_text(Value::string("a")), *frozen.hash->find("3")});
  EXPECT_TRUE(std::ranges::none_of(thawed(arena, part).items(), is_frozen));
}
