#include "runtime/provider/file/file_mode.h"
#include "runtime/provider/file_label.h"
#include "runtime/provider/handlers.h"
#include "runtime/provider/provider_testing.h"

#include <cerrno>
#include <gtest/gtest.h>

namespace pupc::runtime {
namespace {

TEST(FileMode, SymbolicModes) {
  EXPECT_EQ(apply_mode("u=rw,g=r,o=", 0777, false), 0640u);
  EXPECT_EQ(apply_mode("a+X", 0644, false), 0644u);
  EXPECT_EQ(apply_mode("a+X", 0644, true), 0755u);
  EXPECT_EQ(apply_mode("g=u,o-rwx", 0754, false), 0770u);
  EXPECT_EQ(apply_mode("+t,ug+s", 0755, true), 07755u);
  EXPECT_THROW(apply_mode("u=rwX", 0644, false), ResourceError);
}

class FileHandlerTest : public ::testing::Test {
protected:
  FakeRun run;
  std::unique_ptr<TypeHandler> handler = make_file_handler();
};

TEST_F(FileHandlerTest, WhatReplacesALinkIsNotWritableForAll) {
  run.fake.put_directory("/d");
  run.fake.put_file("/d/target", "old");
  run.fake.set_mode("/d/target", 0640);
  run.fake.make_link("/d/target", "/d/x");
  auto& r = run.make("file", "/d/x", {{"content", run.text("new")}, {"links", run.text("follow")}});
  EXPECT_EQ(run.turn(*handler, r)[0].failure, "");
  ASSERT_TRUE(run.fake.find("/d/x"));
  EXPECT_EQ(run.fake.find("/d/x")->content, "new");
  EXPECT_EQ(run.fake.lstat("/d/x")->mode, 0640u);
}

TEST_F(FileHandlerTest, EmptyReplacementIsPutEverywhere) {
  run.fake.put_directory("/d");
  run.fake.on_run = [](const Command&) { return CommandResult{}; };
  auto& r = run.make("file", "/d/x",
                     {{"content", run.text("c")}, {"validate_cmd", run.text("ab")}, {"validate_replacement", run.text("")}});
  EXPECT_EQ(run.turn(*handler, r)[0].failure, "");
  const std::string& shell = run.fake.commands.back().shell;
  const std::string path = shell.substr(0, shell.find('a'));
  EXPECT_TRUE(path.starts_with("/d/x")) << shell;
  EXPECT_EQ(shell, path + "a" + path + "b" + path);
}

TEST_F(FileHandlerTest, SourcesThatAreNoFiles) {
  run.fake.put_directory("/d");
  run.fake.put_file("/pipe", "");
  run.fake.files["/pipe"].status.type = FileType::Fifo;
  auto& r = run.make("file", "/d/x", {{"source", run.text("/pipe")}});
  try {
    run.turn(*handler, r);
    FAIL();
  } catch (const ResourceError& e) {
    EXPECT_STREQ(e.what(), "Could not retrieve file metadata for file:///pipe: Cannot manage files of type fifo");
  }
}

TEST_F(FileHandlerTest, SourcesStayInTheirModule) {
  run.changeable_settings().module_file = [](std::string_view) { return std::optional<std::string>("/secret"); };
  run.fake.put_file("/secret", "x");
  for (const char* source : {"puppet:///modules/foo/../../secret", "puppet:///modules/../x", "puppet:///modules/foo/.."}) {
    auto& r = run.make("file", "/x", {{"source", run.text(source)}});
    try {
      run.turn(*handler, r);
      ADD_FAILURE() << source;
    } catch (const ResourceError& e) {
      EXPECT_EQ(std::string(e.what()), fmt::format("Could not retrieve file metadata for {}: Cannot find file: Invalid relative path '{}'",
                                                   source, std::string(source).substr(18)));
    }
  }
}

TEST_F(FileHandlerTest, NoopPlansWithoutChanging) {
  run.fake.put_directory("/d");
  auto& r = run.make("file", "/d/x", {{"content", run.text("a")}, {"mode", run.text("0600")}});
  auto changes = run.turn(*handler, r, true);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].property, "ensure");
  EXPECT_TRUE(run.fake.calls.empty());
}

