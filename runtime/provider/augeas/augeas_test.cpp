#include "runtime/provider/augeas/augeas_commands.h"
#include "runtime/provider/registry.h"
#include "runtime/provider/testing.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace pupc {
namespace {

std::string shown(const char* line, const char* context = "") {
  try {
    std::string out;
    for (const AugeasCommand& c : parse_augeas_commands({line}, context)) {
      out += c.name;
      for (const std::string& w : c.words) out += "|" + w;
      if (c.name == "size") out += fmt::format("|{}", c.number);
    }
    return out;
  } catch (const ResourceError& e) { return std::string("error: ") + e.what(); }
}

TEST(AugeasCommands, Words) {
  EXPECT_EQ(shown("  set a/b 'x y' "), "set|a/b|x y");
  EXPECT_EQ(shown("set a[. = 'x y']/b z", "/files/etc"), "set|/files/etc/a[. = 'x y']/b|z");
  EXPECT_EQ(shown("set /a/ \"it\\\"s \\n\""), "set|/a|it\"s \\n");
  EXPECT_EQ(shown("set $v/x 1", "/files"), "set|$v/x|1");
  EXPECT_EQ(shown("ins label before '/a b'", "/c"), "ins|label|before|/a b");
  EXPECT_EQ(shown("rm a\\ b/c", "/x/"), "rm|/x/a\\ b/c");
  EXPECT_EQ(shown("match x size >= 3"), "match|x|size >= 3");
  EXPECT_EQ(shown("size >= 3"), "size|>=|3");
  EXPECT_EQ(shown("get x == y z"), "get|x|==|y");
  EXPECT_EQ(shown("frob x"), "error: Unknown command frob");
  EXPECT_EQ(shown("set x"), "error: missing string argument 2 for set");
  EXPECT_EQ(shown("get x y"), "error: invalid comparator for command get");
  EXPECT_EQ(shown("rm x]"), "error: unmatched [");
  EXPECT_EQ(shown("   "), "");
}

TEST(AugeasCommands, Lists) {
  EXPECT_EQ(parse_augeas_list(" ['a', \"b\\tc\" ,'d\\'e'] "), (std::vector<std::string>{"a", "b\tc", "d'e"}));
  EXPECT_TRUE(parse_augeas_list("[]").empty());
  EXPECT_THROW(parse_augeas_list("['a'"), ResourceError);
  EXPECT_THROW(parse_augeas_list("a"), ResourceError);
}

class Augeas : public testing::Test {
protected:
  void SetUp() override {
    if (!AugeasTree::available()) GTEST_SKIP() << "libaugeas is not installed";
    char name[] = "/tmp/pupc-augeas-XXXXXX";
    root = ::mkdtemp(name);
    std::filesystem::create_directories(root + "/etc");
    std::ofstream(root + "/etc/hosts") << "127.0.0.1 localhost\n10.0.0.1 a b\n";
    // These tests need the lenses.
    if (AugeasTree(root, "", AugeasTree::no_autoload).match("/augeas/load").empty()) GTEST_SKIP() << "the lenses are not installed";
  }
  void TearDown() override {
    if (!root.empty()) std::filesystem::remove_all(root);
  }
  std::string hosts() const {
    std::ifstream in(root + "/etc/hosts");
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// Evaluates one resource with these attributes. Returns the failure or the message of its change, or "" when nothing changed.
  std::string turn(std::vector<std::pair<std::string, Value>> attributes, bool noop = false) {
    attributes.emplace_back("root", run.text(root));
    attributes.emplace_back("lens", run.text("Hosts.lns")); // loading all lenses takes a second
    attributes.emplace_back("incl", run.text("/etc/hosts"));
    auto handler = make_augeas_handler();
    try {
      auto changes = run.turn(*handler, run.make("augeas", "x", std::move(attributes)), noop);
      return changes.empty() ? "" : changes[0].failure.empty() ? changes[0].message : changes[0].failure;
    } catch (const ResourceError& e) { return e.what(); }
  }
  std::string root;
  FakeRun run;
};

TEST_F(Augeas, ContextAlone) {
  auto handler = make_augeas_handler();
  auto& r = run.make("augeas", "x",
                     {{"root", run.text(root)}, {"context", run.text("/files/etc/hosts")}, {"changes", run.text("set 2/canonical z")}});
  EXPECT_EQ(run.turn(*handler, r).size(), 1u);
  EXPECT_EQ(hosts(), "127.0.0.1 localhost\n10.0.0.1 z b\n");
}

TEST_F(Augeas, ChangesOnceAndPreviewsNothing) {
  const Value set = run.text("set 2/alias[1] c\nins alias after 2/alias[1]\nset 2/alias[2] d");
  const std::string before = hosts();
  EXPECT_EQ(turn({{"changes", set}}, true), "executed successfully");
  EXPECT_EQ(hosts(), before);
  EXPECT_EQ(turn({{"changes", run.text("set 2/alias[1] c")}}), "executed successfully");
  EXPECT_EQ(hosts(), "127.0.0.1 localhost\n10.0.0.1 a c\n");
  EXPECT_EQ(turn({{"changes", run.text("set 2/alias[1] c")}}), "");
  EXPECT_EQ(turn({{"changes", run.list({"defnode new 01 ''", "set $new/ipaddr 1.1.1.1", "set $new/canonical n", "rm 2", "touch x"})}}),
            "Save failed, see debug output for details");
  EXPECT_EQ(turn({{"changes", run.list({"set 01/ipaddr 1.1.1.1", "set 01/canonical n", "rm 2"})}}), "executed successfully");
  EXPECT_EQ(hosts(), "127.0.0.1 localhost\n1.1.1.1\tn\n");
}

TEST_F(Augeas, Conditions) {
  auto held = [&](const char* onlyif) {
    const std::string got = turn({{"changes", run.text("set 1/alias z")}, {"onlyif", run.text(onlyif)}}, true);
    return got == "executed successfully" ? "yes" : got.empty() ? "no" : got;
  };
  EXPECT_EQ(held("get 1/canonical == localhost"), "yes");
  EXPECT_EQ(held("get 1/canonical != localhost"), "no");
  EXPECT_EQ(held("get 1/canonical =~ ^local"), "yes");
  EXPECT_EQ(held("match * size == 2"), "yes");
  EXPECT_EQ(held("match * size > 2"), "no");
  EXPECT_EQ(held("match nothing size != 0"), "no");
  EXPECT_EQ(held("values */canonical include a"), "yes");
  EXPECT_EQ(held("values */canonical not_include a"), "no");
  EXPECT_EQ(held("values */canonical == ['localhost', 'a']"), "yes");
  EXPECT_EQ(held("match 1/canonical == ['/files/etc/hosts/1/canonical']"), "yes");
  EXPECT_EQ(held("values * == [oops"), "Error sending command 'values' with params nil/Invalid array in command: ");
}

} // namespace
} // namespace pupc
