#include "runtime/provider/handlers.h"
#include "runtime/provider/package/package_provider.h"
#include "runtime/provider/package/version_range.h"
#include "runtime/provider/provider_testing.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace pupc::runtime {
namespace {

struct Debian : FakeRun {
  Debian() {
    for (const char* tool : {"apt-get", "apt-cache", "apt-mark", "dpkg", "dpkg-query", "dpkg-deb"})
      fake.put_program(std::string("/usr/bin/") + tool);
    fake.answer("/usr/bin/dpkg-query -W --showformat ${Status} ${Package} ${Version} ${Architecture}\\n", 0,
                "install ok installed bash 5.2-1 amd64\nhold ok installed vim 9.0 amd64\ndeinstall ok config-files ntp 4.2 amd64\ninstall "
                "ok half-configured bad 1 amd64\n"
                "install reinstreq installed broken 1 amd64\n");
    fake.answer("/usr/bin/apt-cache policy bash", 0, "bash:\n  Installed: 5.2-1\n  Candidate: 5.2-2\n  Version table:\n");
    fake.on_run = [](const Command&) { return CommandResult{}; };
  }
  std::vector<std::string> ran() const {
    std::vector<std::string> out;
    for (const std::string& c : fake.calls)
      if (c.starts_with("run ") && c.find("dpkg-query") == std::string::npos && c.find("policy") == std::string::npos)
        out.push_back(c.substr(4));
    return out;
  }
  std::vector<PropertyChange> ensure(const std::string& name, std::string_view value,
                                     std::vector<std::pair<std::string, Value>> more = {}) {
    more.emplace_back("ensure", text(value));
    auto handler = make_package_handler();
    return turn(*handler, make("package", name, std::move(more)));
  }
};

TEST(Package, InstalledAbsentPurged) {
  Debian run;
  EXPECT_TRUE(run.ensure("bash", "installed").empty());
  EXPECT_TRUE(run.ensure("ntp", "absent").empty());
  EXPECT_TRUE(run.ensure("unknown", "purged").empty());
  EXPECT_TRUE(run.ran().empty());
  const auto created = run.ensure("tree", "present");
  ASSERT_EQ(created.size(), 1u);
  EXPECT_EQ(created[0].message, "created");
  EXPECT_EQ(created[0].is_text, "'purged'");
  EXPECT_EQ(run.ensure("ntp", "purged")[0].message, "purged");
  EXPECT_EQ(run.ensure("bash", "absent")[0].message, "removed");
  EXPECT_EQ(run.ran(), (std::vector<std::string>{"/usr/bin/apt-get -q -y -o DPkg::Options::=--force-confold install tree",
                                                 "/usr/bin/apt-mark manual tree", "/usr/bin/apt-get -y -q remove --purge ntp",
                                                 "/usr/bin/dpkg --purge ntp", "/usr/bin/apt-get -y -q remove bash"}));
}

TEST(Package, StaysAsItWasBeforeOthersChanged) {
  Debian run;
  auto handler = make_package_handler();
  const std::string list = "/usr/bin/dpkg-query -W --showformat ${Status} ${Package} ${Version} ${Architecture}\\n";
  auto turn = [&](const std::string& name, std::string_view value) {
    return run.turn(*handler, run.make("package", name, {{"ensure", run.text(value)}})).size();
  };
  EXPECT_EQ(turn("bash", "absent"), 1u);
  run.fake.answer(list, 0, "deinstall ok config-files bash 5.2-1 amd64\n"); // vim went with it
  EXPECT_EQ(turn("vim", "present"), 0u);
  EXPECT_EQ(turn("tree", "absent"), 0u);
  // Another resource's command installs what was in no list: that is seen.
  run.fake.put_file("/var/lib/dpkg/status", "new");
  run.fake.answer(list, 0, "install ok installed jq 1.6 amd64\n");
  EXPECT_EQ(turn("jq", "present"), 0u);
}

TEST(Package, WaitsForTheLockOfDpkg) {
  Debian run;
  run.fake.put_file("/var/lib/dpkg/lock-frontend", "");
  const uint64_t inode = run.fake.stat("/var/lib/dpkg/lock-frontend")->inode;
  auto slept = [&] { return std::ranges::count(run.fake.calls, "sleep 500"); };
  run.fake.put_file("/proc/locks", fmt::format("1: POSIX  ADVISORY  WRITE 547 fd:00:{} 0 EOF\n", inode + 1));
  run.ensure("tree", "present");
  EXPECT_EQ(slept(), 0);
  run.fake.put_file("/proc/locks", fmt::format("1: POSIX  ADVISORY  WRITE 547 fd:00:{} 0 EOF\n", inode));
  run.ensure("bash", "absent");
  EXPECT_EQ(slept(), 240); // then the command itself tells
  EXPECT_EQ(run.ran().back(), "/usr/bin/apt-get -y -q remove bash");
  EXPECT_EQ(std::ranges::count_if(run.logs, [](const std::string& l) { return l.find("Waiting for process 547") != std::string::npos; }),
            1);
}

TEST(Package, VersionsAndLatest) {
  Debian run;
  EXPECT_TRUE(run.ensure("bash", "5.2-1").empty());
  EXPECT_TRUE(run.ensure("bash", ">=5.0 <6").empty());
  EXPECT_EQ(run.ensure("bash", "5.3-1")[0].message, "ensure changed '5.2-1' to '5.3-1'");
  EXPECT_EQ(
      run.ensure("bash", "latest", {{"configfiles", run.text("replace")}, {"install_options", run.list({"--no-install-recommends"})}})[0]
          .message,
      "ensure changed '5.2-1' to '5.2-2'");
  EXPECT_EQ(run.ran()[0],
            "/usr/bin/apt-get -q -y -o DPkg::Options::=--force-confold --allow-downgrades --allow-change-held-packages install bash=5.3-1");
  EXPECT_EQ(run.ran()[2], "/usr/bin/apt-get -q -y -o DPkg::Options::=--force-confnew --no-install-recommends install bash");
}

TEST(Package, Holds) {
  Debian run;
  EXPECT_TRUE(run.ensure("vim", "present", {{"mark", run.text("hold")}}).empty());
  const auto changes = run.ensure("vim", "present", {{"mark", run.text("none")}});
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].message, "mark changed 'hold' to 'none'");
  EXPECT_EQ(run.fake.commands[run.fake.commands.size() - 2].input, "vim install\n");
  EXPECT_EQ(run.ran().back(), "/usr/bin/apt-mark manual vim");
}

