#include "runtime/provider/file/file_children.h"

#include "runtime/provider/system_tools.h"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace pupc::runtime {

std::string managed_path(const ManagedResource& r) {
  std::string path = r.text("path", r.title);
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

std::string directory_of(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

std::vector<ManagedResource> children_of(const ManagedResource& r, FileSpec& spec, RunContext& run) {
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
    std::vector<std::string> names = list_tree(run.system, path, spec);
    check_file_count(spec, path, names.size(), run);
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
    std::unordered_set<std::string> seen, leaves; // leaves: of trees of servers, no directories
    for (const std::string& source : spec.sources) {
      if (is_of_server(source, run)) {
        const auto tree = run.settings.remote_files->tree(source, view_of(spec));
        if (!tree || tree->front().status.type != FileType::Directory) continue;
        for (const RemoteFile& file : *tree) {
          // Another tree has a link here: what this one has below it would be written where that leads to.
          const bool hidden = leaves.contains(directory_of(file.relative));
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
        if (!seen.insert(name).second) continue;
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
    if (other != &r) managed.insert(managed_path(*other));
  for (auto& [name, c] : children) {
    bool taken = false;
    for (std::string at = c.title; at.size() > spec.path.size() && !taken; at = directory_of(at)) taken = managed.contains(at);
    if (!taken) out.push_back(std::move(c));
  }
  return out;
}

} // namespace pupc::runtime
