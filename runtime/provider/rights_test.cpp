// Root manages resources in places that another user controls, on the real machine in a directory of its own. PUPC_RACE_TRIES sets the
// number of tries of the slow races (10000 gives them as many as the others have by default).
#include "catalog/base/split_text.h"
#include "catalog/base/text.h"
#include "runtime/provider/archive/archive_members.h"
#include "runtime/provider/handlers.h"
#include "runtime/provider/provider_testing.h"
#include "runtime/provider/system_tools.h"
#include "runtime/sys/posix_system.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pupc::runtime {
namespace {

namespace fs = std::filesystem;
constexpr uint32_t stranger = 65534; // nobody

int slow_tries() {
  const char* given = std::getenv("PUPC_RACE_TRIES");
  return given == nullptr ? 400 : std::atoi(given);
}

class Rights : public ::testing::Test {
protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can have what others want";
    char name[] = "/tmp/pupc_rights_XXXXXX";
    top = ::mkdtemp(name);
    ::chmod(top.c_str(), 0755);
    home = directory("home", stranger);
    roots = directory("roots", 0);
  }
  void TearDown() override {
    stop();
    if (!top.empty()) fs::remove_all(top);
  }
  std::string directory(const std::string& name, uint32_t owner, mode_t mode = 0755) {
    const std::string path = top + "/" + name;
    ::mkdir(path.c_str(), 0700);
    ::chmod(path.c_str(), mode);
    ::chown(path.c_str(), owner, owner);
    return path;
  }
  static void put(const std::string& path, const std::string& text, uint32_t owner, mode_t mode = 0644) {
    std::ofstream(path) << text;
    ::chown(path.c_str(), owner, owner);
    ::chmod(path.c_str(), mode);
  }
  static void put_link(const std::string& target, const std::string& path, uint32_t owner) {
    ASSERT_EQ(::symlink(target.c_str(), path.c_str()), 0);
    ASSERT_EQ(::lchown(path.c_str(), owner, owner), 0);
  }
  static std::string text_of(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void shell(const std::string& text) { ASSERT_EQ(std::system(text.c_str()), 0) << text; }

  /// Starts a process of the stranger that repeats an action.
  template <class Act> void attack(Act act) {
    attacker = ::fork();
    if (attacker != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::setgid(stranger) != 0 || ::setuid(stranger) != 0) ::_exit(1);
    for (;;) act();
  }
  void stop() {
    if (attacker <= 0) return;
    ::kill(attacker, SIGKILL);
    int status = 0;
    ::waitpid(attacker, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "the other user did nothing";
    attacker = 0;
  }
  std::vector<std::string> names_in(const std::string& path) {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(path)) out.push_back(entry.path().filename());
    return out;
  }

  std::string top, home, roots;
  pid_t attacker = 0;
  std::unique_ptr<System> machine = make_posix_system();
  FakeRun run{*machine};
};

TEST_F(Rights, KeysAreNotWrittenIntoRootsDirectories) {
  const std::string ssh = home + "/.ssh", door = home + "/door";
  directory("home/.ssh", stranger, 0700);
  put_link(roots, door, stranger);
  ::chmod(roots.c_str(), 0755);
  const int tries = std::max(slow_tries(), 300);
  attack([&] { ::renameat2(AT_FDCWD, ssh.c_str(), AT_FDCWD, door.c_str(), RENAME_EXCHANGE); });
  for (int i = 0; i < tries; ++i) {
    auto handler = make_ssh_authorized_key_handler();
    auto& key = run.make("ssh_authorized_key", "me",
                         {{"user", run.text("nobody")},
                          {"target", run.text(ssh + "/authorized_keys")},
                          {"type", run.text("rsa")},
                          {"key", run.text("AAAA" + std::to_string(i))}});
    try {
      run.turn(*handler, key);
    } catch (const std::exception&) {}
    run.resources.clear();
  }
  stop();
  EXPECT_EQ(names_in(roots), std::vector<std::string>{});
  EXPECT_FALSE(run.logs.empty() && !fs::exists(ssh + "/authorized_keys") && !fs::exists(door + "/authorized_keys"));
}

TEST_F(Rights, KeysDoNotShowRootsFiles) {
  put(roots + "/shadow", "root:secret:1:2\n", 0, 0600);
  directory("home/.ssh", stranger, 0700);
  put_link(roots + "/shadow", home + "/.ssh/authorized_keys", stranger);
  auto handler = make_ssh_authorized_key_handler();
  auto& key = run.make("ssh_authorized_key", "me",
                       {{"user", run.text("nobody")},
                        {"target", run.text(home + "/.ssh/authorized_keys")},
                        {"type", run.text("rsa")},
                        {"key", run.text("AAAA")}});
  try {
    run.turn(*handler, key);
    ADD_FAILURE();
  } catch (const ResourceError& e) { EXPECT_EQ(std::string(e.what()).find("secret"), std::string::npos) << e.what(); }
  for (const std::string& line : run.logs) EXPECT_EQ(line.find("secret"), std::string::npos) << line;
  EXPECT_EQ(text_of(roots + "/shadow"), "root:secret:1:2\n");
}

TEST_F(Rights, GitIsRunByTheOwnerOfTheRepository) {
  if (!machine->which("git")) GTEST_SKIP() << "no git";
  const std::string repository = directory("home/r", stranger), evidence = top + "/evidence", monitor = home + "/monitor";
  directory("evidence", stranger, 0777);
  put(monitor, "#!/bin/sh\nid -u >>" + evidence + "/who\necho /\n", stranger, 0755);
  const std::string as_stranger = "HOME=" + home + " setpriv --reuid=65534 --regid=65534 --clear-groups ";
  shell("cd " + repository + " && " + as_stranger +
        "sh -c 'git init -q . && git -c user.name=x -c user.email=x@y commit -q --allow-empty -m x && "
        "git branch other && git -c user.name=x -c user.email=x@y commit -q --allow-empty -m y && git config core.fsmonitor " +
        monitor + " && touch f && git add f'");
  fs::remove(evidence + "/who");
  auto handler = make_vcsrepo_handler();
  auto& r = run.make("vcsrepo", repository,
                     {{"ensure", run.text("present")},
                      {"provider", run.text("git")},
                      {"revision", run.text("other")},
                      {"keep_local_changes", Value::boolean(true)},
                      {"submodules", Value::boolean(false)}});
  try {
    run.turn(*handler, r);
  } catch (const ResourceError&) { // git's message does not matter, only which user ran git
  }
  shell("cd " + repository + " && " + as_stranger + "git status >/dev/null");
  const std::string who = text_of(evidence + "/who");
  EXPECT_NE(who.find("65534"), std::string::npos) << "the monitor was not asked at all";
  EXPECT_EQ(("\n" + who).find("\n0\n"), std::string::npos) << who;
}

TEST_F(Rights, ADownloadIsNotReplacedBeforeItIsUsed) {
  const std::string shared = directory("shared", 0, 0777), evil = home + "/evil", target = roots + "/a";
  put(roots + "/good", "good\n", 0);
  put(evil, "evil\n", stranger);
  const int tries = std::max(slow_tries(), 300);
  attack([&] {
    DIR* d = ::opendir(shared.c_str());
    while (const dirent* e = d == nullptr ? nullptr : ::readdir(d)) {
      const std::string at = shared + "/" + e->d_name;
      const std::string mine = home + "/mine";
      ::unlink(mine.c_str());
      if (::link(evil.c_str(), mine.c_str()) == 0) ::rename(mine.c_str(), at.c_str());
    }
    if (d != nullptr) ::closedir(d);
  });
  auto handler = make_archive_handler();
  for (int i = 0; i < tries; ++i) {
    auto& r = run.make("archive", target,
                       {{"source", run.text(roots + "/good")},
                        {"temp_dir", run.text(shared)},
                        {"checksum", run.text("a15dd2b3e9c8f5ca4d3cd8a6eec5b8a0a5cf9d7f")},
                        {"checksum_type", run.text("none")}});
    run.turn(*handler, r);
    ASSERT_NE(text_of(target), "evil\n") << "after " << i << " tries";
    fs::remove(target);
    run.resources.clear();
  }
}

/// Makes an archive with a member "x" that contains a text. Returns the archive's digest.
std::string make_tar(const std::string& directory, const std::string& text, const std::string& tar) {
  const std::string command = "mkdir -p " + directory + "/in && printf %s " + text + " >" + directory + "/in/x && tar -C " + directory +
                              "/in -cf " + tar + " x && rm -r " + directory + "/in && sha256sum " + tar + " | cut -c1-64 >" + tar + ".sum";
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::ifstream in(tar + ".sum");
  std::string sum;
  in >> sum;
  return sum;
}

TEST_F(Rights, WhatIsExtractedIsWhatWasVerified) {
  const std::string sum = make_tar(home, "good", home + "/a.tar"), out = directory("roots/out", 0);
  make_tar(home, "evil", home + "/b.tar");
  attack([&] { ::renameat2(AT_FDCWD, (home + "/a.tar").c_str(), AT_FDCWD, (home + "/b.tar").c_str(), RENAME_EXCHANGE); });
  auto handler = make_archive_handler();
  int extracted = 0;
  for (int i = 0; i < slow_tries(); ++i) {
    auto& r = run.make("archive", home + "/a.tar",
                       {{"extract", Value::boolean(true)},
                        {"extract_path", run.text(out)},
                        {"creates", run.text(out + "/x")},
                        {"cleanup", Value::boolean(false)},
                        {"checksum", run.text(sum)},
                        {"checksum_type", run.text("sha256")}});
    try {
      run.turn(*handler, r);
    } catch (const std::exception&) {}
    ASSERT_NE(text_of(out + "/x"), "evil") << "after " << i << " tries";
    extracted += fs::remove(out + "/x") ? 1 : 0;
    run.resources.clear();
  }
  EXPECT_GT(extracted, 0);
}

TEST_F(Rights, ADiffDoesNotShowRootsFiles) {
  const std::string own = directory("home/own", stranger), door = home + "/door";
  put(own + "/f", "mine\n", stranger);
  put(roots + "/f", "secret\n", 0, 0600);
  put_link(roots, door, stranger);
  run.changeable_settings().show_diff = true;
  attack([&] { ::renameat2(AT_FDCWD, own.c_str(), AT_FDCWD, door.c_str(), RENAME_EXCHANGE); });
  auto handler = make_file_handler();
  int shown = 0;
  for (int i = 0; i < slow_tries(); ++i) {
    auto& r = run.make("file", own + "/f", {{"ensure", run.text("file")}, {"content", run.text("wanted\n")}});
    try {
      run.turn(*handler, r, true);
    } catch (const std::exception&) {}
    for (const std::string& line : run.logs) {
      ASSERT_EQ(line.find("secret"), std::string::npos) << "after " << i << " tries: " << line;
      shown += line.find("-mine\n+wanted\n") != std::string::npos ? 1 : 0;
    }
    run.logs.clear();
    run.resources.clear();
  }
  stop();
  EXPECT_GT(shown, 0);
}

TEST_F(Rights, WhatIsValidatedCannotBeReplaced) {
  const std::string said = roots + "/said";
  auto handler = make_file_handler();
  auto validated_at = [&](const std::string& path, std::vector<std::pair<std::string, Value>> more) {
    more.emplace_back("content", run.text("x"));
    more.emplace_back("validate_cmd", run.text("echo % >" + said));
    for (const auto& c : run.turn(*handler, run.make("file", path, std::move(more)))) EXPECT_EQ(c.failure, "");
    EXPECT_EQ(text_of(path), "x");
    const std::string text = text_of(said);
    return text.substr(0, text.rfind('/'));
  };
  EXPECT_EQ(validated_at(roots + "/a", {}), roots) << "beside the file, where programs are allowed to look";
  EXPECT_NE(validated_at(home + "/a", {}), home);
  EXPECT_NE(validated_at(roots + "/b", {{"staging_location", run.text(home)}}), home);
  EXPECT_NE(validated_at(roots + "/c", {{"staging_location", run.text(directory("shared", 0, 01777))}}), top + "/shared");
  EXPECT_EQ(names_in(home), std::vector<std::string>{"a"});
  EXPECT_EQ(names_in(top + "/shared"), std::vector<std::string>{});
}

TEST_F(Rights, ArchivesWithMembersOutsideAreRefused) {
  const std::string out = directory("roots/out", 0), tar = roots + "/a.tar", victim = roots + "/victim";
  auto outcome = [&](const std::string& make) {
    shell("cd " + roots + " && rm -rf a.tar w && mkdir w && cd w && " + make);
    auto handler = make_archive_handler();
    auto& r = run.make("archive", tar,
                       {{"extract", Value::boolean(true)},
                        {"extract_path", run.text(out)},
                        {"creates", run.text(out + "/y")},
                        {"cleanup", Value::boolean(false)},
                        {"extract_command", run.text("tar xPf %s")}});
    const auto changes = run.turn(*handler, r);
    run.resources.clear();
    std::string said;
    for (const auto& c : changes) said += c.failure;
    return said;
  };
  auto refused = [&](const std::string& member) {
    return "Refused to extract " + tar + ": its member '" + member + "' would be outside the target directory";
  };
  EXPECT_EQ(outcome("echo evil >victim && tar -P --transform='s,^,../,' -cf ../a.tar victim"), refused("../victim"));
  EXPECT_EQ(outcome("echo evil >victim && tar -P --transform='s,^," + roots + "/,' -cf ../a.tar victim"), refused(victim));
  EXPECT_EQ(outcome("ln -s .. d && tar -cf ../a.tar d && rm d && mkdir d && echo evil >d/victim && tar -rf ../a.tar d/victim"),
            refused("d/victim"));
  EXPECT_FALSE(fs::exists(victim));
  EXPECT_EQ(
      outcome(
          "ln -s /usr/share/zoneinfo z && mkdir lib && echo >lib/a.1 && ln -s a.1 lib/a && ln -s ../lib lib/l && tar -cf ../a.tar z lib"),
      "")
      << "links that nothing goes through are common";
  EXPECT_TRUE(fs::is_symlink(out + "/lib/a"));
}

/// The types in the first column of a page's table that is headed "type".
std::vector<std::string> types_of_table(const char* page) {
  std::ifstream in(page); // tests run in the source directory
  EXPECT_TRUE(in) << page;
  std::vector<std::string> named;
  bool of_types = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("| type ")) {
      of_types = true;
      continue;
    }
    of_types = of_types && line.starts_with("|");
    if (!of_types || !line.starts_with("| ")) continue;
    for (const std::string& part : catalog::split_text(line.substr(2, line.find(" |", 2) - 2), ',')) {
      const std::string type(trimmed(part));
      if (!type.starts_with("and ")) named.push_back(type); // "and types made of it"
    }
  }
  std::sort(named.begin(), named.end());
  return named;
}

