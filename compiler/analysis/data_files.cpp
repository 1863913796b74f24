#include "compiler/analysis/data_files.h"

#include "catalog/base/paths.h"
#include "catalog/base/text.h"
#include "catalog/formats/data_file.h"
#include "catalog/value/regex.h"
#include "compiler/analysis/fact_names.h"
#include "compiler/hiera/interpolation_syntax.h"
#include "compiler/hiera/merge.h"
#include "compiler/types/core_types.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace pupc::compiler {
namespace {

// Larger data files are not configuration: skip them.
constexpr size_t largest_file = 64u << 20;

constexpr std::string_view blanks_and_quotes = " \t\r\"'";

/// Calls `f(line number, line)`.
template <class F> void for_lines(std::string_view text, F f) {
  uint32_t number = 1;
  for (size_t begin = 0; begin < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    f(number, text.substr(begin, end - begin));
    begin = end + 1;
  }
}

/// The key that a line at the start of a YAML file's root mapping sets; empty when it sets none.
std::string_view root_key(std::string_view line) {
  if (line.empty() || line[0] == ' ' || line[0] == '#' || line[0] == '-' || line[0] == '\t' || line[0] == '?' || line[0] == '{') return {};
  if (line[0] == '"' || line[0] == '\'') {
    const size_t end = line.find(line[0], 1);
    if (end == std::string_view::npos) return {};
    const size_t colon = line.find_first_not_of(' ', end + 1);
    return colon != std::string_view::npos && line[colon] == ':' ? line.substr(1, end - 1) : std::string_view();
  }
  for (size_t i = 0; i < line.size(); ++i)
    if (line[i] == ':' && (i + 1 == line.size() || line[i + 1] == ' ' || line[i + 1] == '\r')) return line.substr(0, i);
  return {};
}

/// Whether a string anywhere in the value gets its text at lookup time (interpolation or eyaml). YAML aliases can make a value practically
/// endless: beyond the limit of steps the answer is true.
bool is_made(const Value& v, uint32_t& steps, int depth = 0) {
  if (depth > 64 || ++steps > 100000) return true;
  if (v.is_string()) return v.str().find("%{") != std::string_view::npos || v.str().find("ENC[") != std::string_view::npos;
  if (v.is_list()) return std::any_of(v.items().begin(), v.items().end(), [&](const Value& i) { return is_made(i, steps, depth + 1); });
  if (v.is_hash())
    return std::any_of(v.hash->entries().begin(), v.hash->entries().end(),
                       [&](const HashEntry& e) { return is_made(e.key, steps, depth + 1) || is_made(e.value, steps, depth + 1); });
  return false;
}

class DataChecker {
public:
  DataChecker(CheckedCodebase* program, const LookupKeys& lookups, Findings& findings)
      : program_(program), lookups_(lookups), findings_(findings) {}

  void read(const RepositoryFile& file, const std::string& text) {
    auto data = std::make_unique<Data>();
    data->file = &file;
    std::optional<DataError> error;
    switch (file.kind) {
    case FileKind::Yaml:
    case FileKind::HieraConfig: {
      YamlOptions options;
      options.file = file.shown;
      options.object_tags = !file.hiera_data && file.kind == FileKind::Yaml;
      error = read_yaml(text, data->arena, data->root, options, &data->notes);
      if (!error) check_repeated(file, text);
      break;
    }
    case FileKind::Hocon: error = read_hocon(text, data->arena, data->root); break;
    default: error = read_json(text, data->arena, data->root); break;
    }
    if (error) {
      add_data_error(findings_, file.shown, *error);
      return;
    }
    check_encrypted(file, text);
    if (file.kind == FileKind::HieraConfig) return check_config(file, text, data->root);
    if (!file.hiera_data) return;
    if (data->root.is_undef()) return; // an empty file
    if (!data->root.is_hash()) {
      findings_.add(CheckCode::data_form, file.shown, 1, 0, "The data is no hash of keys and values");
      return;
    }
    if (const Value* options = data->root.hash->find("lookup_options"); options != nullptr && options->is_hash()) {
      check_lookup_options(file, text, *options->hash);
      for (const HashEntry& e : options->hash->entries())
        if (e.key.is_string()) options_.emplace_back(e.key.str());
    }
    data_.push_back(std::move(data));
  }