TEST(Package, Failures) {
  Debian run;
  EXPECT_TRUE(run.ensure("broken", "present").empty()); // Puppet lists all packages and does not check that list for errors
  EXPECT_THROW(run.ensure("x", "absent", {{"mark", run.text("hold")}}), ResourceError);
  EXPECT_THROW(run.ensure("x", "present", {{"provider", run.text("nonsense")}}), ResourceError);
  run.fake.answer(
      "/usr/bin/apt-get -q -y -o DPkg::Options::=--force-confold --allow-downgrades --allow-change-held-packages install nope=1", 100,
      "E: Unable to locate package nope\n");
  EXPECT_EQ(run.ensure("nope", "1")[0].failure, "Could not update: Execution of '/usr/bin/apt-get -q -y -o DPkg::Options::=--force-confold "
                                                "--allow-downgrades --allow-change-held-packages install nope=1' "
                                                "returned 100: E: Unable to locate package nope");
}

TEST(Package, DebianVersions) {
  EXPECT_LT(compare_debian_versions("1.0~rc1", "1.0"), 0);
  EXPECT_LT(compare_debian_versions("1.9", "1.10"), 0);
  EXPECT_GT(compare_debian_versions("1:0.1", "2.0"), 0);
  EXPECT_LT(compare_debian_versions("1.0-1", "1.0-1+b1"), 0);
  EXPECT_EQ(compare_debian_versions("1.0", "1.0-0"), 0);
  EXPECT_LT(compare_debian_versions("1.0a", "1.0+"), 0);
}