TEST(TypeTables, NameEveryType) {
  std::vector<std::string> known;
  for (const std::string_view type : applicable_types()) known.emplace_back(type);
  std::sort(known.begin(), known.end());
  EXPECT_EQ(types_of_table("runtime/README.md"), known);
  EXPECT_EQ(types_of_table("runtime/provider/README.md"), known);
}

TEST(ArchiveMembers, ListsAreRead) {
  const auto members = read_tar_list("-rw-r--r-- 0/0   1 2026-11-22 10:21 a b\\n\\303\\244\n"
                                     "lrwxrwxrwx 0/0   0 2026-11-22 10:21 l -> ../../x\n"
                                     "hrw-r--r-- 0/0   0 2026-11-22 10:21 h link to /etc/passwd\n");
  ASSERT_EQ(members.size(), 3u);
  EXPECT_EQ(members[0].name, "a b\n\xC3\xA4");
  EXPECT_EQ(members[1].link, "../../x");
  EXPECT_EQ(members[2].link, "/etc/passwd");
  EXPECT_EQ(member_outside(members), "h");
  EXPECT_EQ(member_outside({{"a/b", "../c", false}, {"a/b/d", "", false}}), "");
  EXPECT_EQ(member_outside({{"a/b", "../../c", false}, {"a/b/d", "", false}}), "a/b/d");
  EXPECT_EQ(member_outside({{"a/../../b", "", false}}), "a/../../b");
  EXPECT_EQ(member_outside({{"./a/b", "/c", false}, {"a/b", "", false}}), "a/b");
}

} // namespace
} // namespace pupc::runtime
