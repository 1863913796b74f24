// mount: lines of fstab, and the mounted file systems.
#include "catalog/base/octal_escapes.h"
#include "catalog/base/split_text.h"
#include "runtime/provider/handlers.h"
#include "runtime/provider/parsed/line_pattern.h"
#include "runtime/provider/parsed/parsed_file.h"
#include "runtime/provider/system_tools.h"

#include <fmt/format.h>

namespace pupc::runtime {
namespace {

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) text.replace(at, what.size(), by);
  return text;
}

std::string without_end_slashes(std::string name) {
  while (name.size() > 1 && name.back() == '/') name.pop_back();
  return name;
}

class MountHandler final : public ParsedFileHandler {
public:
  void prepare(ManagedResource& r, RunContext& run) override {
    r.set("name", string_value(run.arena, without_end_slashes(r.name("name"))));
    auto refuse = [&](const char* attribute, const std::string& why) {
      throw ResourceError(fmt::format("Parameter {} failed on {}: {}", attribute, r.reference(), why));
    };
    for (const char* attribute : {"fstype", "options"}) {
      if (!r.has(attribute)) continue;
      if (r.text(attribute).empty()) refuse(attribute, fmt::format("{} must not be an empty string", attribute));
      if (r.text(attribute).find_first_of(" \t\r\n") != std::string::npos)
        refuse(attribute, fmt::format("{} must not contain whitespace: {}", attribute, r.text(attribute)));
    }
    for (const char* attribute : {"pass", "dump"})
      if (!r.has(attribute)) r.set(attribute, Value::integer(0));
    if (!r.has("target")) r.set("target", string_value(run.arena, default_target(run)));
  }
  void autorelations(const ManagedResource& r, RunContext& run, std::vector<AutoRelation>& out) override {
    const std::string name = r.text("name", r.title);
    for (size_t slash = name.rfind('/'); slash != std::string::npos && name.size() > 1;
         slash = slash == 0 ? std::string::npos : name.rfind('/', slash - 1))
      out.push_back({AutoRelation::Require, "mount", slash == 0 ? "/" : name.substr(0, slash)});
    for (const ManagedResource* f : run.resources_of("file"))
      if (f->text("path", f->title).starts_with(name + "/")) out.push_back({AutoRelation::Before, "file", f->title});
  }
  std::string unsuitable(ManagedResource& r, RunContext& run) override { return find_tool(run, "mount") ? "" : no_provider(r, "parsed"); }
  bool providerless(const ManagedResource& r) const override { return !r.has("provider"); }

  void prefetch(std::span<ManagedResource* const> resources, RunContext& run) override {
    ParsedFileHandler::prefetch(resources, run);
    const auto all = mount_points(run);
    for (ManagedResource* r : resources) {
      if (!all.contains(r->text("name"))) continue;
      FileRecord& record = record_of(*r);
      record.ensure = record.there() ? "mounted" : "ghost"; // mounted, but not in the table
    }
  }

  /// All entries of the table, and the mounted file systems that the table does not have.
  std::optional<std::vector<ManagedResource>> instances(RunContext& run) override {
    auto out = ParsedFileHandler::instances(run);
    auto all = mount_points(run);
    for (const ManagedResource& r : *out)
      if (all.erase(r.title) > 0) held<FileRecord>(r.memory).ensure = "mounted";
    for (const std::string& name : all) {
      ManagedResource r;
      r.type = "mount";
      r.printed_type = "Mount";
      r.title = name;
      auto record = std::make_shared<FileRecord>();
      record->ensure = "ghost";
      record->target = default_target(run);
      r.memory = std::move(record);
      out->push_back(std::move(r));
    }
    return out;
  }

  Present retrieve(ManagedResource& r, RunContext& run) override {
    Present p = ParsedFileHandler::retrieve(r, run);
    p.set("ensure", string_value(run.arena, record_of(r).ensure));
    return p;
  }

  std::vector<PropertyChange> plan(ManagedResource& r, const Present& p, RunContext& run) override {
    const std::string is = value_text(p.get("ensure")), should = r.text("ensure") == "present" ? "defined" : r.text("ensure");
    const bool same = is == should || (should == "defined" && (is == "mounted" || is == "unmounted"));
    if (r.has("ensure") && !same) {
      PropertyChange c = property_change("ensure", p.get("ensure"), string_value(run.arena, should));
      c.event_name = should == "absent" ? "mount_deleted" : should == "mounted" ? "mount_mounted" : "mount_changed";
      return {c};
    }
    return is == "absent" ? std::vector<PropertyChange>{} : property_changes(r, run);
  }

  void apply(ManagedResource& r, const Present& p, PropertyChange& c, RunContext& run) override {
    if (c.property != "ensure") return set(r, p, c.property, run);
    const std::string is = record_of(r).ensure, should = r.text("ensure");
    const bool was_mounted = mounted(r);
    if (should == "absent") {
      if (was_mounted) unmount(r, run);
      if (is != "ghost") destroy(r, p, run);
    } else if (should == "mounted") {
      if (is == "absent" || is == "ghost") create(r, p, run);
      sync_others(r, p, run);
      if (!was_mounted) to_mount_.insert(&r);
    } else if (should == "unmounted" && is == "mounted") {
      unmount(r, run);
      sync_others(r, p, run);
    } else {
      create(r, p, run);
      if (should == "unmounted" && is == "ghost") {
        flush(r, p, run);
        unmount(r, run);
      }
    }
  }

