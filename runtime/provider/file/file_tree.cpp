// The files below a recursive file resource.
#include "runtime/provider/file/file_spec.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <fnmatch.h>
#include <map>
#include <unordered_set>

namespace pupc::runtime {

std::string path_of_file(const ManagedResource& r) {
  std::string path = r.text("path", r.title);
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

std::string directory_of(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

void check_file_count(const FileSpec& spec, const std::string& path, size_t count, RunContext& run) {
  constexpr size_t many = 1000;
  if (spec.max_files > 0 && count > static_cast<size_t>(spec.max_files))
    throw ResourceError(fmt::format("The directory '{}' contains {} entries, which exceeds the limit of {} specified by the max_files "
                                    "parameter for this resource. The limit may be "
                                    "increased, but be aware that large number of file resources can result in excessive resource "
                                    "consumption and degraded performance. Consider "
                                    "using an alternate method to manage large directory trees",
                                    path, count, spec.max_files));
  if (spec.max_files == 0 && count > many)
    run.log(LogLevel::Warning, fmt::format("The directory '{}' contains {} entries, which exceeds the default soft limit {} and may cause "
                                           "excessive resource consumption and degraded "
                                           "performance. To remove this warning set a value for `max_files` parameter or consider using an "
                                           "alternate method to manage large directory trees",
                                           path, count, many));
}

std::vector<std::string> list_tree(System& system, const std::string& root, const FileSpec& spec, const TreeMember& member) {
  std::vector<std::string> out;
  auto ignored = [&](const std::string& name) {
    return std::any_of(spec.ignore.begin(), spec.ignore.end(),
                       [&](const std::string& p) { return ::fnmatch(p.c_str(), name.c_str(), FNM_PERIOD) == 0; });
  };
  auto walk = [&](auto& self, const std::string& directory, const std::string& prefix, int depth) -> void {
    if (spec.recurse_limit >= 0 && depth > spec.recurse_limit) return;
    for (const std::string& name : system.list_directory(directory)) {
      if (ignored(name)) continue;
      std::string full = directory == "/" ? "/" + name : directory + "/" + name;
      std::string relative = prefix.empty() ? name : prefix + "/" + name;
      out.push_back(relative);
      auto status = spec.follow ? system.stat(full) : system.lstat(full);
      if (member) member(full, status);
      if (status && status->type == FileType::Directory) self(self, full, relative, depth + 1);
    }
  };
  auto top = spec.follow ? system.stat(root) : system.lstat(root);
  if (top && top->type == FileType::Directory) walk(walk, root, "", 1);
  return out;
}

std::vector<ManagedResource> files_below(const ManagedResource& r, FileSpec& spec, RunContext& run) {
  std::vector<ManagedResource> out;
  if (!spec.recursive()) return out;
  std::map<std::string, ManagedResource> children;
  auto child = [&](const std::string& relative) -> ManagedResource& {
    auto [it, fresh] = children.try_emplace(relative);
    ManagedResource& c = it->second;
    if (fresh) {
      c.type = r.type;
      c.printed_type = r.printed_type;
      c.title = spec.path == "/" ? "/" + relative : spec.path + "/" + relative;
      static constexpr std::string_view own[] = {"path",   "ensure",  "recurse", "recurselimit", "max_files", "target",  "alias",
                                                 "source", "require", "before",  "notify",       "subscribe", "content", "audit"};
      for (const ManagedAttribute& a : r.attributes)
        if (std::find(std::begin(own), std::end(own), a.name) == std::end(own)) c.attributes.push_back(a);
    }
    return c;
  };
  auto listed = [&](const std::string& path) {
    // As in Puppet all files of a tree are looked at, and the first that cannot be a resource fails the tree.
    std::optional<ResourceError> problem;
    std::vector<std::string> names = list_tree(
        run.system, path, spec, [&](const std::string& file, const std::optional<FileStatus>& status) {
          if (problem) return;
          if (!status)
            problem.emplace(SystemError(ENOENT, file, "rb_file_s_stat").what());
          else if (status->type == FileType::BlockDevice || status->type == FileType::CharacterDevice)
            problem.emplace(fmt::format("Cannot manage files of type {}", file_type_name(status->type)));
        });
    check_file_count(spec, path, names.size(), run);
    if (problem) throw ResourceError(*problem);
    return names;
  };
  if (spec.recurse == FileSpec::Recurse::Local)
    for (const std::string& name : listed(spec.path)) child(name);
  if (spec.target) {
    for (const std::string& name : listed(*spec.target)) {
      ManagedResource& c = child(name);
      auto status = run.system.lstat(*spec.target + "/" + name);
      if (status && status->type == FileType::Directory) {
        c.set("ensure", Value::string("directory"));
      } else {
        c.set("ensure", Value::string("link"));
        c.set("target", string_value(run.arena, *spec.target + "/" + name));
      }
    }
    spec.ensure = "directory";
    spec.target.reset();
  } else if (!spec.sources.empty()) {
    // What is no directory, in trees of servers and of this machine. What another tree has below it would be written where a link leads to.
    // Trees of this machine have Puppet's way with each other; a server must not lead out of the tree, nor be led.
    std::unordered_set<std::string> seen, leaves, own_leaves;
    for (const std::string& source : spec.sources) {
      if (is_of_server(source, run)) {
        const auto tree = run.settings.remote_files->tree(source, view_of(spec));
        if (!tree || tree->front().status.type != FileType::Directory) continue;
        for (const RemoteFile& file : *tree) {
          const std::string above = directory_of(file.relative);
          const bool hidden = leaves.contains(above) || own_leaves.contains(above);
          const bool taken = !hidden && !file.relative.empty() && seen.insert(file.relative).second;
          if (hidden || (taken && file.status.type != FileType::Directory)) leaves.insert(file.relative);
          if (taken) child(file.relative).set("source", string_value(run.arena, source + "/" + file.relative), r.sensitive("source"));
        }
        if (spec.all_sources) continue;
        break;
      }
      FileSource top;
      try {
        top = find_source(spec, {source}, run);
      } catch (const ResourceError&) {
        continue; // retrieve of the resource itself reports a missing source
      }
      if (top.status.type != FileType::Directory) break;
      for (const std::string& name : listed(top.path)) {
        if (leaves.contains(directory_of(name))) leaves.insert(name);
        if (leaves.contains(name) || !seen.insert(name).second) continue;
        if (spec.all_sources) {
          const std::string file = top.path + "/" + name;
          const auto status = spec.follow ? run.system.stat(file) : run.system.lstat(file);
          if (status && status->type != FileType::Directory) own_leaves.insert(name);
        }
        child(name).set("source", string_value(run.arena, source + "/" + name), r.sensitive("source"));
      }
      if (!spec.all_sources) break;
    }
  }
  if (spec.purge && spec.recurse == FileSpec::Recurse::Local)
    for (auto& [name, c] : children)
      if (!c.has("source") && !c.has("target") && !(c.has("ensure"))) c.set("ensure", Value::string("absent"));
  // Leave paths that another file resource manages, and all paths below them, to that resource.
  std::unordered_set<std::string> managed;
  for (ManagedResource* other : run.resources_of("file"))
    if (other != &r) managed.insert(path_of_file(*other));
  for (auto& [name, c] : children) {
    bool taken = false;
    for (std::string at = c.title; at.size() > spec.path.size() && !taken; at = directory_of(at)) taken = managed.contains(at);
    if (!taken) out.push_back(std::move(c));
  }
  return out;
}

} // namespace pupc::runtime
