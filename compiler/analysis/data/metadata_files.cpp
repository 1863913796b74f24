// metadata.json, environment.conf, Puppetfile, task metadata.
#include "catalog/base/text.h"
#include "compiler/analysis/codebase/fact_names.h"
#include "compiler/analysis/data/data_files.h"
#include "compiler/analysis/data/task_metadata.h"

#include "catalog/base/paths.h"
#include "catalog/formats/data_file.h"
#include "catalog/value/semver.h"
#include "catalog/value/semver_range.h"
#include "compiler/discovery/exists.h"
#include "compiler/load/conf_file.h"
#include "compiler/ruby/syntax/ruby_tokens.h"
#include "compiler/types/core_types.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace pupc::compiler {
namespace {

bool word(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
}

/// "author-name" or "author/name".
bool full_name(std::string_view s) {
  const size_t cut = s.find_first_of("-/");
  return cut != std::string_view::npos && word(s.substr(0, cut)) && word(s.substr(cut + 1)) &&
         std::islower(static_cast<unsigned char>(s[cut + 1]));
}

/// Whether no version is in the range.
bool takes_nothing(const SemVerRange& range) {
  const auto contradicts = [](std::span<const SemVerComparator> all) {
    using Op = SemVerComparator::Op;
    // The reader of ranges has < 0.0.0 for what contradicts itself.
    if (all.size() == 1 && all[0].op == Op::Lt && compare(all[0].version, SemVer{}) == 0) return true;
    for (const SemVerComparator& lower : all)
      for (const SemVerComparator& upper : all) {
        if ((lower.op != Op::Gt && lower.op != Op::Ge) || (upper.op != Op::Lt && upper.op != Op::Le)) continue;
        const int order = compare(lower.version, upper.version);
        if (order > 0 || (order == 0 && (lower.op == Op::Gt || upper.op == Op::Lt))) return true;
      }
    return false;
  };
  return !range.alternatives.empty() && std::ranges::all_of(range.alternatives, contradicts);
}

std::string quoted(std::string_view s) { return fmt::format("\"{}\"", s); }

class MetadataCheck {
public:
  MetadataCheck(const RepositoryFile& file, const std::string& text, CheckedCodebase* program, Findings& findings)
      : file_(file), text_(text), program_(program), findings_(findings) {}

  void metadata() {
    if (!json()) return;
    if (!root_.is_hash()) return told(CheckCode::metadata_form, "", "metadata.json is no object");
    const Hash& m = *root_.hash;
    for (std::string_view key : {"name", "version", "author", "license", "summary", "source", "dependencies"}) {
      const Value* v = m.find(key);
      const bool list = key == "dependencies";
      if (v == nullptr || v->is_undef()) {
        // Puppet itself requires only these keys; the Forge requires the others.
        const bool needed = key == "version" || key == "author" || key == "license" || key == "source" || list;
        told(CheckCode::metadata_form, "", fmt::format("metadata.json has no '{}'", key), {},
             needed ? std::nullopt : std::optional(Severity::Warning));
      } else if (list ? !v->is_list() : !v->is_string()) {
        told(CheckCode::metadata_form, quoted(key), fmt::format("'{}' must be {}", key, list ? "an array" : "a text"));
      }
    }
    if (const Value* name = m.find("name"); name != nullptr && name->is_string()) {
      if (!full_name(name->str()))
        told(CheckCode::metadata_form, quoted("name"), fmt::format("'{}' is no module name", name->str()), "It is author-name.");
      else
        check_folder(name->str());
    }
    if (const Value* version = m.find("version"); version != nullptr && version->is_string() && !parse_semver(version->str()))
      told(CheckCode::metadata_form, quoted("version"), fmt::format("'{}' is no semantic version", version->str()),
           "It is MAJOR.MINOR.PATCH.");
    if (const Value* list = m.find("dependencies"); list != nullptr && list->is_list()) dependencies(*list);
    if (const Value* list = m.find("requirements"); list != nullptr) {
      if (!list->is_list()) return told(CheckCode::metadata_form, quoted("requirements"), "'requirements' must be an array");
      for (const Value& r : list->items()) requirement(r, false);
    }
    if (const Value* list = m.find("operatingsystem_support"); list != nullptr) operating_systems(*list);
  }

