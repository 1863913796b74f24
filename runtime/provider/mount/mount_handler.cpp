// mount: lines of fstab, and what is mounted.
#include "runtime/provider/commands.h"
#include "runtime/provider/parsed/parsed_file.h"
#include "runtime/provider/registry.h"

namespace pupc {
namespace {

std::string with_blanks(std::string text) {
  for (size_t at; (at = text.find("\\040")) != std::string::npos;) text.replace(at, 4, " ");
  return text;
}

std::string without_blanks(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == ' ' ? std::string("\\040") : std::string(1, c);
  return out;
}

class MountHandler final : public ParsedFileHandler {
public:
  void prepare(ManagedResource& r, RunContext& run) override {
    std::string name = r.name("name");
    while (name.size() > 1 && name.back() == '/') name.pop_back();
    r.set("name", string_value(run.arena, name));
    auto refuse = [&](const char* attribute, const std::string& why) { throw ResourceError(fmt::format("Parameter {} failed on {}: {}", attribute, r.reference(), why)); };
    for (const char* attribute : {"fstype", "options"}) {
      if (!r.has(attribute)) continue;
      if (r.text(attribute).empty()) refuse(attribute, fmt::format("{} must not be an empty string", attribute));
      if (r.text(attribute).find_first_of(" \t\r\n") != std::string::npos) refuse(attribute, fmt::format("{} must not contain whitespace: {}", attribute, r.text(attribute)));
    }
    const std::string ensure = r.text("ensure");
    if (r.has("ensure") && ensure != "present" && ensure != "defined" && ensure != "absent" && ensure != "unmounted" && ensure != "mounted")
      refuse("ensure", fmt::format("Invalid value \"{}\". Valid values are defined (also called present), unmounted, absent, mounted. ", ensure));
    if (r.has("dump") && r.text("dump") != "0" && r.text("dump") != "1") refuse("dump", fmt::format("Invalid value \"{}\". Valid values match /(0|1)/.", r.text("dump")));
    for (const char* attribute : {"pass", "dump"})
      if (!r.has(attribute)) r.set(attribute, string_value(run.arena, "0"));
  }
  void autorelations(const ManagedResource& r, RunContext& run, std::vector<AutoRelation>& out) override {
    const std::string name = r.text("name", r.title);
    for (size_t slash = name.rfind('/'); slash != std::string::npos && name.size() > 1; slash = slash == 0 ? std::string::npos : name.rfind('/', slash - 1))
      out.push_back({AutoRelation::Require, "mount", slash == 0 ? "/" : name.substr(0, slash)});
    for (const ManagedResource* f : run.resources_of("file"))
      if (f->text("path", f->title).starts_with(name + "/")) out.push_back({AutoRelation::Before, "file", f->title});
  }
  std::string unsuitable(ManagedResource&, RunContext& run) override { return find_tool(run, "mount") ? "" : "Provider parsed is not functional on this host"; }

  Present retrieve(ManagedResource& r, RunContext& run) override {
    Present p = ParsedFileHandler::retrieve(r, run);
    const bool mounted = is_mounted(r.text("name"), run);
    // ghost: mounted, but not in the table
    p.set("ensure", string_value(run.arena, p.exists ? mounted ? "mounted" : "unmounted" : mounted ? "ghost" : "absent"));
    return p;
  }

  std::vector<PropertyChange> plan(ManagedResource& r, const Present& p, RunContext& run) override {
    const std::string is = value_text(p.get("ensure")), should = r.text("ensure") == "present" ? "defined" : r.text("ensure");
    const bool same = is == should || (should == "defined" && (is == "mounted" || is == "unmounted"));
    if (r.has("ensure") && !same) {
      PropertyChange c = property_change("ensure", p.get("ensure"), string_value(run.arena, should));
      c.event_name = should == "absent" ? "mount_deleted" : should == "mounted" ? "mount_mounted" : should == "unmounted" && is == "mounted" ? "mount_unmounted" : "mount_created";
      return {c};
    }
    if (!p.exists) return {};
    std::vector<PropertyChange> changes;
    for (const std::string_view property : properties())
      if (r.has(property) && !in_sync(r, property, p.get(property), r.get(property), run)) changes.push_back(property_change(property, p.get(property), r.get(property)));
    return changes;
  }

