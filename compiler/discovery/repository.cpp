#include "compiler/discovery/repository.h"

#include "catalog/base/paths.h"
#include "catalog/base/text.h"
#include "catalog/formats/data_file.h"
#include "compiler/discovery/exists.h"
#include "compiler/discovery/gitignore.h"
#include "compiler/load/directory_environment.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <unordered_set>

namespace pupc::compiler {
namespace {

std::string parent_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos || slash == 0 ? "/" : path.substr(0, slash);
}

std::string inside(std::string_view folder, std::string_view name) {
  std::string path;
  path.reserve(folder.size() + 1 + name.size());
  path.append(folder).append("/").append(name);
  return path;
}

std::string name_of_path(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

bool is_module_name(std::string_view name) {
  return !name.empty() && name[0] >= 'a' && name[0] <= 'z' &&
         std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

/// "author-name" and "author/name" without the author.
std::string without_author(std::string_view name) {
  const size_t cut = name.find_first_of("/-");
  return std::string(cut == std::string_view::npos ? name : name.substr(cut + 1));
}

/// The metadata of the module in a folder, read once; null when there is none.
std::shared_ptr<const ModuleMetadata> metadata_in(const std::string& folder, EnvironmentExtras& extras) {
  const auto [at, fresh] = extras.metadata.try_emplace(folder);
  if (fresh) at->second = read_module_metadata(folder);
  return at->second;
}

/// The module in a folder. Its name is that in its metadata, else the folder's.
EnvironmentExtras::NamedModule named_module(const std::string& folder, EnvironmentExtras& extras) {
  const auto metadata = metadata_in(folder, extras);
  if (metadata && !metadata->error && metadata->root.is_hash())
    if (const Value* name = metadata->root.hash->find("name"); name != nullptr && name->is_string())
      return {without_author(name->str()), folder};
  std::string name = name_of_path(folder);
  for (std::string_view prefix : {"puppetlabs-", "puppet-module-", "puppet-"})
    if (name.starts_with(prefix)) return {name.substr(prefix.size()), folder};
  if (!is_module_name(name)) name = without_author(name);
  return {std::move(name), folder};
}

/// What folders are, each looked at once: files of one folder share the folders above them.
class Places {
public:
  explicit Places(const DirectoryListing& listing) : listing_(listing) {}

  bool is_module(const std::string& folder) {
    return known(modules_, folder, [&] {
      for (const char* part : {"/manifests", "/lib/puppet", "/functions", "/types"})
        if (listing_.is_directory(folder + part)) return true;
      return listing_.exists(folder + "/metadata.json");
    });
  }

  bool is_environment(const std::string& folder) {
    return known(environments_, folder, [&] {
      if (listing_.exists(folder + "/environment.conf")) return true;
      // A module may have a Puppetfile for its tests, and what its tests need in spec/fixtures looks like an environment.
      if (listing_.exists(folder + "/metadata.json") || folder.ends_with("/spec/fixtures")) return false;
      if (listing_.exists(folder + "/Puppetfile")) return true;
      for (const char* modules : {"/modules", "/site-modules", "/site"})
        if (listing_.is_directory(folder + modules) &&
            (listing_.is_directory(folder + "/manifests") || listing_.exists(folder + "/hiera.yaml")))
          return true;
      return false;
    });
  }

private:
  using Answers = std::unordered_map<std::string, bool>;
  template <class F> static bool known(Answers& answers, const std::string& folder, F look) {
    auto at = answers.find(folder);
    if (at == answers.end()) at = answers.emplace(folder, look()).first;
    return at->second;
  }
  const DirectoryListing& listing_;
  Answers modules_, environments_;
};

/// The kind of a file with this name in this folder; nothing for one that validate does not read.
std::optional<FileKind> kind_of_file(std::string_view folder, std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == 0) return std::nullopt; // a hidden file
  if (dot == std::string_view::npos) return name == "Puppetfile" ? std::optional(FileKind::Puppetfile) : std::nullopt;
  const std::string_view end = name.substr(dot + 1);
  if (end == "pp") return FileKind::Manifest;
  if (end == "epp") return FileKind::Epp;
  if (end == "erb") return FileKind::Erb;
  if (end == "yaml") return name == "hiera.yaml" ? FileKind::HieraConfig : FileKind::Yaml;
  if (end == "yml" || end == "eyaml") return FileKind::Yaml;
  if (end == "json") {
    if (name == "metadata.json") return FileKind::Metadata;
    return folder.ends_with("/tasks") ? FileKind::TaskMetadata : FileKind::Json;
  }
  if (end == "rb") {
    bool code = false;
    for (size_t lib = 0; (lib = folder.find("/lib/", lib)) != std::string_view::npos; ++lib) {
      const std::string_view inside = folder.substr(lib + 5);
      if (inside.starts_with("puppet/functions") || inside == "puppet/parser/functions") return FileKind::RubyFunction;
      const std::string_view top = inside.substr(0, inside.find('/'));
      code = code || top == "puppet" || top == "facter" || top == "puppet_x";
    }
    return code ? std::optional(FileKind::RubyCode) : std::nullopt;
  }
  if (name == "environment.conf") return FileKind::EnvironmentConf;
  if (end == "conf" && (folder.ends_with("/data") || folder.find("/data/") != std::string_view::npos)) return FileKind::Hocon;
  if (end == "hocon") return FileKind::Hocon;
  return std::nullopt;
}

class Walk {
public:
  Walk(std::vector<RepositoryFile>& files, EnvironmentExtras& extras, Places& places) : files_(files), extras_(extras), places_(places) {}

  void directory(const std::string& shown, const std::string& path) {
    top_ = path;
    shown_ = shown;
    path_ = path;
    visit(Descriptor(), 0);
  }

private:
  struct Ignores {
    std::string directory;
    GitIgnore patterns;
  };

  bool ignored(const std::string& path, bool is_dir) const {
    for (auto i = ignores_.rbegin(); i != ignores_.rend(); ++i) {
      const auto verdict = i->patterns.verdict(std::string_view(path).substr(i->directory.size() + 1), is_dir);
      if (verdict != GitIgnore::Verdict::Unknown) return verdict == GitIgnore::Verdict::Ignored;
    }
    return false;
  }

  /// Adds the files below `path_`, which `above` is the directory around, in the order of their paths.
  void visit(const Descriptor& above, int depth) {
    if (depth > 128) return;
    const size_t outer = ignores_.size(), length = path_.size();
    Descriptor here;
    const DirectoryListing::Entries entries = extras_.listing->list(path_, above, here);
    if (std::any_of(entries.begin(), entries.end(), [](const DirectoryEntry& e) { return e.name == ".gitignore"; }))
      if (auto text = read_whole_file(path_ + "/.gitignore")) ignores_.push_back({path_, GitIgnore(*text)});
    for (const DirectoryEntry& e : entries) {
      // Links to files are files; links to directories are not entered: they may form a cycle.
      if (e.name[0] == '.' || e.kind == DirectoryEntry::Kind::Other) continue;
      if (e.kind == DirectoryEntry::Kind::Directory) {
        // Skip the modules that tests fetch: they are other people's code.
        if (e.name == "fixtures" && path_.ends_with("/spec")) continue;
        if (e.name == "vendor" && extras_.listing->exists(path_ + "/Gemfile")) continue;
        path_.append("/").append(e.name);
        if (!ignored(path_, true)) visit(here, depth + 1);
        path_.resize(length);
      } else if (const auto kind = kind_of_file(path_, e.name)) {
        add_file(e.name, *kind);
      }
    }
    ignores_.erase(ignores_.begin() + static_cast<ptrdiff_t>(outer), ignores_.end());
  }

  /// Adds a file in `path_`, if it is not ignored and validate reads such files there.
  void add_file(std::string_view name, FileKind kind) {
    // Only files in the data folders are Hiera data: other YAML, JSON and HOCON files have a structure of their own.
    const bool data = kind == FileKind::Yaml || kind == FileKind::Json || kind == FileKind::Hocon;
    if (data && !below(path_, {"/data", "/hieradata"}, name, true)) return;
    // What is served or rendered is no code of Puppet's: modules of SELinux have files of this name, too.
    if (kind == FileKind::Manifest && below(path_, {"/files", "/templates"}, name, false)) return;
    std::string path = inside(path_, name);
    if (ignored(path, false)) return;
    // Examples and tests may follow the formats of other versions, so check only the files at their proper places.
    if (kind == FileKind::HieraConfig && path_ != top_ && !places_.is_module(path_) && !places_.is_environment(path_)) return;
    if (kind == FileKind::Metadata && path_ != top_ && !places_.is_module(path_)) return;
    const std::string_view below = std::string_view(path).substr(top_.size());
    // Names in the current directory need no ./ before them.
    std::string shown = shown_ == "." ? std::string(below.substr(1)) : inside(shown_ == "/" ? std::string_view() : shown_, below.substr(1));
    files_.push_back({std::move(shown), std::move(path), kind, data, kind == FileKind::Metadata ? metadata_in(path_, extras_) : nullptr});
  }

  /// Whether the path is below a folder of one of these names of an environment or a module. `hiera`: so that Hiera reads the file there.
  bool below(const std::string& path, std::initializer_list<std::string_view> folders, std::string_view name, bool hiera) const {
    for (std::string_view folder : folders) {
      for (size_t at = 0; (at = path.find(folder, at)) != std::string::npos; ++at) {
        const size_t end = at + folder.size();
        if (end < path.size() && path[end] != '/') continue;
        const std::string owner = path.substr(0, at);
        if (places_.is_environment(owner) || (owner == top_ && extras_.listing->exists(owner + "/hiera.yaml"))) return true;
        if (!places_.is_module(owner)) continue;
        if (!hiera || owner == top_ || extras_.listing->exists(owner + "/hiera.yaml")) return true;
        // Without a hiera.yaml of its own this file is all that Puppet reads of a module.
        if (name == "common.yaml" && path.size() == end && folder == "/data") return true;
      }
    }
    return false;
  }

  std::vector<RepositoryFile>& files_;
  EnvironmentExtras& extras_;
  Places& places_;
  std::vector<Ignores> ignores_;
  std::string top_, shown_; // the directory that was given, as a path and as findings show it
  std::string path_;        // of the directory that is being visited
};

bool has_entries(const std::string& directory) {
  std::error_code ignored;
  return !std::filesystem::is_empty(directory, ignored) && !ignored;
}

/// The folders of git's submodules, as the repository's .gitmodules names them.
std::vector<std::string> submodules_of(const std::string& folder) {
  std::vector<std::string> out;
  const auto text = read_whole_file(folder + "/.gitmodules");
  for (size_t begin = 0; text && begin < text->size();) {
    const size_t end = std::min(text->find('\n', begin), text->size());
    const std::string_view line = trimmed(std::string_view(*text).substr(begin, end - begin));
    begin = end + 1;
    if (const size_t equals = line.find('='); equals != std::string_view::npos && trimmed(line.substr(0, equals)) == "path")
      out.emplace_back(trimmed(line.substr(equals + 1)));
  }
  return out;
}

void use_environment(Repository& r, const std::string& folder) {
  r.root = folder;
  r.whole = true;
  try {
    r.environment = environment_of_directory(folder, {}, nullptr);
  } catch (const CompileError&) { // the check of environment.conf reports it
    r.environment.path = folder;
    r.environment.modulepath = {folder + "/modules"};
  }
  PuppetfileModules listed;
  if (auto text = read_whole_file(folder + "/Puppetfile")) listed = read_puppetfile(*text);
  if (!exists(folder + "/environment.conf"))
    for (const char* other : {"site-modules", "site", "dist", "local"})
      if (is_directory(folder + "/" + other)) r.environment.modulepath.push_back(folder + "/" + other);
  const std::string fetched = absolute_path(listed.directory, folder);
  auto& path = r.environment.modulepath;
  if (is_directory(fetched) && std::find(path.begin(), path.end(), fetched) == path.end()) path.push_back(fetched);
  for (size_t i = 0; i < listed.names.size(); ++i) {
    const std::string& name = listed.names[i];
    const std::string directory = listed.directory_of(i);
    if (!directory.empty()) r.dependencies.insert(absolute_path(directory, folder) + "/" + name);
    const bool here = std::any_of(path.begin(), path.end(), [&](const std::string& d) { return has_entries(d + "/" + name); });
    if (!here) r.missing.insert(name);
    if (name == "stdlib") r.old_stdlib = std::atoi(listed.version_of(i).c_str()) < 9 && !listed.version_of(i).empty();
  }
  // A submodule of git that is not fetched is an empty folder.
  for (const std::string& at : submodules_of(folder)) {
    const std::string module = absolute_path(at, folder);
    if (std::find(path.begin(), path.end(), parent_of(module)) != path.end() && !has_entries(module))
      r.missing.insert(name_of_path(module));
  }
  // The `manifest` setting says where the environment's own manifests are.
  if (!exists(r.environment.manifest)) r.environment.manifest.clear();
}

/// Makes a module known by its name; empty when that is none.
std::string add_module(Repository& r, const std::string& folder, EnvironmentExtras& extras) {
  EnvironmentExtras::NamedModule module = named_module(folder, extras);
  if (!is_module_name(module.name)) return {};
  r.extras.named_modules.push_back(std::move(module));
  return r.extras.named_modules.back().name;
}

/// The same, with the modules that it stands beside and those that its tests fetched.
void use_module(Repository& r, const std::string& folder, EnvironmentExtras& extras) {
  const std::string name = add_module(r, folder, extras);
  if (name.empty()) return;
  auto add = [&](const std::string& directory) {
    auto& path = r.environment.modulepath;
    if (is_directory(directory) && std::find(path.begin(), path.end(), directory) == path.end()) path.push_back(directory);
  };
  add(folder + "/spec/fixtures/modules");
  const std::string above = parent_of(folder);
  if (name_of_path(folder) == name && (name_of_path(above).ends_with("modules") || name_of_path(above) == "site")) add(above);
}

} // namespace

std::vector<std::string> other_manifests(const Repository& repository, const std::vector<std::string>& modules) {
  std::unordered_set<std::string> asked;
  for (const RepositoryFile& f : repository.files) asked.insert(f.path);
  using Identity = std::pair<dev_t, ino_t>;
  auto identity = [](const std::string& path) {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 ? Identity(info.st_dev, info.st_ino) : Identity(0, 0);
  };
  std::optional<std::set<Identity>> same; // identities of the files asked about: links give a file several paths
  std::vector<std::string> out;
  auto add = [&](const std::string& path) {
    if (!path.ends_with(".pp") || asked.contains(path)) return;
    if (!same) {
      same.emplace();
      for (const RepositoryFile& f : repository.files) same->insert(identity(f.path));
    }
    if (same->insert(identity(path)).second) out.push_back(path);
  };
  auto below = [&](auto&& self, const std::string& directory, int depth) -> void {
    if (depth > 64) return;
    for (const DirectoryEntry& e : repository.extras.listing->list(directory)) {
      if (e.name[0] == '.' || e.kind == DirectoryEntry::Kind::Other) continue;
      if (e.kind == DirectoryEntry::Kind::Directory)
        self(self, inside(directory, e.name), depth + 1);
      else
        add(inside(directory, e.name));
    }
  };
  for (const std::string& module : modules)
    for (const char* folder : {"/manifests", "/functions"}) below(below, module + folder, 0);
  const std::string& main = repository.environment.manifest;
  if (is_directory(main))
    below(below, main, 0);
  else if (!main.empty())
    add(main);
  return out;
}

std::optional<FileKind> kind_of_file(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? kind_of_file("/", path) : kind_of_file(path.substr(0, slash), path.substr(slash + 1));
}

namespace {

/// The text behind `word` and => or : in a statement, without quotes; empty when it is not there.
std::string_view option_of(std::string_view statement, std::string_view word) {
  for (size_t at = 0; (at = statement.find(word, at)) != std::string_view::npos; at += word.size()) {
    if (at > 0 && statement[at - 1] != ':' && statement[at - 1] != ' ' && statement[at - 1] != '\t' && statement[at - 1] != '\n' &&
        statement[at - 1] != ',' && statement[at - 1] != '\'' && statement[at - 1] != '"')
      continue;
    std::string_view rest = statement.substr(at + word.size());
    rest.remove_prefix(std::min(rest.find_first_not_of("'\" \t"), rest.size()));
    if (rest.starts_with("=>"))
      rest.remove_prefix(2);
    else if (rest.starts_with(":"))
      rest.remove_prefix(1);
    else
      continue;
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\n"), rest.size()));
    const char quote = rest.empty() ? '\0' : rest[0];
    if (quote == '\'' || quote == '"') return rest.substr(1, rest.find(quote, 1) - 1);
    return rest.substr(0, rest.find_first_of(", \t\r\n#)"));
  }
  return {};
}

} // namespace

PuppetfileModules read_puppetfile(std::string_view text) {
  PuppetfileModules out;
  std::string statement; // the lines of a `mod` so far
  auto end_statement = [&] {
    if (!statement.empty()) out.statements.push_back(std::move(statement));
    statement.clear();
  };
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    while (!line.empty() && (line[0] == ' ' || line[0] == '\t')) line.remove_prefix(1);
    if (line.starts_with('#')) continue;
    const bool directory = line.starts_with("moduledir");
    const bool module = line.starts_with("mod ") || line.starts_with("mod(") || line.starts_with("mod\t");
    if (directory || module || line.starts_with("forge")) end_statement();
    if (!statement.empty()) statement.append("\n").append(line);
    if (!directory && !module) continue;
    const size_t open = line.find_first_of("'\"");
    if (open == std::string_view::npos) continue;
    const size_t close = line.find(line[open], open + 1);
    if (close == std::string_view::npos) continue;
    const std::string_view value = line.substr(open + 1, close - open - 1);
    if (directory) {
      out.directory = value;
    } else {
      out.names.push_back(without_author(value));
      statement = line;
    }
  }
  end_statement();
  return out;
}