  void environment_conf() {
    static const std::vector<std::string_view> known = {
        "modulepath", "manifest", "config_version", "environment_timeout", "environment_data_provider", "static_catalogs", "rich_data"};
    uint32_t number = 0;
    std::map<std::string, uint32_t, std::less<>> seen;
    for (size_t begin = 0; begin < text_.size();) {
      const size_t end = std::min(text_.find('\n', begin), text_.size());
      const std::string_view line = trimmed(std::string_view(text_).substr(begin, end - begin));
      begin = end + 1;
      ++number;
      if (line.empty() || line[0] == '#') continue;
      if (line[0] == '[') {
        if (line != "[main]") at(CheckCode::environment_setting, number, "environment.conf has no sections: this one is ignored");
        continue;
      }
      const size_t equals = line.find('=');
      const std::string_view name = trimmed(line.substr(0, equals));
      if (equals == std::string_view::npos || !word(name)) {
        at(CheckCode::environment_setting, number, "This line is no setting", "It is NAME = VALUE.", Severity::Error);
        continue;
      }
      if (std::find(known.begin(), known.end(), name) == known.end())
        at(CheckCode::environment_setting, number, fmt::format("environment.conf has no setting '{}'", name), did_you_mean(name, known));
      else if (!seen.try_emplace(std::string(name), number).second)
        at(CheckCode::environment_setting, number, fmt::format("The setting '{}' stands twice", name));
      const std::string value = conf_value(trimmed(line.substr(equals + 1)));
      check_paths_of(number, name, value);
      if (name == "environment_timeout" && value != "unlimited" && value.find_first_not_of("0123456789smhdy") != std::string::npos)
        at(CheckCode::environment_setting, number, fmt::format("'{}' is no timeout", value),
           "It is 0, unlimited or a number with s, m, h, d or y.", Severity::Error);
      if ((name == "static_catalogs" || name == "rich_data") && value != "true" && value != "false")
        at(CheckCode::environment_setting, number, fmt::format("'{}' is neither true nor false", value), {}, Severity::Error);
    }
  }

  /// In an environment a module's folder has the name of the module; a clone of a module may have any.
  void check_folder(std::string_view name) {
    if (program_ == nullptr || !program_->whole()) return;
    const Module* module = program_->module_of(file_.path);
    const std::string_view own = name.substr(name.find_first_of("-/") + 1);
    const std::string folder = file_.path.substr(0, file_.path.rfind('/'));
    if (module == nullptr || module->path != folder || folder.substr(folder.rfind('/') + 1) == own) return;
    told(CheckCode::metadata_form, quoted("name"),
         fmt::format("The module's name is '{}', and its folder is '{}'", own, folder.substr(folder.rfind('/') + 1)),
         "Puppet goes by the folder.", Severity::Warning);
  }

  /// The directories and files that environment.conf names.
  void check_paths_of(uint32_t number, std::string_view name, std::string_view value) {
    const std::string folder = file_.path.substr(0, file_.path.rfind('/'));
    const auto missing = [&](std::string_view path) {
      return !path.empty() && path.find('$') == std::string_view::npos && path[0] != '/' &&
             !exists(absolute_path(std::string(path), folder));
    };
    if (name == "modulepath") {
      // What the Puppetfile fills is made when it does, and an empty `modules` is not in git.
      for (size_t begin = 0; begin < value.size();) {
        const size_t end = std::min(value.find(':', begin), value.size());
        const std::string_view directory = trimmed(value.substr(begin, end - begin));
        if (missing(directory) && directory != "modules" && !installs_into(folder, directory))
          at(CheckCode::environment_setting, number, fmt::format("There is no directory '{}' for modules", directory));
        begin = end + 1;
      }
    } else if (name == "manifest" || name == "config_version") {
      const std::string_view program = value.substr(0, value.find(' '));
      if (missing(program) && (name == "manifest" || program.find('/') != std::string_view::npos))
        at(CheckCode::environment_setting, number,
           fmt::format("There is no {} '{}'", name == "manifest" ? "file or directory" : "program", program));
    }
  }

  /// Whether the Puppetfile of the folder installs modules into a directory of it.
  static bool installs_into(const std::string& folder, std::string_view directory) {
    const auto text = read_whole_file(folder + "/Puppetfile");
    if (!text) return false;
    const PuppetfileModules modules = read_puppetfile(*text);
    while (directory.ends_with('/')) directory.remove_suffix(1);
    if (modules.directory == directory) return true;
    for (size_t i = 0; i < modules.names.size(); ++i)
      if (const std::string own = modules.directory_of(i); own == directory || own.starts_with(std::string(directory) + "/")) return true;
    return false;
  }

