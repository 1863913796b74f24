#include "runtime/provider/handlers.h"
#include "runtime/provider/provider_testing.h"

#include <gtest/gtest.h>

namespace pupc::runtime {
namespace {

class ExecHandlerTest : public ::testing::Test {
protected:
  ExecHandlerTest() {
    run.fake.put_program("/bin/x");
    run.fake.put_program("/bin/check");
  }
  FakeRun run;
  std::unique_ptr<TypeHandler> handler = make_exec_handler();
};

TEST_F(ExecHandlerTest, RunsTheCommandWithItsSurroundings) {
  run.fake.put_directory("/opt");
  run.fake.put_user("web", 33, 34);
  run.fake.answer("/bin/x -a", 0);
  auto& r = run.make("exec", "run",
                     {{"command", run.text("/bin/x -a")},
                      {"cwd", run.text("/opt")},
                      {"user", run.text("web")},
                      {"umask", run.text("027")},
                      {"environment", run.list({"A=1"})}});
  auto changes = run.turn(*handler, r);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].message, "executed successfully");
  const Command& c = run.fake.commands.back();
  EXPECT_EQ(c.directory, "/opt");
  EXPECT_EQ(c.uid, 33u);
  EXPECT_EQ(c.gid, 34u);
  EXPECT_EQ(c.umask, 027u);
  EXPECT_EQ(c.timeout, std::chrono::milliseconds(300000));
}

TEST_F(ExecHandlerTest, AUmaskIsATextOfOctalDigits) {
  for (const Value& wrong : {run.text("0o22"), run.text("89"), Value::integer(18)})
    EXPECT_THROW(handler->prepare(run.make("exec", "a", {{"command", run.text("/bin/x")}, {"umask", wrong}}), run), ResourceError);
}

TEST_F(ExecHandlerTest, TimesThatNoClockHas) {
  run.fake.answer("/bin/x", 0);
  for (const char* endless : {"1e30", "99999999999", "0"}) {
    auto& r = run.make("exec", endless, {{"command", run.text("/bin/x")}, {"timeout", run.text(endless)}});
    EXPECT_EQ(run.turn(*handler, r)[0].failure, "") << endless;
    EXPECT_EQ(run.fake.commands.back().timeout.count(), 0) << endless;
  }
  for (const char* none : {"nan", "inf", "infinity", "-inf", "x"})
    for (const char* attribute : {"timeout", "try_sleep"})
      EXPECT_THROW(handler->prepare(run.make("exec", none, {{"command", run.text("/bin/x")}, {attribute, run.text(none)}}), run),
                   ResourceError)
          << attribute << " " << none;
}

TEST_F(ExecHandlerTest, UsersThatAreNotThere) {
  for (const char* nobody : {"nosuch", "4294967295", "99999999999999999999999", "3999999999"}) {
    auto& r = run.make("exec", nobody, {{"command", run.text("/bin/x")}, {"user", run.text(nobody)}});
    EXPECT_EQ(run.turn(*handler, r)[0].failure, "'/bin/x' returned 1 instead of one of [0]") << nobody;
    EXPECT_TRUE(run.logs.back().ends_with(std::string("/returns: Error: Could not execute posix command: Invalid user: ") + nobody))
        << run.logs.back();
  }
  EXPECT_TRUE(run.fake.commands.empty());
}

TEST_F(ExecHandlerTest, NoopRunsOnlyTheChecks) {
  run.fake.answer("/bin/check", 0);
  auto& r = run.make("exec", "run", {{"command", run.text("/bin/x")}, {"onlyif", run.text("/bin/check")}});
  EXPECT_EQ(run.turn(*handler, r, true).size(), 1u);
  EXPECT_EQ(run.fake.calls, std::vector<std::string>{"run /bin/check"});
}

TEST_F(ExecHandlerTest, TriesAgain) {
  int n = 0;
  run.fake.on_run = [&](const Command&) {
    CommandResult r;
    r.status = ++n < 3 ? 1 : 0;
    return r;
  };
  auto changes = run.turn(*handler, run.make("exec", "/bin/x", {{"tries", Value::integer(5)}, {"try_sleep", Value::integer(2)}}));
  EXPECT_EQ(changes[0].failure, "");
  EXPECT_EQ(run.fake.calls, (std::vector<std::string>{"run /bin/x", "sleep 2000", "run /bin/x", "sleep 2000", "run /bin/x"}));
}

TEST_F(ExecHandlerTest, FailureNamesStatusAndExpectation) {
  run.fake.answer("/bin/x", 3);
  auto changes = run.turn(*handler, run.make("exec", "/bin/x", {{"returns", run.list({"0", "2"})}}));
  EXPECT_EQ(changes[0].failure, "'/bin/x' returned 3 instead of one of [0,2]");
}

TEST_F(ExecHandlerTest, SensitiveCommandIsInNoText) {
  run.fake.answer("/bin/x secret", 3, "secret output");
  auto& r = run.make("exec", "run");
  r.set("command", run.text("/bin/x secret"), true);
  auto changes = run.turn(*handler, r);
  EXPECT_EQ(changes[0].failure, "[command redacted] returned 3 instead of one of [0]");
  for (const std::string& line : run.logs) EXPECT_EQ(line.find("secret"), std::string::npos) << line;
}

// As with Puppet: the process of the command finds that there is no such user, tells it as its output and ends with 1. The group comes
// first.
TEST_F(ExecHandlerTest, MissingUserIsAnExitStatus) {
  auto both = run.turn(*handler, run.make("exec", "/bin/x", {{"user", run.text("nobody-here")}, {"group", run.text("4242")}}));
  EXPECT_EQ(both[0].failure, "'/bin/x' returned 1 instead of one of [0]");
  EXPECT_TRUE(run.logs.back().ends_with("/returns: Error: Could not execute posix command: Invalid group: 4242")) << run.logs.back();
  auto wanted = run.turn(
      *handler,
      run.make("exec", "one", {{"command", run.text("/bin/x")}, {"user", run.text("nobody-here")}, {"returns", run.list({"1"})}}));
  EXPECT_EQ(wanted[0].failure, "");
  EXPECT_TRUE(
      run.turn(*handler, run.make("exec", "two",
                                  {{"command", run.text("/bin/x")}, {"user", run.text("nobody-here")}, {"onlyif", run.text("/bin/x")}}))
          .empty());
  EXPECT_TRUE(run.fake.commands.empty());
}

TEST_F(ExecHandlerTest, RequiresWhatItUses) {
  std::vector<AutoRelation> found;
  handler->autorelations(run.make("exec", "e",
                                  {{"command", run.text("/bin/x -a")},
                                   {"cwd", run.text("/opt")},
                                   {"user", run.text("web")},
                                   {"onlyif", run.list({"/bin/check /etc"})}}),
                         run, found);
  std::vector<std::string> names;
  for (const auto& a : found) names.push_back(a.type + " " + a.title);
  EXPECT_EQ(names, (std::vector<std::string>{"file /opt", "file /bin/x", "file /bin/check", "user web"}));
}

} // namespace
} // namespace pupc::runtime
