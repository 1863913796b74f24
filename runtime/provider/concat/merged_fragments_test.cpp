#include "runtime/provider/concat/merged_fragments.h"

#include "runtime/provider/provider_testing.h"

#include <gtest/gtest.h>

namespace pupc::runtime {
namespace {

TEST(MergedFragments, Json) {
  FakeRun run;
  const std::vector<std::string> parts{R"({"a":1,"l":[1,2],"h":{"x":null}})", R"({"b":true,"l":[2,3],"h":{"y":1.5}})", "{}"};
  EXPECT_EQ(merged_fragments("json", parts, false, run), R"({"a":1,"l":[1,2,3],"h":{"x":null,"y":1.5},"b":true})");
  EXPECT_EQ(merged_fragments("json-pretty", {R"({"a":[]})"}, false, run), "{\n  \"a\": []\n}");
  EXPECT_EQ(merged_fragments("json-array", {R"({"a":1})", "[2]"}, false, run), R"([{"a":1},[2]])");
  EXPECT_EQ(merged_fragments("json", {R"({"a":1})", R"({"a":2})"}, true, run), R"({"a":1})");
  EXPECT_EQ(merged_fragments("plain", {"a", "b"}, false, run), "ab");
  EXPECT_THROW(merged_fragments("json", {R"({"a":)"}, false, run), ResourceError);
  try {
    merged_fragments("json", {R"({"a":1})", R"({"a":2})"}, false, run);
    FAIL();
  } catch (const ResourceError& e) {
    EXPECT_STREQ(e.what(), "Duplicate key 'a' found with values '1' and 2'. Use 'force' attribute to merge keys.");
  }
}

} // namespace
} // namespace pupc::runtime
