#pragma once
// A machine in memory for tests: with files, users, a clock, prepared answers to commands, and a record of all changes.
#include "runtime/sys/system.h"

#include <map>

namespace pupc::runtime {

class FakeSystem : public System {
public:
  struct Node {
    FileStatus status;
    std::string content; // of a file; target of a link
  };

  FakeSystem();

  // -- setup; these calls are not recorded
  /// Adds a file and the directories above it.
  void put_file(const std::string& path, std::string content, uint32_t mode = 0644, uint32_t uid = 0, uint32_t gid = 0);
  void put_directory(const std::string& path, uint32_t mode = 0755, uint32_t uid = 0, uint32_t gid = 0);
  void put_link(const std::string& path, std::string target);
  /// Adds an executable file.
  void put_program(const std::string& path) { put_file(path, "#!", 0755); }
  void put_user(const std::string& name, uint32_t uid, uint32_t gid, const std::string& home = "/");
  void put_group(const std::string& name, uint32_t gid, std::vector<std::string> members = {});
  /// Prepares the answer to a command. `text` is its words joined by blanks, or the shell text. A later answer for the same text replaces
  /// the earlier one.
  void answer(const std::string& text, int status, std::string output = "");
  void answer(const std::string& text, CommandResult result) { answers_[text] = std::move(result); }
  /// Called for commands without a prepared answer; the default is status 127, not started.
  std::function<CommandResult(const Command&)> on_run;
  /// Makes every call that would change this path (write, mode, …) fail with the given errno.
  void fail_on(const std::string& path, int error) { failures_[path] = error; }

  // -- inspection
  /// The changes and commands, one line for each call: "write /x 0644", "mkdir /d 0755", "chmod /x 0600", "chown /x 0:0",
  /// "link /l -> /x", "unlink /x", "rmdir /d", "rename /a /b", "utime /x", "run apt-get install x", "as ann".
  std::vector<std::string> calls;
  std::vector<Command> commands; // all commands that ran
  const Node* find(const std::string& path) const;
  std::map<std::string, Node> files;
  uint32_t uid = 0, gid = 0;
  int64_t time = 1'700'000'000'000'000'000; // advances by a microsecond with each reading
  std::map<std::string, std::string> variables{{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"}};

  std::map<std::string, HttpAnswer> urls; // answers to requests; any other URL gets 404
  bool has_selinux = false;
  std::map<std::string, std::string> labels;         // labels of files, by path
  std::map<std::string, std::string> default_labels; // the policy: by path, or by "TYPE PATH" with ls's letter for the type ("d /x")

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
  /// Follows links at the end of a path; empty when a link dangles or the links form a cycle.
  std::string end_of_links(const std::string& path) const;
  void record(const std::string& path, std::string call);
  void need_parent(const std::string& path) const;
  std::map<std::string, User> users_;
  std::map<std::string, Group> groups_;
  std::map<std::string, CommandResult> answers_;
  std::map<std::string, int> failures_;
  uint64_t next_inode_ = 1;
};

} // namespace pupc::runtime
