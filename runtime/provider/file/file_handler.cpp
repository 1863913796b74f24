// file: files, directories and links, single or as trees.
#include "catalog/base/text.h"
#include "catalog/schema/attribute_values.h"
#include "runtime/provider/file/file_mode.h"
#include "runtime/provider/file/file_spec.h"
#include "runtime/provider/handlers.h"
#include "runtime/provider/system_tools.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <set>

namespace pupc::runtime {
namespace {

struct FileState : HandlerData {
  std::optional<FileStatus> status;
  std::string content_sum; // of the file on disk
  std::string link_target;
};

/// A failure of the machine. A change of `ensure` reports it in other words than a plain ResourceError.
class MachineError : public ResourceError {
public:
  using ResourceError::ResourceError;
};

bool audits_all(const ManagedResource& r) {
  const std::vector<std::string> names = r.texts("audit");
  return std::find(names.begin(), names.end(), "all") != names.end();
}

bool is_number(std::string_view s) {
  return !s.empty() && s.size() < 10 && std::all_of(s.begin(), s.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<uint32_t> user_id(System& system, const std::string& name) {
  if (is_number(name)) return static_cast<uint32_t>(std::stoul(name));
  auto user = system.user_by_name(name);
  return user ? std::optional(user->uid) : std::nullopt;
}
std::optional<uint32_t> group_id(System& system, const std::string& name) {
  if (is_number(name)) return static_cast<uint32_t>(std::stoul(name));
  auto group = system.group_by_name(name);
  return group ? std::optional(group->gid) : std::nullopt;
}

/// The message for a failed system call. As Puppet it names the temporary file of a content, by a name of the form that those beside a file
/// have; a file without content is opened itself.
std::string explain(const SystemError& e, const FileSpec& spec, RunContext& run) {
  if (e.error != ENOENT || e.path != spec.path || spec.ensure == "link" || spec.ensure == "directory") return e.what();
  if (!spec.content && spec.sources.empty()) return SystemError(ENOENT, spec.path, "rb_sysopen").what();
  return fmt::format("No such file or directory - A directory component in {}.pupc-{} does not exist or is a dangling symbolic link",
                     spec.path, run.system.now());
}

class FileHandler final : public TypeHandler {
public:
  void prepare(ManagedResource& r, RunContext& run) override {
    if (const std::string provider = r.text("provider"); !provider.empty() && !is_native_provider("file", provider))
      throw ResourceError(fmt::format("Parameter provider failed on {}: Invalid file provider '{}'", r.reference(), provider));
    auto spec = read_file_spec(r, run);
    if (spec->source_permissions != "ignore" && r.line != 0 && warned_.emplace(r.file, r.line).second)
      run.log(LogLevel::Warning, fmt::format("The `source_permissions` parameter is deprecated. Explicitly set `owner`, `group`, and "
                                             "`mode`.\n   (file: {}, line: {})",
                                             r.file.empty() ? "unknown" : r.file, r.line));
    r.memory = std::move(spec);
  }

  std::string key(const ManagedResource& r) const override { return path_of_file(r); }

  void autorelations(const ManagedResource& r, RunContext& run, std::vector<AutoRelation>& out) override {
    std::string path = key(r);
    while (path.size() > 1) {
      path = directory_of(path);
      if (run.find("file", path) != nullptr) {
        out.push_back({AutoRelation::Require, "file", path});
        break;
      }
    }
    if (r.has("target")) out.push_back({AutoRelation::Require, "file", r.text("target")});
    for (auto [type, property] : {std::pair{"user", "owner"}, {"group", "group"}})
      if (r.has(property) && !is_number(r.text(property))) out.push_back({AutoRelation::Require, type, r.text(property)});
  }

  std::vector<ManagedResource> eval_generate(ManagedResource& r, RunContext& run) override { return files_below(r, spec_of(r, run), run); }

  Present retrieve(ManagedResource& r, RunContext& run) override {
    FileSpec& spec = spec_of(r, run);
    auto state = std::make_shared<FileState>();
    if (!spec.sources.empty()) use_source(spec, run);
    state->status = look_or_warn(r, spec, run);
    Present present;
    present.detail = state;
    present.exists = state->status.has_value();
    auto text = [&](std::string_view s) { return string_value(run.arena, s); };
    if (!state->status) {
      present.set("ensure", text("absent"));
      if (audits_all(r))
        for (std::string_view property : {"content", "checksum_value", "target", "owner", "group", "mode", "type", "seluser", "selrole",
                                          "seltype", "selrange", "ctime", "mtime"})
          present.set(property, text("absent"));
      return present;
    }
    const FileStatus& s = *state->status;
    present.set("ensure", text(file_type_name(s.type)));
    const bool wants_content = !spec.content_sum.empty() && spec.should_be_file(state->status);
    if (s.type == FileType::File && (wants_content || r.has("audit"))) {
      try {
        state->content_sum = checksum_of_file(run.system, spec.checksum, spec.path);
      } catch (const SystemError& e) { throw ResourceError(fmt::format("Could not read file {}: {}", r.title, e.what())); }
      present.set("content", text(state->content_sum));
    }
    if (audits_all(r)) {
      present.set("checksum_value", Value::undef());
      present.set("target", text("notlink"));
    }
    if (s.type == FileType::Link) {
      state->link_target = run.system.read_link(spec.path);
      present.set("target", text(state->link_target));
    }
    present.set("owner", Value::integer(s.uid));
    present.set("group", Value::integer(s.gid));
    present.set("mode", text(mode_text(s.mode)));
    present.set("type", text(file_type_name(s.type)));
    if (audits_all(r))
      for (std::string_view label : {"seluser", "selrole", "seltype", "selrange"})
        present.set(label, Value::undef()); // stays undef when the file has no label
    if (spec.has_label || (r.has("audit") && has_labels(run.system, spec.path)))
      if (const auto label = label_of(spec, run))
        for (size_t i = 0; i < 4; ++i)
          if (label->parts[i]) present.set(label_attributes[i], text(*label->parts[i]));
    if (r.has("audit")) {
      present.set("ctime", Value::timestamp(s.changed));
      present.set("mtime", Value::timestamp(s.modified));
    }
    return present;
  }

  std::vector<PropertyChange> plan(ManagedResource& r, const Present& present, RunContext& run) override {
    FileSpec& spec = spec_of(r, run);
    const FileState& state = held<FileState>(present.detail);
    std::vector<PropertyChange> out;
    const std::string current = state.status ? std::string(file_type_name(state.status->type)) : "absent";
    if (!spec.ensure.empty()) {
      bool in_sync = spec.ensure == "present" ? current != "absent" : current == spec.ensure;
      if (current != "absent" && !spec.replace) in_sync = true;
      if (!in_sync) {
        out.push_back(ensure_change(r, spec, current, run));
        return out;
      }
    }
    if (!state.status || spec.ensure == "absent") return out;
    plan_content(r, spec, state, run, out);
    if (spec.target && (spec.ensure == "link" || spec.ensure.empty()) && !spec.recursive() &&
        (spec.replace || !run.system.stat(spec.path)) && // a link to nothing is replaced all the same
        state.status->type == FileType::Link && state.link_target != *spec.target) {
      PropertyChange c = property_change("target", string_value(run.arena, state.link_target), string_value(run.arena, *spec.target));
      out.push_back(std::move(c));
    }
    plan_owner(r, spec, *state.status, run, out);
    plan_group(r, spec, *state.status, run, out);
    plan_mode(r, spec, *state.status, run, out);
    plan_labels(spec, present, run, out);
    return out;
  }

  /// Shows the difference between what is there now and the wanted content: nothing after a change, the same again after a noop.
  void compare_again(ManagedResource& r, const PropertyChange& change, RunContext& run) override {
    if (change.property != "content") return;
    try {
      show_diff(r, spec_of(r, run), run);
    } catch (const std::exception&) {} // what happened to the file is told already
  }

  void apply(ManagedResource& r, const Present& present, PropertyChange& change, RunContext& run) override {
    FileSpec& spec = spec_of(r, run);
    const FileState& state = held<FileState>(present.detail);
    try {
      if (change.property == "ensure") {
        try {
          apply_ensure(r, spec, run);
          if (spec.ensure != "absent") fix_labels(spec, run);
        } catch (const SystemError& e) {
          if (spec.ensure == "absent") throw ResourceError(explain(e, spec, run));
          throw ValueError(r, spec.ensure, "ensure", explain(e, spec, run));
        } catch (const MachineError& e) { throw ValueError(r, spec.ensure, "ensure", e.what()); }
      } else if (change.property == "content") {
        write(r, spec, run);
        fix_labels(spec, run);
      } else if (change.property == "target") {
        make_link(r, spec, run);
      } else if (change.property == "owner") {
        run.system.set_owner(spec.path, user_id(run.system, *spec.owner), std::nullopt, spec.follow);
      } else if (change.property == "group") {
        run.system.set_owner(spec.path, std::nullopt, group_id(run.system, *spec.group), spec.follow);
      } else if (change.property == "mode") {
        run.system.set_mode(spec.path, wanted_mode(spec, *state.status));
      } else if (change.property.starts_with("sel")) {
        set_label(spec, static_cast<size_t>(change.detail), run);
      }
    } catch (const SystemError& e) {
      if (change.property == "mode")
        throw ResourceError(fmt::format("failed to set mode {} on {}: {}", mode_text(state.status->mode), spec.path,
                                        e.what())); // as Puppet, name the current mode
      if (change.property == "owner" || change.property == "group") {
        auto id = change.property == "owner" ? user_id(run.system, *spec.owner) : group_id(run.system, *spec.group);
        throw ResourceError(fmt::format("Failed to set {} to '{}': {}", change.property, id.value_or(0), e.what()));
      }
      throw ResourceError(explain(e, spec, run));
    }
  }

private:
  static FileSpec& spec_of(ManagedResource& r, RunContext& run) {
    if (r.memory == nullptr) r.memory = read_file_spec(r, run);
    return held<FileSpec>(r.memory);
  }

  static std::optional<FileStatus> look(const FileSpec& spec, RunContext& run) {
    return spec.follow ? run.system.stat(spec.path) : run.system.lstat(spec.path);
  }

  /// The status of a path; nothing when it does not exist or this process may not look there.
  static std::optional<FileStatus> seen(const std::string& path, bool follow, RunContext& run) {
    try {
      return follow ? run.system.stat(path) : run.system.lstat(path);
    } catch (const SystemError& e) {
      if (e.error != EACCES) throw;
      return std::nullopt;
    }
  }

  /// The status of the resource's path. When permission is denied, logs a warning and treats the file as missing.
  static std::optional<FileStatus> look_or_warn(const ManagedResource& r, const FileSpec& spec, RunContext& run) {
    try {
      return look(spec, run);
    } catch (const SystemError& e) {
      if (e.error != EACCES) throw;
      run.log(LogLevel::Warning, r, "Could not stat; permission denied", "");
      return std::nullopt;
    }
  }

  /// Takes type, content and, if asked for, permissions from the source, except when `ensure` is absent.
  static void use_source(FileSpec& spec, RunContext& run) {
    spec.source = find_source(spec, spec.sources, run);
    const FileStatus& from = spec.source->status;
    if (from.type != FileType::File && from.type != FileType::Directory && from.type != FileType::Link)
      throw ResourceError(fmt::format("Could not retrieve file metadata for {}: Cannot manage files of type {}", spec.source->uri,
                                      file_type_name(from.type)));
    if (spec.checksum_value) {
      // With checksum_value the manifest gives all attributes: take nothing else from the source.
      spec.content_sum = fmt::format("{{{}}}{}", spec.checksum, *spec.checksum_value);
      return;
    }
    if (spec.source->remote()) {
      if (from.type == FileType::File) { // of directories a server tells a sum, too
        spec.content_sum = spec.source->sum;
        spec.checksum = spec.content_sum.substr(1, spec.content_sum.find('}') - 1);
      }
    } else if (from.type == FileType::File) {
      try {
        spec.content_sum = checksum_of_file(run.system, spec.checksum, spec.source->path);
      } catch (const SystemError& e) {
        throw ResourceError(fmt::format("Could not retrieve file metadata for {}: {}", spec.source->uri, e.what()));
      }
    }
    const bool knows = !spec.source->remote() || spec.source->of_server; // HTTP headers carry no owner and no mode
    if (knows && (spec.source_permissions == "use" || (spec.source_permissions == "use_when_creating" && !run.system.stat(spec.path)))) {
      const bool root = run.system.effective_uid() == 0;
      if (!spec.owner && root) spec.owner = std::to_string(from.uid);
      if (!spec.group && root) spec.group = std::to_string(from.gid);
      if (!spec.mode) spec.mode = mode_text(from.mode);
    }
    if (spec.ensure == "absent") return;
    if (from.type == FileType::Link) {
      spec.ensure = "link";
      spec.target = spec.source->of_server ? spec.source->target : run.system.read_link(spec.source->path);
    } else {
      spec.ensure = file_type_name(from.type);
    }
  }

  static PropertyChange ensure_change(ManagedResource& r, FileSpec& spec, const std::string& current, RunContext& run) {
    PropertyChange c = property_change("ensure", string_value(run.arena, current), string_value(run.arena, spec.ensure));
    c.sensitive = spec.sensitive || r.sensitive("ensure");
    if ((spec.ensure == "file" || spec.ensure == "present") && !spec.content_sum.empty() && !(spec.checksum_value && spec.source))
      c.message = fmt::format("defined content as '{}'", spec.wanted_sum());
    else if (current == "absent")
      c.message = "created";
    else if (spec.ensure == "absent")
      c.message = "removed";
    else
      c.message = fmt::format("ensure changed '{}' to '{}'", current, spec.ensure);
    c.event_name = spec.ensure == "absent"      ? "file_removed"
                   : spec.ensure == "directory" ? "directory_created"
                   : spec.ensure == "link"      ? "link_created"
                                                : "file_created";
    return c;
  }

  void plan_content(ManagedResource& r, FileSpec& spec, const FileState& state, RunContext& run, std::vector<PropertyChange>& out) {
    if (spec.content_sum.empty()) return;
    if (!spec.should_be_file(state.status)) {
      if (spec.ensure == "present" && spec.content)
        run.log(LogLevel::Warning, r,
                fmt::format("Ensure set to :present but file type is {} so no content will be synced", file_type_name(state.status->type)),
                "");
      return;
    }
    if (!spec.replace || state.content_sum == spec.content_sum) return;
    if (spec.checksum == "mtime" && spec.source && spec.source->remote()) {
      if (state.status->modified / 1'000'000'000 >= spec.source->time) return;
    } else if ((spec.checksum == "mtime" || spec.checksum == "ctime") && state.content_sum >= spec.content_sum) {
      return;
    }
    PropertyChange c;
    c.property = "content";
    c.previous = string_value(run.arena, state.content_sum);
    c.desired = string_value(run.arena, spec.wanted_sum());
    c.is_text = display_text(state.content_sum);
    c.should_text = display_text(spec.wanted_sum());
    c.message = fmt::format("content changed '{}' to '{}'", state.content_sum, spec.wanted_sum());
    c.sensitive = spec.sensitive;
    show_diff(r, spec, run);
    out.push_back(std::move(c));
  }

  static void show_diff(ManagedResource& r, FileSpec& spec, RunContext& run) {
    if (!run.settings.show_diff || !spec.show_diff) return;
    if (spec.sensitive) {
      run.log(r.loglevel, r, "[diff redacted]", "content");
      return;
    }
    if (spec.from_bucket) return; // the content is fetched only when the file is written
    const NewContent content = new_content(spec, run);
    const auto status = look(spec, run);
    const bool empty = content.file.empty() && content.text.empty();
    // The file is read once more, so another user may have changed it since: read it as all files are, and never let diff open it.
    const std::string text = difference(
        run, diff_label(spec.path, status ? status->modified : 0),
        [&](const System::Take& take) { run.system.read_parts(spec.path, take); }, diff_label(empty ? "/dev/null" : "-", run.system.now()),
        [&](const System::Take& take) { content.produce(run.system, take); });
    run.log(r.loglevel, r, "\n" + text, "content");
  }

  static std::string user_name(RunContext& run, uint32_t uid) {
    auto user = run.system.user_by_id(uid);
    return user ? user->name : std::to_string(uid);
  }
  static std::string group_name(RunContext& run, uint32_t gid) {
    auto group = run.system.group_by_id(gid);
    return group ? group->name : std::to_string(gid);
  }

  void warn_of_owner(RunContext& run) {
    if (!warned_owner_) run.log(LogLevel::Warning, "Cannot manage ownership unless running as root");
    warned_owner_ = true;
  }

  void plan_owner(ManagedResource& r, FileSpec& spec, const FileStatus& status, RunContext& run, std::vector<PropertyChange>& out) {
    if (!spec.owner) return;
    auto uid = user_id(run.system, *spec.owner);
    if (uid && *uid == status.uid) return;
    if (uid && run.system.effective_uid() != 0) {
      warn_of_owner(run);
      return;
    }
    out.push_back(named_change("owner", user_name(run, status.uid), uid ? user_name(run, *uid) : *spec.owner, run));
    set_ids(out.back(), status.uid, uid);
    if (!uid && !r.noop) out.back().failure = fmt::format("Could not find user {}", *spec.owner);
  }
  void plan_group(ManagedResource& r, FileSpec& spec, const FileStatus& status, RunContext& run, std::vector<PropertyChange>& out) {
    if (!spec.group) return;
    auto gid = group_id(run.system, *spec.group);
    if (gid && *gid == status.gid) return;
    out.push_back(named_change("group", group_name(run, status.gid), gid ? group_name(run, *gid) : *spec.group, run));
    set_ids(out.back(), status.gid, gid);
    if (!gid && !r.noop) out.back().failure = fmt::format("Could not find group {}", *spec.group);
  }
  static PropertyChange named_change(std::string_view property, const std::string& is, const std::string& should, RunContext& run) {
    auto value = [&](const std::string& s) { return is_number(s) ? Value::integer(std::stoll(s)) : string_value(run.arena, s); };
    return property_change(property, value(is), value(should));
  }

  /// Puts the numeric ids into the report; messages keep the names.
  static void set_ids(PropertyChange& c, uint32_t is, const std::optional<uint32_t>& should) {
    c.previous = Value::integer(is);
    if (should) c.desired = Value::integer(*should);
  }

  static uint32_t wanted_mode(const FileSpec& spec, const FileStatus& status) {
    const bool directory = status.type == FileType::Directory;
    uint32_t mode = apply_mode(*spec.mode, status.mode, directory);
    return directory && catalog::octal_file_mode(*spec.mode) ? directory_mode(mode) : mode;
  }

  void plan_mode(ManagedResource&, FileSpec& spec, const FileStatus& status, RunContext& run, std::vector<PropertyChange>& out) {
    if (!spec.mode || (status.type == FileType::Link && !spec.follow)) return;
    PropertyChange c;
    uint32_t wanted = 0;
    try {
      wanted = wanted_mode(spec, status);
      if (wanted == status.mode) return;
      c = property_change("mode", string_value(run.arena, mode_text(status.mode)), string_value(run.arena, mode_text(wanted)));
      if (!catalog::octal_file_mode(*spec.mode)) {
        c.message += fmt::format(" ({})", *spec.mode);
        c.desired = string_value(run.arena, *spec.mode);
        c.should_text = display_text(*spec.mode);
      }
    } catch (const ResourceError& e) {
      c = property_change("mode", string_value(run.arena, mode_text(status.mode)), string_value(run.arena, *spec.mode));
      c.failure = e.what();
    }
    out.push_back(std::move(c));
  }

  // -- SELinux labels

  /// The file's label; nothing when it has none.
  static std::optional<FileLabel> label_of(const FileSpec& spec, RunContext& run) {
    const auto text = run.system.label(spec.path);
    auto label = text ? read_label(*text) : std::nullopt;
    if (label && label->parts[3]) label->parts[3] = range_level(run.system, *label->parts[3]);
    return label;
  }

  static void plan_labels(const FileSpec& spec, const Present& present, RunContext& run, std::vector<PropertyChange>& out) {
    if (!spec.has_label) return;
    for (size_t i = 0; i < 4; ++i) {
      if (!spec.label.parts[i]) continue;
      const Value is = present.get(label_attributes[i]);
      if (is.is_string() && is.str() == *spec.label.parts[i]) continue;
      out.push_back(property_change(label_attributes[i], is, string_value(run.arena, *spec.label.parts[i])));
      out.back().event_name = "file_changed";
      out.back().detail = static_cast<int>(i);
    }
  }

  /// Sets one part of the file's label. As in Puppet, a failure is only a warning.
  static void set_label(const FileSpec& spec, size_t part, RunContext& run) {
    auto label = label_of(spec, run);
    if (!label) {
      run.log(LogLevel::Warning, "Can't set SELinux context on file unless the file already has some kind of context");
      return;
    }
    label->parts[part] = spec.label.parts[part];
    if (!run.system.set_label(spec.path, label->text()))
      run.log(LogLevel::Warning, fmt::format("Failed to set SELinux context {} on {}", label->text(), spec.path));
  }

  /// Sets the wanted label parts of a file that was just made.
  static void fix_labels(const FileSpec& spec, RunContext& run) {
    if (!spec.has_label) return;
    for (size_t i = 0; i < 4; ++i) {
      const auto label = spec.label.parts[i] ? label_of(spec, run) : std::nullopt;
      if (spec.label.parts[i] && (!label || label->parts[i] != spec.label.parts[i])) set_label(spec, i, run);
    }
  }

  // -- changing

  void apply_ensure(ManagedResource& r, FileSpec& spec, RunContext& run) {
    if (spec.ensure == "link") {
      make_link(r, spec, run);
      return;
    }
    if (spec.ensure == "file" || spec.ensure == "present") {
      write(r, spec, run);
      return;
    }
    remove_existing(r, spec, spec.ensure, run);
    if (spec.ensure == "absent") return;
    if (spec.ensure == "directory") {
      const std::string parent = directory_of(spec.path);
      if (!run.system.stat(parent))
        throw ResourceError(fmt::format("Cannot create {}; parent directory {} does not exist", spec.path, parent));
      uint32_t mode = 0755;
      if (spec.mode) mode = apply_mode(*spec.mode, 0755, true);
      if (spec.mode && catalog::octal_file_mode(*spec.mode)) mode = directory_mode(mode);
      run.system.make_directory(spec.path, mode);
      if (spec.mode) run.system.set_mode(spec.path, mode);
      fix_owner(spec, run);
    }
  }

  /// Backs up what is at the path, and removes it when its type is not `wanted`. Removes a directory only with `force`.
  static void remove_existing(ManagedResource& r, FileSpec& spec, std::string_view wanted, RunContext& run) {
    auto status = seen(spec.path, spec.follow, run);
    if (!status && !spec.follow) return;
    if (!status) status = seen(spec.path, false, run); // a dangling link
    if (!status) return;
    const bool directory = status->type == FileType::Directory;
    const auto cannot_back_up = [&] {
      run.log(LogLevel::Warning, r, fmt::format("Could not back up file of type {}", file_type_name(status->type)), "");
    };
    if (directory && !spec.force && wanted != "directory") {
      // Puppet tries once for `ensure` and once more for the link or the content, and logs each try.
      for (int times = wanted == "file" || wanted == "link" ? 2 : 1; times > 0; --times) {
        if (!spec.backup.empty()) cannot_back_up();
        run.log(LogLevel::Notice, r, "Not removing directory; use 'force' to override", "");
      }
      return;
    }
    if (!spec.backup.empty()) {
      if ((directory && spec.force) || status->type == FileType::File || status->type == FileType::Link)
        back_up(r, spec, run);
      else
        cannot_back_up();
    }
    if (wanted != "link" && file_type_name(status->type) == wanted) return;
    if (directory) return remove_tree(run.system, spec.path);
    if (status->type == FileType::BlockDevice || status->type == FileType::CharacterDevice)
      throw ResourceError(fmt::format("Could not remove files of type {}", file_type_name(status->type)));
    run.system.remove_file(spec.path);
  }

  void make_link(ManagedResource& r, FileSpec& spec, RunContext& run) {
    if (!spec.target) throw ResourceError("Cannot create a symlink without a target");
    remove_existing(r, spec, "link", run);
    try {
      if (run.system.lstat(spec.path)) throw ResourceError("Could not remove existing file");
    } catch (const SystemError& e) {
      throw SystemError(e.error, directory_of(spec.path), "dir_chdir"); // Puppet makes links from their directory
    }
    run.system.make_link(*spec.target, spec.path);
    fix_owner(spec, run);
  }

  /// Sets the owner and group of a file that was just made, where they differ from the wanted ones.
  void fix_owner(FileSpec& spec, RunContext& run) {
    auto status = look(spec, run);
    if (!status) return;
    std::optional<uint32_t> uid, gid;
    if (spec.owner) {
      uid = user_id(run.system, *spec.owner);
      if (!uid) throw MachineError(fmt::format("Could not find user {}", *spec.owner));
      if (*uid == status->uid) {
        uid.reset();
      } else if (run.system.effective_uid() != 0) {
        warn_of_owner(run);
        uid.reset();
      }
    }
    if (spec.group) {
      gid = group_id(run.system, *spec.group);
      if (!gid) throw MachineError(fmt::format("Could not find group {}", *spec.group));
      if (*gid == status->gid) gid.reset();
    }
    auto set = [&](std::string_view property, std::optional<uint32_t> id) {
      if (!id) return;
      try {
        if (property == "owner")
          run.system.set_owner(spec.path, id, std::nullopt, spec.follow);
        else
          run.system.set_owner(spec.path, std::nullopt, id, spec.follow);
      } catch (const SystemError& e) { throw ResourceError(fmt::format("Failed to set {} to '{}': {}", property, *id, e.what())); }
    };
    set("owner", uid);
    set("group", gid);
  }

  void write(ManagedResource& r, FileSpec& spec, RunContext& run) {
    // Read first: an unreadable source must not cost the existing file.
    NewContent content;
    try {
      content = new_content(spec, run);
    } catch (const ResourceError& e) {
      if (spec.from_bucket) throw;
      throw MachineError(e.what()); // the server refused
    }
    const bool by_time = spec.checksum == "mtime" || spec.checksum == "ctime";
    const std::string sum = spec.source || spec.checksum_value || !content.file.empty() ? content.checksum(run.system, spec.checksum) : "";
    if (spec.checksum_value || (spec.source && spec.source->remote() && spec.checksum != "mtime")) {
      if (sum != spec.content_sum) wrong_checksum(sum, spec.content_sum);
    } else if (spec.source && !by_time) {
      spec.content_sum = sum; // the source may have changed since retrieve
    }
    auto write_to = [&](const std::string& to, uint32_t mode, std::optional<uint32_t> uid, std::optional<uint32_t> gid) {
      if (content.file.empty()) return run.system.write_file(to, content.text, mode, uid, gid);
      run.system.write_parts(
          to,
          [&](const System::Take& take) {
            Checksum written(spec.checksum);
            content.produce(run.system, [&](std::string_view part) {
              written.add(part);
              take(part);
            });
            if (const std::string is = written.text(); is != sum) wrong_checksum(is, sum); // changed since it was verified
          },
          mode, uid, gid);
    };
    remove_existing(r, spec, "file", run);
    // Replace a link, even a followed one, as Puppet does.
    const std::string& path = spec.path;
    auto status = seen(path, false, run);
    if (status && status->type == FileType::Directory) throw MachineError(fmt::format("Is a directory - Is a directory: {}", path));
    // Puppet takes the mode of a link that it replaces, 0777. The mode of the link's target lets nobody write whom it did not let before.
    const auto like = status && status->type == FileType::Link ? seen(path, true, run) : status;
    uint32_t mode = like ? like->mode : 0644;
    if (spec.mode) mode = apply_mode(*spec.mode, mode, false);
    // Keep the owner: a process that may not chown must not replace the file.
    std::optional<uint32_t> uid, gid;
    if (status) {
      uid = status->uid;
      gid = status->gid;
    }
    const bool root = run.system.effective_uid() == 0;
    // Set the owner together with the content. As in Puppet, an unknown owner fails only after the file has been written.
    std::string missing;
    if (spec.owner && root) {
      auto wanted = user_id(run.system, *spec.owner);
      if (wanted)
        uid = wanted;
      else
        missing = fmt::format("Could not find user {}", *spec.owner);
    }
    if (spec.group && root) {
      auto wanted = group_id(run.system, *spec.group);
      if (wanted)
        gid = wanted;
      else if (missing.empty())
        missing = fmt::format("Could not find group {}", *spec.group);
    }
    if (spec.validate_cmd.empty() && spec.staging_location.empty()) {
      try {
        write_to(path, mode, uid, gid);
      } catch (const SystemError& e) {
        // Without content to write, Puppet opens the file itself: report that call.
        if (e.error != EACCES || spec.content || spec.source) throw;
        throw SystemError(e.error, path, "rb_sysopen");
      }
    } else {
      std::optional<PrivateDirectory> apart;
      const std::string temporary = staging_file(spec, apart, run);
      write_to(temporary, mode, uid, gid);
      try {
        if (!spec.validate_cmd.empty()) validate(r, spec, temporary, run);
        try {
          run.system.rename(temporary, path);
        } catch (const SystemError& e) {
          if (e.error != EXDEV) throw;
          write_to(path, mode, uid, gid);
          run.system.remove_file(temporary);
        }
      } catch (...) {
        discard(temporary, run);
        throw;
      }
    }
    if (!missing.empty()) throw MachineError(missing);
    if (!root) fix_owner(spec, run); // chown may fail without root, so it comes last
  }

  /// Where the new content waits until it is validated and moved. Fills `apart` when the place is a directory of its own.
  static std::string staging_file(const FileSpec& spec, std::optional<PrivateDirectory>& apart, RunContext& run) {
    const std::string name = spec.path.substr(spec.path.rfind('/'));
    std::string place = spec.path;
    if (!spec.staging_location.empty()) {
      place = (spec.staging_location == "/" ? "" : spec.staging_location) + name;
      const auto directory = run.system.stat(spec.staging_location);
      if (!directory || directory->type != FileType::Directory)
        throw MachineError(
            fmt::format("No such file or directory - A directory component in {} does not exist or is a dangling symbolic link", place));
    }
    // What is validated must be what is then moved: where others could replace the file, it waits in a directory of our own.
    if (!is_closed_to_others(directory_of(place), run)) {
      apart.emplace(run.system, temporary_directory(run.system));
      place = apart->path() + name;
    }
    return fmt::format("{}.pupc-{}", place, run.system.now());
  }

  /// Whether only root and this user can change the entries of a directory, or replace it.
  static bool is_closed_to_others(const std::string& directory, RunContext& run) {
    const auto status = run.system.stat(directory);
    if (!status || (status->mode & 0022) != 0 || (status->uid != 0 && status->uid != run.system.effective_uid())) return false;
    try {
      const PrivateDirectory probe(run.system, directory);
      return true;
    } catch (const SystemError& e) { return e.error != EPERM; }
  }

  [[noreturn]] static void wrong_checksum(const std::string& is, const std::string& should) {
    throw ResourceError(fmt::format("File written to disk did not match desired checksum; discarding changes ({} vs {})", is, should));
  }

  /// Removes a temporary file after a failure. That failure is the one to tell, not that the file cannot be removed or is gone.
  static void discard(const std::string& temporary, RunContext& run) {
    try {
      run.system.remove_file(temporary);
    } catch (const SystemError& e) { run.log(LogLevel::Debug, e.what()); }
  }

  static void validate(ManagedResource& r, const FileSpec& spec, const std::string& path, RunContext& run) {
    Command command;
    set_tool_environment(command);
    command.shell = with_replaced(spec.validate_cmd, spec.validate_replacement, path);
    CommandResult result = run.system.run(command);
    if (result.status != 0 || result.not_started) {
      const bool secret = r.sensitive("validate_cmd");
      throw ResourceError(fmt::format("Execution of '{}' returned {}: {}", secret ? "[redacted]" : command.shell, result.status,
                                      spec.sensitive || secret ? "[output redacted]" : trimmed(result.output, ruby_blanks)));
    }
  }

  bool warned_owner_ = false;
  std::set<std::pair<std::string, uint32_t>> warned_; // places whose source_permissions were told
};

} // namespace

std::unique_ptr<TypeHandler> make_file_handler() { return std::make_unique<FileHandler>(); }

} // namespace pupc::runtime
