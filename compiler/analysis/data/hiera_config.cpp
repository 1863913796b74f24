// hiera.yaml of version 5.
#include "compiler/analysis/data/data_files.h"

#include "catalog/base/paths.h"
#include "catalog/base/text.h"
#include "compiler/analysis/codebase/fact_names.h"
#include "compiler/analysis/codebase/findings.h"
#include "compiler/analysis/codebase/tree_queries.h"
#include "compiler/discovery/exists.h"
#include "compiler/hiera/config.h"
#include "compiler/hiera/interpolation_syntax.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

constexpr std::string_view place_keys = "path|paths|glob|globs|uri|uris|mapped_paths";
constexpr std::string_view function_keys = "data_hash|lookup_key|data_dig";

/// The setting of a level, or that of the defaults.
const Value* setting_of(const Hash& level, const Value* defaults, std::string_view name) {
  if (const Value* own = level.find(name); own != nullptr) return own;
  return defaults != nullptr && defaults->is_hash() ? defaults->hash->find(name) : nullptr;
}

/// What the compiler's reader of hiera.yaml asks for, where nothing is looked up.
class ReaderHost final : public LookupHost {
public:
  explicit ReaderHost(CheckedCodebase& program) : program_(program) {}
  Arena& arena() override { return program_.types().arena; }
  TypeContext& types() override { return program_.types(); }
  bool variable(std::string_view, Value&) override { return false; }
  void undefined_variable(std::string_view, bool) override {}
  Value call_function(std::string_view, std::span<const Value>) override { return Value::undef(); }
  void warn(std::string) override {}
  void debug(std::string) override {}

private:
  CheckedCodebase& program_;
};

} // namespace

/// Tells what the compiler refuses in a file where the checks here, which know more to say, found nothing.
void DataFiles::check_as_compiled(const RepositoryFile& file, std::string_view text, const Value& root, const Told& told) {
  if (program_ == nullptr) return;
  const Environment& environment = program_->environment();
  const HieraLayer layer = program_->module_of(file.path) != nullptr                 ? HieraLayer::Module
                           : file.path == environment.options().path + "/hiera.yaml" ? HieraLayer::Environment
                                                                                     : HieraLayer::Global;
  ReaderHost host(*program_);
  try {
    read_hiera_config(environment, file.path, layer, host);
  } catch (const CompileError& e) {
    std::string message = e.diagnostic.message;
    if (const size_t at = message.find("has wrong type, "); at != std::string::npos)
      message = "hiera.yaml has a wrong type: " + message.substr(at + 16);
    // "entry 'hierarchy' index 2 entry 'paths' expects …": below the name of that level.
    const size_t index = message.find(" index "), quote = message.rfind("entry '");
    std::string word = quote == std::string::npos ? "hierarchy" : message.substr(quote + 7, message.find('\'', quote + 7) - quote - 7);
    const Value* levels = root.hash->find(message.find("'default_hierarchy'") == std::string::npos ? "hierarchy" : "default_hierarchy");
    const size_t number = index == std::string::npos ? 0 : static_cast<size_t>(std::atoi(message.c_str() + index + 7));
    uint32_t line = e.diagnostic.position().line;
    if (line == 0 && index != std::string::npos && levels != nullptr && levels->is_list() && number < levels->items().size()) {
      const Value& level = levels->items()[number];
      const Value* title = level.is_hash() ? level.hash->find("name") : nullptr;
      if (title != nullptr && title->is_string()) line = line_of(text, word, line_of_level(text, title->str(), 1));
    }
    if (line == 0) return told(word, std::move(message), {}, {});
    findings_.add(CheckCode::hiera_config, file.shown, line, 0, std::move(message), {}, {});
  }
}