TEST_F(FileHandlerTest, CreatesWithOneWrite) {
  run.fake.put_directory("/d");
  run.fake.put_user("web", 33, 33);
  run.turn(*handler, run.make("file", "/d/x", {{"content", run.text("a")}, {"mode", run.text("0600")}, {"owner", run.text("web")}}));
  EXPECT_EQ(run.fake.calls, std::vector<std::string>{"write /d/x 0600"});
  EXPECT_EQ(run.fake.find("/d/x")->status.uid, 33u);
}

TEST_F(FileHandlerTest, SecondTurnChangesNothing) {
  run.fake.put_directory("/d");
  auto& r = run.make("file", "/d/x", {{"content", run.text("a")}, {"mode", run.text("u=rw,go=")}});
  run.turn(*handler, r);
  EXPECT_TRUE(run.turn(*handler, r).empty());
}

TEST_F(FileHandlerTest, FullDiskFailsTheResourceAndKeepsTheFile) {
  run.fake.put_file("/d/x", "old");
  run.fake.fail_on("/d/x", ENOSPC);
  auto changes = run.turn(*handler, run.make("file", "/d/x", {{"content", run.text("new")}}));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].failure, "No space left on device - /d/x");
  EXPECT_EQ(run.fake.find("/d/x")->content, "old");
}

TEST_F(FileHandlerTest, BacksUpIntoTheBucket) {
  run.changeable_settings().bucket_directory = "/bucket";
  run.fake.put_file("/d/x", "old");
  run.turn(*handler, run.make("file", "/d/x", {{"content", run.text("new")}, {"backup", run.text("puppet")}}));
  bool found = false;
  for (const auto& [path, node] : run.fake.files)
    found = found || (path.starts_with("/bucket/") && path.ends_with("/contents") && node.content == "old");
  EXPECT_TRUE(found);
}

TEST_F(FileHandlerTest, SensitiveContentIsInNoText) {
  run.fake.put_directory("/d");
  auto& r = run.make("file", "/d/x");
  r.set("content", run.text("secret"), true);
  auto changes = run.turn(*handler, r);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_TRUE(changes[0].sensitive);
}

TEST_F(FileHandlerTest, ValidatesBeforeReplacing) {
  run.fake.put_file("/d/x", "old");
  run.fake.on_run = [](const Command&) {
    CommandResult r;
    r.status = 1;
    r.output = " bad\r\n"; // told as Ruby's strip leaves it
    return r;
  };
  auto changes = run.turn(*handler, run.make("file", "/d/x", {{"content", run.text("new")}, {"validate_cmd", run.text("/check %")}}));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_TRUE(changes[0].failure.ends_with("returned 1: bad")) << changes[0].failure;
  EXPECT_EQ(run.fake.find("/d/x")->content, "old");
  EXPECT_EQ(run.fake.list_directory("/d"), std::vector<std::string>{"x"});
}

TEST_F(FileHandlerTest, RecursionLeavesManagedFilesAlone) {
  run.fake.put_file("/d/a", "1");
  run.fake.put_file("/d/b", "1");
  run.fake.put_file("/d/c/e", "1");
  run.make("file", "/d/b");
  auto& r = run.make("file", "/d", {{"ensure", run.text("directory")}, {"recurse", Value::boolean(true)}, {"purge", Value::boolean(true)}});
  std::vector<std::string> titles;
  for (const auto& c : handler->eval_generate(r, run)) {
    titles.push_back(c.title);
    EXPECT_EQ(c.text("ensure"), "absent");
  }
  EXPECT_EQ(titles, (std::vector<std::string>{"/d/a", "/d/c", "/d/c/e"}));
}

