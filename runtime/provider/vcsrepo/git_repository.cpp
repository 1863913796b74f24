#include "runtime/provider/vcsrepo/git_repository.h"

#include "catalog/base/split_text.h"
#include "catalog/base/text.h"
#include "runtime/provider/module_library.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

bool is_among(const std::vector<std::string>& all, const std::string& one) { return std::find(all.begin(), all.end(), one) != all.end(); }

std::vector<std::pair<std::string, std::string>> sources(const ManagedResource& r) {
  std::vector<std::pair<std::string, std::string>> out;
  const Value source = r.get("source");
  if (source.is_hash()) {
    for (const HashEntry& e : source.hash->entries()) out.emplace_back(value_text(e.key), value_text(e.value));
    std::sort(out.begin(), out.end());
  } else if (r.has("source")) {
    out.emplace_back(r.text("remote", "origin"), r.text("source"));
  }
  return out;
}

/// Whether the installed git reads settings from its environment (2.31 or newer).
bool reads_environment(RunContext& run) {
  const std::string text = run_tool_checked(run, {"git", "--version"}, {});
  const size_t digits = text.find_first_of("0123456789");
  if (digits == std::string::npos) return false;
  char* rest = nullptr;
  const long major = std::strtol(text.c_str() + digits, &rest, 10);
  const long minor = *rest == '.' ? std::strtol(rest + 1, nullptr, 10) : 0;
  return major > 2 || (major == 2 && minor >= 31);
}

} // namespace

GitRepository::GitRepository(const ManagedResource& resource, RunContext& run) : r_(resource), run_(run), path_(resource.name("path")) {
  const bool secret = r_.sensitive("source");
  for (auto& [name, text] : sources(r_)) {
    remotes_.push_back({name, git_address(text, secret)});
    hides_ |= remotes_.back().address.hides();
  }
  if (hides_ && !reads_environment(run_)) {
    if (secret) throw ResourceError("Git 2.31 or newer is needed to keep the password of a Sensitive source out of its arguments");
    for (Remote& remote : remotes_) remote.address.shown = remote.address.full;
    hides_ = false;
  }
}

void GitRepository::check_addresses(const ManagedResource& resource) {
  if (!resource.sensitive("source")) return;
  for (const auto& [name, text] : sources(resource))
    if (!git_address(text, true).hides())
      throw ResourceError(fmt::format("Parameter source failed on {}: The Sensitive address of remote '{}' would be seen in the arguments "
                                      "of git: only user and password of an http address "
                                      "can be hidden",
                                      resource.reference(), name));
}

ToolOptions GitRepository::options(bool inside) const {
  ToolOptions o;
  o.sensitive = r_.sensitive("source");
  o.named_bare = true;                                    // the module gives Puppet the word `git`
  o.environment.emplace_back("GIT_TERMINAL_PROMPT", "0"); // fail instead of asking on a terminal
  if (hides_) {
    std::vector<GitAddress> addresses;
    for (const Remote& remote : remotes_) addresses.push_back(remote.address);
    for (auto& setting : git_environment(addresses)) o.environment.push_back(std::move(setting));
  }
  if (r_.has("identity"))
    o.environment.emplace_back("GIT_SSH_COMMAND",
                               "ssh -oStrictHostKeyChecking=no -oPasswordAuthentication=no -oKbdInteractiveAuthentication=no "
                               "-oChallengeResponseAuthentication=no -oConnectTimeout=120 -i '" +
                                   r_.text("identity") + "'");
  o.directory = inside ? path_ : "/";
  if (const auto user = acting_user(inside)) {
    o.uid = user->uid;
    o.gid = user->gid;
    o.environment.emplace_back("HOME", user->home);
  } else if (const auto self = run_.system.user_by_id(run_.system.effective_uid())) {
    o.environment.emplace_back("HOME", self->home);
  }
  return o;
}

std::optional<uint32_t> GitRepository::owner_of(const std::string& path) const {
  const auto status = run_.system.stat(path);
  return status ? std::optional(status->uid) : std::nullopt;
}

