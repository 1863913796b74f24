// user: useradd, usermod, userdel, chage and chpasswd; passwords and ages from /etc/shadow.
#include "catalog/base/split_text.h"
#include "runtime/provider/handlers.h"
#include "runtime/provider/other_systems.h"
#include "runtime/provider/property_handler.h"
#include "runtime/provider/ssh_authorized_key/authorized_line.h"
#include "runtime/provider/system_tools.h"
#include "runtime/provider/user/local_accounts.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <set>

namespace pupc::runtime {
namespace {

// Properties and their flags for useradd and usermod, in the alphabetical order of Puppet's command line.
constexpr std::pair<std::string_view, const char*> flags[] = {{"comment", "-c"}, {"expiry", "-e"}, {"gid", "-g"}, {"groups", "-G"},
                                                              {"home", "-d"},    {"shell", "-s"},  {"uid", "-u"}};
constexpr std::pair<std::string_view, const char*> ages[] = {
    {"password_min_age", "-m"}, {"password_max_age", "-M"}, {"password_warn_days", "-W"}};

std::string date_of_day(int64_t day) {
  const std::chrono::year_month_day d{std::chrono::sys_days{std::chrono::days{day}}};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(d.year()), static_cast<unsigned>(d.month()), static_cast<unsigned>(d.day()));
}

[[noreturn]] void refuse(const ManagedResource& r, std::string_view attribute, std::string_view why) {
  throw ResourceError(fmt::format("Parameter {} failed on {}: {}", attribute, r.reference(), why));
}

std::string_view class_of_entry(const Value& v) {
  if (v.is_bool()) return v.b ? "TrueClass" : "FalseClass";
  return v.is_list() ? "Array" : v.is_hash() ? "Hash" : v.is(Kind::Float) ? "Float" : "Integer";
}

/// purge_ssh_keys: true, false, or the paths of files, also below the user's home.
void check_key_files(const ManagedResource& r) {
  if (!r.has("purge_ssh_keys")) return;
  const Value given = r.get("purge_ssh_keys");
  const std::string text = value_text(given);
  if (!given.is_list() && (text == "true" || text == "false")) return;
  if (!given.is_list() && !given.is_string())
    refuse(r, "purge_ssh_keys", fmt::format("purge_ssh_keys must be true, false, or an array of file names, not {}", text));
  const std::span<const Value> names = given.is_list() ? given.items() : std::span(&given, 1);
  for (const Value& entry : names) {
    if (!entry.is_string())
      refuse(r, "purge_ssh_keys", fmt::format("Each entry for purge_ssh_keys must be a string, not a {}", class_of_entry(entry)));
    const std::string_view path = entry.str();
    if (!path.starts_with('/') && !path.starts_with("~/") && !path.starts_with("%h/"))
      refuse(r, "purge_ssh_keys", fmt::format("Paths to keyfiles must be absolute, not {}", path));
  }
}

class UserHandler final : public PropertyHandler {
public:
  void prepare(ManagedResource& r, RunContext&) override {
    for (const char* name : {"uid", "gid", "password_min_age", "password_max_age", "password_warn_days"}) {
      const std::string text = r.text(name);
      const bool number = all_digits(text) || (text.starts_with('-') && all_digits(text.substr(1)));
      // A number that is out of range stays a text; the tool refuses it.
      if (const auto known = number ? whole_number(text) : std::nullopt) r.set(name, Value::integer(*known));
      if (!number && r.has(name)) {
        if (std::string_view(name) == "password_min_age") refuse(r, name, "Password minimum age must be provided as a number.");
        if (std::string_view(name) == "password_max_age") refuse(r, name, "Password maximum age must be provided as a number.");
        if (std::string_view(name) == "password_warn_days") refuse(r, name, "Password warning days must be provided as a number.");
      }
    }
    if (const ManagedAttribute* password = r.find("password"); password && !password->value.is(Kind::Deferred)) {
      if (r.text("password").find(':') != std::string::npos) refuse(r, "password", "Passwords cannot include ':'");
      // Each line that chpasswd reads sets the password of the account that it names.
      if (r.text("password").find_first_of("\n\r") != std::string::npos) refuse(r, "password", "Passwords cannot include line breaks");
      r.set("password", password->value, true);
    }
    for (const std::string& g : r.texts("groups")) {
      if (all_digits(g)) refuse(r, "groups", "Group names must be provided, not GID numbers.");
      if (g.find(',') != std::string::npos) refuse(r, "groups", "Group names must be provided as an array, not a comma-separated list.");
      if (g.empty()) refuse(r, "groups", "Group names must not be empty. If you want to specify \"no groups\" pass an empty array");
    }
    const std::string expiry = r.text("expiry", "absent");
    const bool date = expiry.size() == 10 && expiry[4] == '-' && expiry[7] == '-' && all_digits(expiry.substr(0, 4)) &&
                      all_digits(expiry.substr(5, 2)) && all_digits(expiry.substr(8));
    if (expiry != "absent" && !date) refuse(r, "expiry", "Expiry dates must be YYYY-MM-DD or the string \"absent\"");
    check_key_files(r);
  }
  std::string key(const ManagedResource& r) const override { return r.name("name"); }
  std::string unsuitable(ManagedResource& r, RunContext& run) override {
    if (std::string why = other_system_problem("user", r.text("provider"), run); !why.empty()) return why;
    return find_tool(run, "useradd") ? "" : "Provider useradd is not functional on this host";
  }
  void autorelations(const ManagedResource& r, RunContext& run, std::vector<AutoRelation>& out) override {
    // Require the primary group by name, or by number the group resource with that gid.
    if (r.has("gid")) {
      const std::string gid = r.text("gid");
      if (!all_digits(gid)) out.push_back({AutoRelation::Require, "group", gid});
      for (const ManagedResource* g : run.resources_of("group"))
        if (g->text("gid") == gid) out.push_back({AutoRelation::Require, "group", g->title});
    }
    if (!r.has("groups")) return;
    std::set<std::string> groups = as_set(r.get("groups"));
    if (r.text("membership", "minimum") != "inclusive") // those that the account has now are wanted too
      for (std::string& g : groups_of(r.name("name"), run)) groups.insert(std::move(g));
    for (const std::string& g : groups) out.push_back({AutoRelation::Require, "group", g});
  }

