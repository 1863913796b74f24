#include "tools/server/static_catalog.h"

#include "catalog/base/paths.h"
#include "catalog/base/text.h"
#include "compiler/load/conf_file.h"
#include "tools/server/catalog_endpoint.h"
#include "tools/server/checksums.h"
#include "tools/server/file_metadata.h"
#include "tools/server/responses.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <sys/stat.h>
#include <utility>
#include <vector>

namespace pupc::server {
namespace {

constexpr std::string_view scheme = "puppet:///";

/// "modules/ntp/files/ntp.conf": a file of a module below an environment's directory, relative to that.
bool is_file_of_module(std::string_view relative) {
  const std::vector<std::string_view> parts = path_parts(relative);
  return parts.size() > 3 && parts[2] == "files";
}

/// What a file resource says of its source.
struct Wanted {
  std::vector<std::string> sources;
  FileView view;
  bool recurse = false, all_sources = false;
};

/// The resource's attributes; nothing when it is of a kind whose metadata are not brought.
std::optional<Wanted> wanted_of(const Resource& r, const std::string& checksum_type) {
  Wanted out;
  const auto find = [&](std::string_view name) -> const Param* {
    for (const Param& p : r.parameters())
      if (p.name.str() == name) return &p;
    return nullptr;
  };
  const auto text = [&](const char* name) -> std::string_view {
    const Param* p = find(name);
    return p != nullptr && p->value.is_string() ? p->value.str() : std::string_view();
  };
  const auto number = [&](const char* name, int64_t otherwise) {
    const Param* p = find(name);
    return p != nullptr && p->value.is_int() ? p->value.i : otherwise;
  };
  const auto texts = [&](const char* name, std::vector<std::string>& into) {
    const Param* p = find(name);
    if (p == nullptr || p->value.is_undef()) return true;
    if ((p->flags & Param::sensitive) != 0) return false;
    if (p->value.is_string()) into.emplace_back(p->value.str());
    if (p->value.is_list())
      for (const Value& one : p->value.items()) {
        if (!one.is_string()) return false;
        into.emplace_back(one.str());
      }
    return p->value.is_string() || p->value.is_list();
  };
  if (text("ensure") == "absent" || !texts("source", out.sources) || out.sources.empty()) return std::nullopt;
  for (std::string& source : out.sources) {
    if (!source.starts_with(scheme)) return std::nullopt; // also those of another server, which only the agent asks
    while (source.ends_with('/')) source.pop_back();
  }
  if (!texts("ignore", out.view.ignore)) return std::nullopt;
  const Param* recurse = find("recurse");
  out.recurse = recurse != nullptr &&
                ((recurse->value.is_bool() && recurse->value.b) || text("recurse") == "true" || text("recurse") == "remote");
  out.all_sources = text("sourceselect") == "all";
  out.view.recurse = out.recurse;
  out.view.follow = text("links") == "follow";
  out.view.checksum = text("checksum").empty() ? checksum_type : std::string(text("checksum"));
  if (!known_checksum(out.view.checksum)) return std::nullopt; // a time, which differs on each machine
  out.view.own_permissions = text("source_permissions").empty() || text("source_permissions") == "ignore";
  out.view.depth = number("recurselimit", -1);
  out.view.most = number("max_files", 0);
  return out;
}

/// Puts the metadata of one catalog's files together.
class Inliner {
public:
  Inliner(Core& core, const Environment& environment, std::string node, std::shared_ptr<const CodeVersions::Files> files)
      : core_(core), environment_(environment), node_(std::move(node)), files_(std::move(files)), top_(environment.options().path + "/") {}

  /// The metadata of the resource's file as JSON; "" when they cannot be brought.
  std::string one(const Wanted& wanted) const {
    for (const std::string& source : wanted.sources) {
      const MountedPath mounted = mounted_at(source);
      if (mounted.found().empty()) continue;
      const auto uri = content_uri(source, mounted.found());
      std::string out;
      JsonWriter w(out);
      if (!uri || !same_content(mounted, mounted.found(), wanted.view) ||
          !write_file_metadata(w, mounted, wanted.view, mounted.found(), "", {*uri, source}))
        return {};
      return out;
    }
    return {};
  }

  /// The same for a tree: lists by their sources.
  std::string tree(const Wanted& wanted) const {
    std::string out;
    JsonWriter w(out);
    w.begin_object();
    bool any = false;
    for (const std::string& source : wanted.sources) {
      const MountedPath mounted = mounted_at(source);
      if (mounted.found().empty()) continue;
      const std::string& root = mounted.found();
      const auto uri = content_uri(source, root);
      if (!uri || !same_content(mounted, root, wanted.view)) return {};
      w.key(source);
      w.begin_array();
      if (!write_file_metadata(w, mounted, wanted.view, root, ".", {*uri, {}})) return {};
      for (const ListedFile& file : files_below(mounted, root, wanted.view))
        if (!same_content(mounted, root + "/" + file.name, wanted.view) ||
            !write_file_metadata(w, mounted, wanted.view, root, file, {*uri + "/" + file.name, {}}))
          return {};
      w.end_array();
      any = true;
      if (!wanted.all_sources) break;
    }
    w.end_object();
    return any ? out : std::string();
  }

private:
  MountedPath mounted_at(const std::string& source) const {
    return {environment_, core_.mounts, std::string_view(source).substr(scheme.size()), node_};
  }