TEST(Package, VersionsOfPip) {
  const char* sorted[] = {"1.0.dev1", "1.0a1.dev2", "1.0a1", "1.0b2", "1.0rc1", "1.0", "1.0+local", "1.0.post1", "1.0.1", "1.10", "1!0.1"};
  for (size_t i = 1; i < std::size(sorted); ++i) {
    EXPECT_LT(compare_pip_versions(sorted[i - 1], sorted[i]), 0) << sorted[i];
    EXPECT_GT(compare_pip_versions(sorted[i], sorted[i - 1]), 0) << sorted[i];
  }
  EXPECT_EQ(compare_pip_versions("v1.0.0", "1"), 0);
  EXPECT_EQ(compare_pip_versions("1.0-1", "1.0.post1"), 0);
  EXPECT_EQ(compare_pip_versions("1.0-ALPHA.1", "1.0a1"), 0);
}

TEST(Package, VersionsOfGems) {
  const char* sorted[] = {"1.0.a", "1.0.b1", "1.0.b2", "1.0", "1.0.1", "1.2", "1.10"};
  for (size_t i = 1; i < std::size(sorted); ++i) EXPECT_LT(compare_gem_versions(sorted[i - 1], sorted[i]), 0) << sorted[i];
  EXPECT_EQ(compare_gem_versions("1.0", "1"), 0);
  EXPECT_LT(compare_gem_versions("1.0-x", "1.0"), 0);
}

TEST(Package, RangesOfVersions) {
  for (const char* none : {"1.0", ">= 1.0", ">= 1.0 <2", " >1", ">=1.0, <2", "=1", "==1", "=>1", "~>1", "!=1", ">"})
    EXPECT_FALSE(VersionRange::parse(none, compare_debian_versions)) << none;
  EXPECT_TRUE(VersionRange::parse(">1 <3 <2", compare_debian_versions)->includes("2.5")); // two conditions count
  const auto range = VersionRange::parse(">=1.0\t<2", compare_pip_versions);
  ASSERT_TRUE(range);
  EXPECT_TRUE(range->includes("1.5"));
  EXPECT_FALSE(range->includes("2.0"));
  EXPECT_EQ(range->best({"0.9", "1.10", "1.9", "2.0"}), "1.10");
  EXPECT_EQ(range->best({"3"}), "");
  const auto about = VersionRange::parse_requirement("~> 1.2.3, != 1.2.5");
  ASSERT_TRUE(about);
  for (const char* version : {"1.2.3", "1.2.10"}) EXPECT_TRUE(about->includes(version)) << version;
  for (const char* version : {"1.2.5", "1.2.2", "1.3.0", "1.20"}) EXPECT_FALSE(about->includes(version)) << version;
}

TEST(Package, RangesOfPipAndGem) {
  FakeRun run;
  for (const char* tool : {"pip3", "gem"}) run.fake.put_program(std::string("/usr/bin/") + tool);
  run.fake.answer("/usr/bin/pip3 freeze --all", 0, "one==1.2\n");
  run.fake.answer("/usr/bin/pip3 install --disable-pip-version-check one==9!0dev0+x", 1, "ERROR: (from versions: 1.2, 1.10, 2.0)\n");
  run.fake.answer("/usr/bin/gem list --local ^json$", 0, "json (2.6.1, 1.8.0)\n");
  auto ensure = [&](const char* name, const char* provider, const char* value) {
    auto handler = make_package_handler();
    auto changes = run.turn(*handler, run.make("package", name, {{"ensure", run.text(value)}, {"provider", run.text(provider)}}), false);
    return changes.empty() ? std::string("none") : changes[0].message;
  };
  auto ran = [&](const std::string& call) {
    return std::find(run.fake.calls.begin(), run.fake.calls.end(), "run " + call) != run.fake.calls.end();
  };
  EXPECT_EQ(ensure("one", "pip3", ">=1.0 <1.5"), "none");
  EXPECT_EQ(ensure("one", "pip3", ">1.2 <2"), "ensure changed '1.2' to '>1.2 <2'");
  EXPECT_TRUE(ran("/usr/bin/pip3 install -q one==1.10"));
  EXPECT_EQ(ensure("json", "gem", "~> 1.8"), "none");
  EXPECT_NE(ensure("json", "gem", ">=3.0 <4"), "none");
  EXPECT_TRUE(ran("/usr/bin/gem install -v >=3.0, <4 --no-document json"));
}