std::string PuppetfileModules::version_of(size_t module) const {
  if (module >= statements.size() || statements.size() != names.size()) return {};
  const std::string_view statement = statements[module];
  std::string_view version;
  for (std::string_view option : {"tag", "ref"})
    if (version.empty()) version = option_of(statement, option);
  const size_t open = statement.find_first_of("'\""),
               close = open == std::string_view::npos ? open : statement.find(statement[open], open + 1);
  if (version.empty() && close != std::string_view::npos) { // mod 'name', 'version'
    std::string_view rest = statement.substr(close + 1);
    rest.remove_prefix(std::min(rest.find_first_not_of(" ,\t\n"), rest.size()));
    const size_t end = rest.empty() || (rest[0] != '\'' && rest[0] != '"') ? std::string_view::npos : rest.find(rest[0], 1);
    if (end != std::string_view::npos) version = rest.substr(1, end - 1);
  }
  version.remove_prefix(std::min(version.find_first_not_of("v=>~ "), version.size()));
  return std::isdigit(static_cast<unsigned char>(version.empty() ? 'x' : version[0])) ? std::string(version) : std::string();
}

std::string PuppetfileModules::directory_of(size_t module) const {
  if (module >= statements.size() || statements.size() != names.size()) return directory;
  if (option_of(statements[module], "local") == "true") return {};
  const std::string_view own = option_of(statements[module], "install_path");
  return own.empty() ? directory : std::string(own);
}