void DataFiles::check_config(const RepositoryFile& file, std::string_view text, const Value& root) {
  uint32_t from = 1; // where the level that is looked at has its name
  bool refused = false;
  const Told told = [&](std::string_view word, std::string message, std::string suggestion, std::optional<Severity> severity) {
    refused = refused || !severity;
    const uint32_t below = line_of(text, word, from);
    findings_.add(CheckCode::hiera_config, file.shown, std::max<uint32_t>(below != 0 ? below : line_of(text, word), 1), 0,
                  std::move(message), std::move(suggestion), severity);
  };
  other_configs_.insert(file.path); // until all is known to be read
  if (!root.is_hash()) return told("version", "hiera.yaml is no hash", {}, {});
  const Value* version = root.hash->find("version");
  const auto of_hiera_3 = [&](std::string_view word) {
    told(word, "Version 3 of hiera.yaml is only for the file of the whole server: in an environment or a module each lookup fails",
         "Write it anew with version: 5.", {});
  };
  if (version == nullptr) {
    for (std::string_view word : {":hierarchy", ":backends"}) // the keys of Hiera 3 are symbols, and it knew no versions
      if (line_of(text, word) != 0) return of_hiera_3(word);
    return told("hierarchy", "hiera.yaml has no version", "Write version: 5.", {});
  }
  if (!version->is_int() || version->i != 5) {
    if (!version->is_int() || (version->i != 3 && version->i != 4)) told("version", "The version of hiera.yaml is 5", {}, {});
    if (version->is_int() && version->i == 3) of_hiera_3("version");
    return;
  }
  static const std::vector<std::string_view> keys = {"version", "defaults", "hierarchy", "default_hierarchy", "plan_hierarchy"};
  for (const HashEntry& e : root.hash->entries()) {
    if (!e.key.is_string()) continue;
    if (std::find(keys.begin(), keys.end(), e.key.str()) == keys.end())
      told(e.key.str(), fmt::format("hiera.yaml has no setting '{}'", e.key.str()), did_you_mean(e.key.str(), keys), {});
  }
  other_configs_.erase(file.path);
  const Value* defaults = root.hash->find("defaults");
  if (defaults != nullptr && defaults->is_hash()) {
    int backends = 0;
    for (const HashEntry& e : defaults->hash->entries()) {
      if (!e.key.is_string() || (e.key.str() != "hiera3_backend" && !one_of(function_keys, e.key.str()))) continue;
      if (++backends > 1) told(e.key.str(), "The defaults have more than one backend", "Each level may have its own.", {});
      if (e.key.str() != "hiera3_backend") check_function(file, e.value, "the defaults", told);
    }
  }
  for (std::string_view name : {"hierarchy", "default_hierarchy", "plan_hierarchy"}) {
    const Value* levels = root.hash->find(name);
    if (levels == nullptr || levels->is_undef()) continue;
    if (!levels->is_list()) {
      told(name, fmt::format("'{}' is a list of levels", name), {}, {});
      continue;
    }
    std::set<std::string> seen;
    for (const Value& level : levels->items()) {
      if (!level.is_hash()) {
        told(name, "A level of the hierarchy is a hash with a name", {}, {});
        continue;
      }
      const Value* title = level.hash->find("name");
      if (title == nullptr || !title->is_string()) {
        const Value* path = level.hash->find("path");
        told(path != nullptr && path->is_string() ? path->str() : name, "A level of the hierarchy has no name", {}, {});
        continue;
      }
      const bool first = seen.insert(std::string(title->str())).second;
      from = line_of_level(text, title->str(), from + (first ? 0 : 1));
      if (!first) told(title->str(), fmt::format("Two levels have the name '{}'", title->str()), {}, {});
      check_level(file, text, *level.hash, title->str(), defaults, told);
      note_places(file, *level.hash, defaults, name == "hierarchy", told);
    }
  }
  if (!refused) check_as_compiled(file, text, root, told);
}