  /// Call it after all files are read: collects the keys that `%{lookup('…')}` in the data asks for, then checks the keys of every file.
  void finish() {
    if (program_ == nullptr) return;
    for (const auto& d : data_) {
      uint32_t steps = 0;
      collect_lookups(d->root, steps);
    }
    for (const auto& d : data_) check_keys(*d);
  }

  std::set<std::string, std::less<>> always_set() const {
    std::set<std::string, std::less<>> out;
    for (const auto& d : data_)
      if (for_all_.contains(d->file->path))
        for (const HashEntry& e : d->root.hash->entries())
          if (e.key.is_string()) out.emplace(e.key.str());
    return out;
  }

private:
  struct Data {
    const RepositoryFile* file;
    Arena arena;
    Value root;
    DataEntryNotes notes;
  };

  void check_repeated(const RepositoryFile& file, std::string_view text) {
    std::map<std::string, uint32_t, std::less<>> seen;
    for_lines(text, [&](uint32_t number, std::string_view line) {
      if (line.starts_with("---") || line.starts_with("...")) return seen.clear();
      const std::string_view key = root_key(line);
      if (key.empty() || key == "<<") return;
      auto [at, fresh] = seen.try_emplace(std::string(key), number);
      if (!fresh)
        findings_.add(CheckCode::repeated_key, file.shown, number, 1,
                      fmt::format("The key '{}' stands on line {} already: only the last counts", key, at->second));
    });
  }

