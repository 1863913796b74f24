// Property test: a type that is printed and read again is the same type, and prints the same text.
#include "compiler/types/core_types.h"
#include "compiler/types/type_testing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

using namespace pupc::compiler;

namespace {

/// Random types as source text.
class Texts {
public:
  explicit Texts(unsigned seed) : random_(seed) {}

  std::string type(int depth) {
    static constexpr std::string_view plain[] = {
        "Any",      "Undef",     "Scalar",   "ScalarData", "Data",        "RichData",   "Numeric",  "Integer",      "Float",
        "Boolean",  "String",    "Regexp",   "Pattern",    "Enum",        "Collection", "Array",    "Hash",         "Tuple",
        "Struct",   "Variant",   "Optional", "NotUndef",   "Type",        "Callable",   "Iterable", "Iterator",     "Sensitive",
        "Binary",   "Timestamp", "Timespan", "SemVer",     "SemVerRange", "URI",        "Default",  "CatalogEntry", "Class",
        "Resource", "File",      "Object",   "Runtime",    "Init"};
    if (depth <= 0) return std::string(plain[below(std::size(plain))]);
    auto inner = [&] { return type(depth - 1); };
    switch (below(24)) {
    case 0: return fmt::format("Integer[{}]", range());
    case 1: return fmt::format("Float[{}.5, {}.25]", static_cast<int>(below(5)) - 4, below(9) + 5);
    case 2: return fmt::format("String[{}]", size());
    case 3: return fmt::format("Enum[{}{}]", list([&] { return text(); }), below(4) == 0 ? ", true" : "");
    case 4: return fmt::format("Pattern[{}]", list([&] { return regex(); }));
    case 5: return fmt::format("Regexp[{}]", regex());
    case 6: return fmt::format("Array[{}{}]", inner(), below(2) == 0 ? ", " + size() : "");
    case 7: return fmt::format("Hash[{}, {}{}]", inner(), inner(), below(2) == 0 ? ", " + size() : "");
    case 8: return fmt::format("Tuple[{}{}]", list(inner), below(2) == 0 ? ", " + size() : "");
    case 9: {
      int member = 0;
      return fmt::format("Struct[{{{}}}]", list([&] {
                           std::string key = text().insert(1, std::to_string(member++)); // makes keys unique
                           if (below(4) == 0) key = fmt::format("{}[{}]", below(2) == 0 ? "Optional" : "NotUndef", key);
                           return fmt::format("{} => {}", key, inner());
                         }));
    }
    case 10: return fmt::format("Variant[{}]", list(inner));
    case 11: return fmt::format("Optional[{}]", below(3) == 0 ? text() : inner());
    case 12: return fmt::format("NotUndef[{}]", below(3) == 0 ? text() : inner());
    case 13: return fmt::format("Type[{}]", inner());
    case 14: return fmt::format("Iterable[{}]", inner());
    case 15: return fmt::format("Sensitive[{}]", type(0)); // Puppet generalizes the inner type each time it reads the text
    case 16:
      return fmt::format("Callable[{}{}{}]", list(inner), below(2) == 0 ? fmt::format(", {}", size()) : "",
                         below(3) == 0 ? ", Callable[Integer]" : "");
    case 17: return fmt::format("Callable[[{}], {}]", list(inner), inner());
    case 18: return fmt::format("Boolean[{}]", below(2) == 0 ? "true" : "false");
    case 19: return fmt::format("Collection[{}]", size());
    case 20: return below(2) == 0 ? "File['/a b']" : "Class['a::b']";
    case 21: return fmt::format("Timespan['{}-00:00:00', default]", below(9));
    case 22: return fmt::format("SemVer['>={}.0.0']", below(9));
    default: return inner();
    }
  }

private:
  size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }
  template <class Make> std::string list(Make make) {
    std::string out;
    for (size_t n = 1 + below(3); n > 0; --n) out += (out.empty() ? "" : ", ") + std::string(make());
    return out;
  }
  std::string text() {
    static constexpr std::string_view texts[] = {
        "'a'",      "'B c'", "'ü'", "\"\\n\"", "'\\''", "'$x'",
        "\"\\t'\"", "'[1]'", "'/'", "'\\\\x'", "'0'"}; // not two backslashes: Puppet prints those as one
    return std::string(texts[below(std::size(texts))]);
  }
  std::string regex() {
    static constexpr std::string_view patterns[] = {"/a/",  "/\\Ab\\z/", "/a\\/b/",   "/[\\]x]/", "/(?i:x)/",
                                                    "/ü+/", "/\\\\/",    "/\\d{2,}/", "/x|y/"};
    return std::string(patterns[below(std::size(patterns))]);
  }
  std::string range() {
    int64_t from = static_cast<int64_t>(below(20)) - 10;
    switch (below(4)) {
    case 0: return fmt::format("default, {}", from);
    case 1: return std::to_string(from);
    default: return fmt::format("{}, {}", from, from + static_cast<int64_t>(below(5)));
    }
  }
  std::string size() {
    size_t from = below(3);
    return below(3) == 0 ? fmt::format("{}, default", from + 1) : fmt::format("{}, {}", from, from + 1 + below(3));
  }

  std::mt19937 random_;
};

} // namespace

TEST(RoundTrip, Types) {
  Arena arena;
  RegexCache regexes;
  NoTypes ctx{arena, regexes};
  size_t read = 0;
  for (unsigned seed = 1; seed <= 5000; ++seed) {
    std::string text = Texts(seed).type(static_cast<int>(seed % 4));
    const Type* first = nullptr;
    try {
      first = parse_type(ctx, text);
    } catch (const CompileError&) {
      continue; // a wrong type, e.g. Iterable of a type that cannot be iterated over
    }
    ++read;
    std::string printed = first->to_string();
    if (printed.find("[[0, 0, ") != std::string::npos) continue; // a block alone gets a size, which is another type in Puppet too
    const Type* second = nullptr;
    ASSERT_NO_THROW(second = parse_type(ctx, printed)) << "seed " << seed << ": " << text << "\n printed as " << printed;
    EXPECT_TRUE(first->equals(*second)) << "seed " << seed << ": " << text << "\n printed as " << printed << "\n then "
                                        << second->to_string();
    EXPECT_EQ(second->to_string(), printed) << "seed " << seed << ": " << text;
    EXPECT_EQ(first->hash(), second->hash()) << "seed " << seed << ": " << text;
  }
  EXPECT_GT(read, 4000u);
}

// A hash with a type for each key, as a Struct of a hundred parameters has, must not be a list.
TEST(HashOfTypes, StructKeys) {
  Arena arena;
  RegexCache regexes;
  NoTypes ctx{arena, regexes};
  auto hash = [&](std::string_view text) { return parse_type(ctx, text)->hash(); };
  EXPECT_NE(hash("Optional['a']"), hash("Optional['b']"));
  EXPECT_NE(hash("Optional['a']"), hash("NotUndef['a']"));
  EXPECT_EQ(hash("Optional"), hash("Optional[Any]"));
}
