// The comparison of data with types. The checks themselves: compiler/analysis/checks_test.cpp.
#include "catalog/formats/data_file.h"
#include "compiler/analysis/data/data_files.h"

#include <gtest/gtest.h>

namespace pupc::compiler {
namespace {

class DataTypes : public testing::Test {
protected:
  /// "path/to/part" and why the value does not fit; empty when it fits.
  std::pair<std::string, std::string> compare(std::string_view type, std::string_view json, bool in_part = false,
                                              std::string_view knockout = {}) {
    Value value;
    EXPECT_FALSE(read_json(json, arena_, value)) << json;
    const Mismatch found = mismatch(codebase_, *parse_type(codebase_.types(), type), value, in_part, knockout);
    std::string path;
    for (const std::string& part : found.path) path += "/" + part;
    return {path, found.why};
  }
  bool fits(std::string_view type, std::string_view json, bool in_part = false, std::string_view knockout = {}) {
    return compare(type, json, in_part, knockout).second.empty();
  }

  Arena arena_;
  FunctionRegistry functions_;
  CheckedCodebase codebase_{open_environment({}), functions_, {}, true, {}};
};

TEST_F(DataTypes, PartsAreNamed) {
  EXPECT_TRUE(fits("Hash[String, Array[Integer]]", R"({"a": [1, 2]})"));
  EXPECT_EQ(compare("Hash[String, Array[Integer]]", R"({"a": [1, "x"]})").first, "/a/1");
  EXPECT_EQ(compare("Struct[{port => Integer}]", R"({"prot": 1})").first, "/prot");
  EXPECT_NE(compare("Struct[{port => Integer}]", R"({"prot": 1})").second.find("port"), std::string::npos) << "the right key is advised";
}

TEST_F(DataTypes, WhatMayComeFromElsewhereIsNotMissed) {
  EXPECT_FALSE(fits("Struct[{a => Integer, b => Integer}]", R"({"a": 1})"));
  EXPECT_TRUE(fits("Struct[{a => Integer, b => Integer}]", R"({"a": 1})", true));
}

TEST_F(DataTypes, TextsThatAreMadeLaterAreSomeText) {
  EXPECT_TRUE(fits("Enum['a', 'b']", R"("%{x}")"));
  EXPECT_FALSE(fits("Integer", R"("%{x}")"));
  EXPECT_FALSE(fits("Enum['a', 'b']", R"("c")"));
}

TEST_F(DataTypes, TextsThatTakeAwayAreNotCompared) {
  EXPECT_FALSE(fits("Array[Enum['a']]", R"(["--b"])", true));
  EXPECT_TRUE(fits("Array[Enum['a']]", R"(["--b"])", true, "--"));
}

TEST(LineOf, FindsWholeWords) {
  EXPECT_EQ(line_of("a: 1\nport: 2\n", "port"), 2u);
  EXPECT_EQ(line_of("a: 1\n", "port"), 0u);
}

} // namespace
} // namespace pupc::compiler
