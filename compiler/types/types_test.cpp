#include "compiler/types/core_types.h"
#include "compiler/types/type_testing.h"

#include <gtest/gtest.h>

using namespace pupc::compiler;

namespace {

struct Types : testing::Test {
  Arena arena;
  RegexCache regexes;
  NoTypes ctx{arena, regexes};
  const Type* t(std::string_view text) { return parse_type(ctx, text); }
  bool accepts(std::string_view to, std::string_view from) { return is_assignable(ctx, t(to), t(from)); }
};

TEST_F(Types, PrintWhatTheyWereReadFrom) {
  for (const char* text : {"Any",
                           "Integer[1, 2]",
                           "Integer[default, 2]",
                           "Integer[1]",
                           "Float[1.5, 2.0]",
                           "String[1]",
                           "Enum['a', 'b']",
                           "Enum['a', true]",
                           "Pattern[/a\\/b/]",
                           "Array[String]",
                           "Array[Any, 1, 2]",
                           "Array[0, 0]",
                           "Hash[String, Integer]",
                           "Hash[String, Integer, 1, 3]",
                           "Tuple[String, Integer, 1, 4]",
                           "Struct[{'a' => Integer, Optional['b'] => String}]",
                           "Variant[String, Integer]",
                           "Optional[String]",
                           "Optional['x']",
                           "Callable[String, 1, 2]",
                           "Callable[0, 0]",
                           "Callable[[String], Integer]",
                           "Callable[String, Callable]",
                           "Type[Integer]",
                           "File['/x']",
                           "File",
                           "Class[a::b]",
                           "Boolean[true]",
                           "Sensitive[String]",
                           "Timespan['0-00:01:00.0']",
                           "SemVer['>=1.0.0 <2.0.0']",
                           "TypeReference['Foo']"})
    EXPECT_EQ(t(text)->to_string(), text);
}

TEST_F(Types, Assignability) {
  EXPECT_TRUE(accepts("Numeric", "Integer[1]"));
  EXPECT_FALSE(accepts("Integer[1]", "Integer"));
  EXPECT_TRUE(accepts("Array[Numeric]", "Tuple[Integer, Float]"));
  EXPECT_TRUE(accepts("Variant[String, Undef]", "Optional[String]"));
  EXPECT_TRUE(accepts("Hash[String, Data]", "Struct[{a => Integer}]"));
  EXPECT_FALSE(accepts("Struct[{a => Integer}]", "Struct[{b => Integer}]"));
  EXPECT_TRUE(accepts("Data", "Array[Hash[String, Integer]]"));
  EXPECT_FALSE(accepts("Data", "Sensitive"));
  EXPECT_TRUE(accepts("Callable[Integer]", "Callable[Numeric]"));
  EXPECT_FALSE(accepts("Callable[Numeric]", "Callable[Integer]"));
}

TEST_F(Types, MismatchTexts) {
  auto text = [&](const char* type, Value v) { return describe_mismatch(ctx, "parameter 'x'", t(type), v); };
  EXPECT_EQ(text("Integer", Value::string("a")), "parameter 'x' expects an Integer value, got String");
  EXPECT_EQ(text("Variant[Integer, Boolean]", Value::string("a")), "parameter 'x' expects a value of type Integer or Boolean, got String");
  EXPECT_EQ(text("Integer[1, 3]", Value::integer(5)), "parameter 'x' expects an Integer[1, 3] value, got Integer[5, 5]");
  EXPECT_EQ(text("Enum[a, b]", Value::string("c")), "parameter 'x' expects a match for Enum['a', 'b'], got 'c'");
  EXPECT_EQ(text("Optional[Integer]", Value::string("a")), "parameter 'x' expects a value of type Undef or Integer, got String");
}

} // namespace