TEST(Package, ListsEachSuitableProvider) {
  FakeRun run;
  for (const char* tool : {"rpm", "dnf", "yum", "gem", "pip", "pip3"}) run.fake.put_program(std::string("/usr/bin/") + tool);
  run.fake.answer("/usr/bin/rpm -qa --nosignature --nodigest --qf %{NAME} %|EPOCH?{%{EPOCH}}:{0}| %{VERSION} %{RELEASE} %{ARCH}\\n", 0,
                  "kernel 0 5.2 1 x86_64\nbash 1 5.1 2.el9 x86_64\nkernel 0 5.1 1 x86_64\nruby 0 3.1 1 noarch\n");
  run.fake.answer("/usr/bin/gem list --local", 0, "\n*** LOCAL GEMS ***\n\nbash (9)\njson (2.6.1, default: 2.6.0 java)\n");
  run.fake.answer("/usr/bin/pip freeze --all", 0, "wheel==0.38.4\nodd===1.0.post1\nlocal @ file:///srv/local@7\n# comment\njson==3\n");
  run.fake.answer("/usr/bin/pip3 freeze --all", 0, "wheel==0.38.4\nlate==1\n");
  auto handler = make_package_handler();
  std::vector<std::string> told;
  auto list = [&](std::optional<std::vector<ManagedResource>> all) {
    told.clear();
    for (ManagedResource& r : *all) {
      const Value ensure = handler->retrieve(r, run).get("ensure");
      told.push_back(fmt::format("{} {} {}", r.title, display_text(ensure), r.text("provider")));
    }
  };
  run.fake.answer("/usr/bin/rpm -q bash --nosignature --nodigest --qf %{NAME} %|EPOCH?{%{EPOCH}}:{0}| %{VERSION} %{RELEASE} %{ARCH}\\n", 0,
                  "bash 1 5.1 2.el9 x86_64\n");
  list(handler->instances(run));
  ASSERT_EQ(told.size(), 8u);
  EXPECT_EQ(told[0], "bash '1:5.1-2.el9' "); // the gem of that name comes later
  EXPECT_EQ((std::vector<std::string>{told.begin() + 3, told.end()}),
            (std::vector<std::string>{"json ['2.6.1', '2.6.0'] gem", "local '7' pip", "odd '1.0.post1' pip", "wheel '0.38.4' pip",
                                      "late '1' pip3"}));
  auto ran = [&](const std::string& call) { return std::count(run.fake.calls.begin(), run.fake.calls.end(), "run " + call); };
  EXPECT_EQ(ran("/usr/bin/gem list --local"), 1);
  list(handler->instances_for("bash", run)); // the first provider has it, and no other is asked
  EXPECT_EQ(told.size(), 3u);
  EXPECT_EQ(ran("/usr/bin/gem list --local"), 1);
  // What is removed but for its configuration files is listed, too.
  Debian debian;
  const auto listed = make_package_handler()->instances(debian);
  const auto ntp = std::find_if(listed->begin(), listed->end(), [](const ManagedResource& r) { return r.title == "ntp"; });
  ASSERT_NE(ntp, listed->end());
  EXPECT_EQ(ntp->text("ensure"), "absent");
}