namespace {

/// Sorts the paths on the command line and the files below them into repositories.
class Discovery {
public:
  /// `many`: so many paths are given that what one list of a directory tells is cheaper than to ask for each. `owners`: whether to look for
  /// what a file that is named belongs to.
  Discovery(const std::vector<std::string>& modulepath, bool many, bool owners)
      : modulepath_(modulepath), many_(many), owners_wanted_(owners) {}

  bool is_directory(const std::string& path) {
    if (!many_) return pupc::compiler::is_directory(path);
    stand_beside(path);
    const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
    const DirectoryEntry* entry = DirectoryListing::find(last_.entries, name);
    if (entry != nullptr && entry->kind == DirectoryEntry::Kind::File) return false;
    return common_.listing->is_directory(path);
  }

  void add_file(const std::string& given, const std::string& path, bool alone) {
    if (given != "-" && !alone && !seen_.insert(path).second) return;
    stand_beside(path);
    if (!last_.repository) {
      const Repository& r = repository_of(owners_wanted_ ? owner_of(last_.folder) : Owner{});
      last_.repository = static_cast<size_t>(&r - repositories_.data());
    }
    repositories_[*last_.repository].files.push_back({given, path, pupc::compiler::kind_of_file(path).value_or(FileKind::Manifest), false});
  }