  /// An option of `mod` that r10k does not know, and revisions that contradict each other.
  void check_mod_options(const std::vector<RubyToken>& tokens, size_t begin) {
    const RubyToken *revision = nullptr, *other = nullptr; // the first two options that name one
    bool may_be_git = false;
    static const std::vector<std::string_view> known = {"git",
                                                        "ref",
                                                        "tag",
                                                        "branch",
                                                        "commit",
                                                        "default_branch",
                                                        "default_branch_override",
                                                        "install_path",
                                                        "local",
                                                        "version",
                                                        "type",
                                                        "source",
                                                        "svn",
                                                        "rev",
                                                        "revision",
                                                        "username",
                                                        "password",
                                                        "forge",
                                                        "link",
                                                        "exclude_spec",
                                                        "path",
                                                        "github_tarball",
                                                        "trunk",
                                                        "control_branch",
                                                        "subtree",
                                                        "tarball",
                                                        "sha256sum"};
    for (size_t i = begin; i < tokens.size() && tokens[i].kind != RubyTokenKind::Newline; ++i) {
      const bool arrow = tokens[i].kind == RubyTokenKind::Symbol && i + 1 < tokens.size() && is_op(tokens[i + 1], "=>");
      may_be_git = may_be_git || is_op(tokens[i], "**") || is_op(tokens[i], "."); // what is made may have any option
      if (tokens[i].kind != RubyTokenKind::Label && !arrow) continue;
      const std::string_view option = tokens[i].body;
      may_be_git = may_be_git || option == "git" || option == "type" || option == "svn" || option.ends_with("tarball");
      if (option == "ref" || option == "tag" || option == "branch" || option == "commit") {
        if (revision == nullptr)
          revision = &tokens[i];
        else if (other == nullptr && option != revision->body)
          other = &tokens[i];
      }
      if (std::find(known.begin(), known.end(), option) != known.end()) continue;
      at(CheckCode::puppetfile_form, tokens[i].line, fmt::format("mod has no option '{}'", option), did_you_mean(option, known),
         Severity::Warning);
    }
    if (other != nullptr)
      at(CheckCode::puppetfile_revision, other->line,
         fmt::format("A module has one revision, and this one has '{}' and '{}'", revision->body, other->body));
    else if (revision != nullptr && !may_be_git)
      at(CheckCode::puppetfile_revision, revision->line,
         fmt::format("'{}' is for modules from git, and this one has no 'git'", revision->body),
         "A module from the Forge has its version behind the name.");
  }