/// One level of the hierarchy.
void DataFiles::check_level(const RepositoryFile& file, std::string_view text, const Hash& level, std::string_view title,
                            const Value* defaults, const Told& told) {
  static const std::vector<std::string_view> level_keys = {"name",      "path",       "paths",        "glob",          "globs",
                                                           "uri",       "uris",       "mapped_paths", "datadir",       "options",
                                                           "data_hash", "lookup_key", "data_dig",     "hiera3_backend"};
  int places = 0, backends = 0;
  for (const HashEntry& e : level.entries()) {
    if (!e.key.is_string()) continue;
    const std::string_view key = e.key.str();
    if (std::find(level_keys.begin(), level_keys.end(), key) == level_keys.end())
      told(key, fmt::format("The level '{}' has a key '{}', which means nothing", title, key), did_you_mean(key, level_keys), {});
    places += one_of(place_keys, key) ? 1 : 0;
    const bool function = one_of(function_keys, key);
    backends += function || key == "hiera3_backend" ? 1 : 0;
    if (function) check_function(file, e.value, fmt::format("the level '{}'", title), told);
  }
  for (const HashEntry& e : level.entries()) {
    check_places(e.value, told);
    check_facts(file, text, e.value);
  }
  if (places > 1)
    told(title, fmt::format("The level '{}' has more than one of path, paths, glob, globs, uri, uris and mapped_paths", title), {}, {});
  if (backends > 1) told(title, fmt::format("The level '{}' has more than one backend", title), {}, {});
  // Without defaults in the file the backend is yaml_data, with them nothing is.
  const bool by_defaults = defaults == nullptr || !defaults->is_hash() ||
                           std::ranges::any_of(defaults->hash->entries(),
                                               [](const HashEntry& e) { return e.key.is_string() && one_of(function_keys, e.key.str()); });
  if (backends == 0 && !by_defaults)
    told(title, fmt::format("The level '{}' has no backend, nor have the defaults", title), "Write data_hash: yaml_data in the defaults.",
         {});
  const Value* datadir = setting_of(level, defaults, "datadir");
  const std::string directory = datadir != nullptr && datadir->is_string() ? std::string(datadir->str()) : "data";
  if (datadir != nullptr && directory.find("%{") == std::string::npos &&
      !is_directory(absolute_path(directory, file.path.substr(0, file.path.rfind('/')))))
    told(directory, fmt::format("The directory of data '{}' does not exist", directory), {}, Severity::Warning);
  check_eyaml(level, title, defaults, told);
  note_foreign(file, level, defaults, directory);
}

/// Files that a function of a module reads, which may be anything.
void DataFiles::note_foreign(const RepositoryFile& file, const Hash& level, const Value* defaults, const std::string& directory) {
  const Value* function = nullptr;
  const auto named = {"data_hash", "lookup_key", "data_dig"};
  for (std::string_view key : named)
    if (function == nullptr) function = level.find(key);
  for (std::string_view key : named)
    if (function == nullptr) function = setting_of(level, defaults, key);
  if (function == nullptr || !function->is_string() || one_of("yaml_data|json_data|hocon_data|eyaml_lookup_key", function->str())) return;
  const std::string folder = absolute_path(directory, file.path.substr(0, file.path.rfind('/')));
  const auto note = [&](const Value& path) {
    if (path.is_string()) foreign_.insert(absolute_path(path.str(), folder));
  };
  for (std::string_view key : {"path", "paths"}) {
    const Value* places = level.find(key);
    if (places != nullptr && places->is_list())
      for (const Value& path : places->items()) note(path);
    else if (places != nullptr)
      note(*places);
  }
}

/// A function that a level, or the defaults, name as backend.
void DataFiles::check_function(const RepositoryFile& file, const Value& name, std::string_view whose, const Told& told) {
  if (program_ == nullptr || !name.is_string()) return;
  if (const std::string_view text = name.str(); one_of("yaml|json|hocon|eyaml|hiera_yaml", text)) // backends of Hiera 3
    return told(text, fmt::format("There is no function '{}' for {}", text, whose),
                fmt::format("Did you mean '{}'?", text == "eyaml"   ? "eyaml_lookup_key"
                                                  : text == "json"  ? "json_data"
                                                  : text == "hocon" ? "hocon_data"
                                                                    : "yaml_data"),
                {});
  static const std::vector<std::string_view> usual = {"yaml_data", "json_data", "hocon_data", "eyaml_lookup_key"};
  const Known known = backend(file, name.str());
  const auto slip = [&](std::string_view one) { return one_slip_apart(name.str(), one); };
  if (known == Known::Yes || (known == Known::Unsure && std::ranges::none_of(usual, slip))) return;
  told(name.str(), fmt::format("There is no function '{}' for {}", name.str(), whose), did_you_mean(name.str(), usual),
       known == Known::Unsure ? std::optional(Severity::Warning) : std::nullopt);
}