  /// Checks the encrypted blocks of eyaml.
  void check_encrypted(const RepositoryFile& file, std::string_view text) {
    for (size_t at = 0; (at = text.find("ENC[", at)) != std::string_view::npos; at += 4) {
      const auto line = static_cast<uint32_t>(1 + std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(at), '\n'));
      const size_t line_start = text.rfind('\n', at) + 1;
      if (text.substr(line_start, at - line_start).find('#') != std::string_view::npos) continue;
      const size_t comma = text.find_first_of(",]\n", at), close = text.find(']', at);
      if (comma == std::string_view::npos || close == std::string_view::npos || text[comma] != ',') {
        findings_.add(CheckCode::encrypted_block, file.shown, line, 0, "This eyaml block is not complete", "It is ENC[PKCS7,…].");
        continue;
      }
      size_t digits = 0;
      bool fits = true, padding = false;
      for (char c : text.substr(comma + 1, close - comma - 1)) {
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
        const bool digit = std::isalnum(static_cast<unsigned char>(c)) || c == '+' || c == '/';
        fits = fits && (c == '=' || (digit && !padding));
        padding = padding || c == '=';
        ++digits;
      }
      if (!fits || digits == 0 || digits % 4 != 0)
        findings_.add(CheckCode::encrypted_block, file.shown, line, 0, "The text of this eyaml block is no Base64",
                      "Encrypt the value anew; a line may be missing.");
    }
    for (size_t at = 0; (at = text.find("DEC::", at)) != std::string_view::npos ||
                        (at = text.find("DEC(", at == std::string_view::npos ? text.size() : at)) != std::string_view::npos;
         at += 4) {
      const auto line = static_cast<uint32_t>(1 + std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(at), '\n'));
      findings_.add(CheckCode::encrypted_block, file.shown, line, 0, "This value is decrypted, as `eyaml edit` shows it",
                    "Encrypt it before it is committed.");
    }
  }

  void collect_lookups(const Value& v, uint32_t& steps, int depth = 0) {
    if (depth > 64 || ++steps > 1000000) return;
    if (v.is_string()) {
      const std::string_view text = v.str();
      for (size_t at = 0; (at = text.find("%{", at)) != std::string_view::npos; at += 2) {
        const size_t open = text.find('(', at), close = text.find(')', at);
        if (open != std::string_view::npos && close != std::string_view::npos && open < close)
          interpolated_.emplace(trimmed(text.substr(open + 1, close - open - 1), blanks_and_quotes));
      }
    } else if (v.is_list()) {
      for (const Value& i : v.items()) collect_lookups(i, steps, depth + 1);
    } else if (v.is_hash()) {
      for (const HashEntry& e : v.hash->entries()) collect_lookups(e.value, steps, depth + 1);
    }
  }

  /// The options that lookups of a key (or of those a pattern matches) get.
  void check_lookup_options(const RepositoryFile& file, std::string_view text, const Hash& options) {
    const uint32_t first = std::max<uint32_t>(line_of(text, "lookup_options"), 1);
    for (const HashEntry& e : options.entries()) {
      if (!e.key.is_string()) continue;
      const std::string_view key = e.key.str();
      const uint32_t line = std::max(line_of(text, key, first), first);
      auto told = [&](std::string_view word, std::string message, std::string suggestion = {}, std::optional<Severity> severity = {}) {
        findings_.add(CheckCode::lookup_option, file.shown, std::max(line_of(text, word, line), line), 0, std::move(message),
                      std::move(suggestion), severity);
      };
      if (key.starts_with('^')) try {
          const Regex pattern{std::string(key)};
        } catch (const RegexError& error) { told(key, fmt::format("'{}' is no regular expression: {}", key, error.message)); }
      if (!e.value.is_hash()) {
        told(key, fmt::format("The options of '{}' are no hash", key), "Write merge: or convert_to: below it.");
        continue;
      }
      for (const HashEntry& option : e.value.hash->entries()) {
        if (!option.key.is_string()) continue;
        static const std::vector<std::string_view> known = {"merge", "convert_to"};
        const std::string_view name = option.key.str();
        if (std::find(known.begin(), known.end(), name) == known.end())
          told(name, fmt::format("The option '{}' of '{}' means nothing", name, key), did_you_mean(name, known), Severity::Warning);
        if (name != "merge" || program_ == nullptr) continue;
        try {
          (void)MergeStrategy::from(program_->types(), option.value);
        } catch (const CompileError& error) { told(name, fmt::format("The option 'merge' of '{}': {}", key, error.diagnostic.message)); }
      }
    }
  }

  /// Interpolations in the values of a key that fail, or are none.
  void check_interpolations(const Data& d, const Value& v, uint32_t line, uint32_t& steps, int depth = 0) {
    if (depth > 64 || ++steps > 1000000) return;
    if (v.is_string()) {
      if (v.str().find("%{") == std::string_view::npos) return;
      const InterpolationProblem problem = interpolation_problem(v.str(), true);
      if (!problem.message.empty())
        findings_.add(CheckCode::interpolation, d.file->shown, line, 0, problem.message, {},
                      problem.unclosed ? std::optional(Severity::Hint) : std::nullopt);
    } else if (v.is_list()) {
      for (const Value& i : v.items()) check_interpolations(d, i, line, steps, depth + 1);
    } else if (v.is_hash()) {
      for (const HashEntry& e : v.hash->entries()) {
        check_interpolations(d, e.key, line, steps, depth + 1);
        check_interpolations(d, e.value, line, steps, depth + 1);
      }
    }
  }

  bool has_options(std::string_view key) {
    for (const std::string& o : options_) {
      if (o == key) return true;
      if (o.starts_with('^')) return true; // a pattern, which may match this key
    }
    return false;
  }

  bool asked_for(const std::string& key) const {
    return lookups_.keys.contains(key) || interpolated_.contains(key) ||
           std::any_of(lookups_.keys.begin(), lookups_.keys.end(), [&](const std::string& k) { return k.starts_with(key + "."); });
  }

  void check_keys(const Data& d) {
    const Module* owner = program_->module_of(d.file->path);
    const auto entries = d.root.hash->entries();
    for (size_t i = 0; i < entries.size(); ++i) {
      if (!entries[i].key.is_string()) continue;
      const std::string key(entries[i].key.str());
      const uint32_t line = i < d.notes.lines.size() ? d.notes.lines[i] : 0;
      if (key == "lookup_options") continue;
      uint32_t steps = 0;
      check_interpolations(d, entries[i].value, line, steps);
      if (owner != nullptr && key != owner->name && !key.starts_with(owner->name + "::")) {
        findings_.add(CheckCode::unbound_key, d.file->shown, line, 1,
                      fmt::format("Data of the module '{}' cannot have the key '{}'", owner->name, key),
                      fmt::format("Its keys begin with {}::.", owner->name));
        continue;
      }
      const size_t cut = key.rfind("::");
      if (cut == std::string::npos || cut == 0) continue;
      check_binding(d, key, key.substr(0, cut), key.substr(cut + 2), entries[i].value, line);
    }
  }

  void check_binding(const Data& d, const std::string& key, const std::string& class_name, const std::string& parameter, const Value& value,
                     uint32_t line) {
    bool broken = false;
    const DefinitionEntry* entry = program_->find_class(intern(class_name), &broken);
    if (broken || asked_for(key)) return;
    if (entry == nullptr) {
      if (program_->may_exist(class_name) != Known::No || program_->find_define(intern(class_name)) != nullptr) return;
      std::string similar = program_->suggestion(NodeKind::ClassDef, class_name);
      if (!similar.empty())
        findings_.add(CheckCode::unbound_key, d.file->shown, line, 1,
                      fmt::format("There is no class '{}' for the key '{}'", class_name, key), std::move(similar));
      return;
    }
    const Definition& definition = *entry->definition;
    const auto p = std::find_if(definition.parameters.begin(), definition.parameters.end(),
                                [&](const Parameter& q) { return q.name.str() == parameter; });
    if (p == definition.parameters.end()) {
      std::vector<std::string_view> names;
      for (const Parameter& q : definition.parameters) names.push_back(q.name.str());
      findings_.add(CheckCode::unbound_key, d.file->shown, line, 1,
                    fmt::format("The class '{}' has no parameter '{}' for this key", class_name, parameter),
                    did_you_mean(parameter, names));
      return;
    }
    const Type* type = program_->type_of(*p, *entry->file->source);
    uint32_t steps = 0;
    if (type == nullptr || is_made(value, steps) || has_options(key)) return;
    if (value.is_undef() || is_instance(program_->types(), type, value)) return;
    std::string why;
    try {
      why = describe_mismatch(program_->types(), "", type, value);
    } catch (const CompileError&) { why = fmt::format("expects a value of type {}", type->to_string()); }
    findings_.add(CheckCode::data_type, d.file->shown, line, 1,
                  fmt::format("Parameter '{}' of class '{}' {}", parameter, class_name, trimmed(why)));
  }

  /// hiera.yaml of version 5.
  void check_config(const RepositoryFile& file, std::string_view text, const Value& root) {
    auto told = [&](std::string_view word, std::string message, std::string suggestion = {}, std::optional<Severity> severity = {}) {
      findings_.add(CheckCode::hiera_config, file.shown, std::max<uint32_t>(line_of(text, word), 1), 0, std::move(message),
                    std::move(suggestion), severity);
    };
    if (!root.is_hash()) return told("version", "hiera.yaml is no hash");
    const Value* version = root.hash->find("version");
    if (version == nullptr) {
      if (root.hash->find(":backends") == nullptr && root.hash->find(":hierarchy") == nullptr)
        told("hierarchy", "hiera.yaml has no version", "Write version: 5.");
      return;
    }
    if (!version->is_int() || version->i != 5) {
      if (!version->is_int() || (version->i != 3 && version->i != 4)) told("version", "The version of hiera.yaml is 5");
      return;
    }
    static const std::vector<std::string_view> keys = {"version", "defaults", "hierarchy", "default_hierarchy"};
    static const std::vector<std::string_view> level_keys = {"name",      "path",       "paths",        "glob",          "globs",
                                                             "uri",       "uris",       "mapped_paths", "datadir",       "options",
                                                             "data_hash", "lookup_key", "data_dig",     "hiera3_backend"};
    for (const HashEntry& e : root.hash->entries()) {
      if (!e.key.is_string()) continue;
      if (std::find(keys.begin(), keys.end(), e.key.str()) == keys.end())
        told(e.key.str(), fmt::format("hiera.yaml has no setting '{}'", e.key.str()), did_you_mean(e.key.str(), keys));
    }
    const Value* defaults = root.hash->find("defaults");
    for (std::string_view name : {"hierarchy", "default_hierarchy"}) {
      const Value* levels = root.hash->find(name);
      if (levels == nullptr || levels->is_undef()) continue;
      if (!levels->is_list()) {
        told(name, fmt::format("'{}' is a list of levels", name));
        continue;
      }
      std::set<std::string> seen;
      for (const Value& level : levels->items()) {
        if (!level.is_hash()) {
          told(name, "A level of the hierarchy is a hash with a name");
          continue;
        }
        const Value* level_name = level.hash->find("name");
        if (level_name == nullptr || !level_name->is_string()) {
          const Value* path = level.hash->find("path");
          told(path != nullptr && path->is_string() ? path->str() : name, "A level of the hierarchy has no name");
          continue;
        }
        const std::string title(level_name->str());
        if (!seen.insert(title).second) told(title, fmt::format("Two levels have the name '{}'", title));
        int places = 0, backends = 0;
        for (const HashEntry& e : level.hash->entries()) {
          if (!e.key.is_string()) continue;
          const std::string_view key = e.key.str();
          if (std::find(level_keys.begin(), level_keys.end(), key) == level_keys.end())
            told(key, fmt::format("The level '{}' has a key '{}', which means nothing", title, key), did_you_mean(key, level_keys));
          places += key == "path" || key == "paths" || key == "glob" || key == "globs" || key == "uri" || key == "uris" ||
                    key == "mapped_paths";
          const bool function = key == "data_hash" || key == "lookup_key" || key == "data_dig";
          backends += function || key == "hiera3_backend";
          if (function && program_ != nullptr && e.value.is_string() && !backend_exists(file, e.value.str()))
            told(e.value.str(), fmt::format("There is no function '{}' for the level '{}'", e.value.str(), title),
                 did_you_mean(e.value.str(), {"yaml_data", "json_data", "hocon_data", "eyaml_lookup_key"}));
        }
        for (const HashEntry& e : level.hash->entries()) {
          check_places(e.value, told);
          check_facts(file, text, e.value);
        }
        if (places > 1)
          told(title, fmt::format("The level '{}' has more than one of path, paths, glob, globs, uri, uris and mapped_paths", title));
        if (backends > 1) told(title, fmt::format("The level '{}' has more than one backend", title));
        const Value* datadir = level.hash->find("datadir");
        if (datadir == nullptr && defaults != nullptr && defaults->is_hash()) datadir = defaults->hash->find("datadir");
        const std::string directory = datadir != nullptr && datadir->is_string() ? std::string(datadir->str()) : "data";
        const std::string base = absolute_path(directory, file.path.substr(0, file.path.rfind('/')));
        if (name == "hierarchy") note_places(base, *level.hash);
        if (datadir != nullptr && directory.find("%{") == std::string::npos && !is_directory(base))
          told(directory, fmt::format("The directory of data '{}' does not exist", directory), {}, Severity::Warning);
      }
    }
  }

  /// The files of a level that have nothing of the node in their paths.
  void note_places(const std::string& base, const Hash& level) {
    if (base.find("%{") != std::string::npos) return;
    auto note = [&](const Value& path) {
      if (path.is_string() && path.str().find("%{") == std::string_view::npos)
        for_all_.insert(absolute_path(std::string(path.str()), base));
    };
    if (const Value* path = level.find("path"); path != nullptr) note(*path);
    if (const Value* paths = level.find("paths"); paths != nullptr && paths->is_list())
      for (const Value& path : paths->items()) note(path);
  }

  /// The paths of a level: %{...} in them names variables.
  template <class Told> void check_places(const Value& place, const Told& told) {
    if (place.is_list())
      for (const Value& element : place.items()) check_places(element, told);
    if (!place.is_string()) return;
    const InterpolationProblem problem = interpolation_problem(place.str(), false);
    if (!problem.message.empty())
      told(place.str(), problem.message, {}, problem.unclosed ? std::optional(Severity::Warning) : std::nullopt);
  }

  /// The facts that the paths of a level name.
  void check_facts(const RepositoryFile& file, std::string_view text, const Value& place) {
    if (place.is_list())
      for (const Value& element : place.items()) check_facts(file, text, element);
    if (!place.is_string() || program_ == nullptr) return;
    const std::string_view path = place.str();
    for (size_t open = 0; (open = path.find("%{", open)) != std::string_view::npos; open += 2) {
      const size_t close = path.find('}', open);
      if (close == std::string_view::npos) return;
      check_fact(file, std::max<uint32_t>(line_of(text, path), 1),
                 without_leading_colons(trimmed(path.substr(open + 2, close - open - 2))));
    }
  }

  /// "osfamily", "facts.os.family": a legacy fact, or a key that the fact does not have.
  void check_fact(const RepositoryFile& file, uint32_t line, std::string_view name) {
    const bool in_facts = name.starts_with("facts.");
    if (in_facts) name.remove_prefix(6);
    const std::string_view fact = name.substr(0, name.find('.'));
    if (program_->custom_facts().contains(std::string(fact))) return;
    if (const std::string_view modern = name == fact ? modern_fact(fact) : std::string_view(); !modern.empty()) {
      const bool of_module = program_->module_of(file.path) != nullptr;
      findings_.add(CheckCode::legacy_fact, file.shown, line, 0, fmt::format("The legacy fact '{}' is not there in Puppet 8", fact),
                    fmt::format("Use %{{facts.{}}}.", modern), of_module ? std::optional(Severity::Hint) : std::nullopt);
    }
    if (!in_facts) return;
    for (size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1)) {
      const auto known = fact_keys(name.substr(0, dot));
      const std::string_view rest = name.substr(dot + 1), key = rest.substr(0, rest.find('.'));
      if (known.empty() || std::find(known.begin(), known.end(), key) != known.end()) continue;
      findings_.add(CheckCode::unknown_fact_key, file.shown, line, 0,
                    fmt::format("The fact '{}' has no key '{}'", name.substr(0, dot), key),
                    did_you_mean(key, {known.begin(), known.end()}));
      return;
    }
  }

  /// A backend of a level: a function of Puppet's, or of a module that may be there.
  bool backend_exists(const RepositoryFile& file, std::string_view name) {
    const FunctionEntry* entry = program_->functions().find(name);
    bool broken = false;
    return (entry != nullptr && entry->module.empty()) || program_->find_function(intern(name), &broken) != nullptr || broken ||
           !program_->environment().ruby_functions(name).empty() || program_->may_exist(name, program_->module_of(file.path)) != Known::No;
  }

  CheckedCodebase* program_;
  const LookupKeys& lookups_;
  Findings& findings_;
  std::vector<std::unique_ptr<Data>> data_;
  std::vector<std::string> options_;
  std::set<std::string> for_all_; // paths of data that every node has
  std::set<std::string, std::less<>> interpolated_;
};

} // namespace

