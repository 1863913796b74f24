// vcsrepo: git repositories.
#include "runtime/provider/commands.h"
#include "runtime/provider/registry.h"

#include <algorithm>
#include <map>

namespace pupc {
namespace {

class VcsrepoHandler final : public TypeHandler {
public:
  void prepare(ManagedResource& r, RunContext& run) override {
    if (!r.name("path").starts_with('/')) throw ResourceError(fmt::format("Parameter path failed on {}: Path must be absolute: {}", r.reference(), r.name("path")));
    const std::string provider = r.text("provider", "git");
    if (provider != "git") throw ResourceError(fmt::format("Parameter provider failed on {}: Provider '{}' is not supported by pupc: only git is", r.reference(), provider));
    const std::string ensure = r.text("ensure");
    if (r.has("ensure") && ensure != "present" && ensure != "absent" && ensure != "bare" && ensure != "latest")
      throw ResourceError(fmt::format("Parameter ensure failed on {}: Invalid value \"{}\". Valid values are present, bare, absent, latest. ", r.reference(), ensure));
    if (ensure == "bare" && r.has("revision")) throw ResourceError(fmt::format("Cannot set a revision ({}) on a bare repository", r.text("revision")));
    static_cast<void>(run);
  }
  std::string key(const ManagedResource& r) const override { return r.name("path"); }
  void autorelations(const ManagedResource&, RunContext&, std::vector<AutoRelation>& out) override {
    for (const char* p : {"git", "git-core"}) out.push_back({AutoRelation::Require, "package", p});
  }
  std::string unsuitable(ManagedResource&, RunContext& run) override { return find_tool(run, "git") ? "" : "Provider git is not functional on this host"; }

  Present retrieve(ManagedResource& r, RunContext& run) override {
    Present p;
    const std::string path = r.name("path");
    std::string state = "absent";
    if (working_copy(r, run))
      state = "present";
    else if (!run.system.stat(path + "/.git") && run.system.stat(path + "/config") && run.system.stat(path + "/HEAD"))
      state = "bare";
    const std::string wanted = r.text("ensure", "present");
    if (state == "present" && (wanted == "latest" || r.has("revision"))) {
      fetch(r, run);
      const std::string now = revision(r, "HEAD", run);
      p.set("revision", string_value(run.arena, now));
      if (wanted == "latest" && now == latest(r, run)) state = "latest";
    }
    p.exists = state != "absent";
    p.values.insert(p.values.begin(), {"ensure", string_value(run.arena, state)});
    return p;
  }

  std::vector<PropertyChange> plan(ManagedResource& r, const Present& p, RunContext&) override {
    const std::string is = value_text(p.get("ensure")), should = r.text("ensure", "present");
    const bool same = is == should || (should == "present" && (is == "present" || is == "bare" || is == "latest"));
    if (!same) {
      PropertyChange c = property_change("ensure", p.get("ensure"), r.has("ensure") ? r.get("ensure") : Value::string("present"));
      if (is == "absent") c.message = should == "present" ? "created" : fmt::format("defined 'ensure' as {}", c.should_text);
      if (is == "absent") c.message = "created";
      if (should == "absent") c.message = "removed";
      return {c};
    }
    const Value revision = p.get("revision");
    if (is != "absent" && r.has("revision") && !revision.is_undef() && should != "latest" && value_text(revision) != r.text("revision"))
      return {property_change("revision", revision, r.get("revision"))};
    return {};
  }

