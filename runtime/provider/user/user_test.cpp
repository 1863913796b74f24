#include "runtime/provider/handlers.h"
#include "runtime/provider/provider_testing.h"

#include <gtest/gtest.h>

namespace pupc::runtime {
namespace {

std::vector<std::string> commands_of(const FakeRun& run) {
  std::vector<std::string> out;
  for (const std::string& c : run.fake.calls)
    if (c.starts_with("run ")) out.push_back(c.substr(4));
  return out;
}

struct Accounts : FakeRun {
  Accounts() {
    for (const char* tool : {"useradd", "usermod", "userdel", "groupadd", "groupmod", "groupdel", "chage", "chpasswd", "gpasswd"})
      fake.put_program(std::string("/usr/sbin/") + tool);
    fake.put_program("/bin/bash");
    fake.put_file("/bin/none", "", 0644);
    fake.put_user("bob", 1001, 1001, "/home/bob");
    fake.put_group("bob", 1001);
    fake.put_group("video", 44, {"bob"});
    fake.put_file("/etc/group", "root:x:0:\nbob:x:1001:\nvideo:x:44:bob\naudio:x:29:\n");
    fake.put_file("/etc/shadow", "root:*:19000:0:99999:7:::\nbob:$6$old:19000:0:99999:7::19723:\n");
    fake.on_run = [](const Command&) { return CommandResult{}; };
  }
};

TEST(User, IsCreatedWithAllItsProperties) {
  Accounts run;
  auto handler = make_user_handler();
  auto& r = run.make("user", "ann",
                     {{"uid", run.text("2000")},
                      {"gid", run.text("video")},
                      {"shell", run.text("/bin/bash")},
                      {"comment", run.text("Ann B")},
                      {"groups", run.list({"video", "audio"})},
                      {"managehome", Value::boolean(true)},
                      {"system", Value::boolean(true)},
                      {"password", run.text("$6$secret")},
                      {"password_max_age", Value::integer(90)},
                      {"expiry", run.text("2030-01-31")}});
  const auto changes = run.turn(*handler, r);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].message, "created");
  EXPECT_EQ(changes[0].failure, "");
  EXPECT_EQ(commands_of(run),
            (std::vector<std::string>{"/usr/sbin/useradd -c Ann B -e 2030-01-31 -g video -G audio,video -s /bin/bash -u 2000 -m -r ann",
                                      "/usr/sbin/chage -M 90 ann", "/usr/sbin/chpasswd -e"}));
  EXPECT_EQ(run.fake.commands.back().input, "ann:$6$secret\n");
}

TEST(User, ChangesPropertiesOneByOne) {
  Accounts run;
  auto handler = make_user_handler();
  auto& r = run.make("user", "bob",
                     {{"ensure", run.text("present")},
                      {"uid", Value::integer(1002)},
                      {"home", run.text("/srv/bob")},
                      {"shell", run.text("/bin/none")},
                      {"gid", run.text("video")},
                      {"groups", run.list({"audio"})},
                      {"password", run.text("$6$new")},
                      {"expiry", run.text("absent")}});
  const auto changes = run.turn(*handler, r);
  ASSERT_EQ(changes.size(), 7u);
  EXPECT_EQ(changes[0].message, "home changed '/home/bob' to '/srv/bob'");
  EXPECT_EQ(changes[1].message, "uid changed 1001 to 1002");
  EXPECT_EQ(changes[2].message, "gid changed 1001 to 'video'");
  EXPECT_EQ(changes[3].failure, "Shell /bin/none must be executable");
  EXPECT_EQ(changes[4].message, "changed [redacted] to [redacted]");
  EXPECT_TRUE(changes[4].sensitive);
  EXPECT_EQ(changes[5].message, "groups changed video to ['audio', 'video']");
  EXPECT_EQ(changes[6].message, "undefined 'expiry' from '2024-01-01'");
  EXPECT_EQ(commands_of(run),
            (std::vector<std::string>{"/usr/sbin/usermod -d /srv/bob bob", "/usr/sbin/usermod -u 1002 bob", "/usr/sbin/usermod -g 44 bob",
                                      "/usr/sbin/chpasswd -e", "/usr/sbin/usermod -G audio,video bob", "/usr/sbin/usermod -e  bob"}));
}

TEST(User, InSyncAndNoopRunNothing) {
  Accounts run;
  auto handler = make_user_handler();
  auto& same = run.make("user", "bob",
                        {{"uid", run.text("1001")},
                         {"groups", run.list({"video"})},
                         {"membership", run.text("inclusive")},
                         {"password", run.text("$6$old")}});
  EXPECT_TRUE(run.turn(*handler, same).empty());
  auto& gone = run.make("user", "bob", {{"ensure", run.text("absent")}});
  const auto changes = run.turn(*handler, gone, true);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].message, "removed");
  EXPECT_TRUE(commands_of(run).empty());
}

