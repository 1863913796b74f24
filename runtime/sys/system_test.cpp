#include "runtime/sys/fake_system.h"
#include "runtime/sys/posix_system.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

namespace pupc {
namespace {

class PosixSystemTest : public ::testing::Test {
protected:
  PosixSystemTest() {
    char name[] = "/tmp/pupc_system_XXXXXX";
    directory = ::mkdtemp(name);
  }
  ~PosixSystemTest() override { std::filesystem::remove_all(directory); }
  std::string directory;
  std::unique_ptr<System> system = make_posix_system();
};

TEST_F(PosixSystemTest, WritesReplacesAndReadsFiles) {
  std::string path = directory + "/f";
  system->write_file(path, "one", 0640, std::nullopt, std::nullopt);
  system->write_file(path, "two", 0600, std::nullopt, std::nullopt);
  EXPECT_EQ(system->read_file(path), "two");
  EXPECT_EQ(system->lstat(path)->mode, 0600u);
  EXPECT_EQ(system->list_directory(directory), std::vector<std::string>{"f"}); // no temporary file is left
}

TEST_F(PosixSystemTest, ReportsErrorsWithThePath) {
  try {
    system->read_file(directory + "/missing");
    FAIL();
  } catch (const SystemError& e) {
    EXPECT_EQ(e.error, ENOENT);
    EXPECT_EQ(std::string(e.what()), "No such file or directory @ rb_sysopen - " + directory + "/missing");
  }
  EXPECT_FALSE(system->lstat(directory + "/missing"));
}

TEST_F(PosixSystemTest, RunsCommands) {
  Command c;
  c.shell = "echo out; echo err >&2; exit 3";
  CommandResult r = system->run(c);
  EXPECT_EQ(r.status, 3);
  EXPECT_EQ(r.output, "out\nerr\n");
  c.merge_output = false;
  r = system->run(c);
  EXPECT_EQ(r.output, "out\n");
  EXPECT_EQ(r.error_output, "err\n");
}

TEST_F(PosixSystemTest, GivesInputDirectoryEnvironmentAndMask) {
  Command c;
  c.shell = "cat; pwd; echo $COLOR; umask";
  c.input = "in\n";
  c.directory = directory;
  c.environment = {{"COLOR", "red"}};
  c.umask = 027;
  EXPECT_EQ(system->run(c).output, "in\n" + directory + "\nred\n0027\n");
}

TEST_F(PosixSystemTest, KillsTheWholeGroupAtTheTimeout) {
  Command c;
  c.shell = "sleep 30 & sleep 30";
  c.timeout = std::chrono::milliseconds(100);
  int64_t start = system->monotonic();
  CommandResult r = system->run(c);
  EXPECT_TRUE(r.timed_out);
  EXPECT_LT(system->monotonic() - start, 5'000'000'000);
}

TEST_F(PosixSystemTest, DoesNotWaitForBackgroundProcesses) {
  Command c;
  c.shell = "sleep 3 & echo started";
  int64_t start = system->monotonic();
  EXPECT_EQ(system->run(c).output, "started\n");
  EXPECT_LT(system->monotonic() - start, 2'000'000'000);
}

TEST_F(PosixSystemTest, SaysWhenACommandCannotStart) {
  Command c;
  c.argv = {"/no/such/program"};
  CommandResult r = system->run(c);
  EXPECT_TRUE(r.not_started);
  EXPECT_EQ(r.error, ENOENT);
  c.argv.clear();
  c.shell = "true";
  c.directory = directory + "/missing";
  EXPECT_TRUE(system->run(c).not_started);
}

TEST(FakeSystemTest, RecordsChanges) {
  FakeSystem fake;
  fake.put_directory("/d");
  fake.write_file("/d/f", "x", 0644, std::nullopt, std::nullopt);
  fake.set_mode("/d/f", 0600);
  fake.answer("ls /d", 0, "f\n");
  Command c;
  c.argv = {"ls", "/d"};
  EXPECT_EQ(fake.run(c).output, "f\n");
  EXPECT_EQ(fake.calls, (std::vector<std::string>{"write /d/f 0644", "chmod /d/f 0600", "run ls /d"}));
  EXPECT_EQ(fake.list_directory("/d"), std::vector<std::string>{"f"});
  EXPECT_THROW(fake.remove_directory("/d"), SystemError);
}

TEST(FakeSystemTest, FollowsLinks) {
  FakeSystem fake;
  fake.put_file("/d/f", "x");
  fake.put_link("/d/l", "f");
  fake.put_link("/d/gone", "nowhere");
  EXPECT_EQ(fake.read_file("/d/l"), "x");
  EXPECT_EQ(fake.lstat("/d/l")->type, FileType::Link);
  EXPECT_FALSE(fake.stat("/d/gone"));
}

} // namespace
} // namespace pupc