  void add_directory(const std::string& given, const std::string& path, bool alone) {
    std::string shown = given;
    while (shown.size() > 1 && shown.ends_with('/')) shown.pop_back();
    std::vector<RepositoryFile> found;
    Walk(found, common_, places_).directory(shown, path);
    if (!alone) std::erase_if(found, [&](const RepositoryFile& f) { return !seen_.insert(f.path).second; });
    const Owner owner = owner_of(path);
    std::vector<std::string> inner; // environments in it
    if (owner.environment.empty() && modulepath_.empty()) inner = use_inner(path, found, owner.module.empty());
    for (RepositoryFile& f : found) {
      const auto root = std::find_if(inner.begin(), inner.end(), [&](const std::string& folder) { return is_below(f.path, folder); });
      repository_of(root == inner.end() ? owner : Owner{*root, ""}).files.push_back(std::move(f));
    }
  }

  std::vector<Repository> take() {
    if (repositories_.empty()) repository_of({});
    for (Repository& r : repositories_) {
      r.extras.metadata = common_.metadata;
      r.extras.listing = common_.listing;
      stand_for_environment(r);
      if (modulepath_.empty()) continue;
      r.whole = true;
      r.environment.modulepath = modulepath_;
    }
    return std::move(repositories_);
  }

private:
  /// A manifest that is neither in an environment nor in a module is what `compile` would take as the main manifest.
  void stand_for_environment(Repository& r) {
    if (!r.root.empty() || r.files.size() != 1 || !r.extras.named_modules.empty()) return;
    const RepositoryFile& file = r.files.front();
    const bool in_module = std::ranges::any_of(modulepath_, [&](const std::string& d) { return is_below(file.path, absolute_path(d)); });
    if (file.kind == FileKind::Manifest && file.shown != "-" && !in_module) r.environment.manifest = file.path;
  }

