#include "tools/pupc/diff/revision_change.h"

#include "catalog/base/paths.h"
#include "catalog/base/text.h"
#include "catalog/formats/data_file.h"
#include "catalog/json/rich_data.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace pupc::cli {
namespace {

using namespace catalog;
using namespace compiler;

/// The path below the root; nothing when it is not there. The root itself is "".
std::optional<std::string> below(const std::string& path, const std::string& root) {
  if (path == root) return std::string();
  return is_below(path, root) ? std::optional(path.substr(root.size() + 1)) : std::nullopt;
}

bool has_prefix(const Dependencies::Set& names, const std::string& prefix) {
  if (names.contains(prefix)) return true;
  const std::string inner = prefix + "::";
  const auto at = names.lower_bound(inner);
  return at != names.end() && at->starts_with(inner);
}

bool share(const Dependencies::Set& a, const Dependencies::Set& b) {
  return a.size() < b.size() ? std::ranges::any_of(a, [&](const std::string& one) { return b.contains(one); })
                             : std::ranges::any_of(b, [&](const std::string& one) { return a.contains(one); });
}

std::optional<DataFormat> format_of(std::string_view path) {
  if (path.ends_with(".json")) return DataFormat::Json;
  if (path.ends_with(".conf")) return DataFormat::Hocon;
  if (path.ends_with(".yaml") || path.ends_with(".yml") || path.ends_with(".eyaml")) return DataFormat::Yaml;
  return std::nullopt;
}

std::string text_of(const Value& value, Arena& scratch) {
  std::string out;
  JsonWriter json(out);
  write_rich_value(json, value, scratch);
  return out;
}

} // namespace

RevisionChange::RevisionChange(const std::string& before_root, const std::string& after_root, std::vector<ChangedFile> files,
                               const Environment& before, const Environment& after)
    : before_root_(before_root), after_root_(after_root) {
  place_modules(before_root, after_root, before, after);
  for (const ChangedFile& file : files)
    if (everything_.empty()) take(file);
}

void RevisionChange::place_modules(const std::string& before_root, const std::string& after_root, const Environment& before,
                                   const Environment& after) {
  std::map<std::string, std::string> sides[2];
  for (const auto& [environment, root, found] :
       {std::tuple(&before, &before_root, &sides[0]), std::tuple(&after, &after_root, &sides[1])}) {
    for (const Module& module : environment->modules())
      if (const auto path = below(module.path, *root)) (*found)[*path + "/"] = module.name;
    if (const auto path = below(environment->options().path, *root); path && !path->empty()) environment_ = *path + "/";
    if (const auto path = below(environment->options().manifest, *root)) manifests_.insert(*path);
    if (const auto path = below(environment->options().hiera_config, *root)) manifests_.insert(*path);
  }
  if (sides[0] != sides[1]) everything_ = "the modules differ";
  modules_ = std::move(sides[0]);
}

void RevisionChange::all(std::string_view path) {
  if (everything_.empty()) everything_ = fmt::format("{} differs", path);
}

/// What defines things by its name. False when the folder is none with such files.
bool RevisionChange::take_code(std::string_view inside, std::string_view folder, const std::string& name_space) {
  if (!inside.starts_with(folder) || !inside.ends_with(".pp")) return false;
  inside.remove_prefix(folder.size());
  inside.remove_suffix(3);
  const std::string name = with_replaced(ascii_lower(inside), "/", "::");
  if (folder == "manifests/" && name == "init")
    names_.insert(name_space);
  else
    names_.insert(name_space.empty() ? name : name_space + "::" + name);
  return true;
}

void RevisionChange::take(const ChangedFile& file) {
  const std::string_view path = file.path;
  const std::string_view base = path.substr(path.rfind('/') + 1);
  for (const char* name : {"hiera.yaml", "environment.conf", "metadata.json", "Puppetfile", ".gitattributes", ".gitmodules"})
    if (base == name) return all(path);
  if (!file.plain) return all(path);
  for (const std::string& manifest : manifests_)
    if (path == manifest || is_below(path, manifest)) return all(path);
  contents_.insert(file.path);
  if (file.existed != file.exists) {
    places_.insert(file.path);
    const std::string& without = file.existed ? after_root_ : before_root_;
    std::error_code ignored;
    for (size_t slash = path.rfind('/'); slash != std::string_view::npos && slash != 0; slash = path.rfind('/', slash - 1)) {
      const std::string directory(path.substr(0, slash));
      if (std::filesystem::exists(without + "/" + directory, ignored)) break;
      places_.insert(directory);
    }
  }
  data_[file.path] = compare_data(before_root_, after_root_, file.path);
  // Ruby code of modules serves whoever asks for a function or type of a name, which all compiles do alike.
  const auto ruby = [&](std::string_view inside) { return inside.starts_with("lib/") && !inside.starts_with("lib/facter/"); };
  for (const auto& [folder, name] : modules_) {
    if (!path.starts_with(folder)) continue;
    const std::string_view inside = path.substr(folder.size());
    if (ruby(inside)) return all(path);
    for (const char* code : {"manifests/", "functions/", "types/"})
      if (take_code(inside, code, name)) return;
    return;
  }
  if (!path.starts_with(environment_)) return;
  const std::string_view inside = path.substr(environment_.size());
  if (ruby(inside)) return all(path);
  for (const char* code : {"functions/", "types/"})
    for (const char* name_space : {"", "environment"}) take_code(inside, code, name_space);
}

RevisionChange::Data RevisionChange::compare_data(const std::string& before, const std::string& after, const std::string& path) {
  Data out;
  const auto format = format_of(path);
  out.whole = !format;
  DataFile sides[2];
  const std::string* roots[] = {&before, &after};
  for (int i = 0; i < 2 && !out.whole; ++i) {
    const std::string file = *roots[i] + "/" + path;
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) continue; // then each key differs that the other side has
    load_data_file(file, *format, sides[i]);
    out.whole |= !sides[i].error.empty() || !sides[i].root.is_hash();
  }
  if (out.whole) return out;
  Arena scratch;
  for (int i = 0; i < 2; ++i) {
    const Value& own = sides[i].root;
    const Value& other = sides[1 - i].root;
    if (!own.is_hash()) continue;
    for (const HashEntry& e : own.hash->entries()) {
      const Value* there = other.is_hash() ? other.hash->find(e.key) : nullptr;
      if (there != nullptr && text_of(e.value, scratch) == text_of(*there, scratch)) continue;
      // How all other keys are merged may hang on this.
      if (!e.key.is_string() || e.key.str() == "lookup_options")
        out.whole = true;
      else
        out.keys.insert(std::string(e.key.str()));
    }
  }
  return out;
}

bool RevisionChange::reaches(const Dependencies& looked_at) const {
  if (!everything_.empty() || !looked_at.doubt.empty()) return true;
  if (share(contents_, looked_at.files) || share(places_, looked_at.places)) return true;
  for (const std::string& name : names_)
    if (has_prefix(looked_at.names, name)) return true;
  for (const auto& [path, data] : data_)
    if (looked_at.data.contains(path) && (data.whole || share(data.keys, looked_at.keys))) return true;
  for (const std::string& directory : looked_at.directories)
    for (const std::string& path : places_)
      if (directory.empty() || is_below(path, directory)) return true;
  return false;
}

} // namespace pupc::cli
