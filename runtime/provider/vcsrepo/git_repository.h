#pragma once
// One git repository on this machine, with the operations of a vcsrepo resource.
#include "runtime/provider/system_tools.h"
#include "runtime/provider/vcsrepo/git_address.h"

#include <string>
#include <vector>

namespace pupc::runtime {

/// All functions throw ResourceError with git's output when git fails. The constructor throws when the source is Sensitive and the
/// installed git cannot hide passwords of addresses from its arguments (git_address.h).
class GitRepository {
public:
  GitRepository(const ManagedResource& resource, RunContext& run);

  enum class Kind { None, WorkingCopy, Bare, Mirror };
  /// The kind of repository at the resource's path. A working copy of another address does not count.
  Kind kind() const;

  void create();
  void convert_to_bare();
  void convert_to_working_copy();
  void set_mirror(bool mirror);
  void remove();
  /// Fetches from the remotes; does not change the checked-out files.
  void fetch();
  /// The commit that a name refers to. When the wanted revision is the same commit, returns the wanted revision's name.
  std::string revision(const std::string& name) const;
  /// The revision of the remote's branch that has the name of the checked-out branch.
  std::string latest() const;
  /// The checked-out branch, or "HEAD".
  std::string branch() const;
  /// Checks out `target`; when it is a branch of the remote, resets to the remote's state.
  void check_out(const std::string& target);

  /// Throws ResourceError when an address of a Sensitive source has no part that git's arguments could leave out.
  static void check_addresses(const ManagedResource& resource);

private:
  struct Remote {
    std::string name;
    GitAddress address;
  };
  std::string git(std::vector<std::string> words, bool inside = true) const;
  ToolOptions options(bool inside) const;
  /// The user to run git as, when it is not this process's user: the resource's `user`, else the owner of the path, or of its parent
  /// directory for a new repository.
  std::optional<User> acting_user(bool inside) const;
  std::optional<uint32_t> owner_of(const std::string& path) const;
  void check_identity(const User& user) const;
  const GitAddress& address() const; // the address of the main remote
  std::string main_remote() const { return r_.text("remote", "origin"); }
  bool wants_bare() const;
  std::string config_path() const;
  /// Replaces a remote's address in the configuration file directly: git would need the secret as an argument.
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
  std::vector<Remote> remotes_; // from the resource
  bool hides_ = false;
};

} // namespace pupc::runtime