std::optional<User> GitRepository::acting_user(bool inside) const {
  const uint32_t self = run_.system.effective_uid();
  if (r_.has("user")) {
    const auto user = run_.system.user_by_name(r_.text("user"));
    if (!user) throw ResourceError(fmt::format("Could not find user {}", r_.text("user")));
    return user->uid == self ? std::nullopt : user;
  }
  if (self != 0) return std::nullopt;
  // Git runs commands from a repository's settings and follows its links. In another user's repository, run it as that user.
  auto owner = owner_of(path_);
  if (!owner && !inside) owner = owner_of(path_.substr(0, std::max<size_t>(path_.rfind('/'), 1)));
  if (owner.value_or(self) == self) return std::nullopt;
  const auto user = run_.system.user_by_id(*owner);
  if (!user) throw ResourceError(fmt::format("{} belongs to {}, who is no user: git is not run there", path_, *owner));
  if (r_.has("identity")) check_identity(*user);
  return user;
}

void GitRepository::check_identity(const User& user) const {
  const std::string identity = r_.text("identity");
  try {
    run_.system.as_user(user, [&](System& system) { return system.read_file(identity).substr(0, 0); });
  } catch (const SystemError& e) {
    throw ResourceError(fmt::format("Git runs as {}, to whom {} belongs, and cannot read the identity: {}", user.name, path_, e.what()));
  }
}

std::string GitRepository::git(std::vector<std::string> words, bool inside) const {
  // The provider works without git until it needs it.
  if (!find_tool(run_, "git"))
    throw ResourceError(
        fmt::format("Execution of 'git {}' returned 1: Error: Could not execute posix command: No such file or directory - git",
                    join_text(words, " ")));
  std::vector<std::string> argv{"git"};
  // Newer git refuses a repository of another user unless it is declared safe: root's repositories are safe.
  if (inside && owner_of(path_) == 0U && acting_user(true)) argv.insert(argv.end(), {"-c", "safe.directory=" + path_});
  if (r_.truth("trust_server_cert", false)) argv.insert(argv.end(), {"-c", "http.sslVerify=false"});
  if (r_.truth("skip_hooks", false)) argv.insert(argv.end(), {"-c", "core.hooksPath=/dev/null"});
  argv.insert(argv.end(), std::make_move_iterator(words.begin()), std::make_move_iterator(words.end()));
  return run_tool_checked(run_, std::move(argv), options(inside));
}

const GitAddress& GitRepository::address() const {
  for (const Remote& remote : remotes_)
    if (remote.name == main_remote()) return remote.address;
  throw ResourceError(fmt::format("You must specify the URL for {} in the :source hash", main_remote()));
}

bool GitRepository::wants_bare() const {
  const std::string ensure = r_.text("ensure");
  return ensure == "bare" || ensure == "mirror";
}

std::string GitRepository::config_path() const { return path_ + (run_.system.stat(path_ + "/.git") ? "/.git/config" : "/config"); }

GitRepository::Kind GitRepository::kind() const {
  const std::string inner = path_ + "/.git/config";
  bool working_copy = run_.system.stat(path_ + "/.git").has_value();
  if (working_copy && r_.has("source") && run_.system.stat(inner)) {
    const std::string config = run_.system.read_file(inner);
    // The configuration still has the shown form if a run was killed before it wrote the full one.
    working_copy = config.find(address().full) != std::string::npos || config.find(address().shown) != std::string::npos;
  }
  if (working_copy) return Kind::WorkingCopy;
  if (run_.system.stat(path_ + "/.git") || !run_.system.stat(path_ + "/config") || !run_.system.stat(path_ + "/HEAD")) return Kind::None;
  for (const std::string& line : text_lines(run_.system.read_file(path_ + "/config")))
    if (catalog::words_of(line) == std::vector<std::string>{"mirror", "=", "true"}) return Kind::Mirror;
  return Kind::Bare;
}

std::vector<std::string> GitRepository::branches() const {
  std::vector<std::string> out;
  for (std::string line : text_lines(git({"branch", "-a"}))) {
    if (!line.empty() && line[0] == '*') line[0] = ' ';
    out.emplace_back(trimmed(line));
  }
  return out;
}
bool GitRepository::local_branch(const std::string& name) const { return is_among(branches(), name); }
bool GitRepository::remote_branch(const std::string& name) const { return is_among(branches(), "remotes/" + main_remote() + "/" + name); }