  Present retrieve(ManagedResource& r, RunContext& run) override {
    Present p;
    const std::string name = r.name("name");
    auto text = [&](std::string_view s) { return string_value(run.arena, s); };
    std::optional<User> user;
    if (local(r, run)) {
      // forcelocal: read the local file, do not ask the name services.
      if (const auto fields = local_user(name, run)) {
        user = User{fields->at(0), {}, fields->at(4), fields->at(5), fields->at(6), 0, 0};
        p.set("uid", text(fields->at(2)));
        const auto gid = whole_number(fields->at(3));
        p.set("gid", gid ? Value::integer(*gid) : text(fields->at(3)));
      }
    } else if ((user = run.system.user_by_name(name))) {
      p.set("uid", Value::integer(user->uid));
      p.set("gid", Value::integer(user->gid));
    }
    p.exists = user.has_value();
    p.set("ensure", text(p.exists ? "present" : "absent"));
    if (!user) return p;
    p.set("home", text(user->home));
    p.set("comment", text(user->comment));
    p.set("shell", text(user->shell));
    ListBuilder groups(run.arena);
    for (const std::string& g : groups_of(name, run)) groups.add(text(g));
    p.set("groups", groups.finish());
    if (r.has("password") || r.has("expiry") || r.has("password_min_age") || r.has("password_max_age") || r.has("password_warn_days") ||
        r.has("audit"))
      read_shadow(name, p, run);
    return p;
  }

