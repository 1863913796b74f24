#pragma once
// One git repository on this machine and what a vcsrepo resource does with it.
#include "runtime/provider/commands.h"
#include "runtime/provider/vcsrepo/git_address.h"

#include <string>
#include <vector>

namespace pupc {

/// All functions throw ResourceError with what git said when it fails. Passwords of addresses are in no argument (git_address.h); where git
/// cannot hide what must be hidden, `prepare_addresses` says so.
class GitRepository {
public:
  GitRepository(const ManagedResource& resource, RunContext& run);

  enum class Kind { None, WorkingCopy, Bare, Mirror };
  /// What is at the resource's path. A working copy of another address is none.
  Kind kind() const;

  void create();
  void convert_to_bare();
  void convert_to_working_copy();
  void set_mirror(bool mirror);
  void remove();
  /// Gets what the remotes have; changes nothing that is checked out.
  void fetch();
  /// The commit of a name; the wanted revision's own name when that is the same commit.
  std::string revision(const std::string& name) const;
  /// What the remote's branch of the same name is at.
  std::string latest() const;
  /// The branch that is checked out, or "HEAD".
  std::string branch() const;
  /// Checks out and, when that is a branch of the remote, takes its state.
  void check_out(const std::string& target);

  /// Throws when an address of a Sensitive source has no part that can be hidden from git's arguments.
  static void check_addresses(const ManagedResource& resource);

private:
  struct Remote {
    std::string name;
    GitAddress address;
  };
  std::string git(std::vector<std::string> words, bool inside = true) const;
  ToolOptions options(bool inside) const;
  /// Whose git it is when it is not this process's user's: the resource's `user`, else the owner of what is at the path or, where a
  /// repository is made, of the directory above.
  std::optional<User> acting_user(bool inside) const;
  std::optional<uint32_t> owner_of(const std::string& path) const;
  void check_identity(const User& user) const;
  const GitAddress& address() const; // of the main remote
  std::string main_remote() const { return r_.text("remote", "origin"); }
  bool wants_bare() const;
  std::string config_path() const;
  /// Writes one remote's address into the configuration, where git itself would have to be given it as an argument.
  void write_address(const std::string& remote, const std::string& from, const std::string& to) const;
  void set_address(const Remote& remote, bool add);
  void update_remotes();
  void update_submodules();
  void make_room();
  void finish();
  std::vector<std::string> branches() const;
  bool local_branch(const std::string& name) const;
  bool remote_branch(const std::string& name) const;

  const ManagedResource& r_;
  RunContext& run_;
  std::string path_;
  std::vector<Remote> remotes_; // as the resource has them
  bool hides_ = false;
};

} // namespace pupc