/// A level of eyaml needs both keys: what it lacks is looked for below the directory that the server runs in.
void DataFiles::check_eyaml(const Hash& level, std::string_view title, const Value* defaults, const Told& told) {
  const Value* function = setting_of(level, level.find("data_hash") != nullptr ? nullptr : defaults, "lookup_key");
  if (function == nullptr || !function->is_string() || function->str() != "eyaml_lookup_key") return;
  const Value* options = setting_of(level, defaults, "options");
  const Hash* given = options != nullptr && options->is_hash() ? options->hash : nullptr;
  const auto has = [&](std::string_view name) {
    for (const HashEntry& e : given->entries())
      if (e.key.is_string() && e.key.str().starts_with(name)) return true;
    return false;
  };
  if (given != nullptr && (has("gpg") || has("encrypt_method"))) return;
  for (std::string_view key : {"pkcs7_private_key", "pkcs7_public_key"})
    if (given == nullptr || !has(key))
      return told(given == nullptr ? title : "options",
                  fmt::format("The level '{}' reads encrypted values and has no option '{}'", title, key),
                  "Without it the key is looked for in ./keys of the directory that the server runs in.", Severity::Warning);
}

/// A path of a level that no file of the repository has, where one has nearly that path: another ending, a slip in a folder's name.
void DataFiles::check_data_there(std::string_view path, const std::string& base, const Told& told) const {
  const size_t made = std::min(path.find("%{"), path.size());
  const std::string fixed = absolute_path(std::string(path.substr(0, made)), base); // what the path begins with
  const size_t last = path.rfind('}');
  const std::string_view end = made == path.size() || last == std::string_view::npos ? std::string_view() : path.substr(last + 1);
  const auto ending = [](std::string_view name) { return name.substr(std::min(name.rfind('.'), name.size())); };
  const auto exact = [&](std::string_view other) {
    return std::ranges::any_of(*files_, [&](const RepositoryFile& f) { return f.path == other; });
  };
  if (path.find('*') != std::string_view::npos && !exact(absolute_path(std::string(path), base)))
    return told(path, fmt::format("A path has no wildcards: '{}' is the name of one file", path), "Write it as glob, or among globs.", {});
  // %{facts.os.family}: all that is below its folder has an ending.
  if (made != path.size() && last != std::string_view::npos && end.find('.') == std::string_view::npos &&
      (made == 0 || path[made - 1] == '/')) {
    const auto below = [&](const RepositoryFile& f) { return is_below(f.path, made == 0 ? base : fixed); };
    const auto is_yaml = [&](const RepositoryFile& f) { return one_of(".yaml|.yml", ending(f.path)); };
    if (std::ranges::any_of(*files_, below) &&
        std::ranges::all_of(*files_, [&](const RepositoryFile& f) { return !below(f) || is_yaml(f); }))
      return told(path, fmt::format("No file has the path '{}': all names end with .yaml", path), fmt::format("Write {}.yaml.", path), {});
  }
  if (path.starts_with('/') && exact(base + std::string(path)))
    return told(path, fmt::format("'{}' is absolute: no file has this path", path), fmt::format("Write {}.", path.substr(1)), {});
  const std::string own = base.substr(base.rfind('/') + 1) + "/"; // the folder of the data, which the path does not repeat
  if (made == path.size() && path.starts_with(own) && !exists(fixed) && exact(base + "/" + std::string(path.substr(own.size()))))
    return told(path, fmt::format("No file has the path '{}' below {}", path, own), fmt::format("Write {}.", path.substr(own.size())), {});
  if (made == path.size() && ending(path.substr(path.rfind('/') + 1)).empty() && !exists(fixed))
    for (std::string_view end_of : {".yaml", ".yml", ".eyaml", ".json"})
      if (exact(fixed + std::string(end_of)))
        return told(path, fmt::format("No file has the path '{}'", path), fmt::format("Write {}{}.", path, end_of), {});
  if (!one_of(".yaml|.yml|.eyaml|.json|.conf", ending(path))) return;
  std::string near;
  for (const RepositoryFile& file : *files_) {
    const std::string_view other = file.path;
    if (!is_below(other, base) || !one_of(".yaml|.yml|.eyaml|.json|.conf", ending(other))) continue;
    if (made == path.size()) {
      if (other == fixed) return;
      const auto plain = [&](std::string_view name) { return name.substr(0, name.size() - ending(name).size()); };
      if (plain(other) == plain(fixed) || one_slip_apart(other.substr(base.size()), std::string_view(fixed).substr(base.size())))
        near = other;
      continue;
    }
    // Below the folder that the path begins with some file has the end.
    const std::string folder = fixed.substr(0, path[made == 0 ? 0 : made - 1] == '/' ? fixed.size() : fixed.rfind('/'));
    if (folder == base) return;
    if (is_below(other, folder)) {
      if (end.empty() || other.ends_with(end)) return;
      if (end.find('/') == std::string_view::npos) near = other;
    } else if (const std::string_view shown = other.substr(0, other.rfind('/'));
               one_slip_apart(shown, folder) || shown == folder + "s" || folder == std::string(shown) + "s") {
      near = other;
    }
  }
  if (!near.empty())
    told(path, fmt::format("No file has this path, and {} is never read by it", std::string_view(near).substr(base.size() + 1)), {}, {});
}