HttpAnswer page(std::string body, std::vector<std::pair<std::string, std::string>> headers = {}, int status = 200) {
  HttpAnswer a;
  a.status = status;
  a.body = std::move(body);
  a.headers = std::move(headers);
  a.reason = "Reason";
  return a;
}

TEST_F(FileHandlerTest, FetchesFromUrls) {
  const std::string sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; // of abc
  run.fake.put_directory("/d");
  run.fake.urls["http://h/x"] = page("abc", {{"x-checksum-sha256", sum}});
  auto& r = run.make("file", "/d/x", {{"source", run.list({"http://h/none", "http://h/x"})}});
  auto changes = run.turn(*handler, r, true);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].message, "defined content as '{sha256}" + sum + "'");
  EXPECT_EQ(run.fake.calls, (std::vector<std::string>{"http HEAD http://h/none", "http HEAD http://h/x"}));
  run.turn(*handler, r);
  EXPECT_EQ(run.fake.find("/d/x")->content, "abc");
  EXPECT_TRUE(run.turn(*handler, r).empty());
}

TEST_F(FileHandlerTest, ComparesTimesOfUrlsWithoutSums) {
  run.fake.put_file("/d/x", "old");
  run.fake.time = 1'700'000'000'000'000'000;
  run.fake.urls["https://h/x"] = page("new", {{"last-modified", "Tue, 14 Nov 2023 22:13:19 GMT"}}); // a second before
  auto& r = run.make("file", "/d/x", {{"source", run.text("https://h/x")}});
  EXPECT_TRUE(run.turn(*handler, r).empty());
  run.fake.urls["https://h/x"] = page("new", {{"last-modified", "Wed, 15 Nov 2023 22:13:20 GMT"}});
  auto changes = run.turn(*handler, r);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_TRUE(changes[0].message.ends_with("to '{mtime}2023-11-15 22:13:20 UTC'")) << changes[0].message;
  EXPECT_EQ(run.fake.find("/d/x")->content, "new");
}

TEST_F(FileHandlerTest, UrlsThatFail) {
  run.fake.put_file("/d/x", "old");
  auto failure = [&](HttpAnswer answer) -> std::string {
    run.fake.urls["http://h/x"] = std::move(answer);
    try {
      auto changes = run.turn(*handler, run.make("file", "/d/x", {{"source", run.text("http://h/x")}}));
      return changes.empty() ? "" : changes[0].failure;
    } catch (const ResourceError& e) { return e.what(); }
  };
  EXPECT_EQ(failure(page("", {}, 404)), "Could not retrieve information from environment production source(s) http://h/x");
  HttpAnswer refused;
  refused.error = "Connection refused";
  EXPECT_EQ(failure(refused), "Could not retrieve file metadata for http://h/x: Request to http://h/x failed: Connection refused");
  EXPECT_EQ(run.fake.find("/d/x")->content, "old");
}

TEST_F(FileHandlerTest, LabelsOnlyWhereThereIsSelinux) {
  run.fake.put_file("/d/x", "a");
  run.fake.put_file("/proc/mounts", "proc /proc proc rw 0 0\n/dev/a / ext4 rw 0 0\nshare /n nfs4 rw 0 0\n");
  run.fake.labels["/d/x"] = "system_u:object_r:tmp_t:s0:c1,c2";
  auto turn = [&](const char* path) {
    handler = make_file_handler();
    return run.turn(*handler, run.make("file", path, {{"seltype", run.text("etc_t")}, {"selrange", run.text("s0:c1,c2")}}));
  };
  EXPECT_TRUE(turn("/d/x").empty());
  run.fake.has_selinux = true;
  auto changes = turn("/d/x");
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].message, "seltype changed 'tmp_t' to 'etc_t'");
  EXPECT_EQ(run.fake.labels["/d/x"], "system_u:object_r:etc_t:s0:c1,c2");
  EXPECT_TRUE(turn("/d/x").empty());
  run.fake.put_file("/n/x", "a");
  run.fake.labels["/n/x"] = "system_u:object_r:nfs_t:s0:c1,c2";
  EXPECT_TRUE(turn("/n/x").empty());
}

