#include "compiler/load/resource_types.h"

#include "catalog/base/paths.h"
#include "catalog/schema/native_types.h"
#include "compiler/load/type_runner.h"
#include "compiler/ruby/types/type_scan.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc::compiler {
namespace {

bool type_name(std::string_view name) {
  if (name.empty() || name[0] < 'a' || name[0] > 'z') return false;
  return std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

std::shared_ptr<const RubyFile> read_file(const std::string& path) {
  auto text = read_whole_file(path);
  return text ? read_ruby_file(path, std::move(*text)) : nullptr;
}

} // namespace

const ResourceTypeInfo* ResourceTypeTable::find(std::string_view name) const {
  if (!type_name(name)) return nullptr;
  Cell& cell = cells_.at(name);
  cell.once.call([&] {
    cell.error.reset();
    load(std::string(name), cell);
  });
  if (cell.error) throw CompileError(*cell.error);
  return cell.info;
}

void ResourceTypeTable::load(const std::string& name, Cell& cell) const {
  if (load_generated(name, cell)) return;
  const ResourceTypeInfo* native = find_native_type(name);
  cell.info = native;
  if (native && native->origin() == TypeOrigin::Core) return;
  load_module_type(name, cell);
}

bool ResourceTypeTable::load_generated(const std::string& name, Cell& cell) const {
  if (environment_path_.empty()) return false;
  std::string path = environment_path_ + "/.resource_types/" + name + ".pp";
  watch_.note(path);
  auto text = read_whole_file(path);
  if (!text) return false;
  std::string error;
  auto type = read_generated_type(path, *text, error);
  if (type && type->name != name) {
    error = fmt::format("produced resource type with the wrong name, expected '{}', actual '{}'", name, type->name);
    type.reset();
  }
  if (!type) {
    Diagnostic d;
    d.code = ErrorCode::load_error;
    d.message = fmt::format("The code loaded from {} does not define the resource type '{}': {}", path, name, error);
    d.file = path;
    cell.error = std::move(d);
    return true;
  }
  cell.owned = type->info();
  cell.info = cell.owned.get();
  return true;
}

std::vector<std::string> ResourceTypeTable::names_in(const ModuleTable::Place& library, std::string_view folder) const {
  const std::string path = fmt::format("{}/lib/puppet/{}", library.path, folder);
  watch_.note(path);
  return modules_.listing().names_in(path);
}

const ResourceTypeTable::TypeFolders& ResourceTypeTable::types() const {
  types_once_.call([&] {
    types_ = {};
    for (const ModuleTable::Place* place : modules_.with_library_entry("type"))
      for (auto& entry : names_in(*place, "type")) {
        if (entry.ends_with(".rb"))
          types_.files.try_emplace(entry.substr(0, entry.size() - 3), place);
        else
          types_.folders[std::move(entry)].push_back(place);
      }
  });
  return types_;
}

const ResourceTypeTable::PlacesByName& ResourceTypeTable::providers() const {
  providers_once_.call([&] {
    providers_.clear();
    for (const ModuleTable::Place* place : modules_.with_library_entry("provider"))
      for (auto& folder : names_in(*place, "provider")) providers_[std::move(folder)].push_back(place);
  });
  return providers_;
}

void ResourceTypeTable::load_module_type(const std::string& name, Cell& cell) const {
  auto found = types().files.find(name);
  if (found == types().files.end()) return;
  const std::string file = found->second->path + "/lib/puppet/type/" + name + ".rb";
  watch_.note(file);
  auto read = kept_ruby_ ? kept_ruby_->read(file) : read_file(file);
  if (!read) return;
  auto finder = [this](const std::string& from, const std::string& required) { return find_required(from, required); };
  auto type = scan_type_file(std::move(read), finder).find(name);
  if (!type) return;
  if (!type->dynamic.empty() && cell.info && cell.info->origin() == TypeOrigin::CoreModule) return;
  std::unique_ptr<const TitleCode> code;
  if (!type->dynamic.empty() || !type->dynamic_titles.empty())
    if (auto runner = runner_.get()) {
      if (type->file.empty()) type->file = file;
      if (runner->run(*type) == TypeRunner::Outcome::Absent) return;
      if (type->title_code) code = runner->title_code(*type);
    }
  std::function<bool()> provided;
  if (!type->resource_api && !type->declares_provider()) provided = [this, name] { return has_provider(name); };
  cell.owned = type->info(std::move(code), std::move(provided));
  cell.info = cell.owned.get();
}

/// The libraries that may have the file of a `require`; null when that is not known. Most are files of Puppet itself, in folders that few
/// modules have.
const ModuleTable::Libraries* ResourceTypeTable::libraries_with(std::string_view required) const {
  static const ModuleTable::Libraries none;
  if (!required.starts_with("puppet/")) return nullptr;
  const std::string_view path = required.substr(7);
  const std::string_view entry = path.substr(0, path.find('/'));
  if (entry.empty() || entry[0] == '.') return nullptr;
  if (entry == "type" && entry.size() < path.size()) {
    const std::string_view inside = path.substr(entry.size() + 1); // file/owner.rb
    const std::string_view folder = inside.substr(0, inside.find('/'));
    if (!folder.empty() && folder[0] != '.' && folder.size() < inside.size()) {
      const auto found = types().folders.find(folder);
      return found == types().folders.end() ? &none : &found->second;
    }
  }
  return &modules_.with_library_entry(entry);
}

/// The file that a `require` in another one means; null when no module has it.
std::shared_ptr<const RubyFile> ResourceTypeTable::find_required(const std::string& from, const std::string& name) const {
  const std::string relative = name.ends_with(".rb") ? name : name + ".rb";
  if (relative.starts_with('/')) return modules_.library_of(relative) ? required_file(relative) : nullptr;
  const auto* own = modules_.library_of(from);
  if (own)
    if (auto found = required_file(own->path + "/lib/" + relative)) return found;
  // Files of other modules are on Ruby's path, too. A name that does not start with puppet belongs to Ruby itself or to a gem.
  if (!relative.starts_with("puppet")) return nullptr;
  const ModuleTable::Libraries* holders = libraries_with(relative);
  if (holders && holders->empty()) return nullptr;
  {
    std::lock_guard lock(required_mutex_);
    if (nowhere_.contains(relative)) return nullptr;
  }
  std::shared_ptr<const RubyFile> file;
  auto look_in = [&](const ModuleTable::Place& place) {
    if (!file && &place != own) file = required_file(place.path + "/lib/" + relative);
  };
  if (holders) {
    for (const ModuleTable::Place* place : *holders)
      if (modules_.is_module(*place)) look_in(*place);
  } else {
    for (const ModuleTable::Place& place : modules_.places()) look_in(place);
  }
  if (file || own == nullptr) return file;
  std::lock_guard lock(required_mutex_);
  nowhere_.insert(relative);
  return nullptr;
}

/// A file that the code of a type requires; null when there is none. The last ones stay for other types.
std::shared_ptr<const RubyFile> ResourceTypeTable::required_file(const std::string& path) const {
  constexpr size_t most_kept = 64;
  if (modules_.listing().lacks(path)) return nullptr;
  watch_.note(path);
  {
    std::lock_guard lock(required_mutex_);
    if (auto known = required_.find(path); known != required_.end()) return known->second;
  }
  auto file = read_file(path);
  if (!file) return nullptr;
  std::lock_guard lock(required_mutex_);
  if (required_.size() >= most_kept) required_.clear();
  required_.emplace(path, file);
  return file;
}

// Whether any module has a provider for the type: a file in the providers' folder that calls `provide`. Other files in such folders are
// base classes, or providers of the Resource API, which add no parameter.
bool ResourceTypeTable::has_provider(const std::string& name) const {
  auto found = providers().find(name);
  if (found == providers().end()) return false;
  for (const ModuleTable::Place* place : found->second) {
    const std::string folder = place->path + "/lib/puppet/provider/" + name;
    watch_.note(folder);
    for (const auto& file : modules_.listing().names_in(folder)) {
      if (!file.ends_with(".rb")) continue;
      watch_.note(folder + "/" + file);
      auto text = read_whole_file(folder + "/" + file);
      if (text && text->find(".provide") != std::string::npos) return true;
    }
  }
  return false;
}

} // namespace pupc::compiler
