#include "runtime/provider/handlers.h"
#include "runtime/provider/provider_testing.h"
#include "runtime/provider/vcsrepo/git_address.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace pupc::runtime {
namespace {

TEST(GitAddress, PasswordsAreHidden) {
  const GitAddress a = git_address("https://me:s%40cret@example.com:8443/a/b.git", false);
  EXPECT_TRUE(a.hides());
  EXPECT_EQ(a.shown, "https://me@example.com:8443/a/b.git");
  EXPECT_EQ(a.host, "https://example.com:8443");
  EXPECT_EQ(a.user, "me");
  EXPECT_EQ(a.password, "s@cret");
  EXPECT_EQ(git_address("https://me:a@b@example.com/x", false).shown, "https://me@example.com/x"); // the last @ ends the login
  EXPECT_EQ(git_address("https://me:@example.com", false).shown, "https://me@example.com");
  EXPECT_EQ(git_address("http://token@example.com/x", true).shown, "http://example.com/x"); // the whole address is secret
  EXPECT_EQ(git_address("http://me:%zz%4@example.com/x", true).password, "%zz%4");
}

TEST(GitAddress, OthersStay) {
  for (const char* text : {"/srv/a.git", "https://example.com/a:b@c", "https://me@example.com/a", "git@example.com:a/b",
                           "ssh://me:pw@example.com/a", "", "://", "https://"}) {
    const GitAddress a = git_address(text, false);
    EXPECT_FALSE(a.hides()) << text;
    EXPECT_EQ(a.shown, text);
  }
  EXPECT_FALSE(git_address("https://example.com/secret", true).hides());
}

TEST(GitAddress, Configuration) {
  const std::string config = "[core]\n\turl = A\n[remote \"one\"]\n\turl = A\n\tfetch = x\n[remote \"two\"]\n\turl = A\n";
  EXPECT_EQ(with_address(config, "one", "A", "B"),
            "[core]\n\turl = A\n[remote \"one\"]\n\turl = B\n\tfetch = x\n[remote \"two\"]\n\turl = A\n");
  EXPECT_EQ(with_address(config, "three", "A", "B"), config);
  EXPECT_EQ(with_address("[remote \"one\"]\n\turl = A", "one", "A", "B#\"\\"), "[remote \"one\"]\n\turl = \"B#\\\"\\\\\"");
  EXPECT_EQ(with_address("[remote \"one\"]\n\turl = \"B#\"", "one", "B#", "A"), "[remote \"one\"]\n\turl = A");
}

TEST(Vcsrepo, CloneAtRevisionAndRefusals) {
  FakeRun run;
  run.fake.put_program("/usr/bin/git");
  run.fake.on_run = [](const Command&) { return CommandResult{}; };
  run.fake.answer("/usr/bin/git branch -a", 0, "* master\n  remotes/origin/dev\n");
  auto handler = make_vcsrepo_handler();
  auto& r = run.make(
      "vcsrepo", "/srv/r",
      {{"ensure", run.text("present")}, {"provider", run.text("git")}, {"source", run.text("/src")}, {"revision", run.text("dev")}});
  const auto changes = run.turn(*handler, r);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].message, "created");
  EXPECT_EQ(changes[0].failure, "");
  bool cloned = false, checked_out = false;
  for (const std::string& call : run.fake.calls) {
    cloned |= call == "run /usr/bin/git clone /src /srv/r";
    checked_out |= call == "run /usr/bin/git checkout --force -b dev --track origin/dev";
  }
  EXPECT_TRUE(cloned);
  EXPECT_TRUE(checked_out);
  run.fake.put_file("/srv/full/x", "");
  auto& full = run.make("vcsrepo", "/srv/full",
                        {{"ensure", run.text("present")}, {"provider", run.text("git")}, {"source", run.text("/src")}});
  EXPECT_EQ(run.turn(*handler, full)[0].failure, "Path /srv/full exists and is not the desired repository.");
  EXPECT_THROW(handler->prepare(run.make("vcsrepo", "/x", {{"provider", run.text("svn")}}), run), ResourceError);
  run.fake.answer("/usr/bin/git clone /none /srv/none", 128, "fatal: repository '/none' does not exist\n");
  auto& missing = run.make("vcsrepo", "/srv/none",
                           {{"ensure", run.text("present")}, {"provider", run.text("git")}, {"source", run.text("/none")}});
  EXPECT_EQ(run.turn(*handler, missing)[0].failure,
            "Execution of 'git clone /none /srv/none' returned 128: fatal: repository '/none' does not exist");
}

TEST(Vcsrepo, WithoutGitOrProvider) {
  FakeRun run;
  auto handler = make_vcsrepo_handler();
  auto& r = run.make("vcsrepo", "/srv/r", {{"ensure", run.text("present")}, {"provider", run.text("git")}, {"source", run.text("/src")}});
  EXPECT_EQ(handler->unsuitable(r, run), "");
  EXPECT_EQ(run.turn(*handler, r)[0].failure,
            "Execution of 'git clone /src /srv/r' returned 1: Error: Could not execute posix command: No such file or directory - git");
  auto& no_ensure = run.make("vcsrepo", "/srv/e", {{"provider", run.text("git")}, {"source", run.text("/src")}});
  EXPECT_TRUE(run.turn(*handler, no_ensure).empty());
  auto& none = run.make("vcsrepo", "/srv/n", {{"ensure", run.text("present")}, {"source", run.text("/src")}});
  EXPECT_THROW(run.turn(*handler, none), ResourceError);
  EXPECT_THROW(handler->prepare(run.make("vcsrepo", "/srv/b", {{"ensure", run.text("bare")}}), run), ResourceError);
}

