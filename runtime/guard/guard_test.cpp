#include "runtime/guard/guard_check.h"
#include "runtime/provider/provider_testing.h"

#include <gtest/gtest.h>

namespace pupc::runtime {
namespace {

class GuardTest : public ::testing::Test {
protected:
  GuardResult evaluate(ManagedResource& r, bool inherit = true) {
    return evaluate_guards(
        r, inherit, [this](const Value&) { return resolved; }, run);
  }
  Value hash(std::initializer_list<std::pair<std::string_view, Value>> entries) {
    HashBuilder b(run.arena);
    for (auto& [k, v] : entries) b.set(run.text(k), v);
    return b.finish();
  }
  Value with_parameters(std::string_view command, Value parameters) {
    ListBuilder b(run.arena);
    b.add(run.text(command));
    b.add(parameters);
    return b.finish();
  }
  Value deferred() {
    auto* d = run.arena.make<DeferredData>();
    d->name = "f";
    d->arguments = nullptr;
    return Value::of(static_cast<const DeferredData*>(d));
  }
  FakeRun run;
  Value resolved;
};

TEST_F(GuardTest, DefaultInterpreterTakesExitZeroAsTrue) {
  run.fake.answer("good", 0);
  run.fake.answer("bad", 1);
  EXPECT_EQ(evaluate(run.make("file", "/a", {{"only_if", run.text("good")}})).outcome, GuardResult::Proceed);
  GuardResult skipped = evaluate(run.make("file", "/b", {{"only_if", run.text("bad")}}));
  EXPECT_EQ(skipped.outcome, GuardResult::Skip);
  EXPECT_EQ(skipped.reason, "only_if 'bad'");
  EXPECT_EQ(evaluate(run.make("file", "/c", {{"not_if", run.text("good")}})).outcome, GuardResult::Skip);
  EXPECT_EQ(evaluate(run.make("file", "/d", {{"not_if", run.text("bad")}})).outcome, GuardResult::Proceed);
}

TEST_F(GuardTest, AllGuardsMustLetItThrough) {
  run.fake.answer("good", 0);
  run.fake.answer("bad", 1);
  EXPECT_EQ(evaluate(run.make("file", "/a", {{"only_if", run.list({"good", "bad"})}})).reason, "only_if 'bad'");
  EXPECT_EQ(evaluate(run.make("file", "/b", {{"only_if", run.list({"good", "good"})}, {"not_if", run.text("bad")}})).outcome,
            GuardResult::Proceed);
}

TEST_F(GuardTest, ParametersSurroundTheCommand) {
  run.fake.put_directory("/opt");
  run.fake.answer("x", 3);
  Value parameters = hash({{"cwd", run.text("/opt")},
                           {"environment", hash({{"A", run.text("1")}})},
                           {"umask", run.text("077")},
                           {"returns", run.list({"3"})},
                           {"timeout", Value::integer(5)}});
  EXPECT_EQ(evaluate(run.make("file", "/a", {{"only_if", with_parameters("x", parameters)}})).outcome, GuardResult::Proceed);
  const Command& c = run.fake.commands.back();
  EXPECT_EQ(c.directory, "/opt");
  EXPECT_EQ(c.umask, 077u);
  EXPECT_EQ(c.timeout, std::chrono::milliseconds(5000));
  EXPECT_EQ(c.environment, (std::vector<std::pair<std::string, std::string>>{{"A", "1"}}));
}

TEST_F(GuardTest, DefaultTimeoutIsAnHour) {
  run.fake.answer("x", 0);
  evaluate(run.make("file", "/a", {{"only_if", run.text("x")}}));
  EXPECT_EQ(run.fake.commands.back().timeout, std::chrono::milliseconds(3'600'000));
}

TEST_F(GuardTest, TimedOutGuardIsBrokenNotFalse) {
  CommandResult r;
  r.timed_out = true;
  run.fake.answer("x", r);
  EXPECT_EQ(evaluate(run.make("file", "/a", {{"only_if", run.text("x")}})).outcome, GuardResult::Broken);
  EXPECT_EQ(evaluate(run.make("file", "/b", {{"not_if", run.text("x")}})).outcome, GuardResult::Broken);
}

TEST_F(GuardTest, InterpreterRunsTheCommandAsAScript) {
  run.fake.put_program("/bin/bash");
  run.fake.put_directory("/tmp");
  std::string code;
  run.fake.on_run = [&](const Command& c) {
    code = run.fake.read_file(c.argv.back());
    EXPECT_EQ(c.argv[0], "/bin/bash");
    EXPECT_EQ(run.fake.find(c.argv.back())->status.mode, 0700u);
    CommandResult r;
    r.status = 1;
    return r;
  };
  EXPECT_EQ(evaluate(run.make("file", "/a", {{"only_if", run.text("[[ 1 == 2 ]]")}, {"guard_interpreter", run.text("bash")}})).outcome,
            GuardResult::Skip);
  EXPECT_EQ(code, "[[ 1 == 2 ]]");
  for (const auto& [path, node] : run.fake.files) EXPECT_EQ(path.find("pupc-script"), std::string::npos) << path; // removed again
}

TEST_F(GuardTest, MissingInterpreterBreaksTheGuard) {
  GuardResult r = evaluate(run.make("file", "/a", {{"only_if", run.text("true")}, {"guard_interpreter", run.text("zsh")}}));
  EXPECT_EQ(r.outcome, GuardResult::Broken);
  EXPECT_EQ(r.reason, "The only_if guard 'true' is broken: The interpreter 'zsh' is not installed");
}

TEST_F(GuardTest, InterpretersInheritAndOwnParametersWin) {
  run.fake.put_program("/bin/bash");
  run.fake.put_directory("/tmp");
  run.fake.put_directory("/opt");
  run.fake.put_directory("/var");
  Command seen;
  run.fake.on_run = [&](const Command& c) {
    seen = c;
    return CommandResult{};
  };
  auto& r = run.make(
      "exec", "x",
      {{"cwd", run.text("/opt")}, {"umask", run.text("027")}, {"guard_interpreter", run.text("bash")}, {"only_if", run.text("true")}});
  evaluate(r);
  EXPECT_EQ(seen.directory, "/opt");
  EXPECT_EQ(seen.umask, 027u);
  r.set("only_if", with_parameters("true", hash({{"cwd", run.text("/var")}})));
  evaluate(r);
  EXPECT_EQ(seen.directory, "/var");
  EXPECT_EQ(seen.umask, 027u);
  evaluate(r, false); // as the guard of a container
  EXPECT_FALSE(seen.umask);
}

TEST_F(GuardTest, DefaultInterpreterInheritsNothing) {
  run.fake.put_directory("/opt");
  run.fake.answer("x", 0);
  evaluate(run.make("exec", "x", {{"cwd", run.text("/opt")}, {"only_if", run.text("x")}}));
  EXPECT_EQ(run.fake.commands.back().directory, "");
}

TEST_F(GuardTest, AFilesPathAndGroupAreNotACommands) {
  run.fake.put_program("/bin/bash");
  run.fake.put_directory("/tmp");
  Command seen;
  run.fake.on_run = [&](const Command& c) {
    seen = c;
    return CommandResult{};
  };
  evaluate(run.make("file", "x",
                    {{"path", run.text("/etc/x")},
                     {"group", run.text("nosuch")},
                     {"guard_interpreter", run.text("bash")},
                     {"only_if", run.text("true")}}));
  EXPECT_FALSE(seen.path);
  EXPECT_FALSE(seen.gid);
}

TEST_F(GuardTest, DeferredIsTrueUnlessFalseOrUndef) {
  auto& r = run.make("file", "/a", {{"only_if", deferred()}});
  resolved = Value::undef();
  EXPECT_EQ(evaluate(r).outcome, GuardResult::Skip);
  resolved = Value::boolean(false);
  EXPECT_EQ(evaluate(r).outcome, GuardResult::Skip);
  resolved = Value::integer(0);
  EXPECT_EQ(evaluate(r).outcome, GuardResult::Proceed);
  EXPECT_TRUE(run.logs.empty());
  resolved = run.text("/bin/true");
  EXPECT_EQ(evaluate(r).outcome, GuardResult::Proceed);
  ASSERT_EQ(run.logs.size(), 1u);
  EXPECT_NE(run.logs[0].find("did you mean a command?"), std::string::npos);
}

TEST_F(GuardTest, DeferredWithAnInterpreterIsAnError) {
  EXPECT_EQ(evaluate(run.make("file", "/a", {{"only_if", deferred()}, {"guard_interpreter", run.text("bash")}})).outcome,
            GuardResult::Broken);
}

TEST_F(GuardTest, SensitiveCommandsAreNotShown) {
  run.fake.answer("secret", 1);
  auto& r = run.make("file", "/a");
  r.set("only_if", run.text("secret"), true);
  EXPECT_EQ(evaluate(r).reason, "only_if [redacted]");
  CommandResult missing;
  missing.not_started = true;
  missing.error = 2;
  run.fake.answer("secret", missing);
  GuardResult broken = evaluate(r);
  EXPECT_EQ(broken.outcome, GuardResult::Broken);
  EXPECT_EQ(broken.reason.find("secret"), std::string::npos);
}

TEST_F(GuardTest, PowershellGuardsConvertBooleans) {
  run.fake.put_program("/usr/bin/pwsh");
  run.fake.put_directory("/tmp");
  std::string code;
  run.fake.on_run = [&](const Command& c) {
    code = run.fake.read_file(c.argv.back());
    return CommandResult{};
  };
  auto& r = run.make("file", "/a", {{"only_if", run.text("1 -eq 1")}, {"guard_interpreter", run.text("powershell_script")}});
  evaluate(r);
  EXPECT_NE(code.find("[System.Boolean]"), std::string::npos);
  r.set("only_if", with_parameters("1 -eq 1", hash({{"convert_boolean_return", Value::boolean(false)}})));
  evaluate(r);
  EXPECT_EQ(code, "1 -eq 1");
}

TEST_F(GuardTest, WrongFormsAreRefused) {
  std::vector<Guard> guards;
  std::string problem;
  EXPECT_FALSE(parse_guards(Value::integer(12), "default", guards, problem));
  EXPECT_FALSE(parse_guards(run.text(""), "default", guards, problem));
  EXPECT_EQ(problem, "a guard's command must not be empty");
  EXPECT_FALSE(parse_guards(with_parameters("x", hash({{"colour", run.text("red")}})), "default", guards, problem));
  EXPECT_EQ(problem, "a guard has no parameter 'colour'");
  EXPECT_FALSE(parse_guards(with_parameters("x", hash({{"flags", run.text("-x")}})), "default", guards, problem));
  EXPECT_TRUE(parse_guards(with_parameters("x", hash({{"flags", run.text("-x")}})), "bash", guards, problem));
  EXPECT_TRUE(parse_guards(hash({{"command", run.text("x")}, {"cwd", run.text("/")}}), "default", guards, problem));
  EXPECT_FALSE(parse_guards(hash({{"cwd", run.text("/")}}), "default", guards, problem));
  EXPECT_FALSE(valid_guard_interpreter(run.text("fish"), problem));
  EXPECT_TRUE(valid_guard_interpreter(run.text("exec"), problem));
}

} // namespace
} // namespace pupc::runtime