  void puppetfile() {
    RubyTokens ruby = ruby_tokens(text_);
    if (!ruby.error.empty()) return told(CheckCode::puppetfile_form, "", fmt::format("The Puppetfile is no Ruby: {}", ruby.error));
    const auto& tokens = ruby.tokens;
    static const std::vector<std::string_view> words = {"mod", "forge", "moduledir"}, of_librarian = {"metadata", "exclusion"};
    std::map<std::string, uint32_t, std::less<>> seen;
    bool start = true, code = false;
    for (const RubyToken& t : tokens) // a Puppetfile with control structures or methods may list any modules
      code = code || (t.kind == RubyTokenKind::Keyword && t.text != "nil" && t.text != "true" && t.text != "false");
    for (size_t i = 0; i < tokens.size(); ++i) {
      const RubyToken& t = tokens[i];
      if (t.kind == RubyTokenKind::Newline) {
        start = true;
        continue;
      }
      if (!std::exchange(start, false)) continue;
      const bool option = t.kind == RubyTokenKind::Label || ((t.kind == RubyTokenKind::Symbol || t.kind == RubyTokenKind::String) &&
                                                             i + 1 < tokens.size() && is_op(tokens[i + 1], "=>"));
      if (option && !code) at(CheckCode::puppetfile_form, t.line, "The line before this option needs a comma at its end");
      if (t.kind != RubyTokenKind::Identifier) continue;
      const bool assigns = i + 1 < tokens.size() && is_op(tokens[i + 1], "=");
      if (std::find(words.begin(), words.end(), t.text) == words.end()) {
        if (!code && !assigns && std::find(of_librarian.begin(), of_librarian.end(), t.text) == of_librarian.end())
          at(CheckCode::puppetfile_form, t.line, fmt::format("A Puppetfile has no '{}'", t.text), did_you_mean(t.text, words));
        continue;
      }
      if (t.text != "mod") continue;
      size_t k = i + 1;
      if (k < tokens.size() && is_op(tokens[k], "(")) ++k;
      if (k >= tokens.size() || tokens[k].kind != RubyTokenKind::String) {
        if (k >= tokens.size() || tokens[k].kind == RubyTokenKind::Newline)
          at(CheckCode::puppetfile_form, t.line, "mod needs the name of a module");
        continue;
      }
      const std::string name(tokens[k].body);
      if (!full_name(name) && !word(name))
        at(CheckCode::puppetfile_form, t.line, fmt::format("'{}' is no module name", name), "It is author-name.");
      const std::string plain = name.substr(name.find_first_of("-/") == std::string::npos ? 0 : name.find_first_of("-/") + 1);
      auto [first, fresh] = seen.try_emplace(plain, t.line);
      if (!fresh && !code)
        at(CheckCode::puppetfile_form, t.line, fmt::format("The module '{}' stands on line {} already", plain, first->second));
      check_mod_options(tokens, k + 1);
      const bool comma = k + 1 < tokens.size() && is_op(tokens[k + 1], ",");
      if (const size_t end = k + 2 < tokens.size() ? k + 3 : tokens.size();
          word(name) && comma && !code && k + 2 < tokens.size() &&
          (tokens[k + 2].kind == RubyTokenKind::String || tokens[k + 2].kind == RubyTokenKind::Symbol) &&
          (end >= tokens.size() || tokens[end].kind == RubyTokenKind::Newline))
        at(CheckCode::puppetfile_form, t.line, fmt::format("A module of the Forge has an author, and '{}' has none", name),
           "It is author-name.");
      if (comma && k + 2 < tokens.size() && tokens[k + 2].kind == RubyTokenKind::String) {
        const std::string_view version = tokens[k + 2].body;
        const bool entry = k + 3 < tokens.size() && is_op(tokens[k + 3], "=>");
        Arena arena;
        if (!entry && !tokens[k + 2].interpolated && version != "latest" && !parse_semver(version) &&
            parse_semver_range(arena, version) == nullptr)
          at(CheckCode::puppetfile_form, tokens[k + 2].line, fmt::format("'{}' is no version", version),
             "It is MAJOR.MINOR.PATCH or :latest.");
        else if (!entry && !code && parse_semver(version))
          pinned_.push_back({plain, std::string(version), tokens[k + 2].line});
        else if (!entry && !version.empty() && version.find_first_not_of("0123456789.") == std::string_view::npos && !parse_semver(version))
          at(CheckCode::puppetfile_form, tokens[k + 2].line, fmt::format("'{}' is not a whole version", version),
             "It is MAJOR.MINOR.PATCH.", Severity::Warning);
      } else if (!comma && k + 1 < tokens.size() && tokens[k + 1].kind != RubyTokenKind::Newline && !is_op(tokens[k + 1], ")")) {
        at(CheckCode::puppetfile_form, tokens[k + 1].line, "A comma is missing behind the module's name");
      }
    }
    if (program_ == nullptr || program_->environment().options().path + "/Puppetfile" != file_.path) return;
    for (const Module& own : program_->environment().modules())
      if (!seen.contains(own.name)) check_wanted_versions(own);
  }

  /// Versions of the Puppetfile that a module of the repository itself does not take.
  void check_wanted_versions(const Module& own) {
    const bool asks = std::ranges::any_of(pinned_, [&](const Pinned& p) { return std::ranges::count(own.dependencies, p.name) != 0; });
    const auto text = asks ? read_whole_file(own.path + "/metadata.json") : std::nullopt;
    Arena arena;
    Value metadata;
    if (!text || read_json(*text, arena, metadata) || !metadata.is_hash()) return;
    const Value* all = metadata.hash->find("dependencies");
    if (all == nullptr || !all->is_list()) return;
    for (const Value& wanted : all->items()) {
      const Value* name = wanted.is_hash() ? wanted.hash->find("name") : nullptr;
      const Value* range = wanted.is_hash() ? wanted.hash->find("version_requirement") : nullptr;
      if (name == nullptr || range == nullptr || !name->is_string() || !range->is_string()) continue;
      const size_t cut = name->str().find_first_of("-/");
      const std::string_view plain = name->str().substr(cut == std::string_view::npos ? 0 : cut + 1);
      const SemVerRange* versions = program_->version_range(trimmed(range->str()));
      for (const Pinned& p : pinned_)
        if (const auto version = parse_semver(p.version);
            p.name == plain && versions != nullptr && version && !includes(*versions, *version))
          at(CheckCode::dependency_version, p.line,
             fmt::format("The module '{}' of this repository takes '{}' in {}, not {}", own.name, p.name, range->str(), p.version), {},
             Severity::Warning);
    }
  }

