#include "runtime/provider/handlers.h"
#include "runtime/provider/provider_testing.h"

#include <gtest/gtest.h>

namespace pupc::runtime {
namespace {

struct Machine : FakeRun {
  explicit Machine(bool systemd) {
    if (systemd) {
      fake.put_file("/proc/1/comm", "systemd\n");
      fake.put_program("/usr/bin/systemctl");
    } else {
      fake.put_file("/proc/1/comm", "init\n");
      fake.put_program("/usr/sbin/update-rc.d");
      fake.put_program("/usr/sbin/invoke-rc.d");
      fake.put_program("/etc/init.d/ntp");
      fake.put_program("/usr/sbin/service");
    }
    fake.put_program("/bin/ps");
    fake.put_program("/bin/kill");
    fake.on_run = [](const Command&) { return CommandResult{}; };
  }
  std::vector<std::string> ran() const {
    std::vector<std::string> out;
    for (const std::string& c : fake.calls)
      if (c.starts_with("run ")) out.push_back(c.substr(4));
    return out;
  }
};

TEST(Service, SystemdStartsAndEnablesSilently) {
  Machine run(true);
  run.fake.answer("/usr/bin/systemctl is-enabled -- ntp", 1, "disabled\n");
  run.fake.answer("/usr/bin/systemctl is-active -- ntp", 3, "inactive\n");
  run.fake.answer("/usr/bin/systemctl show --property=NeedDaemonReload -- ntp", 0, "NeedDaemonReload=yes\n");
  auto handler = make_service_handler();
  const auto changes = run.turn(*handler, run.make("service", "ntp", {{"ensure", run.text("running")}, {"enable", Value::boolean(true)}}));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].message, "ensure changed 'stopped' to 'running'");
  EXPECT_TRUE(changes[0].invalidates_refresh);
  const auto ran = run.ran();
  EXPECT_EQ(std::vector<std::string>(ran.begin() + 2, ran.end()),
            (std::vector<std::string>{"/usr/bin/systemctl show --property=NeedDaemonReload -- ntp", "/usr/bin/systemctl daemon-reload",
                                      "/usr/bin/systemctl unmask -- ntp", "/usr/bin/systemctl start -- ntp",
                                      "/usr/bin/systemctl unmask -- ntp", "/usr/bin/systemctl enable -- ntp"}));
}

TEST(Service, EnableAlone) {
  Machine run(true);
  run.fake.answer("/usr/bin/systemctl is-enabled -- ntp", 0, "enabled\n");
  run.fake.answer("/usr/bin/systemctl is-enabled -- st", 0, "static\n");
  auto handler = make_service_handler();
  const auto off = run.turn(*handler, run.make("service", "ntp", {{"enable", Value::boolean(false)}}));
  ASSERT_EQ(off.size(), 1u);
  EXPECT_EQ(off[0].message, "enable changed 'true' to 'false'");
  EXPECT_EQ(run.ran().back(), "/usr/bin/systemctl disable -- ntp");
  EXPECT_TRUE(run.turn(*handler, run.make("service", "st", {{"enable", Value::boolean(false)}})).empty());
}

TEST(Service, EnableThatFailsLeavesOutTheReason) {
  Machine run(true);
  run.fake.answer("/usr/bin/systemctl is-enabled -- gone", 1, "");
  run.fake.answer("/usr/bin/systemctl enable -- gone", 1, "Failed to enable unit: Unit file gone.service does not exist.\n");
  auto handler = make_service_handler();
  EXPECT_EQ(run.turn(*handler, run.make("service", "gone", {{"enable", Value::boolean(true)}}))[0].failure, "Could not enable gone: ");
}

TEST(Service, DebianScripts) {
  Machine run(false);
  run.fake.answer("/usr/sbin/invoke-rc.d --quiet --query ntp start", 104);
  run.fake.answer("/usr/sbin/service ntp status", 3);
  auto handler = make_service_handler();
  auto& r = run.make("service", "ntp",
                     {{"ensure", run.text("running")}, {"enable", run.text("true")}, {"hasrestart", Value::boolean(true)}});
  const auto changes = run.turn(*handler, r);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(run.ran().back(), "/etc/init.d/ntp start");
  run.fake.answer("/usr/sbin/service ntp status", 0);
  handler->refresh(r, run);
  EXPECT_EQ(run.ran().back(), "/etc/init.d/ntp restart");
}