  /// All users, for purging. The resources type keeps system users unless it is told otherwise.
  std::optional<std::vector<ManagedResource>> instances(RunContext& run) override {
    std::vector<ManagedResource> out;
    for (const std::string& line : text_lines(run.system.read_file("/etc/passwd"))) {
      const auto fields = catalog::split_text(line, ':');
      if (fields.size() < 7) continue;
      ManagedResource r;
      r.type = "user";
      r.printed_type = "User";
      r.title = fields[0];
      r.set("ensure", string_value(run.arena, "present"));
      if (const auto uid = whole_number(fields[2])) r.set("uid", Value::integer(*uid));
      out.push_back(std::move(r));
    }
    return out;
  }

  /// purge_ssh_keys: generates resources that remove the unmanaged keys in the user's files.
  std::vector<ManagedResource> generate(ManagedResource& r, RunContext& run) override {
    std::vector<ManagedResource> out;
    const auto wanted_files = r.texts("purge_ssh_keys");
    std::vector<std::string> files;
    const auto user = run.system.user_by_name(r.name("name"));
    const std::string home = r.text("home", user ? user->home : "");
    for (const std::string& f : wanted_files) {
      if (f == "false") continue;
      if (f == "true") {
        if (!home.empty()) files.push_back(home + "/.ssh/authorized_keys");
      } else if (f.starts_with("~/") || f.starts_with("%h/")) {
        if (!home.empty()) files.push_back(home + f.substr(f.find('/')));
      } else {
        files.push_back(f);
      }
    }
    for (const std::string& file : files) {
      std::optional<std::string> content;
      try {
        if (user) content = read_keys(file, *user, run);
      } catch (const SystemError&) { // an unreadable file counts as empty
      }
      int unnamed = 0;
      for (const std::string& line : text_lines(content.value_or(""))) {
        auto name = authorized_key_name(line);
        if (!name) continue;
        if (name->empty()) name = fmt::format("{}:unnamed-{}", file, ++unnamed);
        ManagedResource k;
        k.type = "ssh_authorized_key";
        k.printed_type = "Ssh_authorized_key";
        k.title = *name;
        k.set("ensure", string_value(run.arena, "absent"));
        k.set("target", string_value(run.arena, file));
        k.set("user", string_value(run.arena, r.name("name")));
        for (const std::string_view shared : {"noop", "schedule", "audit", "loglevel", "tag", "require", "before", "subscribe", "notify"})
          if (r.has(shared)) k.set(shared, r.get(shared));
        out.push_back(std::move(k));
      }
    }
    return out;
  }

protected:
  std::span<const std::string_view> properties() const override {
    static constexpr std::string_view names[] = {
        "home",   "uid",   "gid", "comment", "shell", "password", "password_min_age", "password_max_age", "password_warn_days",
        "groups", "expiry"};
    return names;
  }
  std::span<const std::string_view> reasons_to_exist() const override { return properties(); }

  bool in_sync(const ManagedResource& r, std::string_view property, const Value& is, const Value& should, RunContext& run) override {
    if (property == "gid") {
      const auto number = group_number(value_text(should), run);
      return number && value_text(is) == std::to_string(*number);
    }
    if (property == "groups") return as_set(is) == wanted_groups(r, is);
    return PropertyHandler::in_sync(r, property, is.is_undef() ? string_value(run.arena, "absent") : is, should, run);
  }

  PropertyChange describe(const ManagedResource& r, std::string_view property, const Value& is, const Value& should,
                          RunContext& run) override {
    if (property != "groups") return property_change(property, is, should);
    const auto names = wanted_groups(r, is);
    ListBuilder b(run.arena);
    for (const std::string& n : names) b.add(string_value(run.arena, n));
    PropertyChange c = property_change(property, is, b.finish());
    c.is_text = join_text(list(is), ",");
    c.message = fmt::format("groups changed {} to {}", c.is_text, c.should_text);
    c.should_text = display_text(join_text({names.begin(), names.end()}, ",")); // for failure messages
    return c;
  }