  void task() {
    if (!json()) return;
    if (!root_.is_hash()) return told(CheckCode::task_form, "", "Task metadata is no object");
    static const std::vector<std::string_view> keys = {
        "description",         "parameters", "input_method", "supports_noop", "implementations", "files",
        "puppet_task_version", "private",    "remote",       "extensions",    "sensitive"};
    static const std::vector<std::string_view> methods = {"stdin", "environment", "both", "powershell"};
    const Hash& m = *root_.hash;
    for (const HashEntry& e : m.entries())
      if (e.key.is_string() && std::find(keys.begin(), keys.end(), e.key.str()) == keys.end())
        told(CheckCode::task_form, quoted(e.key.str()), fmt::format("Task metadata has no '{}'", e.key.str()),
             did_you_mean(e.key.str(), keys), Severity::Warning);
    for (std::string_view key : {"supports_noop", "private", "remote"})
      if (const Value* v = m.find(key); v != nullptr && !v->is_bool())
        told(CheckCode::task_form, quoted(key), fmt::format("'{}' must be true or false", key));
    if (const Value* v = m.find("input_method"); v != nullptr)
      if (!v->is_string() || std::find(methods.begin(), methods.end(), v->str()) == methods.end())
        told(CheckCode::task_form, quoted("input_method"), "'input_method' is stdin, environment, both or powershell");
    check_executable(m);
    check_task_files(m.find("files"));
    const Value* parameters = m.find("parameters");
    check_programs_of_task(m, parameters != nullptr && parameters->is_hash() ? parameters->hash : nullptr);
    if (parameters == nullptr || parameters->is_undef()) return;
    if (!parameters->is_hash()) return told(CheckCode::task_form, quoted("parameters"), "'parameters' must be an object");
    for (const HashEntry& e : parameters->hash->entries()) check_parameter(e);
  }

private:
  struct Pinned {
    std::string name, version;
    uint32_t line;
  };
  std::vector<Pinned> pinned_; // modules of the Forge that the Puppetfile names with a version

  /// What the programs of a task read of its parameters: each is in a variable PT_name, or all are in one document on standard input.
  void check_programs_of_task(const Hash& metadata, const Hash* parameters) {
    const Value* given = metadata.find("input_method");
    std::string_view method = given != nullptr && given->is_string() ? given->str() : given != nullptr ? "?" : "";
    if (const Value* list = metadata.find("implementations"); list != nullptr && list->is_list())
      for (const Value& one : list->items()) // each may have its own
        if (one.is_hash() && one.hash->find("input_method") != nullptr) method = "?";
    const size_t slash = file_.path.rfind('/');
    const std::string folder = file_.path.substr(0, slash + 1), name = file_.path.substr(slash + 1, file_.path.size() - slash - 6);
    std::vector<std::string_view> known;
    for (const HashEntry& e : parameters != nullptr ? parameters->entries() : std::span<const HashEntry>())
      if (e.key.is_string()) known.push_back(e.key.str());
    for (const std::string& program : programs_of_task(metadata, folder, name)) {
      if (is_program_of_other(folder, name, program)) continue;
      const auto text = read_whole_file(folder + program);
      if (!text || text->size() > (1u << 18)) continue;
      const std::vector<TaskVariable> variables = variables_of_task(*text);
      const TaskInput input = input_of_task(*text);
      if (method == "environment" && input.from_stdin && variables.empty())
        told(CheckCode::task_form, quoted("input_method"),
             fmt::format("{} reads its parameters from standard input on line {}, where nothing is", program, input.line),
             "Write \"input_method\": \"stdin\".", Severity::Warning);
      else if (method == "stdin" && !variables.empty() && !input.from_stdin && text->find("stdin") == std::string::npos &&
               text->find("STDIN") == std::string::npos && text->find("cat") == std::string::npos &&
               text->find("read") == std::string::npos)
        told(CheckCode::task_form, quoted("input_method"),
             fmt::format("{} reads PT_{} on line {}, which standard input does not set", program, variables[0].name, variables[0].line),
             "Write \"input_method\": \"environment\".", Severity::Warning);
      if (parameters == nullptr) continue;
      const auto check = [&](const TaskVariable& v, std::string_view before) {
        if (std::ranges::find(known, v.name) == known.end())
          told(CheckCode::task_form, quoted("parameters"),
               fmt::format("{} reads {}{} on line {}, and the task has no such parameter", program, before, v.name, v.line),
               did_you_mean(v.name, known), Severity::Warning);
      };
      if (method.empty() || method == "environment" || method == "both")
        for (const TaskVariable& v : variables) check(v, "PT_");
      if (method.empty() || method == "stdin" || method == "both")
        for (const TaskVariable& v : input.keys) check(v, "the parameter ");
    }
  }

