#include "runtime/provider/file/file_mode.h"
#include "runtime/provider/registry.h"
#include "runtime/provider/testing.h"

#include <cerrno>
#include <gtest/gtest.h>

namespace pupc {
namespace {

TEST(FileMode, SymbolicModes) {
  EXPECT_EQ(apply_mode("u=rw,g=r,o=", 0777, false), 0640u);
  EXPECT_EQ(apply_mode("a+X", 0644, false), 0644u);
  EXPECT_EQ(apply_mode("a+X", 0644, true), 0755u);
  EXPECT_EQ(apply_mode("g=u,o-rwx", 0754, false), 0770u);
  EXPECT_EQ(apply_mode("+t,ug+s", 0755, true), 07755u);
  EXPECT_THROW(apply_mode("u=rwX", 0644, false), ResourceError);
  EXPECT_TRUE(valid_mode("a=rX,ug+w"));
  EXPECT_FALSE(valid_mode("rwx"));
  EXPECT_FALSE(valid_mode("999"));
}

class FileHandlerTest : public ::testing::Test {
protected:
  FakeRun run;
  std::unique_ptr<TypeHandler> handler = make_file_handler();
};

TEST_F(FileHandlerTest, NoopPlansWithoutChanging) {
  run.fake.put_directory("/d");
  auto& r = run.make("file", "/d/x", {{"content", run.text("a")}, {"mode", run.text("0600")}});
  auto changes = run.turn(*handler, r, true);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].property, "ensure");
  EXPECT_TRUE(run.fake.calls.empty());
}

TEST_F(FileHandlerTest, CreatesWithOneWrite) {
  run.fake.put_directory("/d");
  run.fake.put_user("web", 33, 33);
  run.turn(*handler, run.make("file", "/d/x", {{"content", run.text("a")}, {"mode", run.text("0600")}, {"owner", run.text("web")}}));
  EXPECT_EQ(run.fake.calls, std::vector<std::string>{"write /d/x 0600"});
  EXPECT_EQ(run.fake.find("/d/x")->status.uid, 33u);
}

TEST_F(FileHandlerTest, SecondTurnChangesNothing) {
  run.fake.put_directory("/d");
  auto& r = run.make("file", "/d/x", {{"content", run.text("a")}, {"mode", run.text("u=rw,go=")}});
  run.turn(*handler, r);
  EXPECT_TRUE(run.turn(*handler, r).empty());
}

TEST_F(FileHandlerTest, FullDiskFailsTheResourceAndKeepsTheFile) {
  run.fake.put_file("/d/x", "old");
  run.fake.fail_on("/d/x", ENOSPC);
  auto changes = run.turn(*handler, run.make("file", "/d/x", {{"content", run.text("new")}}));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].failure, "No space left on device - /d/x");
  EXPECT_EQ(run.fake.find("/d/x")->content, "old");
}

TEST_F(FileHandlerTest, BacksUpIntoTheBucket) {
  run.changeable_settings().bucket_directory = "/bucket";
  run.fake.put_file("/d/x", "old");
  run.turn(*handler, run.make("file", "/d/x", {{"content", run.text("new")}, {"backup", run.text("puppet")}}));
  bool found = false;
  for (const auto& [path, node] : run.fake.files) found = found || (path.starts_with("/bucket/") && path.ends_with("/contents") && node.content == "old");
  EXPECT_TRUE(found);
}

TEST_F(FileHandlerTest, SensitiveContentIsInNoText) {
  run.fake.put_directory("/d");
  auto& r = run.make("file", "/d/x");
  r.set("content", run.text("secret"), true);
  auto changes = run.turn(*handler, r);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_TRUE(changes[0].sensitive);
}

TEST_F(FileHandlerTest, ValidatesBeforeReplacing) {
  run.fake.put_file("/d/x", "old");
  run.fake.on_run = [](const Command&) {
    CommandResult r;
    r.status = 1;
    r.output = "bad";
    return r;
  };
  auto changes = run.turn(*handler, run.make("file", "/d/x", {{"content", run.text("new")}, {"validate_cmd", run.text("/check %")}}));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_NE(changes[0].failure.find("returned 1: bad"), std::string::npos);
  EXPECT_EQ(run.fake.find("/d/x")->content, "old");
  EXPECT_EQ(run.fake.list_directory("/d"), std::vector<std::string>{"x"});
}

TEST_F(FileHandlerTest, RecursionLeavesManagedFilesAlone) {
  run.fake.put_file("/d/a", "1");
  run.fake.put_file("/d/b", "1");
  run.fake.put_file("/d/c/e", "1");
  run.make("file", "/d/b");
  auto& r = run.make("file", "/d", {{"ensure", run.text("directory")}, {"recurse", Value::boolean(true)}, {"purge", Value::boolean(true)}});
  std::vector<std::string> titles;
  for (const auto& c : handler->eval_generate(r, run)) {
    titles.push_back(c.title);
    EXPECT_EQ(c.text("ensure"), "absent");
  }
  EXPECT_EQ(titles, (std::vector<std::string>{"/d/a", "/d/c", "/d/c/e"}));
}

} // namespace
} // namespace pupc