TEST(Service, DebianScriptsAreDisabledByTheVersionOfSysvRc) {
  for (const auto& [version, last] :
       {std::pair{"2.88dsf-59", "/usr/sbin/update-rc.d ntp disable"}, std::pair{"2.87", "/usr/sbin/update-rc.d ntp stop 00 1 2 3 4 5 6 ."},
        std::pair{"", "/usr/sbin/update-rc.d ntp stop 00 1 2 3 4 5 6 ."}}) {
    Machine run(false);
    run.fake.put_program("/usr/bin/dpkg-query");
    run.fake.answer("/usr/sbin/invoke-rc.d --quiet --query ntp start", 104);
    run.fake.answer("/usr/bin/dpkg-query -W --showformat ${Version} sysv-rc", *version == 0 ? 1 : 0, version);
    auto handler = make_service_handler();
    run.turn(*handler, run.make("service", "ntp", {{"enable", Value::boolean(false)}}));
    EXPECT_EQ(run.ran().back(), last) << version;
  }
}

TEST(Service, ProvidersThatCannotWorkHere) {
  Machine run(true);
  auto handler = make_service_handler();
  for (const char* provider : {"debian", "redhat", "upstart", "openrc", "launchd"}) {
    auto& r = run.make("service", provider, {{"ensure", run.text("running")}, {"provider", run.text(provider)}});
    handler->prepare(r, run);
    EXPECT_EQ(handler->unsuitable(r, run), std::string("Provider ") + provider + " is not functional on this host");
  }
  EXPECT_THROW(handler->prepare(run.make("service", "s", {{"provider", run.text("nonsense")}}), run), ResourceError);
}

TEST(Service, OwnCommandsAndPattern) {
  Machine run(false);
  run.fake.answer("/bin/ps -ef", 0, "UID PID\nroot  4242 1 mydaemon --x\n");
  auto handler = make_service_handler();
  auto& r = run.make("service", "mydaemon", {{"provider", run.text("base")}, {"ensure", run.text("stopped")}});
  ASSERT_EQ(run.turn(*handler, r).size(), 1u);
  EXPECT_EQ(run.ran().back(), "/bin/kill 4242");
  run.fake.answer("check it", 1);
  auto& own = run.make(
      "service", "own",
      {{"provider", run.text("base")}, {"ensure", run.text("running")}, {"status", run.text("check it")}, {"start", run.text("start it")}});
  ASSERT_EQ(run.turn(*handler, own).size(), 1u);
  EXPECT_EQ(run.ran().back(), "start it");
  handler->refresh(own, run); // the service does not run, so nothing restarts
  EXPECT_EQ(run.ran().back(), "check it");
}

TEST(Service, FailureIsToldWithTheCommand) {
  Machine run(false);
  run.fake.answer("/usr/sbin/service ntp status", 3);
  run.fake.answer("/etc/init.d/ntp start", 1, "no way\n");
  auto handler = make_service_handler();
  const auto changes = run.turn(*handler, run.make("service", "ntp", {{"ensure", Value::boolean(true)}}));
  EXPECT_EQ(changes[0].failure, "Could not start Service[ntp]: Execution of '/etc/init.d/ntp start' returned 1: no way");
  EXPECT_THROW(run.turn(*handler, run.make("service", "bad", {{"ensure", run.text("up")}})), ResourceError);
}

TEST(Service, EnableIsCheckedBeforeAnythingChanges) {
  auto error = [](Machine& run, const char* enable, const char* provider) -> std::string {
    auto handler = make_service_handler();
    try {
      auto& r = run.make("service", "ntp", {{"enable", run.text(enable)}, {"provider", run.text(provider)}});
      handler->prepare(r, run);
      return r.has("enable") ? "managed" : "left alone";
    } catch (const ResourceError& e) { return e.what(); }
  };
  Machine run(true);
  EXPECT_EQ(error(run, "manual", "systemd"),
            "Parameter enable failed on Service[ntp]: Provider systemd must have features 'manual_startable' to set 'enable' to 'manual'");
  EXPECT_EQ(error(run, "mask", "systemd"), "managed");
  EXPECT_EQ(error(run, "mask", "debian"),
            "Parameter enable failed on Service[ntp]: Provider debian must have features 'maskable' to set 'enable' to 'mask'");
  EXPECT_EQ(error(run, "true", "init"), "left alone");
  EXPECT_EQ(error(run, "true", "base"), "left alone");
}

} // namespace
} // namespace pupc::runtime
