#pragma once
// A machine in memory for tests: files, users and a clock to set up, commands with prepared answers, and a record of all that was changed.
#include "runtime/sys/system.h"

#include <map>

namespace pupc {

class FakeSystem : public System {
public:
  struct Node {
    FileStatus status;
    std::string content; // of a file; target of a link
  };

  FakeSystem();

  // -- setting up; none of it is recorded
  /// Puts a file there, with the directories above it.
  void put_file(const std::string& path, std::string content, uint32_t mode = 0644, uint32_t uid = 0, uint32_t gid = 0);
  void put_directory(const std::string& path, uint32_t mode = 0755, uint32_t uid = 0, uint32_t gid = 0);
  void put_link(const std::string& path, std::string target);
  /// An executable file.
  void put_program(const std::string& path) { put_file(path, "#!", 0755); }
  void put_user(const std::string& name, uint32_t uid, uint32_t gid, const std::string& home = "/");
  void put_group(const std::string& name, uint32_t gid, std::vector<std::string> members = {});
  /// The answer to a command: `text` is its words joined by blanks, or the shell text. The last answer given for a text counts.
  void answer(const std::string& text, int status, std::string output = "");
  void answer(const std::string& text, CommandResult result) { answers_[text] = std::move(result); }
  /// Called for commands without a prepared answer; the default is status 127, not started.
  std::function<CommandResult(const Command&)> on_run;
  /// Makes every call that would change this path (write, mode, …) fail with an errno.
  void fail_on(const std::string& path, int error) { failures_[path] = error; }

  // -- looking at it
  /// What was changed or run, one line a call: "write /x 0644", "mkdir /d 0755", "chmod /x 0600", "chown /x 0:0", "link /l -> /x",
  /// "unlink /x", "rmdir /d", "rename /a /b", "utime /x", "run apt-get install x", "as ann".
  std::vector<std::string> calls;
  std::vector<Command> commands; // all that were run
  const Node* find(const std::string& path) const;
  std::map<std::string, Node> files;
  uint32_t uid = 0, gid = 0;
  int64_t time = 1'700'000'000'000'000'000; // advances by a microsecond at each look
  std::map<std::string, std::string> variables{{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"}};

  std::map<std::string, HttpAnswer> urls; // answers to requests; others get 404
  bool has_selinux = false;
  std::map<std::string, std::string> labels; // of files, by path
  std::map<std::string, std::string>
      default_labels; // the policy: by path, or by "TYPE PATH" with the type's letter as ls shows it ("d /x")

  // -- System
  std::optional<FileStatus> lstat(const std::string& path) override;
  std::optional<FileStatus> stat(const std::string& path) override;
  std::string read_file(const std::string& path) override;
  void overwrite_file(const std::string& path, std::string_view content) override;
  void write_file(const std::string& path, std::string_view content, uint32_t mode, std::optional<uint32_t> uid,
                  std::optional<uint32_t> gid, bool durable = true) override;
  std::string read_link(const std::string& path) override;
  bool safe_from_others(const std::string& path) override;
  std::string followed(const std::string& path) override;
  std::string make_private_directory(const std::string& parent, std::optional<uint32_t> owner) override;
  void make_link(const std::string& target, const std::string& path) override;
  void make_directory(const std::string& path, uint32_t mode) override;
  std::vector<std::string> list_directory(const std::string& path) override;
  void remove_file(const std::string& path) override;
  void remove_directory(const std::string& path) override;
  void rename(const std::string& from, const std::string& to) override;
  void set_mode(const std::string& path, uint32_t mode) override;
  void set_owner(const std::string& path, std::optional<uint32_t> uid, std::optional<uint32_t> gid, bool follow) override;
  void set_times(const std::string& path, int64_t accessed, int64_t modified) override;
  bool executable(const std::string& path) override;
  bool writable(const std::string& path) override { return !failures_.contains(path); }
  bool selinux() override { return has_selinux; }
  std::optional<std::string> label(const std::string& path) override;
  bool set_label(const std::string& path, const std::string& label) override;
  std::optional<std::string> default_label(const std::string& path, uint32_t mode) override;
  std::string label_translations() override { return "/etc/selinux/setrans.conf"; }
  HttpAnswer http(const HttpRequest& request) override;
  std::optional<User> user_by_name(const std::string& name) override;
  std::optional<User> user_by_id(uint32_t uid) override;
  std::optional<Group> group_by_name(const std::string& name) override;
  std::optional<Group> group_by_id(uint32_t gid) override;
  uint32_t effective_uid() override { return uid; }
  uint32_t effective_gid() override { return gid; }
  std::string as_user(const User& user, const std::function<std::string(System&)>& work) override;
  CommandResult run(const Command& command) override;
  std::optional<std::string> which(std::string_view program, const std::vector<std::string>* path = nullptr) override;
  int64_t now() override { return time += 1000; }
  int64_t monotonic() override { return time += 1000; }
  void sleep(std::chrono::milliseconds duration) override;
  std::optional<std::string> environment(const std::string& name) override;
  std::string hostname() override { return "fake.example.com"; }

private:
  Node& existing(const std::string& path);
  /// The path with a link at its end followed; empty when it dangles or runs in a circle.
  std::string end_of_links(const std::string& path) const;
  void record(const std::string& path, std::string call);
  void need_parent(const std::string& path) const;
  std::map<std::string, User> users_;
  std::map<std::string, Group> groups_;
  std::map<std::string, CommandResult> answers_;
  std::map<std::string, int> failures_;
  uint64_t next_inode_ = 1;
};

} // namespace pupc
