#include "compiler/load/modules.h"

#include "catalog/base/paths.h"
#include "catalog/formats/data_file.h"

#include <algorithm>
#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>

namespace pupc::compiler {
namespace {

bool valid_module_name(std::string_view name) {
  if (name.empty() || name[0] < 'a' || name[0] > 'z') return false;
  for (char c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) return false;
  return true;
}

/// The directories in a directory of the modulepath, in order of their names. Most of them are modules.
std::vector<std::string> directories_in(const std::string& directory) {
  std::vector<std::string> names;
  DIR* d = ::opendir(directory.c_str());
  if (!d) return names;
  while (const dirent* e = ::readdir(d)) {
    if (e->d_name[0] == '.') continue;
    if (e->d_type != DT_DIR) { // a link, or a file system that does not report the type
      struct stat info {};
      if ((e->d_type != DT_LNK && e->d_type != DT_UNKNOWN) || ::stat((directory + "/" + e->d_name).c_str(), &info) != 0 ||
          !S_ISDIR(info.st_mode))
        continue;
    }
    names.emplace_back(e->d_name);
  }
  ::closedir(d);
  std::sort(names.begin(), names.end());
  return names;
}

std::string text_of(const Hash& metadata, std::string_view key) {
  const Value* v = metadata.find(key);
  return v && v->is_string() ? std::string(v->str()) : std::string();
}

} // namespace

std::shared_ptr<const ModuleMetadata> read_module_metadata(const std::string& directory) {
  auto text = read_whole_file(directory + "/metadata.json");
  if (!text) return nullptr;
  auto out = std::make_shared<ModuleMetadata>();
  out->text = std::move(*text);
  out->error = read_json(out->text, out->arena, out->root);
  return out;
}

ModuleTable::ModuleTable(const std::vector<std::string>& modulepath, Strict strict, FileWatch& watch, const EnvironmentExtras& extras)
    : strict_(strict), incomplete_(extras.incomplete_modules), watch_(watch), listing_(extras.listing), directories_(modulepath) {
  auto add = [&](std::string name, std::string path) {
    if (by_name_.contains(name)) return false;
    const auto read = extras.metadata.find(path);
    auto metadata = read == extras.metadata.end() ? nullptr : read->second;
    by_name_.emplace(name, places_.size());
    by_path_.emplace(path, places_.size());
    places_.push_back({std::move(name), std::move(path), std::move(metadata)});
    return true;
  };
  for (const auto& module : extras.named_modules) {
    if (!add(module.name, module.path)) continue;
    std::string above = module.path.substr(0, module.path.rfind('/')); // place_of() searches these
    if (std::find(directories_.begin(), directories_.end(), above) == directories_.end()) directories_.push_back(std::move(above));
  }
  for (const auto& directory : modulepath) {
    watch_.note(directory);
    for (const std::string& name : directories_in(directory)) {
      std::string path = directory + "/" + name;
      if (valid_module_name(name) && add(name, path)) continue;
      struct stat info {};
      if (!by_path_.contains(path) && ::stat((path + "/lib").c_str(), &info) == 0 && S_ISDIR(info.st_mode))
        others_.push_back({name, std::move(path), nullptr});
    }
  }
  cells_ = std::make_unique<Cell[]>(places_.size());
}

const ModuleTable::Cell& ModuleTable::load(size_t index) const {
  Cell& cell = cells_[index];
  cell.once.call([&] {
    Module& m = cell.module = {};
    cell.usable = true;
    cell.messages.clear();
    m.name = places_[index].name;
    m.path = places_[index].path;
    auto refuse = [&](std::string message) {
      cell.messages.push_back({LogLevel::Err, {}, std::move(message)});
      cell.usable = incomplete_;
    };
    watch_.note(m.path + "/metadata.json");
    const auto read = places_[index].metadata ? places_[index].metadata : read_module_metadata(m.path);
    if (!read) return;
    const Value& root = read->root;
    if (const auto& error = read->error) {
      // Puppet does not load such a module when strict is error. Loading it is the better choice.
      if (strict_ != Strict::Off)
        cell.messages.push_back({LogLevel::Warning,
                                 {},
                                 fmt::format("{} has an invalid and unparsable metadata.json file. The parse error: {} (file: {})", m.name,
                                             error->message, m.path + "/metadata.json")});
      return;
    }
    if (!root.is_hash() || root.hash->size == 0) return;
    const Hash& metadata = *root.hash;
    for (std::string_view key : {"source", "author", "version", "license", "dependencies"}) {
      const Value* v = metadata.find(key);
      if (!v || v->is_undef()) return refuse(fmt::format("No {} module metadata provided for {}", key, m.name));
    }
    m.has_metadata = true;
    m.version = text_of(metadata, "version");
    m.data_provider = text_of(metadata, "data_provider");
    const Value& dependencies = *metadata.find("dependencies");
    if (!dependencies.is_list())
      return refuse(fmt::format("The value for the key dependencies in the file metadata.json of the module {} must be an array", m.name));
    for (const Value& dependency : dependencies.items()) {
      if (!dependency.is_hash()) continue;
      std::string name = text_of(*dependency.hash, "name");
      size_t cut = name.find_first_of("/-");
      if (cut != std::string::npos) m.dependencies.push_back(name.substr(cut + 1));
    }
  });
  return cell;
}

const Module* ModuleTable::find(std::string_view name, LogSink* log) const { return find_numbered(name, log).module; }

ModuleTable::Numbered ModuleTable::find_numbered(std::string_view name, LogSink* log) const {
  auto it = by_name_.find(name);
  if (it == by_name_.end()) return {};
  const Cell& cell = load(it->second);
  if (log && !cell.messages.empty() && log->first_time(&cell))
    for (const auto& m : cell.messages) log->log(m);
  return {cell.usable ? &cell.module : nullptr, it->second};
}

const std::vector<Module>& ModuleTable::all() const {
  all_once_.call([&] {
    all_.clear();
    for (size_t i = 0; i < places_.size(); ++i)
      if (const Cell& cell = load(i); cell.usable) all_.push_back(cell.module);
  });
  return all_;
}

const ModuleTable::Libraries& ModuleTable::with_library_entry(std::string_view name) const {
  static const Libraries none;
  libraries_once_.call([&] {
    libraries_.clear();
    for (const auto* places : {&places_, &others_})
      for (const Place& place : *places) {
        const std::string folder = place.path + "/lib/puppet";
        watch_.note(folder);
        for (std::string& entry : listing_->names_in(folder)) libraries_[std::move(entry)].push_back(&place);
      }
  });
  const auto found = libraries_.find(name);
  return found == libraries_.end() ? none : found->second;
}

const ModuleTable::Place* ModuleTable::place_of(std::string_view path) const {
  for (const auto& directory : directories_) {
    if (!is_below(path, directory)) continue;
    auto it = by_path_.find(path.substr(0, path.find('/', directory.size() + 1)));
    if (it != by_path_.end()) return &places_[it->second];
  }
  return nullptr;
}

const ModuleTable::Place* ModuleTable::library_of(std::string_view path) const {
  for (const Place& other : others_)
    if (path.starts_with(other.path) && path.substr(other.path.size()).starts_with('/')) return &other;
  return place_of(path);
}

} // namespace pupc::compiler