  void create(ManagedResource& r, const Present&, RunContext& run) override {
    const std::string name = r.name("name");
    check_shell(r, run);
    const bool locally = local(r, run);
    if (locally && r.has("uid") && !r.truth("allowdupe", false) && is_local_uid(r.text("uid"), run))
      throw ResourceError(fmt::format("UID {} already exists, use allowdupe to force user creation", r.text("uid")));
    const ToolOptions options = tool_options(r, run);
    std::vector<std::string> argv{locally ? "luseradd" : "useradd"};
    if (!r.has("gid") && run.system.group_by_name(name)) argv.insert(argv.end(), {"-g", name});
    for (const auto& [property, flag] : flags) {
      std::string value = property == "groups" ? join_text(list_sorted(r.texts("groups")), ",") : r.text(property);
      if (locally && (property == "expiry" || property == "groups")) continue;
      if (value.empty() || !r.has(property)) continue;
      if (property == "expiry" && value == "absent") value.clear(); // tells useradd, too: never
      argv.insert(argv.end(), {flag, value});
    }
    if (r.truth("allowdupe", false) && !locally) argv.emplace_back("-o");
    if (!r.truth("managehome", false))
      argv.emplace_back("-M");
    else if (!locally)
      argv.emplace_back("-m");
    if (r.truth("system", false)) argv.emplace_back("-r");
    argv.push_back(name);
    try {
      run_tool_checked(run, argv, options);
      std::vector<std::string> limits{locally ? "lchage" : "chage"};
      for (const auto& [property, flag] : ages)
        if (r.has(property)) limits.insert(limits.end(), {flag, r.text(property)});
      if (limits.size() > 1) {
        limits.push_back(name);
        run_tool_checked(run, limits, options);
      }
    } catch (const ResourceError& e) { throw ResourceError(fmt::format("Could not create user {}: {}", name, e.what())); }
    if (locally && r.has("groups")) change(r, {"usermod", "-G", join_text(list_sorted(r.texts("groups")), ",")}, "groups", run);
    if (locally && r.has("expiry")) change(r, {"usermod", "-e", r.text("expiry") == "absent" ? "" : r.text("expiry")}, "expiry", run);
    if (r.has("password")) set_password(r, run);
  }

  void destroy(ManagedResource& r, const Present&, RunContext& run) override {
    std::vector<std::string> argv{local(r, run) ? "luserdel" : "userdel"};
    if (r.truth("managehome", false)) argv.emplace_back("-r");
    argv.push_back(r.name("name"));
    try {
      run_tool_checked(run, argv, tool_options(r, run));
    } catch (const ResourceError& e) { throw ResourceError(fmt::format("Could not delete user {}: {}", r.name("name"), e.what())); }
  }