  /// Turns to the folder of a path. Files of one folder mostly follow each other.
  void stand_beside(const std::string& path) {
    const size_t slash = path.rfind('/');
    if (slash != std::string::npos && slash > 0 && std::string_view(path).substr(0, slash) == last_.folder) return;
    last_ = {parent_of(path), {}, std::nullopt};
    if (many_) last_.entries = common_.listing->list(last_.folder);
  }

  /// The environment or the module that a folder is in; at most one of them is set.
  struct Owner {
    std::string environment, module;
  };

  /// Folders share what is around them, so each is looked at once.
  const Owner& owner_of(const std::string& folder) {
    static const Owner nobody;
    if (folder.size() <= 1 || !modulepath_.empty()) return nobody;
    if (const auto known = owners_.find(folder); known != owners_.end()) return known->second;
    Owner owner = owner_of(parent_of(folder));
    if (places_.is_environment(folder))
      owner = {folder, ""};
    else if (owner.environment.empty() && places_.is_module(folder))
      owner.module = folder;
    return owners_.emplace(folder, std::move(owner)).first->second;
  }

  /// The repository of an environment, or that of all files in none.
  Repository& repository_of(const Owner& owner) {
    const auto [at, fresh] = by_environment_.try_emplace(owner.environment, repositories_.size());
    if (fresh) {
      repositories_.emplace_back();
      if (!owner.environment.empty()) use_environment(repositories_.back(), owner.environment);
    }
    Repository& r = repositories_[at->second];
    if (!owner.module.empty() && modules_.insert(owner.module).second) use_module(r, owner.module, common_);
    return r;
  }