void add_data_error(Findings& findings, const std::string& file, const DataError& error) {
  if (error.wrong_line == 0)
    findings.add(CheckCode::data_syntax, file, std::max<uint32_t>(error.line, 1), error.column, error.message);
  else
    findings.add(CheckCode::data_syntax, file, error.wrong_line, error.wrong_column,
                 error.wrong_token.empty() ? "The JSON ends too early" : fmt::format("Unexpected {} in JSON", error.wrong_token));
}

uint32_t line_of(std::string_view text, std::string_view word, uint32_t first) {
  uint32_t found = 0;
  if (!word.empty())
    for_lines(text, [&](uint32_t number, std::string_view line) {
      if (found != 0 || number < first) return;
      const size_t at = line.find(word);
      const size_t comment = line.find('#');
      if (at != std::string_view::npos && (comment == std::string_view::npos || at < comment)) found = number;
    });
  return found;
}

std::set<std::string, std::less<>> check_data_files(const std::vector<RepositoryFile>& files, CheckedCodebase* program,
                                                    const LookupKeys& lookups, Findings& findings) {
  DataChecker data(program, lookups, findings);
  for (const RepositoryFile& file : files) {
    if (file.kind == FileKind::Manifest || file.kind == FileKind::Epp || file.kind == FileKind::Erb) continue;
    const auto read = file.metadata ? std::nullopt : read_whole_file(file.path);
    const std::string* text = file.metadata ? &file.metadata->text : read ? &*read : nullptr;
    if (text == nullptr) {
      findings.add(CheckCode::data_syntax, file.shown, 0, 0, "The file cannot be read");
      continue;
    }
    if (text->size() > largest_file) {
      findings.add(CheckCode::data_syntax, file.shown, 0, 0, "The file is too large for data");
      continue;
    }
    switch (file.kind) {
    case FileKind::Yaml:
    case FileKind::Json:
    case FileKind::Hocon:
    case FileKind::HieraConfig: data.read(file, *text); break;
    default: check_metadata_file(file, *text, program, findings);
    }
  }
  data.finish();
  return data.always_set();
}

} // namespace pupc::compiler
