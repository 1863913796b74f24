#include "runtime/sys/child_process.h"
#include "runtime/sys/fake_system.h"
#include "runtime/sys/posix_system.h"

#include <arpa/inet.h>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pupc::runtime {
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

TEST_F(PosixSystemTest, KeepsTheBeginningAndTheEndOfLongOutput) {
  Command c;
  c.shell = "echo first; yes | head -c 3000000; echo last";
  c.most_output = 1000;
  const CommandResult r = system->run(c);
  EXPECT_TRUE(r.output.starts_with("first\ny\n")) << r.output.substr(0, 20);
  EXPECT_TRUE(r.output.ends_with("y\nlast\n"));
  EXPECT_NE(r.output.find("\n[2999011 bytes are left out]\n"), std::string::npos) << r.output.substr(490, 60);
  c.most_output = 4'000'000;
  EXPECT_EQ(system->run(c).output.size(), 3'000'011u);
}

TEST_F(PosixSystemTest, CommandsOfAUserHaveTheAccountsGroups) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become others";
  gid_t many[] = {0, 7, 8};
  ASSERT_EQ(::setgroups(3, many), 0);
  Command c;
  c.argv = {"/usr/bin/id", "-G"};
  c.uid = system->user_by_name("nobody")->uid;
  EXPECT_EQ(system->run(c).output, "65534\n");
  c.gid = 4;
  EXPECT_EQ(system->run(c).output, "4 65534\n");
  c.gid.reset();
  c.uid = 3999999999U;
  const CommandResult r = system->run(c);
  EXPECT_TRUE(r.not_started);
  EXPECT_EQ(r.not_prepared, "can't find user for 3999999999");
}

TEST_F(PosixSystemTest, WorkAsAUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become others";
  const User nobody = *system->user_by_name("nobody");
  const std::string theirs = directory + "/theirs", ours = directory + "/ours";
  system->set_mode(directory, 0755);
  system->make_directory(theirs, 0755);
  system->set_owner(theirs, nobody.uid, nobody.gid, false);
  system->write_file(ours, "secret", 0600, std::nullopt, std::nullopt);
  EXPECT_EQ(system->as_user(nobody,
                            [&](System& s) {
                              s.write_file(theirs + "/x", "x", 0600, std::nullopt, std::nullopt);
                              std::vector<gid_t> groups(64);
                              groups.resize(static_cast<size_t>(::getgroups(64, groups.data())));
                              return fmt::format("{} {} {}{}", s.effective_uid(), s.effective_gid(), groups.size(),
                                                 std::string(100'000, '.'));
                            }),
            "65534 65534 1" + std::string(100'000, '.'));
  EXPECT_EQ(system->lstat(theirs + "/x")->uid, nobody.uid);
  try {
    system->as_user(nobody, [&](System& s) { return s.read_file(ours); });
    FAIL();
  } catch (const SystemError& e) {
    EXPECT_EQ(e.error, EACCES);
    EXPECT_EQ(e.path, ours);
    EXPECT_EQ(std::string(e.what()), "Permission denied @ rb_sysopen - " + ours);
  }
  EXPECT_THROW(system->as_user(nobody, [](System&) -> std::string { throw std::logic_error("no"); }), std::runtime_error);
  EXPECT_THROW(system->as_user(nobody, [](System&) -> std::string { ::_exit(0); }), SystemError);
  EXPECT_EQ(::geteuid(), 0u);
}

TEST_F(PosixSystemTest, PrivateDirectories) {
  const std::string made = system->make_private_directory(directory);
  EXPECT_EQ(system->lstat(made)->mode, 0700u);
  EXPECT_NE(made, system->make_private_directory(directory));
  system->set_mode(directory, 0777); // now others can replace entries of this directory
  EXPECT_THROW(system->make_private_directory(directory), SystemError);
  system->set_mode(directory, 01777);
  system->make_private_directory(directory);
}

TEST_F(PosixSystemTest, WhatWaitsIsNoFile) {
  ASSERT_EQ(::mkfifo((directory + "/fifo").c_str(), 0600), 0);
  EXPECT_THROW(system->read_file(directory + "/fifo"), SystemError);
  EXPECT_THROW(system->read_file("/dev/zero"), SystemError);
}

TEST_F(PosixSystemTest, AUserCannotMakeRootWaitForEver) {
  // The user may stop each process that runs as that user.
  const int64_t start = system->monotonic();
  try {
    run_in_child(
        {}, "user ann", [] { return std::to_string(::raise(SIGSTOP)); }, std::chrono::milliseconds(200));
    FAIL();
  } catch (const SystemError& e) { EXPECT_EQ(e.error, ETIMEDOUT); }
  EXPECT_LT(system->monotonic() - start, 5'000'000'000);
}

TEST_F(PosixSystemTest, LargeFilesAreReadInParts) {
  const std::string path = directory + "/sparse";
  constexpr int64_t size = int64_t{300} << 20;
  system->write_file(path, "x", 0600, std::nullopt, std::nullopt);
  ASSERT_EQ(::truncate(path.c_str(), size), 0);
  try {
    system->read_file(path);
    FAIL();
  } catch (const SystemError& e) { EXPECT_EQ(e.error, EFBIG); }
  int64_t seen = 0;
  system->read_parts(path, [&](std::string_view part) {
    EXPECT_LE(part.size(), 1u << 20);
    seen += static_cast<int64_t>(part.size());
  });
  EXPECT_EQ(seen, size);
}

TEST_F(PosixSystemTest, NothingIsWrittenWhenTheContentFails) {
  const std::string path = directory + "/f";
  system->write_file(path, "old", 0600, std::nullopt, std::nullopt);
  EXPECT_THROW(system->write_parts(
                   path,
                   [](const System::Take& take) {
                     take("new");
                     throw std::runtime_error("no more");
                   },
                   0600, std::nullopt, std::nullopt),
               std::runtime_error);
  EXPECT_EQ(system->read_file(path), "old");
  EXPECT_EQ(system->list_directory(directory), std::vector<std::string>{"f"});
}

TEST_F(PosixSystemTest, AnEndlessAnswerEnds) {
  const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(server, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(server, 1), 0);
  ASSERT_EQ(::getsockname(server, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int client = ::accept(server, nullptr, nullptr);
    const std::string head = "HTTP/1.1 200 OK\r\n\r\n", body(65536, 'x');
    (void)!::write(client, head.data(), head.size());
    while (::write(client, body.data(), body.size()) > 0) {}
    ::_exit(0);
  }
  ::close(server);
  const HttpAnswer answer = system->http({fmt::format("http://127.0.0.1:{}/", ntohs(address.sin_port)), false, {}, 1'000'000});
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  if (answer.error == "libcurl is not installed") GTEST_SKIP() << answer.error;
  EXPECT_TRUE(answer.too_long);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.error, "the answer is longer than 1000000 bytes");
  EXPECT_TRUE(answer.body.empty());
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
} // namespace pupc::runtime