TEST(Package, LanguagesAndRpm) {
  FakeRun run;
  for (const char* tool : {"pip3", "gem", "npm", "rpm", "dnf"}) run.fake.put_program(std::string("/usr/bin/") + tool);
  run.fake.answer("/usr/bin/pip3 freeze --all", 0, "Foo_Bar==1.2\n");
  run.fake.answer("/usr/bin/gem list --local ^json$", 0, "json (2.6.1, default: 2.6.0)\n");
  run.fake.answer("/usr/bin/npm list --json --global --depth=0", 0, R"({"dependencies":{"left-pad":{"version":"1.3.0"}}})");
  run.fake.answer("/usr/bin/rpm -q bash --nosignature --nodigest --qf %{NAME} %|EPOCH?{%{EPOCH}}:{0}| %{VERSION} %{RELEASE} %{ARCH}\\n", 0,
                  "bash 0 5.1 2.el9 x86_64\n");
  run.fake.answer("/usr/bin/dnf check-update", 100, "\nbash.x86_64  5.1-6.el9  baseos\n");
  auto ensure = [&](const char* name, const char* provider, const char* value) {
    auto handler = make_package_handler();
    auto changes = run.turn(*handler, run.make("package", name, {{"ensure", run.text(value)}, {"provider", run.text(provider)}}), true);
    return changes.empty() ? std::string("none") : changes[0].message;
  };
  EXPECT_EQ(ensure("foo_bar", "pip3", "1.2"), "none");
  EXPECT_EQ(ensure("foo-bar", "pip3", "1.2"), "created"); // Puppet knows no other spelling
  EXPECT_EQ(ensure("other", "pip3", "present"), "created");
  EXPECT_EQ(ensure("json", "gem", "2.6.0"), "none");
  EXPECT_EQ(ensure("left-pad", "npm", "1.4.0"), "ensure changed '1.3.0' to '1.4.0'");
  EXPECT_EQ(ensure("bash", "dnf", "5.1-2.el9"), "none");
  EXPECT_EQ(ensure("bash", "dnf", "latest"), "ensure changed '5.1-2.el9' to '0:5.1-6.el9'");
}

TEST(Package, ProvidersWithoutTheirTools) {
  FakeRun run;
  auto handler = make_package_handler();
  auto resource = [&](const char* provider, std::vector<std::pair<std::string, Value>> more = {}) -> ManagedResource& {
    more.emplace_back("provider", run.text(provider));
    ManagedResource& r = run.make("package", std::string("of ") + provider, std::move(more));
    handler->prepare(r, run);
    return r;
  };
  auto failure = [&](ManagedResource& r) -> std::string {
    try {
      handler->retrieve(r, run);
    } catch (const ResourceError& e) { return e.what(); }
    return "none";
  };
  // The tools of these may come later, and are missed when they are needed.
  for (const char* provider : {"pip", "pip3", "gem"}) {
    ManagedResource& r = resource(provider);
    EXPECT_EQ(handler->unsuitable(r, run), "");
    EXPECT_EQ(failure(r), fmt::format("Provider {} package command is not functional on this host", provider));
  }
  EXPECT_EQ(failure(resource("pip", {{"command", run.text("/srv/venv/bin/pip")}})),
            "Provider pip package command '/srv/venv/bin/pip' does not exist on this host");
  EXPECT_EQ(handler->unsuitable(resource("npm"), run), "Provider npm is not functional on this host");
  EXPECT_EQ(handler->unsuitable(resource("puppet_gem"), run), "Provider puppet_gem is not functional on this host");
  // Puppet's providers of other systems are known.
  EXPECT_EQ(handler->unsuitable(resource("pacman"), run), "Provider pacman is not functional on this host");
  EXPECT_EQ(handler->unsuitable(resource("zypper"), run), "Provider zypper is not functional on this host");
  run.fake.put_program("/usr/bin/zypper");
  EXPECT_THROW(resource("zypper"), ResourceError); // Puppet could use it
  EXPECT_THROW(resource("nonsense"), ResourceError);
}