TEST(Vcsrepo, OldReleaseNeedsGit) {
  FakeRun run;
  const std::filesystem::path library = std::filesystem::path(::testing::TempDir()) / "vcsrepo_old_release";
  std::filesystem::create_directories(library / "puppet/provider/vcsrepo");
  std::ofstream(library / "puppet/provider/vcsrepo/git.rb") << "  commands :git => 'git'\n";
  run.changeable_settings().library_directories = [&] { return std::vector<std::string>{library}; };
  auto handler = make_vcsrepo_handler();
  auto& r = run.make("vcsrepo", "/srv/r", {{"ensure", run.text("present")}, {"provider", run.text("git")}});
  EXPECT_EQ(handler->unsuitable(r, run), "Provider git is not functional on this host");
  run.fake.put_program("/usr/bin/git");
  EXPECT_EQ(handler->unsuitable(r, run), "");
  std::filesystem::remove_all(library);
}

/// A fake git that only reports its version.
void put_git(FakeRun& run, const char* version) {
  run.fake.put_program("/usr/bin/git");
  run.fake.on_run = [](const Command&) { return CommandResult{}; };
  run.fake.answer("/usr/bin/git --version", 0, std::string("git version ") + version + "\n");
}

TEST(Vcsrepo, PasswordIsInNoArgument) {
  FakeRun run;
  put_git(run, "2.39.5");
  run.fake.put_file("/srv/r/.git/config", "[remote \"origin\"]\n\turl = https://me@example.com/a\n", 0640);
  auto handler = make_vcsrepo_handler();
  auto& r = run.make("vcsrepo", "/srv/r",
                     {{"ensure", run.text("latest")},
                      {"provider", run.text("git")},
                      {"source", run.text("https://me:hidden@example.com/a")},
                      {"submodules", Value::boolean(false)}});
  run.turn(*handler, r);
  EXPECT_NE(run.fake.find("/srv/r/.git/config")->content.find("url = https://me:hidden@example.com/a"),
            std::string::npos); // as git itself would have written it
  EXPECT_EQ(run.fake.find("/srv/r/.git/config")->status.mode, 0640u);
  ASSERT_FALSE(run.fake.commands.empty());
  bool told = false;
  for (const Command& c : run.fake.commands) {
    for (const std::string& word : c.argv) EXPECT_EQ(word.find("hidden"), std::string::npos) << word;
    for (const auto& [name, value] : c.environment) told |= name == "PUPC_GIT_PASSWORD_0" && value == "hidden";
  }
  EXPECT_TRUE(told);
}

TEST(Vcsrepo, SensitiveAddressesThatCannotBeHidden) {
  FakeRun run;
  put_git(run, "2.30.2");
  auto handler = make_vcsrepo_handler();
  auto& r = run.make("vcsrepo", "/srv/r", {{"ensure", run.text("present")}, {"provider", run.text("git")}});
  r.set("source", run.text("https://example.com/hidden"), true);
  EXPECT_THROW(handler->prepare(r, run), ResourceError);
  auto& old = run.make("vcsrepo", "/srv/o", {{"ensure", run.text("present")}, {"provider", run.text("git")}});
  old.set("source", run.text("https://me:hidden@example.com/a"), true);
  EXPECT_THROW(run.turn(*handler, old), ResourceError); // this git reads no settings from its environment
  auto& open = run.make(
      "vcsrepo", "/srv/p",
      {{"ensure", run.text("present")}, {"provider", run.text("git")}, {"source", run.text("https://me:shown@example.com/a")}});
  EXPECT_EQ(run.turn(*handler, open)[0].failure, "");
  EXPECT_TRUE(std::find(run.fake.calls.begin(), run.fake.calls.end(), "run /usr/bin/git clone https://me:shown@example.com/a /srv/p") !=
              run.fake.calls.end());
}

TEST(Vcsrepo, KindsOfRepositories) {
  FakeRun run;
  put_git(run, "2.39.5");
  auto handler = make_vcsrepo_handler();
  run.fake.put_file("/srv/m/config", "[remote \"origin\"]\n\tmirror = true\n");
  run.fake.put_file("/srv/m/HEAD", "");
  auto& mirror = run.make("vcsrepo", "/srv/m",
                          {{"ensure", run.text("mirror")}, {"provider", run.text("git")}, {"source", run.text("/src")}});
  EXPECT_TRUE(run.turn(*handler, mirror).empty());
  auto& bare = run.make("vcsrepo", "/srv/m", {{"ensure", run.text("bare")}, {"provider", run.text("git")}, {"source", run.text("/src")}});
  EXPECT_EQ(run.turn(*handler, bare).size(), 1u);
  EXPECT_EQ(run.fake.calls.back(), "run /usr/bin/git config --unset remote.origin.mirror");
  run.fake.put_file("/srv/w/.git/config", "");
  run.fake.put_file("/srv/w/file", "");
  auto& convert = run.make("vcsrepo", "/srv/w", {{"ensure", run.text("bare")}, {"provider", run.text("git")}});
  EXPECT_EQ(run.turn(*handler, convert)[0].failure, "");
  EXPECT_TRUE(run.fake.find("/srv/w/config"));
  EXPECT_FALSE(run.fake.find("/srv/w/file"));
}

} // namespace
} // namespace pupc::runtime