std::string GitRepository::branch() const {
  for (const std::string& line : text_lines(git({"branch", "-a"})))
    if (line.starts_with("* ") && line.find('(') == std::string::npos) return line.substr(2);
  return "HEAD";
}

std::string GitRepository::revision(const std::string& name) const {
  const std::string now(trimmed(git({"rev-parse", name})));
  if (!r_.has("revision")) return now;
  const std::string wanted = r_.text("revision");
  std::string commit;
  if (is_among(text_lines(git({"tag", "-l"})), wanted))
    commit = git({"rev-parse", wanted + "^0"});
  else if (local_branch(wanted))
    commit = git({"rev-parse", r_.text("ensure") == "latest" && remote_branch(wanted) ? main_remote() + "/" + wanted : wanted});
  else if (remote_branch(wanted))
    commit = git({"rev-parse", main_remote() + "/" + wanted});
  else
    commit = git({"rev-parse", "--revs-only", wanted});
  commit = std::string(trimmed(commit));
  if (commit.empty()) throw ResourceError(fmt::format("{} is not a local or remote ref", wanted));
  return now == commit ? wanted : now;
}

std::string GitRepository::latest() const {
  const std::string here = branch();
  return revision(here == "HEAD" || !r_.has("source") ? "HEAD" : main_remote() + "/" + here);
}

void GitRepository::write_address(const std::string& remote, const std::string& from, const std::string& to) const {
  const std::string path = config_path(), old_text = run_.system.read_file(path), new_text = with_address(old_text, remote, from, to);
  if (new_text == old_text) return;
  const auto status = run_.system.stat(path);
  run_.system.write_file(path, new_text, status->mode, status->uid, status->gid);
}

void GitRepository::set_address(const Remote& remote, bool add) {
  git({"remote", add ? "add" : "set-url", remote.name, remote.address.shown});
  if (remote.address.hides()) write_address(remote.name, remote.address.shown, remote.address.full);
}

void GitRepository::update_remotes() {
  const std::string config = git({"config", "-l"});
  bool changed = false;
  for (const Remote& remote : remotes_) {
    const std::string key = "remote." + remote.name + ".url";
    const bool known = config.find(key) != std::string::npos;
    if (known && config.find(key + "=" + remote.address.full) != std::string::npos) continue;
    set_address(remote, !known);
    changed = true;
  }
  if (changed) git({"remote", "update"});
}

void GitRepository::fetch() {
  if (!r_.has("source")) return;
  update_remotes();
  git({"fetch", main_remote()});
  git({"fetch", "--tags", main_remote()});
}

void GitRepository::update_submodules() {
  if (wants_bare() || !r_.truth("submodules", true)) return;
  // Git derives submodule addresses from the remote's address and passes them as arguments, so put the shown address there meanwhile.
  const bool conceal = hides_ && run_.system.stat(path_ + "/.gitmodules").has_value();
  auto swap_addresses = [&](bool hide) {
    if (conceal)
      for (const Remote& remote : remotes_)
        write_address(remote.name, hide ? remote.address.full : remote.address.shown, hide ? remote.address.shown : remote.address.full);
  };
  swap_addresses(true);
  try {
    git({"submodule", "update", "--init", "--recursive"});
  } catch (...) {
    swap_addresses(false);
    throw;
  }
  swap_addresses(false);
}

void GitRepository::check_out(const std::string& target) {
  const bool keep = r_.truth("keep_local_changes", false) && !trimmed(git({"status", "--porcelain", "--untracked-files=no"})).empty();
  if (keep) git({"stash", "save"});
  if (!local_branch(target) && remote_branch(target))
    git({"checkout", "--force", "-b", target, "--track", main_remote() + "/" + target});
  else
    git({"checkout", "--force", target});
  if (local_branch(target) && remote_branch(target)) git({"reset", "--hard", main_remote() + "/" + target});
  if (keep) git({"stash", "pop"});
  update_submodules();
  finish();
}

