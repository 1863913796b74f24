// What the files of data have for a key, and what lookups make of it.
#include "compiler/analysis/data/data_files.h"

#include "catalog/base/paths.h"
#include "catalog/base/text.h"
#include "catalog/formats/data_file.h"
#include "catalog/value/regex.h"
#include "compiler/analysis/codebase/tree_queries.h"

namespace pupc::compiler {

/// Reads the data of a module whose files are not checked: those of its folder, which is all when it has only levels of YAML there.
const DataFiles::OtherModule* DataFiles::other_module(std::string_view key) const {
  const size_t colons = key.find("::");
  if (program_ == nullptr || colons == std::string_view::npos) return nullptr;
  const Module* module = program_->environment().find_module(ascii_lower(key.substr(0, colons)));
  if (module == nullptr) return nullptr;
  const auto [found, is_new] = other_modules_.try_emplace(module);
  OtherModule& other = found->second;
  if (!is_new) return &other;
  const std::string config = module->path + "/hiera.yaml";
  if (configs_.contains(config) || !program_->environment().path_exists(config)) return &other;
  const auto text = read_whole_file(config);
  other.known = text && module->data_provider.empty() && text->find("yaml_data") != std::string::npos;
  for (std::string_view foreign : {"_key", "data_dig", "json_data", "hocon_data", "globs", "eyaml"})
    other.known = other.known && text->find(foreign) == std::string::npos;
  if (const size_t datadir = text ? text->find("datadir:") : std::string::npos; datadir != std::string::npos)
    other.known = other.known &&
                  one_of("data|'data'|\"data\"", trimmed(text->substr(datadir + 8, text->find('\n', datadir) - datadir - 8)));
  if (!other.known) return &other;
  for (std::string name : names_of_files(module->path + "/data", ".yaml")) {
    for (size_t at = 0; (at = name.find("::")) != std::string::npos;) name.replace(at, 2, "/");
    OtherModule::File& file = other.files.emplace_back();
    file.shown = module->path + "/data/" + name + ".yaml";
    auto read = read_whole_file(file.shown);
    file.text = read ? std::move(*read) : std::string();
    if (!read || read_yaml(file.text, file.arena, file.root, {}) || !file.root.is_hash()) continue;
    for (const HashEntry& e : file.root.hash->entries())
      if (e.key.is_string()) sources_[e.key.str()].push_back({&file, file.shown, false, &e.value, false});
  }
  return &other;
}

bool DataFiles::known_for(std::string_view key) const {
  const OtherModule* other = other_module(key);
  return other != nullptr && other->known ? complete_for("any") : complete_for(key);
}

const std::vector<DataFiles::Source>& DataFiles::sources(std::string_view key) const {
  static const std::vector<Source> none;
  if (sources_.empty()) for_each_key([&](std::string_view own, const Source& source) { sources_[own].push_back(source); });
  other_module(key);
  const auto found = sources_.find(key);
  return found != sources_.end() ? found->second : none;
}

DataFiles::Conversion DataFiles::conversion(std::string_view key) const {
  Conversion result = Conversion::None;
  for (const KeyOptions& o : options_)
    if (o.converts && o.fits(key)) result = o.secret && result != Conversion::Other ? Conversion::Secret : Conversion::Other;
  return result;
}

bool DataFiles::merges(std::string_view key) const {
  return std::ranges::any_of(options_, [&](const KeyOptions& o) { return !o.merge.empty() && o.merge != "first" && o.fits(key); });
}

} // namespace pupc::compiler
