// Another user changes a path while root works on it. Races run as loops; further tests check each situation without a race.
#include "runtime/sys/posix_system.h"
#include "runtime/sys/safe_path.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pupc::runtime {
namespace {

namespace fs = std::filesystem;
constexpr uint32_t stranger = 65534; // nobody
constexpr int tries = 10'000;

/// The stranger's directory has `place`, a directory, and `door`, a link to a directory of root's. The stranger may exchange the two.
class OthersPath : public ::testing::Test {
protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can have what others want";
    char name[] = "/tmp/pupc_others_XXXXXX";
    top = ::mkdtemp(name);
    ::chmod(top.c_str(), 0755);
    home = top + "/home";
    place = home + "/place";
    door = home + "/door";
    roots = top + "/roots";
    ::mkdir(home.c_str(), 0755);
    ::mkdir(place.c_str(), 0755);
    ::mkdir(roots.c_str(), 0755);
    std::ofstream(roots + "/kept") << "root's";
    ::chmod((roots + "/kept").c_str(), 0600);
    ASSERT_EQ(::symlink(roots.c_str(), door.c_str()), 0);
    for (const std::string& mine : {home, place, door}) ASSERT_EQ(::lchown(mine.c_str(), stranger, stranger), 0);
  }
  void TearDown() override {
    stop();
    if (!top.empty()) fs::remove_all(top);
  }

  /// Starts a process of the stranger that exchanges two names in an endless loop.
  void exchange(const std::string& a, const std::string& b) {
    attacker = ::fork();
    if (attacker != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::setgid(stranger) != 0 || ::setuid(stranger) != 0) ::_exit(1);
    for (;;) ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE);
  }
  void stop() {
    if (attacker <= 0) return;
    ::kill(attacker, SIGKILL);
    int status = 0;
    ::waitpid(attacker, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "the other user did nothing";
    attacker = 0;
  }

  /// Repeats a call while the names are being exchanged. Returns how many calls were refused.
  int race(const std::function<void()>& call) {
    exchange(place, door);
    int refused = 0;
    for (int i = 0; i < tries; ++i) {
      try {
        call();
      } catch (const SystemError&) { ++refused; }
    }
    stop();
    return refused;
  }
  void expect_untouched() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(roots)) names.push_back(entry.path().filename());
    EXPECT_EQ(names, std::vector<std::string>{"kept"});
    struct stat s {};
    ASSERT_EQ(::lstat((roots + "/kept").c_str(), &s), 0);
    EXPECT_EQ(s.st_uid, 0u);
    EXPECT_EQ(s.st_mode & 07777, 0600u);
    EXPECT_EQ(s.st_nlink, 1u);
    EXPECT_EQ(system->read_file(roots + "/kept"), "root's");
  }

  std::string top, home, place, door, roots;
  pid_t attacker = 0;
  std::unique_ptr<System> system = make_posix_system();
};

TEST_F(OthersPath, LinksOutOfTheirFilesAreRefused) {
  const std::string inside = door + "/x", kept = door + "/kept";
  EXPECT_THROW(system->write_file(inside, "x", 0644, stranger, stranger, false), SystemError);
  EXPECT_THROW(system->overwrite_file(kept, "x"), SystemError);
  EXPECT_THROW(system->make_link("x", inside), SystemError);
  EXPECT_THROW(system->make_directory(inside, 0755), SystemError);
  EXPECT_THROW(system->remove_file(kept), SystemError);
  EXPECT_THROW(system->rename(kept, place + "/x"), SystemError);
  EXPECT_THROW(system->set_mode(kept, 0777), SystemError);
  EXPECT_THROW(system->set_owner(kept, stranger, stranger, true), SystemError);
  EXPECT_THROW(system->set_times(kept, 1, 1), SystemError);
  EXPECT_THROW(system->read_file(kept), SystemError);
  EXPECT_THROW(system->list_directory(door), SystemError);
  EXPECT_THROW(system->read_link(kept), UntrustedLink);
  EXPECT_THROW(system->label(kept), UntrustedLink);
  EXPECT_THROW(system->set_label(kept, "user_u:object_r:etc_t:s0"), UntrustedLink);
  // A link to the file itself, at the end of the path.
  const std::string link = place + "/link";
  ASSERT_EQ(::symlink((roots + "/kept").c_str(), link.c_str()), 0);
  ASSERT_EQ(::lchown(link.c_str(), stranger, stranger), 0);
  EXPECT_THROW(system->overwrite_file(link, "x"), SystemError);
  EXPECT_THROW(system->set_mode(link, 0777), SystemError);
  EXPECT_THROW(system->set_owner(link, stranger, stranger, true), SystemError);
  EXPECT_THROW(system->read_file(link), SystemError);
  system->write_file(link, "x", 0644, stranger, stranger, false); // replaces the link
  EXPECT_EQ(system->lstat(link)->type, FileType::File);
  expect_untouched();
}