void GitRepository::make_room() {
  const auto status = run_.system.stat(path_);
  if (!status || status->type != FileType::Directory || run_.system.list_directory(path_).empty()) return;
  const auto provider = library_text(run_.settings, "puppet/provider/vcsrepo/git.rb");
  const bool older = provider && provider->find("non-repository at path") != std::string::npos; // an old module
  if (!r_.truth("force", false))
    throw ResourceError(older ? "Could not create repository (non-repository at path)"
                              : fmt::format("Path {} exists and is not the desired repository.", path_));
  run_.log(LogLevel::Notice, fmt::format("{}(provider=git): Removing {} to replace with {}.", r_.reference(), path_,
                                         older ? "vcsrepo" : "desired repository"));
  remove_tree(run_.system, path_);
}

void GitRepository::create() {
  make_room();
  if (!r_.has("source")) {
    if (r_.text("ensure") == "mirror") throw ResourceError("Cannot init repository with mirror option, try bare instead");
    if (run_.system.stat(path_)) throw SystemError(EEXIST, path_, "dir_s_mkdir");
    run_.system.make_directory(path_, 0755);
    if (r_.has("user"))
      if (auto user = run_.system.user_by_name(r_.text("user"))) run_.system.set_owner(path_, user->uid, std::nullopt, false);
    git(wants_bare() ? std::vector<std::string>{"init", "--bare"} : std::vector<std::string>{"init"});
  } else {
    const GitAddress& from = address();
    std::vector<std::string> words{"clone"};
    if (all_digits(r_.text("depth")) && r_.text("depth") != "0") {
      words.insert(words.end(), {"--depth", r_.text("depth")});
      if (r_.has("revision")) words.insert(words.end(), {"--branch", r_.text("revision")});
    }
    if (r_.has("branch")) words.insert(words.end(), {"--branch", r_.text("branch")});
    if (wants_bare()) words.emplace_back("--" + r_.text("ensure"));
    if (main_remote() != "origin") words.insert(words.end(), {"--origin", main_remote()});
    words.insert(words.end(), {from.shown, path_});
    git(std::move(words), false);
    if (from.hides()) write_address(main_remote(), from.shown, from.full);
    update_remotes();
    if (r_.has("revision")) return check_out(r_.text("revision"));
    update_submodules();
  }
  finish();
}

void GitRepository::convert_to_bare() {
  run_.log(LogLevel::Notice, r_, "Converting working copy repository to bare repository");
  const std::string aside = path_ + ".pupc-bare";
  run_.system.rename(path_ + "/.git", aside);
  remove_tree(run_.system, path_);
  run_.system.rename(aside, path_);
  git({"config", "--local", "--bool", "core.bare", "true"});
  if (r_.text("ensure") == "mirror") set_mirror(true);
}

void GitRepository::convert_to_working_copy() {
  run_.log(LogLevel::Notice, r_, "Converting bare repository to working copy repository");
  const std::string aside = path_ + ".pupc-bare";
  run_.system.rename(path_, aside);
  run_.system.make_directory(path_, 0755);
  run_.system.rename(aside, path_ + "/.git");
  git({"config", "--local", "--bool", "core.bare", "false"});
  if (trimmed(git({"rev-list", "--all", "--count"})) == "0") return;
  git({"reset", "--hard", "HEAD"});
  git({"checkout", "--force"});
  finish();
}

void GitRepository::set_mirror(bool mirror) {
  if (mirror && remotes_.empty()) throw ResourceError("Cannot have empty repository that is also a mirror.");
  for (const Remote& remote : remotes_) {
    const std::string key = "remote." + remote.name + ".mirror";
    git(mirror ? std::vector<std::string>{"config", key, "true"} : std::vector<std::string>{"config", "--unset", key});
  }
}

void GitRepository::remove() { remove_tree(run_.system, path_); }

/// Sets the owner of all files and writes the list of paths that git ignores.
void GitRepository::finish() {
  if (r_.has("excludes"))
    run_.system.write_file(path_ + "/.git/info/exclude", join_text(r_.texts("excludes"), "\n") + "\n", 0644, std::nullopt, std::nullopt);
  if (!r_.has("owner") && !r_.has("group")) return;
  run_tool_checked(run_, {"chown", "-R", r_.text("owner") + (r_.has("group") ? ":" + r_.text("group") : ""), path_});
}

} // namespace pupc::runtime