/// A glob whose folder is not there, and is nearly one of the data.
void DataFiles::check_glob_there(std::string_view glob, const std::string& base, const Told& told) const {
  const std::string_view fixed = glob.substr(0, glob.find_first_of("*?[{%"));
  const size_t slash = fixed.rfind('/');
  if (slash == std::string_view::npos || slash == 0) return;
  const std::string folder = absolute_path(std::string(fixed.substr(0, slash)), base);
  if (is_directory(folder)) return;
  for (const RepositoryFile& file : *files_) {
    const std::string_view other = std::string_view(file.path).substr(0, file.path.rfind('/'));
    if (is_below(file.path, base) && other.size() > base.size() &&
        (slip_makes(other, folder) || other == folder + "s" || folder == std::string(other) + "s"))
      return told(glob, fmt::format("No file fits '{}'", glob), fmt::format("Did you mean {}?", other.substr(base.size() + 1)), {});
  }
}

/// Which files of a level every node has, and whether all that the level may read has been read.
void DataFiles::note_places(const RepositoryFile& file, const Hash& level, const Value* defaults, bool of_hierarchy, const Told& told) {
  const Value* datadir = setting_of(level, defaults, "datadir");
  const std::string directory = datadir != nullptr && datadir->is_string() ? std::string(datadir->str()) : "data";
  const std::string folder = file.path.substr(0, file.path.rfind('/'));
  const std::string base = absolute_path(directory, folder);
  const bool other_function = level.find("data_dig") != nullptr || level.find("hiera3_backend") != nullptr ||
                              level.find("uri") != nullptr || level.find("uris") != nullptr;
  const Value *hash = setting_of(level, level.find("lookup_key") != nullptr ? nullptr : defaults, "data_hash"),
              *key = setting_of(level, level.find("data_hash") != nullptr ? nullptr : defaults, "lookup_key");
  const auto reads_files = [](const Value* function) {
    return function == nullptr || (function->is_string() && one_of("yaml_data|json_data|hocon_data|eyaml_lookup_key", function->str()));
  };
  if (other_function || !reads_files(hash) || !reads_files(key) || base.find("%{") != std::string::npos || !is_below(base, folder) ||
      !is_directory(base))
    other_configs_.insert(file.path);
  if (base.find("%{") != std::string::npos || !of_hierarchy) return;
  auto note = [&](const Value& path) {
    if (path.is_string() && files_ != nullptr && is_directory(base) && !other_function && reads_files(hash) && reads_files(key))
      check_data_there(path.str(), base, told);
    if (!path.is_string() || path.str().find("%{") != std::string_view::npos) return;
    std::string full = absolute_path(std::string(path.str()), base);
    // What is not in the repository, such as secrets, may be put there elsewhere; a module is whole.
    if (program_ != nullptr && !exists(full) && program_->module_of(file.path) == nullptr) other_configs_.insert(file.path);
    for_all_.insert(std::move(full));
  };
  if (hash != nullptr && hash->is_string() && hash->str() == "json_data")
    for (std::string_view place : {"path", "glob"})
      if (const Value* path = level.find(place);
          path != nullptr && path->is_string() && (path->str().ends_with(".yaml") || path->str().ends_with(".yml")))
        told("json_data", fmt::format("json_data reads '{}', which has the name of a file of YAML", path->str()), "Write yaml_data.",
             Severity::Warning);
  for (std::string_view place : {"glob", "globs"})
    if (const Value* glob = level.find(place); glob != nullptr && files_ != nullptr && is_directory(base)) {
      if (glob->is_string()) check_glob_there(glob->str(), base, told);
      for (const Value& one : glob->is_list() ? glob->items() : std::span<const Value>())
        if (one.is_string()) check_glob_there(one.str(), base, told);
    }
  if (const Value* path = level.find("path"); path != nullptr) note(*path);
  if (const Value* paths = level.find("paths"); paths != nullptr && paths->is_list())
    for (const Value& path : paths->items()) note(path);
}

