// group: groupadd, groupmod, groupdel.
#include "runtime/provider/commands.h"
#include "runtime/provider/property_handler.h"
#include "runtime/provider/registry.h"

#include <set>

namespace pupc {
namespace {

class GroupHandler final : public PropertyHandler {
public:
  void prepare(ManagedResource& r, RunContext& run) override {
    const std::string gid = r.text("gid");
    if (r.has("gid") && gid != "absent") {
      if (!all_digits(gid) && !(gid.starts_with('-') && all_digits(gid.substr(1)))) throw ResourceError(fmt::format("Parameter gid failed on {}: Invalid GID {}", r.reference(), gid));
      r.set("gid", Value::integer(std::stoll(gid)));
    }
    if (r.has("members")) {
      ListBuilder b(run.arena);
      for (const std::string& m : r.texts("members"))
        for (const std::string& one : split_text(m, ',')) b.add(string_value(run.arena, trimmed(one)));
      r.set("members", b.finish());
    }
  }
  std::string key(const ManagedResource& r) const override { return r.name("name"); }
  std::string unsuitable(ManagedResource&, RunContext& run) override {
    return find_tool(run, "groupadd") ? "" : "Provider groupadd is not functional on this host";
  }
  void autorelations(const ManagedResource& r, RunContext&, std::vector<AutoRelation>& out) override {
    for (const std::string& m : r.texts("members")) out.push_back({AutoRelation::Require, "user", m});
  }

  Present retrieve(ManagedResource& r, RunContext& run) override {
    Present p;
    const auto group = run.system.group_by_name(r.name("name"));
    p.exists = group.has_value();
    p.set("ensure", string_value(run.arena, p.exists ? "present" : "absent"));
    if (!group) return p;
    p.set("gid", Value::integer(group->gid));
    ListBuilder members(run.arena);
    for (const std::string& m : group->members) members.add(string_value(run.arena, m));
    p.set("members", members.finish());
    return p;
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
  PropertyChange describe(const ManagedResource& r, std::string_view property, const Value& is, const Value& should, RunContext& run) override {
    if (property != "members") return property_change(property, is, should);
    const auto names = wanted_members(r, is, should);
    const Value now = string_value(run.arena, join_text(std::vector<std::string>(items(is)), ",")),
                then = string_value(run.arena, join_text({names.begin(), names.end()}, ","));
    return property_change(property, now, then);
  }

  void create(ManagedResource& r, const Present&, RunContext& run) override {
    std::vector<std::string> argv{"groupadd"};
    if (r.has("gid") && r.text("gid") != "absent") argv.insert(argv.end(), {"-g", r.text("gid")});
    if (r.truth("allowdupe", false)) argv.emplace_back("-o");
    if (r.truth("system", false)) argv.emplace_back("-r");
    argv.push_back(r.name("name"));
    try {
      run_tool_checked(run, argv);
    } catch (const ResourceError& e) {
      throw ResourceError(fmt::format("Could not create group {}: {}", r.name("name"), e.what()));
    }
    if (r.has("members")) set_members(r, Value::undef(), run);
  }
  void destroy(ManagedResource& r, const Present&, RunContext& run) override {
    try {
      run_tool_checked(run, {"groupdel", r.name("name")});
    } catch (const ResourceError& e) {
      throw ResourceError(fmt::format("Could not delete group {}: {}", r.name("name"), e.what()));
    }
  }
  void set(ManagedResource& r, const Present& p, std::string_view property, RunContext& run) override {
    if (property == "members") return set_members(r, p.get("members"), run);
    std::vector<std::string> argv{"groupmod", "-g", r.text("gid")};
    if (r.truth("allowdupe", false)) argv.emplace_back("-o");
    argv.push_back(r.name("name"));
    try {
      run_tool_checked(run, argv);
    } catch (const ResourceError& e) {
      throw ResourceError(fmt::format("Could not set gid on group[{}]: {}", r.name("name"), e.what()));
    }
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
  void set_members(ManagedResource& r, const Value& is, RunContext& run) {
    const auto names = wanted_members(r, is, r.get("members"));
    for (const std::string& m : names)
      if (!run.system.user_by_name(m)) throw ResourceError(fmt::format("can't find user for {}", m));
    run_tool_checked(run, {"gpasswd", "-M", join_text({names.begin(), names.end()}, ","), r.name("name")});
  }
};

} // namespace

std::unique_ptr<TypeHandler> make_group_handler() { return std::make_unique<GroupHandler>(); }

} // namespace pupc