TEST_F(OthersPath, LinksThatMayBeFollowedAre) {
  // Their own link to their own files.
  ASSERT_EQ(::symlink("place", (home + "/own").c_str()), 0);
  ASSERT_EQ(::lchown((home + "/own").c_str(), stranger, stranger), 0);
  system->write_file(home + "/own/x", "x", 0644, stranger, stranger, false);
  EXPECT_EQ(system->read_file(place + "/x"), "x");
  // Root's link, wherever it is.
  ASSERT_EQ(::symlink(roots.c_str(), (home + "/by_root").c_str()), 0);
  system->write_file(home + "/by_root/y", "y", 0644, std::nullopt, std::nullopt, false);
  EXPECT_EQ(system->read_file(home + "/by_root/y"), "y");
  // A stranger's link where only root can put links.
  ASSERT_EQ(::symlink(roots.c_str(), (top + "/old").c_str()), 0);
  ASSERT_EQ(::lchown((top + "/old").c_str(), stranger, stranger), 0);
  system->set_mode(top + "/old/y", 0600);
  EXPECT_EQ(system->lstat(roots + "/y")->mode, 0600u);
  EXPECT_EQ(system->list_directory(top + "/old"), (std::vector<std::string>{"kept", "y"}));
  EXPECT_EQ(system->read_link(home + "/by_root"), roots);
  system->remove_file(top + "/old/y");
  expect_untouched();
}

TEST_F(OthersPath, WritingIsNotSentElsewhere) {
  race([&] { system->write_file(place + "/x", "x", 0644, stranger, stranger, false); });
  expect_untouched();
}
TEST_F(OthersPath, OverwritingIsNotSentElsewhere) {
  std::ofstream(place + "/kept") << "theirs";
  ::chown((place + "/kept").c_str(), stranger, stranger);
  exchange(place, door);
  for (int i = 0; i < tries; ++i) {
    try {
      system->overwrite_file(place + "/kept", "x");
    } catch (const SystemError&) {}
  }
  stop();
  expect_untouched();
}
TEST_F(OthersPath, DirectoriesAndLinksAreNotMadeElsewhere) {
  race([&] {
    system->make_directory(place + "/d", 0755);
    system->remove_directory(place + "/d");
  });
  race([&] {
    system->make_link("x", place + "/l");
    system->remove_file(place + "/l");
  });
  expect_untouched();
}
TEST_F(OthersPath, NothingIsRemovedOrMovedElsewhere) {
  race([&] { system->remove_file(place + "/kept"); });
  race([&] { system->rename(place + "/kept", place + "/moved"); });
  expect_untouched();
}
TEST_F(OthersPath, ModesAndOwnersAreNotChangedElsewhere) {
  std::ofstream(place + "/kept") << "theirs";
  ::chown((place + "/kept").c_str(), stranger, stranger);
  race([&] { system->set_mode(place + "/kept", 0666); });
  race([&] { system->set_owner(place + "/kept", stranger, stranger, true); });
  race([&] { system->set_times(place + "/kept", 1, 1); });
  expect_untouched();
}
TEST_F(OthersPath, NamesAreNotReadElsewhere) {
  race([&] { EXPECT_EQ(system->list_directory(place), std::vector<std::string>{}); });
}
TEST_F(OthersPath, AFileIsNoLinkAMomentLater) {
  // Exchange the last name itself with a link to root's file.
  const std::string file = place + "/file", link = place + "/link";
  std::ofstream(file) << "theirs";
  ASSERT_EQ(::symlink((roots + "/kept").c_str(), link.c_str()), 0);
  for (const std::string& mine : {file, link}) ASSERT_EQ(::lchown(mine.c_str(), stranger, stranger), 0);
  exchange(file, link);
  for (int i = 0; i < tries; ++i) {
    for (const auto& call : std::vector<std::function<void()>>{[&] { system->set_mode(file, 0666); },
                                                               [&] { system->set_owner(file, stranger, stranger, true); },
                                                               [&] { EXPECT_NE(system->read_file(file), "root's"); }}) {
      try {
        call();
      } catch (const SystemError&) {}
    }
  }
  stop();
  expect_untouched();
}

} // namespace
} // namespace pupc::runtime
