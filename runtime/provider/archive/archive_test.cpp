#include "runtime/provider/archive/archive_members.h"
#include "runtime/provider/handlers.h"
#include "runtime/provider/provider_testing.h"

#include <gtest/gtest.h>

namespace pupc::runtime {
namespace {

TEST(Archive, LocalFileWithDigest) {
  FakeRun run;
  run.fake.put_directory("/tmp");
  run.fake.put_directory("/srv");
  run.fake.put_file("/in", "hello\n", 0740);
  auto handler = make_archive_handler();
  auto& good = run.make("archive", "/srv/a",
                        {{"source", run.text("file:///in")},
                         {"checksum", run.text("f572d396fae9206628714fb2ce00f72e94f2258f")},
                         {"checksum_type", run.text("sha1")}});
  const auto changes = run.turn(*handler, good);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].message, "download archive from file:///in to /srv/a  with cleanup");
  EXPECT_EQ(run.fake.find("/srv/a")->content, "hello\n");
  EXPECT_EQ(run.fake.find("/srv/a")->status.mode, 0740U);
  EXPECT_TRUE(run.turn(*handler, good).empty());
  auto& bad = run.make("archive", "/srv/b",
                       {{"source", run.text("/in")}, {"checksum", run.text("0123456789")}, {"checksum_type", run.text("sha1")}});
  EXPECT_EQ(run.turn(*handler, bad)[0].failure,
            "Download file checksum mismatch (expected: 0123456789 actual: f572d396fae9206628714fb2ce00f72e94f2258f)");
  EXPECT_FALSE(run.fake.find("/srv/b"));
  auto& missing = run.make("archive", "/srv/c", {{"source", run.text("/nothing")}});
  EXPECT_EQ(run.turn(*handler, missing)[0].failure, "Source file: /nothing does not exists.");
}

TEST(Archive, CredentialsAreNotOnTheCommandLine) {
  FakeRun run;
  run.fake.put_directory("/srv");
  run.fake.put_directory("/work");
  run.fake.put_program("/usr/bin/curl");
  run.fake.on_run = [](const Command&) {
    CommandResult r;
    r.status = 22;
    r.output = "curl: (22) 404";
    return r;
  };
  auto handler = make_archive_handler();
  auto& r = run.make("archive", "/srv/a",
                     {{"source", run.text("https://example.com/a")},
                      {"username", run.text("u")},
                      {"password", run.text("secret")},
                      {"temp_dir", run.text("/work")}});
  const auto changes = run.turn(*handler, r);
  EXPECT_TRUE(changes[0].failure.starts_with("Execution of '/usr/bin/curl https://example.com/a -o /work/.pupc-")) << changes[0].failure;
  EXPECT_TRUE(changes[0].failure.ends_with("/a -fsSLg --max-redirs 5 --proto-redir =https --config -' returned 22: curl: (22) 404"))
      << changes[0].failure;
  EXPECT_EQ(run.fake.commands.back().input, "user = \"u:secret\"\n");
  for (const std::string& call : run.fake.calls) EXPECT_EQ(call.find("secret"), std::string::npos);
}

TEST(Archive, ALineBreakInAPasswordIsNoOptionOfCurl) {
  FakeRun run;
  run.fake.put_directory("/srv");
  run.fake.put_directory("/tmp");
  run.fake.put_program("/usr/bin/curl");
  run.fake.on_run = [](const Command&) { return CommandResult{}; };
  auto handler = make_archive_handler();
  run.turn(*handler, run.make("archive", "/srv/a",
                              {{"source", run.text("https://example.com/a")},
                               {"username", run.text("u")},
                               {"password", run.text("x\noutput = /etc/passwd\r")}}));
  ASSERT_FALSE(run.fake.commands.empty());
  EXPECT_EQ(run.fake.commands[0].input, "user = \"u:x\\noutput = /etc/passwd\\r\"\n");
}

TEST(Archive, MembersWithAnArrowInTheirNames) {
  auto outside = [](const char* list) { return member_outside(read_tar_list(list)); };
  const std::string head = " 0/0 0 2026-01-01 00:00 ";
  EXPECT_EQ(outside(("lrwxrwxrwx" + head + "x -> y -> /etc\n-rw-r--r--" + head + "x -> y/passwd\n").c_str()), "x -> y/passwd");
  EXPECT_EQ(outside(("lrwxrwxrwx" + head + "x -> y -> z\n-rw-r--r--" + head + "x -> y/passwd\n").c_str()), "");
}

TEST(Archive, BombsAreRefused) {
  const std::string head = " 0/0 ", tail = " 2026-01-01 00:00 ";
  const auto members = read_tar_list("-rw-r--r--" + head + "1152921504606846976" + tail + "a\ncrw-r--r--" + head + "1,3" + tail + "null\n");
  ASSERT_EQ(members.size(), 2u);
  EXPECT_EQ(members[0].size, 1152921504606846976u);
  EXPECT_EQ(members[1].size, 0u);

  FakeRun run;
  run.fake.put_program("/usr/bin/tar");
  run.fake.put_program("/usr/bin/unzip");
  run.fake.put_program("/usr/bin/df");
  std::string listed;
  run.fake.on_run = [&](const Command& c) {
    CommandResult r;
    r.output = c.argv[1] == "-Zt"              ? "2 files, 5001 bytes uncompressed, 500 bytes compressed:  90.0%\n"
               : c.argv[1] == "--output=avail" ? " Avail\n 5000\n"
                                               : listed;
    return r;
  };
  auto failure = [&](const std::string& path, bool limit_size = true) -> std::string {
    try {
      check_archive_members(path, {path, "/srv", limit_size}, run);
      return "none";
    } catch (const ResourceError& e) { return e.what(); }
  };
  for (int i = 0; i < 5; ++i) listed += "-rw-r--r--" + head + "1000" + tail + "f" + std::to_string(i) + "\n";
  EXPECT_EQ(failure("/a.tar"), "none");
  listed += "-rw-r--r--" + head + "1" + tail + "g\n";
  EXPECT_EQ(failure("/a.tar"), "Refused to extract /a.tar: its members take 5001 bytes, and /srv has 5000 left");
  EXPECT_EQ(failure("/a.tar", false), "none");
  EXPECT_EQ(failure("/a.zip"), "Refused to extract /a.zip: its members take 5001 bytes, and /srv has 5000 left");
  listed.assign((size_t{64} << 20) + 1, 'x');
  EXPECT_EQ(failure("/a.tar"), "Refused to extract /a.tar: the list of its members is longer than 64 MB");
}

} // namespace
} // namespace pupc::runtime