TEST(User, FailureShowsTheCommandButNoPassword) {
  Accounts run;
  run.fake.on_run = [](const Command& c) {
    CommandResult r;
    r.status = c.argv[0].ends_with("chpasswd") ? 1 : 0;
    r.output = "secret\n";
    return r;
  };
  auto handler = make_user_handler();
  auto& r = run.make("user", "bob", {{"password", run.text("$6$new")}});
  const auto changes = run.turn(*handler, r);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].failure, "chpasswd failed with status 1");
  run.fake.answer("/usr/sbin/useradd -M tim", 9, "useradd: no\n");
  const auto failed = run.turn(*handler, run.make("user", "tim", {{"ensure", run.text("present")}}));
  EXPECT_EQ(failed[0].failure, "Could not create user tim: Execution of '/usr/sbin/useradd -M tim' returned 9: useradd: no");
}

TEST(User, RefusesBadAttributes) {
  Accounts run;
  auto handler = make_user_handler();
  auto problem = [&](std::vector<std::pair<std::string, Value>> attributes) -> std::string {
    try {
      handler->prepare(run.make("user", "x", std::move(attributes)), run);
    } catch (const ResourceError& e) { return e.what(); }
    return "none";
  };
  EXPECT_EQ(problem({{"password", run.text("a:b")}}), "Parameter password failed on User[x]: Passwords cannot include ':'");
  EXPECT_EQ(problem({{"password", run.text("a\nb")}}), "Parameter password failed on User[x]: Passwords cannot include line breaks");
  EXPECT_EQ(problem({{"groups", run.list({"12"})}}), "Parameter groups failed on User[x]: Group names must be provided, not GID numbers.");
  EXPECT_EQ(problem({{"expiry", run.text("soon")}}),
            "Parameter expiry failed on User[x]: Expiry dates must be YYYY-MM-DD or the string \"absent\"");
  EXPECT_EQ(problem({{"expiry", run.text("2024-02-29")}}), "none");
}

TEST(Group, CreateChangeRemove) {
  Accounts run;
  auto handler = make_group_handler();
  run.turn(*handler, run.make("group", "new", {{"gid", run.text("5000")}, {"system", Value::boolean(true)}}));
  const auto changed = run.turn(*handler, run.make("group", "video", {{"gid", Value::integer(45)}}));
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_EQ(changed[0].message, "gid changed 44 to 45");
  run.turn(*handler, run.make("group", "video", {{"ensure", run.text("absent")}}));
  EXPECT_EQ(commands_of(run),
            (std::vector<std::string>{"/usr/sbin/groupadd -g 5000 -r new", "/usr/sbin/groupmod -g 45 video", "/usr/sbin/groupdel video"}));
  EXPECT_TRUE(run.turn(*handler, run.make("group", "video", {{"members", run.list({"bob"})}})).empty());
}

TEST(Group, MembersAndForceLocalNeedLibuser) {
  Accounts run;
  for (const char* tool : {"luseradd", "lusermod", "lgroupadd", "lgroupmod", "lgroupdel", "lchage"})
    run.fake.put_program(std::string("/usr/sbin/") + tool);
  auto handler = make_group_handler();
  const auto members = run.turn(*handler, run.make("group", "bob", {{"members", run.list({"bob"})}}));
  ASSERT_EQ(members.size(), 1u);
  EXPECT_EQ(members[0].message, "members changed  to bob");
  const auto gid = run.turn(*handler, run.make("group", "video", {{"gid", Value::integer(29)}, {"forcelocal", Value::boolean(true)}}));
  ASSERT_EQ(gid.size(), 1u);
  EXPECT_EQ(gid[0].message, "gid changed '44' to 29");
  EXPECT_EQ(gid[0].failure, "GID 29 already exists, use allowdupe to force group creation");
  run.turn(*handler, run.make("group", "new",
                              {{"gid", Value::integer(29)}, {"forcelocal", Value::boolean(true)}, {"allowdupe", Value::boolean(true)}}));
  EXPECT_EQ(commands_of(run), (std::vector<std::string>{"/usr/sbin/lgroupmod -M bob bob", "/usr/sbin/lgroupadd -g 29 new"}));
}

TEST(Group, RefusedMembersLeaveTheOldOnes) {
  Accounts run;
  for (const char* tool : {"luseradd", "lusermod", "lgroupadd", "lgroupmod", "lgroupdel", "lchage"})
    run.fake.put_program(std::string("/usr/sbin/") + tool);
  run.fake.put_group("crew", 6000, {"root", "bob"});
  run.fake.answer("/usr/sbin/lgroupmod -M bob crew", 1, "no space left");
  auto handler = make_group_handler();
  const auto changes = run.turn(*handler,
                                run.make("group", "crew", {{"members", run.list({"bob"})}, {"auth_membership", Value::boolean(true)}}));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_NE(changes[0].failure.find("no space left"), std::string::npos);
  EXPECT_EQ(commands_of(run), (std::vector<std::string>{"/usr/sbin/lgroupmod -m root,bob crew", "/usr/sbin/lgroupmod -M bob crew",
                                                        "/usr/sbin/lgroupmod -M root,bob crew"}));
}

} // namespace
} // namespace pupc::runtime