  void apply(ManagedResource& r, const Present& p, PropertyChange& c, RunContext& run) override {
    const std::string wanted = r.text("ensure", "present"), is = value_text(p.get("ensure"));
    if (c.property == "revision") return check_out(r, r.text("revision"), run);
    if (wanted == "absent") return remove_tree(r.name("path"), run);
    if (wanted == "latest" && is != "absent" && !r.truth("force", false)) {
      const std::string target = r.has("revision") ? r.text("revision") : branch(r, run);
      run.log(LogLevel::Notice, r, fmt::format("Updating to latest '{}' revision", target), "ensure");
      return check_out(r, target, run);
    }
    if (wanted != "bare") run.log(LogLevel::Notice, r, fmt::format("Creating repository from {}", wanted), "ensure");
    create(r, run);
  }

private:
  static ToolOptions options(const ManagedResource& r, RunContext& run, bool inside) {
    ToolOptions o;
    o.environment.emplace_back("GIT_TERMINAL_PROMPT", "0"); // ask nobody: fail
    if (r.has("identity"))
      o.environment.emplace_back("GIT_SSH_COMMAND", "ssh -oStrictHostKeyChecking=no -oPasswordAuthentication=no -oKbdInteractiveAuthentication=no "
                                                    "-oChallengeResponseAuthentication=no -oConnectTimeout=120 -i '" + r.text("identity") + "'");
    o.directory = inside ? r.name("path") : "/";
    if (r.has("user")) {
      const auto user = run.system.user_by_name(r.text("user"));
      if (!user) throw ResourceError(fmt::format("Could not find user {}", r.text("user")));
      if (user->uid != run.system.effective_uid()) {
        o.uid = user->uid;
        o.gid = user->gid;
        o.environment.emplace_back("HOME", user->home);
      }
    }
    return o;
  }
  static std::string git(const ManagedResource& r, RunContext& run, std::vector<std::string> words, bool inside = true) {
    words.insert(words.begin(), "git");
    // A repository of another user is refused by newer versions unless it is said to be safe.
    if (inside) words.insert(words.begin() + 1, {"-c", "safe.directory=" + r.name("path")});
    return run_tool_checked(run, std::move(words), options(r, run, inside));
  }
  static std::string remote(const ManagedResource& r) { return r.text("remote", "origin"); }
  /// Address of the main remote.
  static std::string url(const ManagedResource& r) {
    const Value source = r.get("source");
    if (!source.is_hash()) return r.text("source");
    const Value* one = source.hash->find(remote(r));
    if (!one) throw ResourceError(fmt::format("You must specify the URL for {} in the :source hash", remote(r)));
    return value_text(*one);
  }
  static bool working_copy(const ManagedResource& r, RunContext& run) {
    const std::string config = r.name("path") + "/.git/config";
    if (r.has("source") && run.system.stat(config)) return run.system.read_file(config).find(url(r)) != std::string::npos;
    return run.system.stat(r.name("path") + "/.git").has_value();
  }
  static std::vector<std::string> branches(const ManagedResource& r, RunContext& run) {
    std::vector<std::string> out;
    for (std::string line : text_lines(git(r, run, {"branch", "-a"}))) {
      if (!line.empty() && line[0] == '*') line[0] = ' ';
      out.emplace_back(trimmed(line));
    }
    return out;
  }
  static bool has(const std::vector<std::string>& all, const std::string& one) { return std::find(all.begin(), all.end(), one) != all.end(); }
  static bool local_branch(const ManagedResource& r, const std::string& name, RunContext& run) { return has(branches(r, run), name); }
  static bool remote_branch(const ManagedResource& r, const std::string& name, RunContext& run) { return has(branches(r, run), "remotes/" + remote(r) + "/" + name); }

  static void update_remotes(const ManagedResource& r, RunContext& run) {
    const std::string config = git(r, run, {"config", "-l"});
    bool changed = false;
    auto one = [&](const std::string& name, const std::string& address) {
      const std::string key = "remote." + name + ".url";
      if (config.find(key) == std::string::npos)
        git(r, run, {"remote", "add", name, address});
      else if (config.find(key + "=" + address) == std::string::npos)
        git(r, run, {"remote", "set-url", name, address});
      else
        return;
      changed = true;
    };
    const Value source = r.get("source");
    if (source.is_hash())
      for (const HashEntry& e : source.hash->entries()) one(value_text(e.key), value_text(e.value));
    else if (r.has("source"))
      one(remote(r), r.text("source"));
    if (changed) git(r, run, {"remote", "update"});
  }
  static void fetch(const ManagedResource& r, RunContext& run) {
    if (!r.has("source")) return;
    update_remotes(r, run);
    git(r, run, {"fetch", remote(r)});
    git(r, run, {"fetch", "--tags", remote(r)});
  }
  /// The commit of a name; the wanted revision's own name when that is the same commit.
  static std::string revision(const ManagedResource& r, const std::string& name, RunContext& run) {
    const std::string now(trimmed(git(r, run, {"rev-parse", name})));
    if (!r.has("revision")) return now;
    const std::string wanted = r.text("revision");
    std::string commit;
    if (has(text_lines(git(r, run, {"tag", "-l"})), wanted))
      commit = git(r, run, {"rev-parse", wanted + "^0"});
    else if (local_branch(r, wanted, run))
      commit = git(r, run, {"rev-parse", r.text("ensure") == "latest" && remote_branch(r, wanted, run) ? remote(r) + "/" + wanted : wanted});
    else if (remote_branch(r, wanted, run))
      commit = git(r, run, {"rev-parse", remote(r) + "/" + wanted});
    else
      commit = git(r, run, {"rev-parse", "--revs-only", wanted});
    commit = std::string(trimmed(commit));
    if (commit.empty()) throw ResourceError(fmt::format("{} is not a local or remote ref", wanted));
    return now == commit ? wanted : now;
  }
  static std::string branch(const ManagedResource& r, RunContext& run) {
    for (const std::string& line : text_lines(git(r, run, {"branch", "-a"})))
      if (line.starts_with("* ") && line.find('(') == std::string::npos) return line.substr(2);
    return "HEAD";
  }
  static std::string latest(const ManagedResource& r, RunContext& run) {
    const std::string here = branch(r, run);
    return revision(r, here == "HEAD" || !r.has("source") ? "HEAD" : remote(r) + "/" + here, run);
  }