  void apply(ManagedResource& r, const Present& p, PropertyChange& c, RunContext& run) override {
    if (c.property != "ensure") return set(r, p, c.property, run);
    const std::string is = value_text(p.get("ensure")), should = r.text("ensure"), name = r.text("name");
    const bool mounted = is == "mounted" || is == "ghost";
    if (should == "absent") {
      if (mounted) run_tool_checked(run, {"umount", name});
      if (is != "ghost") destroy(r, p, run);
      return;
    }
    create(r, p, run);
    if (should == "unmounted" && mounted) run_tool_checked(run, {"umount", name});
    if (should == "mounted" && !mounted) {
      flush(r, p, run); // the table first: mount looks there
      run_tool_checked(run, {"mount", name});
    }
  }

  bool refreshable(const ManagedResource&) const override { return true; }
  bool self_refresh(const ManagedResource& r) const override { return r.text("ensure") != "absent"; } // changed options take effect by remounting
  void refresh(ManagedResource& r, RunContext& run) override {
    const std::string name = r.text("name");
    if (r.text("fstype") == "swap" || !is_mounted(name, run)) return;
    run.log(LogLevel::Info, r, "Remounting");
    if (r.truth("remounts", true)) {
      run_tool_checked(run, {"mount", "-o", "remount", name});
    } else {
      run_tool_checked(run, {"umount", name});
      run_tool_checked(run, {"mount", name});
    }
  }

protected:
  std::string_view type_name() const override { return "mount"; }
  std::string default_target(RunContext&) const override { return "/etc/fstab"; }
  std::span<const std::string_view> properties() const override {
    static constexpr std::string_view names[] = {"device", "fstype", "options", "pass", "dump"};
    return names;
  }
  bool is_list(std::string_view) const override { return false; }
  std::optional<RecordFields> parse_line(const std::string& line) const override {
    const auto words = words_of(line);
    if (words.size() < 2) return std::nullopt;
    static constexpr const char* names[] = {"device", "name", "fstype", "options", "dump", "pass"};
    RecordFields f;
    for (size_t i = 0; i < words.size() && i < 6; ++i) f[names[i]] = {i < 2 ? with_blanks(words[i]) : words[i]};
    std::string& name = f["name"][0];
    while (name.size() > 1 && name.back() == '/') name.pop_back();
    return f;
  }
  std::string format(const RecordFields& f) const override {
    auto field = [&](const char* name) {
      auto it = f.find(name);
      return it == f.end() || it->second.empty() ? std::string() : it->second[0];
    };
    if (field("device").empty()) throw ResourceError("Field 'device' is required");
    if (field("fstype").empty()) throw ResourceError(fmt::format("Mount[{}]: Field 'fstype' is required", field("name")));
    std::string out = without_blanks(field("device")) + "\t" + without_blanks(field("name")) + "\t" + field("fstype");
    out += "\t" + (field("options").empty() ? "defaults" : field("options"));
    return out + "\t" + field("dump") + "\t" + field("pass");
  }

private:
  static bool is_mounted(const std::string& name, RunContext& run) {
    for (const std::string& line : text_lines(read_if_there(run, "/proc/self/mounts").value_or(""))) {
      const auto words = words_of(line);
      if (words.size() > 2 && with_blanks(words[1]) == name) return true;
    }
    return false;
  }
};

} // namespace

std::unique_ptr<TypeHandler> make_mount_handler() { return std::make_unique<MountHandler>(); }

} // namespace pupc