/// The paths of a level: %{...} in them names variables.
void DataFiles::check_places(const Value& place, const Told& told) {
  if (place.is_list())
    for (const Value& element : place.items()) check_places(element, told);
  if (!place.is_string()) return;
  const std::string_view text = place.str();
  for (size_t open = 0; (open = text.find('{', open)) != std::string_view::npos; ++open) { // ${facts.os.family}
    if (open > 0 && text[open - 1] == '%') continue;
    const std::string_view name = text.substr(open + 1, std::min(text.find('}', open), text.size()) - open - 1);
    const std::string_view plain = without_leading_colons(trimmed(name)), root = plain.substr(0, plain.find_first_of(".["));
    if (one_of("facts|trusted|server_facts|environment", root) || (open > 0 && text[open - 1] == '$'))
      return told(text, fmt::format("'{{{}}}' stands for nothing here: it is part of the path", name), fmt::format("Write %{{{}}}.", plain),
                  Severity::Warning);
  }
  const InterpolationProblem problem = interpolation_problem(place.str(), false);
  if (!problem.message.empty()) told(place.str(), problem.message, {}, problem.unclosed ? std::optional(Severity::Warning) : std::nullopt);
}

/// The facts that the paths of a level name.
void DataFiles::check_facts(const RepositoryFile& file, std::string_view text, const Value& place) {
  if (place.is_list())
    for (const Value& element : place.items()) check_facts(file, text, element);
  if (!place.is_string()) return;
  check_named_facts(
      file, [&] { return std::max<uint32_t>(line_of(text, place.str()), 1); }, place.str());
}

/// The same for the interpolations of one text.
void DataFiles::check_named_facts(const RepositoryFile& file, const std::function<uint32_t()>& place, std::string_view text) {
  if (program_ == nullptr) return;
  for (size_t open = 0; (open = text.find("%{", open)) != std::string_view::npos; open += 2) {
    const size_t close = text.find('}', open);
    if (close == std::string_view::npos) return;
    const std::string_view name = without_leading_colons(trimmed(text.substr(open + 2, close - open - 2)));
    if (name.find('(') != std::string_view::npos) continue; // a lookup
    if (one_of("certname|authenticated|extensions", name) &&
        !(find_symbol(name) && program_->top_variables().contains(find_symbol(name).id)) &&
        !program_->custom_facts().contains(std::string(name)) &&
        !(program_->top_scope() && program_->top_scope()->contains(std::string(name))))
      findings_.add(CheckCode::hiera_config, file.shown, place(), 0, fmt::format("Nothing sets the variable '{}' in %{{{}}}", name, name),
                    fmt::format("Write %{{trusted.{}}}.", name), Severity::Warning);
    check_root(file, place, name);
    check_fact(file, place, name);
  }
}

