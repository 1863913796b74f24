#include "compiler/style/style.h"

#include <gtest/gtest.h>

namespace pupc::compiler {
namespace {

TEST(Style, FixesWhatChangesNoCatalog) {
  const StyleFix fix = fix_style("a.pp", "file { \"/x\":\n  mode => \"0644\",\n}\n", default_style());
  EXPECT_FALSE(fix.refused);
  EXPECT_EQ(fix.text, "file { '/x':\n  mode => '0644',\n}\n");
  EXPECT_EQ(fix.edits, 2u);
}

TEST(Style, LeavesGoodTextAsItIs) {
  const std::string text = "# A class.\nclass a {\n  notify { 'x':\n    message => \"a ${facts['os']}\",\n  }\n}\n";
  const StyleFix fix = fix_style("a.pp", text, default_style());
  EXPECT_EQ(fix.text, text);
  EXPECT_EQ(fix.edits, 0u);
}

TEST(Style, OptionsAreThoseOfPuppetLint) {
  StyleOptions options = default_style();
  const size_t before = options.off.size();
  EXPECT_TRUE(read_style_file("--no-140chars-check\n--relative\n--fail-on-warnings\n--log-format=%{message}\n", options).empty());
  EXPECT_EQ(options.off.size(), before + 1);
  EXPECT_TRUE(options.relative);
  EXPECT_TRUE(options.fail_on_warnings);
  const auto unknown = read_style_file("--no-no-such-check\n", options);
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_TRUE(unknown[0].starts_with("1: ")) << unknown[0];
}

TEST(Style, OnlyNamedChecks) {
  StyleOptions options = default_style();
  EXPECT_EQ(only_style_checks("hard_tabs,trailing_whitespace", options), "");
  EXPECT_EQ(only_style_checks("hard_tabs,no_such_check", options), "no_such_check");
}

TEST(Style, IgnoresPathsByGlobs) {
  StyleOptions options = default_style();
  options.ignore_paths = {"vendor/**/*.pp"};
  EXPECT_TRUE(is_ignored_path(options, "vendor/a/b.pp"));
  EXPECT_FALSE(is_ignored_path(options, "manifests/b.pp"));
}

} // namespace
} // namespace pupc::compiler