  void set(ManagedResource& r, const Present& p, std::string_view property, RunContext& run) override {
    if (property == "password") return set_password(r, run);
    if (property == "shell") check_shell(r, run);
    std::string value = r.text(property);
    const bool locally = local(r, run);
    std::vector<std::string> argv;
    for (const auto& [name, flag] : flags)
      if (name == property) argv = {locally && name != "groups" && name != "expiry" ? "lusermod" : "usermod", flag};
    for (const auto& [name, flag] : ages)
      if (name == property) argv = {locally ? "lchage" : "chage", flag};
    if (property == "gid") {
      const auto number = group_number(value, run);
      if (!number) throw ResourceError(fmt::format("Could not find group(s) {}", value));
      value = std::to_string(*number);
    }
    if (property == "groups") {
      const auto names = wanted_groups(r, p.get("groups"));
      value = join_text({names.begin(), names.end()}, ",");
    }
    if (property == "expiry" && value == "absent") value.clear();
    argv.push_back(value);
    if (property == "uid" && r.truth("allowdupe", false) && !locally) argv.emplace_back("-o");
    if (property == "uid" && locally && !r.truth("allowdupe", false) && is_local_uid(value, run))
      throw ResourceError(fmt::format("UID {} already exists, use allowdupe to force user creation", value));
    change(r, std::move(argv), property, run);
  }

private:
  /// Runs a tool that changes the user; appends the user's name to the arguments.
  static void change(const ManagedResource& r, std::vector<std::string> argv, std::string_view property, RunContext& run) {
    argv.push_back(r.name("name"));
    try {
      run_tool_checked(run, std::move(argv), tool_options(r, run));
    } catch (const ResourceError& e) {
      throw ResourceError(fmt::format("Could not set {} on user[{}]: {}", property, r.name("name"), e.what()));
    }
  }
  static bool local(const ManagedResource& r, RunContext& run) { return r.truth("forcelocal", false) && has_libuser(run); }
  static ToolOptions tool_options(const ManagedResource& r, RunContext& run) {
    ToolOptions options;
    if (local(r, run)) options.environment = libuser_environment(run);
    return options;
  }
  static std::vector<std::string> list(const Value& v) {
    std::vector<std::string> out;
    if (v.is_list())
      for (const Value& i : v.items()) out.push_back(value_text(i));
    return out;
  }
  static std::vector<std::string> list_sorted(std::vector<std::string> v) {
    std::sort(v.begin(), v.end());
    return v;
  }
  static std::set<std::string> as_set(const Value& v) {
    const auto all = list(v);
    return {all.begin(), all.end()};
  }
  static std::set<std::string> wanted_groups(const ManagedResource& r, const Value& is) {
    const auto given = r.texts("groups");
    std::set<std::string> out(given.begin(), given.end());
    if (r.text("membership", "minimum") != "inclusive") out.merge(as_set(is));
    return out;
  }
  static std::optional<uint32_t> group_number(const std::string& group, RunContext& run) {
    if (all_digits(group)) {
      const auto number = whole_number(group);
      return number && *number <= 0xFFFFFFFF ? std::optional(static_cast<uint32_t>(*number)) : std::nullopt;
    }
    const auto found = run.system.group_by_name(group);
    return found ? std::optional(found->gid) : std::nullopt;
  }
  /// The groups that list the user as a member, in the order of /etc/group.
  static std::vector<std::string> groups_of(const std::string& user, RunContext& run) {
    std::vector<std::string> out;
    const auto content = read_if_there(run, "/etc/group");
    for (const std::string& line : text_lines(content.value_or(""))) {
      const auto fields = catalog::split_text(line, ':');
      if (fields.size() < 4) continue;
      const auto members = catalog::split_text(fields[3], ',');
      if (std::find(members.begin(), members.end(), user) != members.end()) out.push_back(fields[0]);
    }
    return out;
  }
  static void read_shadow(const std::string& user, Present& p, RunContext& run) {
    const auto content = read_if_there(run, "/etc/shadow");
    for (const std::string& line : text_lines(content.value_or(""))) {
      const auto f = catalog::split_text(line, ':');
      if (f.size() < 8 || f[0] != user) continue;
      p.set("password", string_value(run.arena, f[1]));
      auto number = [](const std::string& s) { return Value::integer(whole_number(s).value_or(-1)); };
      p.set("password_min_age", number(f[3]));
      p.set("password_max_age", number(f[4]));
      p.set("password_warn_days", number(f[5]));
      p.set("expiry", string_value(run.arena, whole_number(f[7]) ? date_of_day(*whole_number(f[7])) : "absent"));
    }
  }
  static void check_shell(const ManagedResource& r, RunContext& run) {
    const std::string shell = r.text("shell");
    if (shell.empty()) return;
    if (!run.system.stat(shell)) throw ResourceError(fmt::format("Shell {} must exist", shell));
    if (!run.system.executable(shell)) throw ResourceError(fmt::format("Shell {} must be executable", shell));
  }
  /// Sets the password's hash. Passes it on standard input: every user can read command lines.
  static void set_password(const ManagedResource& r, RunContext& run) {
    ToolOptions options;
    options.sensitive = true;
    options.input = fmt::format("{}:{}\n", r.name("name"), r.text("password"));
    const CommandResult result = run_tool(run, {"chpasswd", "-e"}, options);
    if (result.status != 0) throw ResourceError(fmt::format("chpasswd failed with status {}", result.status));
  }
};

} // namespace

std::unique_ptr<TypeHandler> make_user_handler() { return std::make_unique<UserHandler>(); }

} // namespace pupc::runtime