/// "fact.os.family": nothing has a variable of the name before the dot, and it is nearly that of one that Puppet has.
void DataFiles::check_root(const RepositoryFile& file, const std::function<uint32_t()>& place, std::string_view name) {
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos || name.find("::") != std::string_view::npos) return;
  const std::string root(name.substr(0, dot));
  if (root == "trusted") {
    const std::string_view key = name.substr(dot + 1, name.find('.', dot + 1) - dot - 1);
    if (const auto known = trusted_keys(); std::find(known.begin(), known.end(), key) == known.end())
      findings_.add(CheckCode::unknown_fact_key, file.shown, place(), 0, fmt::format("'trusted' has no key '{}'", key),
                    did_you_mean(key, {known.begin(), known.end()}), Severity::Warning);
    return;
  }
  static const std::vector<std::string_view> known = {"facts", "trusted", "server_facts"};
  const Symbol symbol = find_symbol(root);
  if (std::find(known.begin(), known.end(), root) != known.end() || is_known_fact(root) || program_->custom_facts().contains(root) ||
      (symbol && program_->top_variables().contains(symbol.id)) || (program_->top_scope() && program_->top_scope()->contains(root)))
    return;
  if (std::string similar = did_you_mean(root, known); !similar.empty())
    findings_.add(CheckCode::hiera_config, file.shown, place(), 0, fmt::format("Nothing sets the variable '{}' in %{{{}}}", root, name),
                  std::move(similar), Severity::Warning);
}

/// "osfamily", "facts.os.family": a legacy fact, or a key that the fact does not have.
void DataFiles::check_fact(const RepositoryFile& file, const std::function<uint32_t()>& place, std::string_view name) {
  const bool in_facts = name.starts_with("facts.");
  if (in_facts) name.remove_prefix(6);
  const std::string_view fact = name.substr(0, name.find('.'));
  if (program_->custom_facts().contains(std::string(fact))) return;
  if (const std::string_view modern = name == fact ? modern_fact(fact) : std::string_view(); !modern.empty()) {
    const Module* of_module = program_->module_of(file.path);
    findings_.add(CheckCode::legacy_fact, file.shown, place(), 0, fmt::format("The legacy fact '{}' is not there in Puppet 8", fact),
                  fmt::format("Use %{{facts.{}}}.", modern),
                  of_module != nullptr && !program_->is_for_puppet_8(*of_module) ? std::optional(Severity::Hint) : std::nullopt);
  }
  if (!in_facts) return;
  if (const std::string_view near = program_->near_custom_fact(fact); !near.empty())
    findings_.add(CheckCode::unknown_fact_key, file.shown, place(), 0, fmt::format("There is no fact '{}'", fact),
                  fmt::format("Did you mean '{}'?", near));
  for (size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1)) {
    const auto known = fact_keys(name.substr(0, dot));
    const std::string_view rest = name.substr(dot + 1), key = rest.substr(0, rest.find('.'));
    if (known.empty() || std::find(known.begin(), known.end(), key) != known.end()) continue;
    findings_.add(CheckCode::unknown_fact_key, file.shown, place(), 0,
                  fmt::format("The fact '{}' has no key '{}'", name.substr(0, dot), key), did_you_mean(key, {known.begin(), known.end()}));
    return;
  }
}

/// Whether a function is a backend of a level: one of Puppet, or of a module that may be there.
Known DataFiles::backend(const RepositoryFile& file, std::string_view name) {
  const FunctionEntry* entry = program_->functions().find(name);
  bool broken = false;
  const bool here = (entry != nullptr && entry->module.empty()) || program_->find_function(intern(name), &broken) != nullptr || broken ||
                    !program_->environment().ruby_functions(name).empty();
  return here ? Known::Yes : program_->may_exist(name, program_->module_of(file.path));
}

} // namespace pupc::compiler