TEST_F(FileHandlerTest, DefaultLabelsByThePolicy) {
  run.fake.has_selinux = true;
  run.fake.put_file("/proc/mounts", "/dev/a / ext4 rw 0 0\n");
  run.fake.put_file("/etc/selinux/setrans.conf", "# names\ns0 = SystemLow\ns0-s0:c0.c9=SystemLow-High\n");
  run.fake.put_file("/d/x", "a");
  run.fake.labels["/d/x"] = "user_u:object_r:tmp_t:s0";
  for (const char* path : {"/d/x", "/d/y", "/d/z"}) run.fake.default_labels[path] = "system_u:object_r:any_t:SystemLow";
  run.fake.default_labels["- /d/y"] = "system_u:object_r:regular_t:s0";
  auto turn = [&](const char* path, std::vector<std::pair<std::string, Value>> attributes) {
    handler = make_file_handler();
    std::vector<std::string> messages;
    for (const auto& c : run.turn(*handler, run.make("file", path, std::move(attributes)))) messages.push_back(c.message);
    return messages;
  };
  EXPECT_EQ(turn("/d/x", {{"selinux_ignore_defaults", Value::boolean(true)}}), std::vector<std::string>{});
  EXPECT_EQ(turn("/d/x", {}), (std::vector<std::string>{"seluser changed 'user_u' to 'system_u'", "seltype changed 'tmp_t' to 'any_t'"}));
  EXPECT_EQ(run.fake.labels["/d/x"], "system_u:object_r:any_t:s0");
  EXPECT_EQ(turn("/d/x", {{"seltype", run.text("given_t")}, {"selrange", run.text("SystemLow-High")}}),
            (std::vector<std::string>{"seltype changed 'any_t' to 'given_t'", "selrange changed 's0' to 's0-s0:c0.c9'"}));
  // A new file: the policy gives the label for the type that `ensure` names, or for any type without `ensure`. The file starts with the
  // label of its directory.
  for (const char* path : {"/d/y", "/d/z"}) run.fake.labels[path] = "system_u:object_r:tmp_t:s0";
  EXPECT_EQ(turn("/d/y", {{"ensure", run.text("file")}}), std::vector<std::string>{"created"});
  EXPECT_EQ(run.fake.labels["/d/y"], "system_u:object_r:regular_t:s0");
  EXPECT_EQ(turn("/d/z", {{"content", run.text("z")}}).size(), 1u);
  EXPECT_EQ(run.fake.labels["/d/z"], "system_u:object_r:any_t:s0");
  // A label that SELinux refuses is only a warning.
  run.fake.fail_on("/d/z", EACCES);
  run.logs.clear();
  turn("/d/z", {{"seltype", run.text("nonsense")}});
  EXPECT_EQ(run.logs, std::vector<std::string>{"warning: Failed to set SELinux context system_u:object_r:nonsense:s0 on /d/z"});
  EXPECT_THROW(read_label("nonsense"), ResourceError);
}

TEST_F(FileHandlerTest, TooManyFiles) {
  for (const char* name : {"/d/a", "/d/b", "/d/c"}) run.fake.put_file(name, "");
  auto& r = run.make("file", "/d", {{"recurse", Value::boolean(true)}, {"max_files", Value::integer(2)}});
  handler->prepare(r, run);
  EXPECT_THROW(handler->eval_generate(r, run), ResourceError);
  r.set("max_files", Value::integer(3));
  handler->prepare(r, run);
  EXPECT_EQ(handler->eval_generate(r, run).size(), 3u);
}

} // namespace
} // namespace pupc::runtime
