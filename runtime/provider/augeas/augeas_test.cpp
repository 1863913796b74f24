#include "runtime/provider/augeas/augeas_commands.h"
#include "runtime/provider/handlers.h"
#include "runtime/provider/provider_testing.h"
#include "runtime/sys/posix_system.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pupc::runtime {
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
  /// What changing hosts as one of the library's own files comes to.
  std::string turn_by_context() {
    auto handler = make_augeas_handler();
    try {
      auto changes = run.turn(*handler,
                              run.make("augeas", "x",
                                       {{"root", run.text(root)},
                                        {"context", run.text("/files/etc/hosts")},
                                        {"changes", run.text("set *[canonical = 'a']/alias[1] q")}}),
                              true);
      return changes.empty() ? "" : changes[0].failure.empty() ? changes[0].message : changes[0].failure;
    } catch (const std::exception& e) { return e.what(); }
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
    } catch (const std::exception& e) { return e.what(); }
  }
  std::string root;
  std::unique_ptr<System> machine = make_posix_system();
  FakeRun run{*machine};
};

TEST_F(Augeas, WritesAsAllFilesAreWritten) {
  // No line end, a mode of its own, a link: all of it stays, and no other file is made, not even for the diff.
  std::ofstream(root + "/etc/real") << "127.0.0.1 localhost\n10.0.0.1 a b";
  std::filesystem::permissions(root + "/etc/real", std::filesystem::perms(0640));
  std::filesystem::remove(root + "/etc/hosts");
  std::filesystem::create_symlink("real", root + "/etc/hosts");
  run.changeable_settings().show_diff = true;
  EXPECT_EQ(turn({{"changes", run.text("set 2/canonical z")}}, true), "executed successfully");
  ASSERT_EQ(run.logs.size(), 1u);
  EXPECT_NE(run.logs[0].find("-10.0.0.1 a b\n\\ No newline at end of file\n+10.0.0.1 z b\n"), std::string::npos) << run.logs[0];
  EXPECT_NE(run.logs[0].find("\n--- " + root + "/etc/hosts\t"), std::string::npos) << run.logs[0];
  EXPECT_NE(run.logs[0].find("\n+++ " + root + "/etc/hosts.augnew\t"), std::string::npos) << run.logs[0];
  EXPECT_EQ(turn({{"changes", run.text("set 2/canonical z")}}), "executed successfully");
  EXPECT_EQ(hosts(), "127.0.0.1 localhost\n10.0.0.1 z b\n");
  EXPECT_TRUE(std::filesystem::is_symlink(root + "/etc/hosts"));
  EXPECT_EQ(machine->stat(root + "/etc/hosts")->mode, 0640u);
  EXPECT_EQ(machine->list_directory(root + "/etc"), (std::vector<std::string>{"hosts", "real"}));
  EXPECT_EQ(turn({{"changes", run.text("rm /files/etc/hosts")}}), "executed successfully");
  EXPECT_FALSE(machine->lstat(root + "/etc/hosts"));
}

TEST_F(Augeas, KeepsWhichLensReadsWhichFile) {
  std::filesystem::create_directory(root + "/state");
  run.changeable_settings().state_directory = root + "/state";
  const std::string table = root + "/state/augeas_lenses";
  EXPECT_EQ(turn_by_context(), "executed successfully");
  std::string text = machine->read_file(table);
  EXPECT_EQ(turn_by_context(), "executed successfully");
  EXPECT_EQ(machine->read_file(table), text);
  // A later run goes by the table, as long as the lens files are those that it was made of.
  const std::string lens = "/augeas/load/Hosts/lens\t@Hosts\n";
  ASSERT_NE(text.find(lens), std::string::npos);
  text.replace(text.find(lens), lens.size(), "/augeas/load/Hosts/lens\t@Fstab\n");
  machine->write_file(table, text, 0600, std::nullopt, std::nullopt);
  EXPECT_NE(turn_by_context(), "executed successfully");
  text.replace(text.find('\n') - 4, 4, "none");
  machine->write_file(table, text, 0600, std::nullopt, std::nullopt);
  EXPECT_EQ(turn_by_context(), "executed successfully");
  EXPECT_NE(machine->read_file(table).find(lens), std::string::npos);
}

TEST_F(Augeas, SetsNothingWhereAPathHasSeveralNodes) {
  EXPECT_EQ(turn({{"changes", run.text("set *[ipaddr]/canonical z")}}), "");
  EXPECT_EQ(hosts(), "127.0.0.1 localhost\n10.0.0.1 a b\n");
}

TEST_F(Augeas, RefusesWhatIsNoFile) {
  std::filesystem::remove(root + "/etc/hosts");
  ASSERT_EQ(::mkfifo((root + "/etc/hosts").c_str(), 0600), 0);
  EXPECT_EQ(turn({{"changes", run.text("set 1/canonical z")}}), root + "/etc/hosts is not a file");
}

TEST_F(Augeas, DoesNotFollowALinkOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  constexpr uint32_t stranger = 65534;
  std::filesystem::permissions(root, std::filesystem::perms(0755));
  std::filesystem::create_directories(root + "/roots");
  std::filesystem::rename(root + "/etc/hosts", root + "/roots/hosts");
  const std::string before = machine->read_file(root + "/roots/hosts");
  ASSERT_EQ(::chown((root + "/etc").c_str(), stranger, stranger), 0);
  std::filesystem::create_symlink("../roots/hosts", root + "/etc/hosts");
  ASSERT_EQ(::lchown((root + "/etc/hosts").c_str(), stranger, stranger), 0);
  run.changeable_settings().show_diff = true;
  const std::string said = turn({{"changes", run.text("set 2/canonical z")}});
  EXPECT_TRUE(said.starts_with("Refused to follow " + root + "/etc/hosts")) << said;
  EXPECT_EQ(machine->read_file(root + "/roots/hosts"), before);
  EXPECT_TRUE(run.logs.empty());
  EXPECT_EQ(machine->list_directory(root + "/etc"), std::vector<std::string>{"hosts"});
}

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
} // namespace pupc::runtime