  /// The programs that the metadata names, or that have its name.
  static std::vector<std::string> programs_of_task(const Hash& metadata, const std::string& folder, std::string_view name) {
    std::vector<std::string> programs;
    if (const Value* list = metadata.find("implementations"); list != nullptr && list->is_list()) {
      for (const Value& one : list->items())
        if (const Value* named = one.is_hash() ? one.hash->find("name") : nullptr; named != nullptr && named->is_string())
          programs.emplace_back(named->str());
    } else {
      for (const std::string& other : names_of_files(folder, ""))
        if (other != fmt::format("{}.json", name) && (other == name || other.starts_with(fmt::format("{}.", name))))
          programs.push_back(other);
    }
    return programs;
  }

  /// Whether the metadata of another task names the program.
  static bool is_program_of_other(const std::string& folder, std::string_view task, std::string_view program) {
    for (const std::string& other : names_of_files(folder, ".json")) {
      if (other == task) continue;
      const auto text = read_whole_file(folder + other + ".json");
      if (text && text->find(quoted(program)) != std::string::npos) return true;
    }
    return false;
  }

  /// A parameter of a task.
  void check_parameter(const HashEntry& e) {
    const std::string name(e.key.is_string() ? e.key.str() : std::string_view());
    const bool fits = !name.empty() && name[0] >= 'a' && name[0] <= 'z' && std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
    if (!fits && name != "_noop") told(CheckCode::task_form, quoted(name), fmt::format("'{}' cannot be a parameter's name", name));
    if (!e.value.is_hash()) return told(CheckCode::task_form, quoted(name), fmt::format("The parameter '{}' must be an object", name));
    static const std::vector<std::string_view> keys = {"type", "description", "default", "sensitive"};
    for (const HashEntry& key : e.value.hash->entries())
      if (const std::string near = key.key.is_string() && std::ranges::find(keys, key.key.str()) == keys.end()
                                       ? did_you_mean(key.key.str(), keys)
                                       : "";
          !near.empty())
        told(CheckCode::task_form, quoted(key.key.str()), fmt::format("A parameter has no '{}'", key.key.str()), near, Severity::Warning);
    if (const Value* secret = e.value.hash->find("sensitive"); secret != nullptr && !secret->is_bool())
      told(CheckCode::task_form, quoted("sensitive"), "'sensitive' must be true or false");
    const Value* type = e.value.hash->find("type");
    if (type == nullptr || program_ == nullptr) return;
    if (!type->is_string())
      return told(CheckCode::task_form, quoted(name), fmt::format("The type of the parameter '{}' must be a text", name));
    const auto unread = [&](std::string_view why) {
      told(CheckCode::task_form, std::string(type->str()), fmt::format("The type of the parameter '{}' cannot be read: {}", name, why));
    };
    try {
      const Type* parsed = parse_type(program_->types(), type->str());
      if (const std::string unknown = unknown_type(parsed);
          !unknown.empty() && (program_->may_exist(unknown, nullptr) == Known::No || !near_data_type(unknown).empty()))
        return told(CheckCode::task_form, std::string(type->str()),
                    fmt::format("The type of the parameter '{}' does not exist: '{}'", name, unknown), near_data_type(unknown));
      const Value* given = e.value.hash->find("default");
      if (given != nullptr && unknown_type(parsed).empty() && !is_instance(program_->types(), parsed, *given))
        told(CheckCode::task_form, quoted(name), fmt::format("The default of the parameter '{}' is not of its type {}", name, type->str()));
    } catch (const CompileError& error) {
      // Bolt also accepts bare words that the language allows only in quotes.
      std::string capital(type->str());
      if (!capital.empty() && capital[0] >= 'a' && capital[0] <= 'z') capital[0] = static_cast<char>(capital[0] - 32);
      if (capital != type->str() && builtin_type(capital) != nullptr)
        told(CheckCode::task_form, quoted(type->str()),
             fmt::format("The type of the parameter '{}' does not exist: '{}'", name, type->str()), fmt::format("Write {}.", capital));
      else if (error.diagnostic.message.find("not a valid type specification") == std::string::npos)
        unread(error.diagnostic.message);
    }
  }

  /// Files of modules that the task, or one of its programs, gets along: module/files/x, module/lib/.
  void check_task_files(const Value* files) {
    if (files == nullptr || !files->is_list() || program_ == nullptr) return;
    for (const Value& file : files->items()) {
      if (!file.is_string()) continue;
      const std::string_view path = file.str();
      const size_t slash = path.find('/');
      const Module* module = slash == std::string_view::npos ? nullptr : program_->environment().find_module(path.substr(0, slash));
      if (module == nullptr || exists(fmt::format("{}/{}", module->path, path.substr(slash + 1)))) continue;
      told(CheckCode::task_form, quoted(path), fmt::format("The module '{}' has no '{}'", module->name, path.substr(slash + 1)));
    }
  }