TEST(Package, RpmVersions) {
  EXPECT_EQ(compare_with_installed_rpm("1.0", "1.0-3.el9"), 0); // what is left out does not count
  EXPECT_EQ(compare_with_installed_rpm("1.0", "2:1.0-3.el9"), 0);
  EXPECT_EQ(compare_with_installed_rpm("1.0-3.el9.x86_64", "1.0-3.el9"), 0);
  EXPECT_GT(compare_with_installed_rpm("0:1.0-3", "1.0-3"), 0); // as in Puppet, an epoch of 0 is more than none
  EXPECT_LT(compare_with_installed_rpm("1.0~rc1", "1.0-1"), 0);
  EXPECT_GT(compare_with_installed_rpm("1.10", "1.9-1"), 0);
  EXPECT_LT(compare_rpm_versions("1.0", "2:0.1"), 0);
  EXPECT_EQ(compare_rpm_versions("1.0", "0:1.0"), 0);
}

TEST(Package, RpmGoesUpAndDown) {
  FakeRun run;
  for (const char* tool : {"rpm", "dnf", "yum"}) run.fake.put_program(std::string("/usr/bin/") + tool);
  const std::string format = " --nosignature --nodigest --qf %{NAME} %|EPOCH?{%{EPOCH}}:{0}| %{VERSION} %{RELEASE} %{ARCH}\\n";
  run.fake.answer("/usr/bin/rpm -q a" + format, 0, "a 0 1.10~rc1 2 noarch\n");
  run.fake.answer("/usr/bin/rpm -q mta" + format, 1, "package mta is not installed\n");
  run.fake.answer("/usr/bin/rpm -q mta" + format + " --whatprovides", 0, "postfix 2 3.5 1 x86_64\n");
  auto last = [&](const char* name, const char* provider, const char* value, std::vector<std::pair<std::string, Value>> more = {}) {
    more.insert(more.end(), {{"ensure", run.text(value)}, {"provider", run.text(provider)}});
    auto handler = make_package_handler();
    run.fake.calls.clear();
    try {
      run.turn(*handler, run.make("package", name, std::move(more)));
    } catch (const ResourceError& e) {
      // The tools of this test install nothing, so that the version is wrong afterwards.
      EXPECT_TRUE(std::string_view(e.what()).starts_with("Could not update: Failed to update to version ")) << e.what();
    }
    std::string found;
    for (const std::string& call : run.fake.calls)
      if (call.find(" --qf ") == std::string::npos) found = call;
    return found;
  };
  EXPECT_EQ(last("a", "dnf", "1.10-1"), "run /usr/bin/dnf -d 0 -e 1 -y upgrade a-1.10-1");
  EXPECT_EQ(last("a", "dnf", "1.9-7"), "run /usr/bin/dnf -d 0 -e 1 -y downgrade a-1.9-7");
  EXPECT_EQ(last("a", "yum", "1:0-1"), "run /usr/bin/yum -d 0 -e 0 -y update a-1:0-1");
  EXPECT_EQ(last("a", "yum", "1.9-7", {{"install_only", Value::boolean(true)}}), "run /usr/bin/yum -d 0 -e 0 -y update a-1.9-7");
  EXPECT_EQ(last("mta", "yum", "absent"), "run /usr/bin/rpm -e postfix");
  EXPECT_EQ(last("mta", "yum", "purged"), "run /usr/bin/yum -y erase mta");
  run.fake.answer("/usr/bin/yum -d 0 -e 0 -y list mta", 0, "");
  EXPECT_EQ(last("mta", "yum", "present", {{"allow_virtual", Value::boolean(false)}}), "run /usr/bin/yum -d 0 -e 0 -y install mta");
}

} // namespace
} // namespace pupc::runtime