  void flush(ManagedResource& r, const Present& p, RunContext& run) override {
    const bool to_mount = to_mount_.erase(&r) > 0; // write the table first: mount reads it
    ParsedFileHandler::flush(r, p, run);
    if (to_mount) mount(r, run);
  }

  bool refreshable(const ManagedResource&) const override { return true; }
  bool self_refresh(const ManagedResource& r) const override {
    return r.text("ensure") != "absent";
  } // changed options take effect by remounting
  void refresh(ManagedResource& r, RunContext& run) override {
    if (r.text("fstype") == "swap" || !mounted(r)) return;
    run.log(LogLevel::Info, r, "Remounting");
    if (r.truth("remounts", true)) {
      run_tool_checked(run, {"mount", "-o", "remount", r.text("name")});
    } else {
      unmount(r, run);
      mount(r, run);
    }
  }

protected:
  std::string_view type_name() const override { return "mount"; }
  std::string default_target(RunContext&) const override { return "/etc/fstab"; }
  std::span<const std::string_view> properties() const override {
    static constexpr std::string_view names[] = {"device", "fstype", "options", "pass", "dump", "target"};
    return names;
  }
  bool is_list(std::string_view) const override { return false; }
  bool in_line(std::string_view property) const override { return property != "target"; }
  void after_reading(Records& records, const std::string&) override {
    for (auto& record : records) {
      if (record->is_text) continue;
      record->set("name", without_end_slashes(record->text("name").value_or("")));
      record->ensure = "unmounted";
    }
  }
  std::optional<FileRecord> parse_line(const std::string& line) const override {
    static const Regex blanks(R"(\s+)");
    const auto words = catalog::words_of(line);
    if (words.size() < 2 || words[0].starts_with('#')) return FileRecord::text_line(line);
    auto parts = split_by(blanks, line); // as in Puppet, an indented line has an empty device
    FileRecord f;
    for (size_t i = 0; i < std::size(line_fields); ++i) {
      if (i >= parts.size() || parts[i].empty())
        f.set(line_fields[i], RecordField::none());
      else
        f.set(line_fields[i], i < 2 ? replaced(parts[i], "\\040", " ") : parts[i]);
    }
    for (size_t i = std::size(line_fields); i < parts.size(); ++i) f.fields["pass"].texts[0] += "\t" + parts[i];
    return f;
  }
  std::string to_line(const FileRecord& record) const override {
    static constexpr std::string_view optional[] = {"fstype", "options", "dump", "pass"};
    FileRecord f = record;
    if (f.find("options") == nullptr) f.set("options", "defaults");
    if (f.find("fstype") == nullptr) throw ResourceError(fmt::format("Mount[{}]: Field 'fstype' is required", f.text("name").value_or("")));
    for (const char* field : {"device", "name"})
      if (const auto text = f.text(field)) f.set(field, replaced(*text, " ", "\\040"));
    return join_fields(f, line_fields, optional, "\t");
  }

private:
  static constexpr std::string_view line_fields[] = {"device", "name", "fstype", "options", "dump", "pass"};

  static std::set<std::string> mount_points(RunContext& run) {
    std::set<std::string> out;
    for (const std::string& line : text_lines(read_if_there(run, "/proc/self/mounts").value_or(""))) {
      const auto words = catalog::words_of(line);
      if (words.size() > 2) out.insert(without_octal_escapes(words[1]));
    }
    return out;
  }
  bool mounted(const ManagedResource& r) {
    const std::string& ensure = record_of(r).ensure;
    return ensure == "mounted" || ensure == "ghost";
  }
  void mount(const ManagedResource& r, RunContext& run) {
    run_tool_checked(run, {"mount", r.text("name")});
    FileRecord& record = record_of(r);
    if (record.ensure == "unmounted")
      record.ensure = "mounted";
    else if (record.ensure == "absent")
      record.ensure = "ghost";
  }
  void unmount(const ManagedResource& r, RunContext& run) {
    run_tool_checked(run, {"umount", r.text("name")});
    FileRecord& record = record_of(r);
    if (record.ensure == "mounted")
      record.ensure = "unmounted";
    else if (record.ensure == "ghost")
      record.ensure = "absent";
  }
  std::vector<PropertyChange> property_changes(ManagedResource& r, RunContext& run) {
    std::vector<PropertyChange> changes;
    const FileRecord& record = record_of(r);
    for (const std::string_view property : properties()) {
      if (!r.has(property)) continue;
      const bool place = property == "target";
      if (place && record.target.empty()) continue;
      const Value is = place ? string_value(run.arena, record.target) : field_value(record, property, r, run);
      if (!in_sync(r, property, is, r.get(property), run)) changes.push_back(property_change(property, is, r.get(property)));
    }
    return changes;
  }
  /// Sets the other properties. A change of `ensure` does so without log lines of their own.
  void sync_others(ManagedResource& r, const Present& p, RunContext& run) {
    const auto changes = property_changes(r, run);
    for (const PropertyChange& c : changes) set(r, p, c.property, run);
    if (changes.empty()) return;
    ParsedFileHandler::flush(r, p, run);
  }

  std::set<const ManagedResource*> to_mount_;
};

} // namespace

std::unique_ptr<TypeHandler> make_mount_handler() { return std::make_unique<MountHandler>(); }

} // namespace pupc::runtime