  /// The environments that files below a folder are in, which is itself in none. With `modules` it is not in a module either, and modules
  /// in it become known, however deep they are.
  std::vector<std::string> use_inner(const std::string& top, const std::vector<RepositoryFile>& files, bool modules) {
    std::vector<std::string> environments;
    std::unordered_map<std::string, bool> owned; // folders below `top`, and whether they are an environment or a module, or are in one
    auto look = [&](auto&& self, const std::string& folder) -> bool {
      if (folder.size() <= top.size()) return false;
      if (const auto known = owned.find(folder); known != owned.end()) return known->second;
      bool is = self(self, parent_of(folder));
      if (!is && places_.is_environment(folder)) {
        environments.push_back(folder);
        is = true;
      } else if (!is && modules && places_.is_module(folder)) {
        if (modules_.insert(folder).second) add_module(repository_of({}), folder, common_);
        is = true;
      }
      owned.emplace(folder, is);
      return is;
    };
    for (const RepositoryFile& f : files) look(look, parent_of(f.path));
    return environments;
  }

  /// The folder of the file that was looked at last.
  struct Last {
    std::string folder;
    DirectoryListing::Entries entries;
    std::optional<size_t> repository; // the place of that of its files
  };

  const std::vector<std::string>& modulepath_;
  const bool many_, owners_wanted_;
  EnvironmentExtras common_; // what has been listed and read
  Last last_;
  Places places_{*common_.listing};
  std::vector<Repository> repositories_;
  std::unordered_map<std::string, size_t> by_environment_;
  std::unordered_map<std::string, Owner> owners_;
  std::unordered_set<std::string> modules_; // that are known already
  std::unordered_set<std::string> seen_;    // a file counts once, even if several arguments name it
};

/// Takes the files of modules that the Puppetfile installed out of those to check, unless a path names such a module or something in it.
void leave_out_dependencies(Repository& r, const std::vector<std::string>& paths, const std::string& here) {
  std::set<std::string> folders; // with a / behind each, so that what is in one follows it in order
  for (const std::string& folder : r.dependencies) folders.insert(folder + "/");
  for (const std::string& given : paths) {
    const std::string path = absolute_path(given, here) + "/";
    std::erase_if(folders, [&](const std::string& folder) { return path.starts_with(folder); });
  }
  if (folders.empty()) return;
  std::erase_if(r.files, [&](const RepositoryFile& f) {
    auto after = folders.upper_bound(f.path);
    return after != folders.begin() && f.path.starts_with(*--after);
  });
}

} // namespace

std::vector<Repository> discover(const std::vector<std::string>& paths, const std::vector<std::string>& modulepath, bool all, bool owners) {
  Discovery discovery(modulepath, paths.size() > 16, owners);
  const std::string here = absolute_path(".");
  for (const std::string& given : paths) {
    const std::string path = absolute_path(given, here);
    if (discovery.is_directory(path))
      discovery.add_directory(given, path, paths.size() == 1);
    else
      discovery.add_file(given, path, paths.size() == 1);
  }
  std::vector<Repository> repositories = discovery.take();
  if (!all)
    for (Repository& r : repositories) leave_out_dependencies(r, paths, here);
  return repositories;
}

std::vector<RepositoryFile> discover_files(const std::vector<std::string>& paths, bool all) {
  std::vector<RepositoryFile> files;
  for (Repository& r : discover(paths, {}, all, false)) std::move(r.files.begin(), r.files.end(), std::back_inserter(files));
  return files;
}

} // namespace pupc::compiler
