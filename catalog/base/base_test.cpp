#include "catalog/base/arena.h"
#include "catalog/base/diagnostic.h"
#include "catalog/base/host_name.h"
#include "catalog/base/limits.h"
#include "catalog/base/octal_escapes.h"
#include "catalog/base/once.h"
#include "catalog/base/paths.h"
#include "catalog/base/similar_names.h"
#include "catalog/base/symbol.h"
#include "catalog/base/utf8.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <thread>

using namespace pupc::catalog;

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

TEST(Paths, WithANulNameNothing) {
  const std::string path = std::string("/tmp") + '\0' + "/x";
  EXPECT_FALSE(is_directory(path));
  EXPECT_FALSE(read_whole_file(std::string("/proc/self/stat") + '\0'));
  EXPECT_TRUE(is_directory("/tmp"));
}

TEST(Paths, AreAbsoluteWithoutDots) {
  EXPECT_EQ(absolute_path("/a//b/./c/"), "/a/b/c");
  EXPECT_EQ(absolute_path("/a/b/../../../c"), "/c");
  EXPECT_EQ(absolute_path("/.."), "/");
  EXPECT_EQ(absolute_path("x/../y", "/base/./dir/"), "/base/dir/y");
  EXPECT_EQ(absolute_path("../../../y", "/base/dir"), "/y");
  EXPECT_EQ(absolute_path("/y", "/base"), "/y");
}

TEST(Utf8, IsAsRubyReadsIt) {
  for (const char* valid : {"", "a", "\xC3\xA9", "\xE2\x82\xAC", "\xED\x9F\xBF", "\xEE\x80\x80", "\xF0\x9F\x98\x80", "\xF4\x8F\xBF\xBF"})
    EXPECT_TRUE(valid_utf8(valid)) << valid;
  for (const char* broken :
       {"\x80", "\xC3", "a\xC3", "\xC3(", "\xC0\xAF", "\xC1\xBF", "\xE0\x80\xAF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xED\xBF\xBF",
        "\xE2\x82", "\xF0\x80\x80\xAF", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"})
    EXPECT_FALSE(valid_utf8(broken)) << broken;
}

TEST(OctalEscapes, OnlyThreeOctalDigitsCount) {
  EXPECT_EQ(without_octal_escapes("/a\\040b\\303\\251"), "/a b\xC3\xA9");
  EXPECT_EQ(without_octal_escapes("\\04 \\048 \\n \\04"), "\\04 \\048 \\n \\04");
  EXPECT_EQ(octal_escape("\\101", 0), 'A');
  EXPECT_FALSE(octal_escape("\\101", 1));
}

TEST(Diagnostic, SuggestsCloseNames) {
  EXPECT_EQ(did_you_mean("agnet", {"agent"}), "Did you mean 'agent'?"); // two letters that change places are one slip
  auto names = similar_names("inclde", {"include", "notice", "each"});
  ASSERT_EQ(names.size(), 1u);
  EXPECT_EQ(names[0], "include");
  // Two letters the other way round are one slip, also in a short name; two digits are another name.
  EXPECT_EQ(did_you_mean("flie", {"host", "file"}), "Did you mean 'file'?");
  EXPECT_EQ(did_you_mean("agnet", {"apply", "agent"}), "Did you mean 'agent'?");
  EXPECT_EQ(did_you_mean("ab12", {"ab21"}), "");
}

TEST(Limits, CountTheMemoryInUse) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizers have an operator new of their own";
#endif
  const int64_t before = limits_detail::meter.bytes;
  auto text = std::make_unique<std::string>(100'000, 'x');
  EXPECT_GE(limits_detail::meter.bytes, before + 100'000);
  text.reset();
  EXPECT_EQ(limits_detail::meter.bytes, before);
}

TEST(Once, CallsAgainAfterAnExceptionAndNeverAfterSuccess) {
  Once once;
  int calls = 0;
  auto make = [&] {
    if (++calls == 1) throw std::runtime_error("first");
  };
  EXPECT_THROW(once.call(make), std::runtime_error);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { once.call(make); });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(calls, 2);
}

TEST(SimilarNames, AgreeForLongAndShortNames) {
  // Names of more than 64 letters go another way than shorter ones.
  const std::string head(70, 'q');
  for (auto [wanted, known, near] : {std::tuple("runnning", "running", true), std::tuple("enabel", "enable", true),
                                     std::tuple("stop", "absent", false), std::tuple("xab::cd", "ab::cd", true)}) {
    EXPECT_EQ(!did_you_mean(wanted, {known}).empty(), near) << wanted;
    const std::string longer = head + wanted, known_longer = head + known;
    EXPECT_EQ(similar_names(longer, {known_longer}).size(), 1u) << wanted; // 6 letters may differ there
    KnownNames names;
    names.add(known);
    EXPECT_EQ(did_you_mean(wanted, {&names}), did_you_mean(wanted, {known}));
  }
  KnownNames names, others;
  names.add("ntp::servers");
  others.add("ntp::service");
  EXPECT_EQ(did_you_mean("ntp::servic", {&names, &others}), "Did you mean 'ntp::service'?");
}

/// Spends time without looking at any limit.
static void hang(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {}
}

static int64_t soon(std::chrono::nanoseconds time) { return (std::chrono::steady_clock::now().time_since_epoch() + time).count(); }

TEST(Watchdog, EndsTheProcessOnlyWhenWorkIsLate) {
  using std::chrono::milliseconds;
  EXPECT_EXIT(
      {
        Watchdog watchdog;
        watchdog.guard(soon(milliseconds(20)));
        hang(milliseconds(10'000));
      },
      testing::ExitedWithCode(1), "could not be interrupted");
  EXPECT_EXIT(
      {
        Watchdog watchdog;
        for (int i = 0; i < 50; ++i) { // all in time, and longer together than one may take
          watchdog.guard(soon(milliseconds(400)));
          hang(milliseconds(10));
          watchdog.guard(INT64_MAX);
        }
        std::fputs("the last one ", stderr);
        watchdog.guard(soon(milliseconds(20)));
        hang(milliseconds(10'000));
      },
      testing::ExitedWithCode(1), "the last one .*could not be interrupted");
}

TEST(HostNames, DomainFromTheNameTheResolverOrItsFile) {
  auto names = [](const char* node, const char* canonical, std::vector<std::string> lines) {
    const HostNames found = host_names(
        node, [&](const std::string&) { return canonical == nullptr ? std::nullopt : std::optional<std::string>(canonical); },
        [&] { return lines; });
    return found.host + " " + found.domain + " " + found.full;
  };
  EXPECT_EQ(names("web.example.com", "other.example.net", {}), "web example.com web.example.com");
  EXPECT_EQ(names("web", "web.example.com", {"domain example.net"}), "web example.com web.example.com");
  EXPECT_EQ(names("web", "web", {"search one.test two.test", "domain example.net"}), "web example.net web.example.net");
  EXPECT_EQ(names("web", nullptr, {" domain no", "search one.test two.test"}), "web one.test web.one.test");
  EXPECT_EQ(names("web", nullptr, {}), "web  web");
}