  static void check_out(const ManagedResource& r, const std::string& target, RunContext& run) {
    if (!local_branch(r, target, run) && remote_branch(r, target, run))
      git(r, run, {"checkout", "--force", "-b", target, "--track", remote(r) + "/" + target});
    else
      git(r, run, {"checkout", "--force", target});
    if (local_branch(r, target, run) && remote_branch(r, target, run)) git(r, run, {"reset", "--hard", remote(r) + "/" + target});
    if (r.text("ensure") != "bare" && r.truth("submodules", true)) git(r, run, {"submodule", "update", "--init", "--recursive"});
    finish(r, run);
  }

  static void create(const ManagedResource& r, RunContext& run) {
    const std::string path = r.name("path");
    const bool bare = r.text("ensure") == "bare";
    if (run.system.stat(path) && !(run.system.stat(path)->type == FileType::Directory && run.system.list_directory(path).empty())) {
      if (!r.truth("force", false)) throw ResourceError("Could not create repository (non-repository at path)");
      run.log(LogLevel::Notice, r, fmt::format("Removing {} to replace with vcsrepo.", path));
      remove_tree(path, run);
    }
    if (!r.has("source")) {
      if (!run.system.stat(path)) run.system.make_directory(path, 0755);
      if (r.has("user"))
        if (auto user = run.system.user_by_name(r.text("user"))) run.system.set_owner(path, user->uid, std::nullopt, false);
      git(r, run, bare ? std::vector<std::string>{"init", "--bare"} : std::vector<std::string>{"init"});
    } else {
      std::vector<std::string> words{"clone"};
      if (all_digits(r.text("depth")) && r.text("depth") != "0") {
        words.insert(words.end(), {"--depth", r.text("depth")});
        if (r.has("revision")) words.insert(words.end(), {"--branch", r.text("revision")});
      }
      if (r.has("branch")) words.insert(words.end(), {"--branch", r.text("branch")});
      if (bare) words.emplace_back("--bare");
      if (remote(r) != "origin") words.insert(words.end(), {"--origin", remote(r)});
      words.insert(words.end(), {url(r), path});
      git(r, run, std::move(words), false);
      update_remotes(r, run);
      if (r.has("revision")) return check_out(r, r.text("revision"), run);
      if (!bare && r.truth("submodules", true)) git(r, run, {"submodule", "update", "--init", "--recursive"});
    }
    finish(r, run);
  }

  /// Owner of all files, and the list of what git is to ignore.
  static void finish(const ManagedResource& r, RunContext& run) {
    if (r.has("excludes")) run.system.write_file(r.name("path") + "/.git/info/exclude", join_text(r.texts("excludes"), "\n") + "\n", 0644, std::nullopt, std::nullopt);
    if (!r.has("owner") && !r.has("group")) return;
    run_tool_checked(run, {"chown", "-R", r.text("owner") + (r.has("group") ? ":" + r.text("group") : ""), r.name("path")});
  }

  static void remove_tree(const std::string& path, RunContext& run) {
    const auto status = run.system.lstat(path);
    if (!status) return;
    if (status->type != FileType::Directory) return run.system.remove_file(path);
    for (const std::string& name : run.system.list_directory(path)) remove_tree(path + "/" + name, run);
    run.system.remove_directory(path);
  }
};

} // namespace

std::unique_ptr<TypeHandler> make_vcsrepo_handler() { return std::make_unique<VcsrepoHandler>(); }

} // namespace pupc