  /// A task is a file beside its metadata, or what the metadata names.
  void check_executable(const Hash& metadata) {
    if (const Value* implementations = metadata.find("implementations"); implementations != nullptr)
      return check_implementations(*implementations);
    const size_t slash = file_.path.rfind('/');
    const std::string folder = file_.path.substr(0, slash), name = file_.path.substr(slash + 1, file_.path.size() - slash - 6);
    for (const std::string& other : names_of_files(folder, ""))
      if (other != name + ".json" && (other == name || other.starts_with(name + "."))) return;
    told(CheckCode::task_form, "", fmt::format("There is no program '{}' beside the metadata of the task", name),
         "The task is a file of that name, with any extension.", Severity::Warning);
  }

  /// The programs of a task that has several.
  void check_implementations(const Value& implementations) {
    if (!implementations.is_list()) return told(CheckCode::task_form, quoted("implementations"), "'implementations' must be an array");
    const std::vector<std::string> there = names_of_files(file_.path.substr(0, file_.path.rfind('/')), "");
    for (const Value& one : implementations.items()) {
      const Value* name = one.is_hash() ? one.hash->find("name") : nullptr;
      if (name == nullptr || !name->is_string())
        told(CheckCode::task_form, quoted("implementations"), "Each of the implementations needs the 'name' of a program");
      else if (std::ranges::find(there, name->str()) == there.end())
        told(CheckCode::task_form, quoted(name->str()),
             fmt::format("There is no program '{}' beside the metadata of the task", name->str()),
             did_you_mean(name->str(), {there.begin(), there.end()}));
      if (!one.is_hash()) continue;
      check_task_files(one.hash->find("files"));
      const Value* needs = one.hash->find("requirements");
      for (const Value& feature : needs != nullptr && needs->is_list() ? needs->items() : std::span<const Value>())
        for (std::string_view known : {"shell", "powershell", "puppet-agent"})
          if (feature.is_string() && feature.str() != known && one_slip_apart(feature.str(), known))
            told(CheckCode::task_form, quoted(feature.str()), fmt::format("No target has a feature '{}'", feature.str()),
                 fmt::format("Did you mean '{}'?", known), Severity::Warning);
    }
  }

  void at(CheckCode code, uint32_t line, std::string message, std::string suggestion = {}, std::optional<Severity> severity = {}) {
    findings_.add(code, file_.shown, line, 0, std::move(message), std::move(suggestion), severity);
  }
  /// Reports a finding on the line where `place` stands, or on line 1 when the file does not contain it.
  void told(CheckCode code, const std::string& place, std::string message, std::string suggestion = {},
            std::optional<Severity> severity = {}) {
    at(code, std::max<uint32_t>(place.empty() ? 1 : json_line(place), 1), std::move(message), std::move(suggestion), severity);
  }

  uint32_t json_line(std::string_view place) const {
    const size_t found = text_.find(place);
    uint32_t line = 1;
    if (found == std::string::npos) return line;
    for (size_t at = 0; (at = text_.find('\n', at)) < found; ++at) ++line;
    return line;
  }

  bool json() {
    auto error = file_.metadata ? file_.metadata->error : read_json(text_, arena_, root_);
    if (file_.metadata) root_ = file_.metadata->root;
    if (error) {
      add_data_error(findings_, file_.shown, *error);
      return false;
    }
    return true;
  }

  void dependencies(const Value& list) {
    std::set<std::string> seen;
    for (const Value& d : list.items()) {
      requirement(d, true);
      const Value* name = d.is_hash() ? d.hash->find("name") : nullptr;
      if (name != nullptr && name->is_string() && !seen.insert(std::string(name->str())).second)
        told(CheckCode::metadata_form, quoted(name->str()), fmt::format("The dependency '{}' is listed twice", name->str()));
    }
  }

