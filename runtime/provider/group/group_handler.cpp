// group: groups, managed with groupadd, groupmod and groupdel or libuser's tools.
#include "catalog/base/split_text.h"
#include "catalog/base/text.h"
#include "runtime/provider/handlers.h"
#include "runtime/provider/other_systems.h"
#include "runtime/provider/property_handler.h"
#include "runtime/provider/system_tools.h"
#include "runtime/provider/user/local_accounts.h"

#include <fmt/format.h>
#include <set>

namespace pupc::runtime {
namespace {

class GroupHandler final : public PropertyHandler {
public:
  void prepare(ManagedResource& r, RunContext& run) override {
    const std::string gid = r.text("gid");
    if (r.has("gid") && gid != "absent") {
      if (!all_digits(gid) && !(gid.starts_with('-') && all_digits(gid.substr(1))))
        throw ResourceError(fmt::format("Parameter gid failed on {}: Invalid GID {}", r.reference(), gid));
      if (const auto number = whole_number(gid)) r.set("gid", Value::integer(*number));
    }
    if (r.has("members") && !has_libuser(run)) {
      run.log(LogLevel::Debug, r, "Provider groupadd does not support features manages_members; not managing attribute members");
      r.erase("members");
    }
    if (r.has("members")) {
      ListBuilder b(run.arena);
      for (const std::string& m : r.texts("members"))
        for (const std::string& one : catalog::split_text(m, ',')) b.add(string_value(run.arena, trimmed(one)));
      r.set("members", b.finish());
    }
  }
  std::string key(const ManagedResource& r) const override { return r.name("name"); }
  std::string unsuitable(ManagedResource& r, RunContext& run) override {
    if (std::string why = other_system_problem("group", r.text("provider"), run); !why.empty()) return why;
    return find_tool(run, "groupadd") ? "" : "Provider groupadd is not functional on this host";
  }
  Present retrieve(ManagedResource& r, RunContext& run) override {
    Present p;
    const auto group = run.system.group_by_name(r.name("name"));
    p.exists = group.has_value();
    if (local(r, run)) {
      const auto fields = local_group(r.name("name"), run);
      p.exists = fields.has_value();
      if (fields) p.set("gid", string_value(run.arena, fields->at(2)));
    } else if (group) {
      p.set("gid", Value::integer(group->gid));
    }
    p.set("ensure", string_value(run.arena, p.exists ? "present" : "absent"));
    if (!p.exists) return p;
    if (!has_libuser(run)) return p; // members are not managed then
    ListBuilder members(run.arena);
    for (const std::string& m : group ? group->members : std::vector<std::string>{}) members.add(string_value(run.arena, m));
    p.set("members", members.finish());
    return p;
  }

  std::optional<std::vector<ManagedResource>> instances(RunContext& run) override {
    std::vector<ManagedResource> out;
    for (const std::string& line : text_lines(run.system.read_file("/etc/group"))) {
      const auto fields = catalog::split_text(line, ':');
      if (fields.size() < 3 || fields[0].empty()) continue;
      ManagedResource r;
      r.type = "group";
      r.printed_type = "Group";
      r.title = fields[0];
      r.set("ensure", string_value(run.arena, "present"));
      if (const auto gid = whole_number(fields[2])) r.set("gid", Value::integer(*gid));
      out.push_back(std::move(r));
    }
    return out;
  }

protected:
  std::span<const std::string_view> properties() const override {
    static constexpr std::string_view names[] = {"gid", "members"};
    return names;
  }
  bool in_sync(const ManagedResource& r, std::string_view property, const Value& is, const Value& should, RunContext& run) override {
    if (property != "members") return PropertyHandler::in_sync(r, property, is, should, run);
    return sorted(is) == wanted_members(r, is, should);
  }
  PropertyChange describe(const ManagedResource& r, std::string_view property, const Value& is, const Value& should,
                          RunContext& run) override {
    if (property != "members") return property_change(property, is, should);
    const auto names = wanted_members(r, is, should);
    const Value now = string_value(run.arena, join_text(std::vector<std::string>(items(is)), ",")),
                then = string_value(run.arena, join_text({names.begin(), names.end()}, ","));
    PropertyChange c = property_change(property, now, then);
    c.is_text = value_text(now);
    c.should_text = value_text(then);
    c.message = fmt::format("members changed {} to {}", c.is_text, c.should_text);
    return c;
  }

