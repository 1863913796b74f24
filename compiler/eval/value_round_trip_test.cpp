// Properties: a value that is printed as Puppet source and evaluated again is the same value.
#include "compiler/build/compile_testing.h"

#include <gtest/gtest.h>
#include <random>

using namespace pupc::compiler;

namespace {

/// Makes random values in source form.
class Literals {
public:
  explicit Literals(unsigned seed) : random_(seed) {}

  std::string value(int depth) {
    switch (below(depth > 0 ? 16 : 12)) {
    case 0: return "undef";
    case 1: return below(2) == 0 ? "true" : "false";
    case 2: return std::to_string(static_cast<int32_t>(random_()));
    case 3: return below(2) == 0 ? "9223372036854775807" : "-9223372036854775807";
    case 4:
      return fmt::format("{}.{}e{}", below(10), below(100000),
                         static_cast<int>(below(25)) - 20); // Puppet prints 1.0e+16, which its parser does not read
    case 5: return "default";
    case 6: {
      static constexpr std::string_view patterns[] = {"/a/", "/a\\/b/", "/[\\]x]/", "/(?i:x)/", "/ü+\\s/", "/\\\\/", "/x|\"y'/"};
      return std::string(patterns[below(std::size(patterns))]);
    }
    case 7: {
      static constexpr std::string_view types[] = {"Integer[1, 2]",
                                                   "Array[String]",
                                                   "Struct[{'a' => Integer}]",
                                                   "File['/x']",
                                                   "Class['a']",
                                                   "Enum['a', 'b']",
                                                   "Pattern[/a\\/b/]",
                                                   "Type[Integer]",
                                                   "Optional['x']",
                                                   "Callable[String, Callable]",
                                                   "Variant[String, Integer]"};
      return std::string(types[below(std::size(types))]);
    }
    case 12:
    case 13: {
      std::string out = "[";
      for (size_t n = below(4); n > 0; --n) out += (out.size() > 1 ? ", " : "") + value(depth - 1);
      return out + "]";
    }
    case 14:
    case 15: {
      std::string out = "{";
      for (size_t n = below(4); n > 0; --n) // distinct keys
        out += (out.size() > 1 ? ", " : "") + (below(3) == 0 ? std::to_string(n) : fmt::format("[{}, {}]", n, text())) + " => " +
               value(depth - 1);
      return out + "}";
    }
    default: return text();
    }
  }

private:
  size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }
  /// Leaves out a backslash before a quote: Puppet prints it in a form that it cannot read.
  std::string text() {
    static constexpr std::string_view pieces[] = {"a",    " ",      "\\n", "\\t",  "\\\\z",      "\\\"",    "'",
                                                  "\\$x", "\\${y}", "ü",   "日本", "\\u{1F600}", "\\u0001", "[",
                                                  "]",    "{",      "/",   "\\r",  "\\e",        "\\u007f", "#"};
    std::string out = "\"";
    for (size_t n = below(6); n > 0; --n) out += pieces[below(std::size(pieces))];
    return out + "\"";
  }
  std::mt19937 random_;
};

} // namespace

TEST(RoundTrip, Values) {
  for (unsigned seed = 1; seed <= 1500; ++seed) {
    std::string code = Literals(seed).value(static_cast<int>(seed % 4));
    TestCompile t;
    Value first = t.evaluate("$x = " + code);
    std::string printed = to_program_string(t.evaluator.types(), first);
    Value second;
    ASSERT_NO_THROW(second = t.evaluate("$y = " + printed)) << "seed " << seed << ": " << code << "\n printed as " << printed;
    EXPECT_TRUE(eql(first, second)) << "seed " << seed << ": " << code << "\n printed as " << printed;
    EXPECT_EQ(to_program_string(t.evaluator.types(), second), printed) << "seed " << seed << ": " << code;
  }
}