  void requirement(const Value& r, bool dependency) {
    const std::string_view what = dependency ? "dependency" : "requirement";
    const Value* name = r.is_hash() ? r.hash->find("name") : nullptr;
    if (name == nullptr || !name->is_string())
      return told(CheckCode::metadata_form, quoted(dependency ? "dependencies" : "requirements"), fmt::format("A {} has no name", what));
    const std::string_view module = name->str();
    if (dependency && !full_name(module))
      told(CheckCode::metadata_form, quoted(module), fmt::format("'{}' is no module name", module), "It is author-name.");
    if (!dependency && one_slip_apart(module, "puppet"))
      told(CheckCode::metadata_form, quoted(module), fmt::format("Nothing is called '{}' here", module), "Did you mean 'puppet'?",
           Severity::Warning);
    const Value* range = r.hash->find("version_requirement");
    if (range == nullptr) {
      for (const HashEntry& e : r.hash->entries())
        if (const std::string near = e.key.is_string() ? did_you_mean(e.key.str(), {"version_requirement"}) : ""; !near.empty())
          told(CheckCode::metadata_form, quoted(e.key.str()), fmt::format("A {} has no '{}'", what, e.key.str()), near, Severity::Warning);
      return;
    }
    const auto parse = [&](std::string_view text) {
      return program_ != nullptr ? program_->version_range(text) : parse_semver_range(arena_, text);
    };
    const SemVerRange* parsed = range->is_string() ? parse(trimmed(range->str())) : nullptr;
    if (parsed == nullptr)
      return told(CheckCode::metadata_form, range->is_string() ? std::string(range->str()) : quoted(module),
                  fmt::format("The versions of the {} '{}' are no range", what, module), "It is such as >= 1.0.0 < 2.0.0.");
    if (takes_nothing(*parsed))
      return told(CheckCode::metadata_form, std::string(range->str()),
                  fmt::format("No version of the {} '{}' is in the range '{}'", what, module, range->str()), {});
    if (!dependency && module == "puppet" && !CheckedCodebase::takes_puppet_8(*parsed))
      told(CheckCode::dependency_version, std::string(range->str()),
           fmt::format("The module is not meant for Puppet 8: '{}'", range->str()), {}, Severity::Warning);
    if (!dependency || program_ == nullptr) return;
    const size_t cut = module.find_first_of("-/");
    const Module* here = program_->environment().find_module(module.substr(cut == std::string_view::npos ? 0 : cut + 1));
    if (here == nullptr && program_->whole() && program_->missing().empty())
      for (const Module& other : program_->environment().modules())
        if (one_slip_apart(other.name, module.substr(cut == std::string_view::npos ? 0 : cut + 1)))
          return told(CheckCode::metadata_form, quoted(module), fmt::format("There is no module '{}' here", module),
                      fmt::format("Did you mean '{}'?", other.name), Severity::Warning);
    if (here == nullptr || here->version.empty()) return;
    const auto version = parse_semver(here->version);
    if (version && !includes(*parsed, *version))
      told(CheckCode::dependency_version, quoted(module),
           fmt::format("'{}' is here in version {}, not in {}", module, here->version, range->str()));
  }

  void operating_systems(const Value& list) {
    if (!list.is_list())
      return told(CheckCode::metadata_form, quoted("operatingsystem_support"), "'operatingsystem_support' must be an array");
    for (const Value& system : list.items()) {
      const Value* name = system.is_hash() ? system.hash->find("operatingsystem") : nullptr;
      if (name == nullptr || !name->is_string()) {
        told(CheckCode::metadata_form, quoted("operatingsystem_support"), "An entry of 'operatingsystem_support' has no operatingsystem");
        continue;
      }
      if (const std::string why = never_value_of_fact("os.name", name->str()); !why.empty())
        told(CheckCode::metadata_form, quoted(name->str()), fmt::format("No system has this name: {}", why), {}, Severity::Warning);
      const Value* releases = system.hash->find("operatingsystemrelease");
      if (releases == nullptr) continue;
      const bool texts = releases->is_list() &&
                         std::all_of(releases->items().begin(), releases->items().end(), [](const Value& v) { return v.is_string(); });
      if (!texts)
        told(CheckCode::metadata_form, quoted(name->str()), fmt::format("The releases of '{}' must be an array of texts", name->str()));
    }
  }

  const RepositoryFile& file_;
  const std::string& text_;
  CheckedCodebase* program_;
  Findings& findings_;
  Arena arena_;
  Value root_;
};

} // namespace

void check_metadata_file(const RepositoryFile& file, const std::string& text, CheckedCodebase* program, Findings& findings) {
  MetadataCheck check(file, text, program, findings);
  switch (file.kind) {
  case FileKind::Metadata: return check.metadata();
  case FileKind::EnvironmentConf: return check.environment_conf();
  case FileKind::Puppetfile: return check.puppetfile();
  case FileKind::TaskMetadata: return check.task();
  default: return;
  }
}

} // namespace pupc::compiler