  void create(ManagedResource& r, const Present&, RunContext& run) override {
    const bool locally = local(r, run);
    std::vector<std::string> argv{locally ? "lgroupadd" : "groupadd"};
    if (r.has("gid") && r.text("gid") != "absent") argv.insert(argv.end(), {"-g", r.text("gid")});
    check_duplicate(r, argv, run);
    if (r.truth("system", false)) argv.emplace_back("-r");
    argv.push_back(r.name("name"));
    try {
      run_tool_checked(run, argv, tool_options(locally, run));
    } catch (const ResourceError& e) { throw ResourceError(fmt::format("Could not create group {}: {}", r.name("name"), e.what())); }
    if (!r.has("members")) return;
    if (const std::string missing = missing_user(r, run); !missing.empty()) throw ValueError(r, "present", "ensure", missing);
    set_members(r, Value::undef(), run);
  }
  void destroy(ManagedResource& r, const Present&, RunContext& run) override {
    const bool locally = local(r, run);
    try {
      run_tool_checked(run, {locally ? "lgroupdel" : "groupdel", r.name("name")}, tool_options(locally, run));
    } catch (const ResourceError& e) { throw ResourceError(fmt::format("Could not delete group {}: {}", r.name("name"), e.what())); }
  }
  void set(ManagedResource& r, const Present& p, std::string_view property, RunContext& run) override {
    if (property == "members") return set_members(r, p.get("members"), run);
    const bool locally = local(r, run) || r.has("members"); // only libuser's tools can set members
    std::vector<std::string> argv{locally ? "lgroupmod" : "groupmod", "-g", r.text("gid")};
    check_duplicate(r, argv, run);
    argv.push_back(r.name("name"));
    try {
      run_tool_checked(run, argv, tool_options(locally, run));
    } catch (const ResourceError& e) { throw ResourceError(fmt::format("Could not set gid on group[{}]: {}", r.name("name"), e.what())); }
  }

private:
  static std::vector<std::string> items(const Value& v) {
    std::vector<std::string> out;
    if (v.is_list())
      for (const Value& i : v.items()) out.push_back(value_text(i));
    return out;
  }
  static std::set<std::string> sorted(const Value& v) {
    const auto all = items(v);
    return {all.begin(), all.end()};
  }
  static std::set<std::string> wanted_members(const ManagedResource& r, const Value& is, const Value& should) {
    std::set<std::string> out = should.is_list() ? sorted(should) : std::set<std::string>{value_text(should)};
    if (!r.truth("auth_membership", false)) out.merge(sorted(is));
    return out;
  }
  static bool local(const ManagedResource& r, RunContext& run) { return r.truth("forcelocal", false) && has_libuser(run); }
  static ToolOptions tool_options(bool locally, RunContext& run) {
    ToolOptions options;
    if (locally) options.environment = libuser_environment(run);
    return options;
  }
  /// Throws ResourceError when a gid is in use, since libuser's tools, unlike groupadd, accept it. For allowdupe, adds groupadd's -o.
  static void check_duplicate(const ManagedResource& r, std::vector<std::string>& argv, RunContext& run) {
    if (r.truth("allowdupe", false)) {
      if (!local(r, run)) argv.emplace_back("-o");
    } else if (local(r, run) && r.has("gid") && is_local_gid(r.text("gid"), run)) {
      throw ResourceError(fmt::format("GID {} already exists, use allowdupe to force group creation", r.text("gid")));
    }
  }
  static std::string missing_user(const ManagedResource& r, RunContext& run) {
    for (const std::string& m : r.texts("members"))
      if (!run.system.user_by_name(m)) return fmt::format("can't find user for {}", m);
    return {};
  }
  /// Sets the group's members. libuser's tool only adds members, so auth_membership removes all present ones first, as Puppet does. When
  /// the tool then refuses the new ones, the old ones come back: a failed change must not leave a group without anybody.
  static void set_members(const ManagedResource& r, const Value& is, RunContext& run) {
    if (const std::string missing = missing_user(r, run); !missing.empty()) throw ResourceError(missing);
    const auto present = items(is), names = r.texts("members");
    const bool emptied = r.truth("auth_membership", false) && !present.empty();
    if (emptied) run_tool_checked(run, {"lgroupmod", "-m", join_text(present, ","), r.name("name")});
    try {
      run_tool_checked(run, {"lgroupmod", "-M", join_text(names, ","), r.name("name")}, tool_options(true, run));
    } catch (const ResourceError& e) {
      if (emptied) run_tool(run, {"lgroupmod", "-M", join_text(present, ","), r.name("name")}, tool_options(true, run));
      throw ResourceError(fmt::format("Could not set members on group[{}]: {}", r.name("name"), e.what()));
    }
  }
};

} // namespace

std::unique_ptr<TypeHandler> make_group_handler() { return std::make_unique<GroupHandler>(); }

} // namespace pupc::runtime
