#include "runtime/provider/handlers.h"
#include "runtime/provider/provider_testing.h"

#include <gtest/gtest.h>

namespace pupc::runtime {
namespace {

class ScriptHandlerTest : public ::testing::Test {
protected:
  ScriptHandlerTest() {
    run.fake.put_directory("/tmp");
    run.fake.on_run = [this](const Command& c) {
      seen = c;
      code = run.fake.read_file(c.argv.back());
      owner = run.fake.find(c.argv.back())->status.uid;
      mode = run.fake.find(c.argv.back())->status.mode;
      CommandResult r;
      r.status = status;
      return r;
    };
  }
  bool left_behind() {
    for (const auto& [path, node] : run.fake.files)
      if (path.find("pupc-script") != std::string::npos) return true;
    return false;
  }
  FakeRun run;
  std::unique_ptr<TypeHandler> handler = make_script_handler();
  Command seen;
  std::string code;
  uint32_t owner = 0, mode = 0;
  int status = 0;
};

TEST_F(ScriptHandlerTest, RunsCodeFromAPrivateFile) {
  run.fake.put_program("/usr/bin/perl");
  run.fake.put_user("web", 33, 33);
  run.turn(*handler, run.make("perl", "p", {{"code", run.text("print 1;")}, {"user", run.text("web")}}));
  EXPECT_EQ(seen.argv[0], "/usr/bin/perl");
  EXPECT_EQ(code, "print 1;");
  EXPECT_EQ(mode, 0700u);
  EXPECT_EQ(owner, 33u);
  EXPECT_FALSE(left_behind());
}

TEST_F(ScriptHandlerTest, InterpreterAndFlagsOfAScript) {
  run.fake.put_program("/opt/x");
  status = 1;
  auto changes = run.turn(
      *handler, run.make("script", "s", {{"interpreter", run.text("/opt/x")}, {"flags", run.text("-e -u")}, {"code", run.text("c")}}));
  EXPECT_EQ(seen.argv[1], "-e");
  EXPECT_EQ(seen.argv[2], "-u");
  EXPECT_EQ(changes[0].failure, "'/opt/x' returned 1 instead of one of [0]");
  EXPECT_FALSE(left_behind());
}

TEST_F(ScriptHandlerTest, MissingInterpreterIsNamed) {
  auto changes = run.turn(*handler, run.make("ksh", "k", {{"code", run.text("c")}}));
  EXPECT_EQ(changes[0].failure, "The interpreter 'ksh' is not installed");
}

TEST_F(ScriptHandlerTest, CreatesKeepsItFromRunning) {
  run.fake.put_program("/bin/bash");
  run.fake.put_file("/done", "");
  EXPECT_TRUE(run.turn(*handler, run.make("bash", "b", {{"code", run.text("c")}, {"creates", run.text("/done")}})).empty());
}

TEST_F(ScriptHandlerTest, BooleansAreConvertedOnlyWhenAsked) {
  run.fake.put_program("/usr/bin/pwsh");
  run.turn(*handler, run.make("powershell_script", "a", {{"code", run.text("$true")}}));
  EXPECT_EQ(code, "$true");
  run.turn(*handler, run.make("powershell_script", "b", {{"code", run.text("$true")}, {"convert_boolean_return", Value::boolean(true)}}));
  EXPECT_NE(code.find("exit 1"), std::string::npos);
}

TEST(NodeAttributeHandler, ActsUnderNoopToo) {
  FakeRun run;
  auto handler = make_node_attribute_handler();
  auto& r = run.make("node_attribute", "a.b", {{"value", Value::integer(3)}});
  r.noop = true;
  run.turn(*handler, r, true);
  EXPECT_EQ(run.node_attribute("a.b").i, 3);
  EXPECT_TRUE(run.node_attribute("a.c").is_undef());
  EXPECT_TRUE(run.fake.calls.empty());
}

} // namespace
} // namespace pupc::runtime