  /// Where the content is asked for: the path below the environment's directory.
  std::optional<std::string> content_uri(std::string_view source, const std::string& path) const {
    if (!source.substr(scheme.size()).starts_with("modules/") || !path.starts_with(top_)) return std::nullopt;
    const std::string_view relative = std::string_view(path).substr(top_.size());
    return is_file_of_module(relative) ? std::optional(fmt::format("{}{}", scheme, relative)) : std::nullopt;
  }

  /// Whether what is on disk is that of the commit. Directories and links, which have no content, are.
  bool same_content(const MountedPath& mounted, const std::string& path, const FileView& view) const {
    struct stat info {};
    if ((view.follow ? ::stat(path.c_str(), &info) : ::lstat(path.c_str(), &info)) != 0) return false;
    if (!S_ISREG(info.st_mode)) return true;
    const auto at_commit = files_->find(path.substr(top_.size()));
    if (at_commit == files_->end()) return false;
    const auto now = git_id_of(mounted, path);
    return now && *now == at_commit->second;
  }

  Core& core_;
  const Environment& environment_;
  std::string node_;
  std::shared_ptr<const CodeVersions::Files> files_;
  std::string top_;
};

/// Whether puppetserver takes the path: "modules/NAME/files/…", or another of the folders that agents may read.
bool valid_static_path(std::string_view path) {
  const std::vector<std::string_view> parts = path_parts(path);
  static constexpr std::string_view folders[] = {"files", "tasks", "scripts", "lib"};
  return parts.size() > 3 && std::ranges::find(folders, parts[2]) != std::end(folders);
}

http::Response refused(unsigned status, std::string text) { return text_response(status, std::move(text), "text/plain"); }

} // namespace

bool may_be_static(const Core& core, const EnvironmentOptions& environment) {
  const std::string file = environment.path + "/environment.conf";
  if (const auto text = read_whole_file(file)) try {
      const ConfFile conf = read_conf(*text, file);
      if (const ConfSetting* own = conf.find("main", "static_catalogs"); own != nullptr) return own->value == "true";
    } catch (const CompileError&) {
      return false; // the compile says so
    }
  return core.settings.compile.configuration.truth("static_catalogs");
}

std::string common_checksum_type(std::string_view types) {
  for (std::string_view rest = types; !rest.empty();) {
    const size_t end = std::min(rest.find('.'), rest.size());
    if (known_checksum(rest.substr(0, end))) return std::string(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  server_error(fmt::format("Unable to find a common checksum type between agent '{}' and master '[:sha256, :sha256lite, :md5, :md5lite, "
                           ":sha1, :sha1lite, :sha512, :sha384, :sha224, :none]'.",
                           types));
}

std::function<void(JsonWriter&)> static_members(Core& core, const Environment& environment, Catalog& catalog, const std::string& commit,
                                                const std::string& checksum_type) {
  auto files = core.code.files(environment.options().path, commit);
  if (files == nullptr) return {};
  const Inliner inliner(core, environment, catalog.name, std::move(files));
  std::vector<std::pair<std::string, std::string>> ones, trees;
  const TypeId type = catalog.find_type("file");
  for (ResourceId id = 0; type != Catalog::no_type && id < catalog.size(); ++id) {
    const Resource& r = catalog[id];
    if (r.type != type || r.has(Resource::is_virtual) || r.find(sym::source) == nullptr) continue;
    const auto wanted = wanted_of(r, checksum_type);
    if (!wanted) continue;
    std::string text = wanted->recurse ? inliner.tree(*wanted) : inliner.one(*wanted);
    if (!text.empty()) (wanted->recurse ? trees : ones).emplace_back(r.title, std::move(text));
  }
  return [ones = std::move(ones), trees = std::move(trees)](JsonWriter& w) {
    const auto write = [&](const char* name, const auto& members) {
      if (members.empty()) return;
      w.key(name);
      w.begin_object();
      for (const auto& [title, text] : members) {
        w.key(title);
        w.raw([&text = text](std::string& out) { out += text; });
      }
      w.end_object();
    };
    write("metadata", ones);
    write("recursive_metadata", trees);
  };
}

http::Response answer_static_file_content(Call& call) {
  Core& core = *call.core;
  const std::string environment(call.target.query.get("environment"));
  const std::string code_id(call.target.query.get("code_id"));
  const std::string_view prefix = "/puppet/v3/static_file_content/";
  const std::string path = call.target.path.size() > prefix.size() ? call.target.path.substr(prefix.size()) : std::string();
  if (environment.empty() || code_id.empty() || path.empty())
    return refused(400, "Error: A /static_file_content request requires an environment, a code-id, and a file-path");
  if (!valid_environment_name(environment))
    return refused(400, fmt::format("The environment must be purely alphanumeric, not '{}'", environment));
  if (!valid_code_id(code_id)) return refused(400, fmt::format("Invalid code-id '{}'. Must be the id of a git commit", code_id));
  if (!valid_static_path(path))
    return refused(403, "Request Denied: A /static_file_content request must be a file within the files, lib, scripts, or tasks directory "
                        "of a module.");
  const auto missing = [&]() -> http::Response {
    return refused(404, fmt::format("Could not find {} of the environment '{}' at the commit {}\n", path, environment, code_id));
  };
  const std::string directory = core.directory_of(environment);
  if (directory.empty()) return missing();
  const auto files = core.code.files(directory, code_id);
  if (files == nullptr || !files->contains(path)) return missing();
  auto content = CodeVersions::content(directory, code_id, path);
  if (!content) return missing();
  return text_response(200, std::move(*content), "application/octet-stream");
}

} // namespace pupc::server
