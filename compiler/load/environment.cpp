#include "compiler/load/environment.h"

#include "catalog/base/log.h"
#include "catalog/base/once.h"
#include "catalog/base/paths.h"
#include "catalog/base/stack_memory.h"
#include "catalog/formats/data_file.h"
#include "compiler/load/cell_map.h"
#include "compiler/load/file_watch.h"
#include "compiler/load/main_manifests.h"
#include "compiler/load/modules.h"
#include "compiler/load/parsed_files.h"
#include "compiler/load/resource_types.h"
#include "compiler/load/type_runner.h"
#include "compiler/parse/parser.h"
#include "compiler/ruby/syntax/program_digest.h"
#include "compiler/types/type.h"

#include <algorithm>
#include <array>
#include <dirent.h>
#include <fmt/format.h>
#include <list>
#include <sys/stat.h>

namespace pupc::compiler {
namespace {

/// Whether the autoloader can make a path of the name: it consists of segments of letters, digits, _ and -, so no name leads out of a
/// module.
bool loadable_name(std::string_view name) {
  static constexpr auto in_segment = [] {
    std::array<bool, 256> out{};
    for (int c = 0; c < 128; ++c)
      out[c] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    return out;
  }();
  for (size_t i = 0;; i += 2) {
    const size_t begin = i;
    while (i < name.size() && in_segment[static_cast<unsigned char>(name[i])]) ++i;
    if (i == begin) return false;
    if (i == name.size()) return true;
    if (!name.substr(i).starts_with("::")) return false;
  }
}

/// Appends "a/b/c" for "a::b::c".
void append_path(std::string& out, std::string_view name) {
  for (size_t colons; (colons = name.find(':')) != std::string_view::npos; name.remove_prefix(std::min(colons + 2, name.size())))
    out.append(name.substr(0, colons)) += '/';
  out += name;
}
std::string as_path(std::string_view name) {
  std::string out;
  append_path(out, name);
  return out;
}

/// Collects all .pp files below a directory. Like Ruby's `**` it enters neither links nor hidden directories.
void collect_manifests(const std::string& directory, std::vector<std::string>& out, FileWatch& watch, int depth = 0) {
  watch.note(directory);
  DIR* d = depth > 64 ? nullptr : ::opendir(directory.c_str());
  if (!d) return;
  std::vector<std::string> subdirectories;
  while (const dirent* e = ::readdir(d)) {
    std::string_view name = e->d_name;
    if (name.starts_with('.')) continue;
    std::string path = directory + "/" + e->d_name;
    bool is_dir = e->d_type == DT_DIR;
    if (e->d_type == DT_UNKNOWN) {
      struct stat info {};
      is_dir = ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
    }
    if (is_dir) subdirectories.push_back(path);
    if (name.ends_with(".pp")) out.push_back(std::move(path));
  }
  ::closedir(d);
  for (const auto& s : subdirectories) collect_manifests(s, out, watch, depth + 1);
}

class EnvironmentImpl final : public Environment {
public:
  EnvironmentImpl(EnvironmentOptions options, EnvironmentExtras extras)
      : options_(prepare(std::move(options))), extras_(std::move(extras)), watch_(options_.watch),
        modules_(options_.modulepath, options_.check.strict, watch_, extras_), resource_types_(options_.path, modules_, *runner_, watch_),
        inits_(std::make_unique<InitCell[]>(modules_.places().size())) {
    attachments_[typeid(TypeRunnerSlot)] = runner_;
  }

  const EnvironmentOptions& options() const override { return options_; }

  const std::vector<std::shared_ptr<const ParsedFile>>& main_manifests(LogSink* log) const override { return main(log).files; }
  const std::vector<NodeEntry>& nodes() const override { return main(nullptr).nodes; }

  const DefinitionEntry* find_class(std::string_view name, LogSink* log) const override {
    return find_in_manifests(name, NodeKind::ClassDef, log);
  }
  const DefinitionEntry* find_define(std::string_view name, LogSink* log) const override {
    return find_in_manifests(name, NodeKind::DefineDef, log);
  }
  const DefinitionEntry* find_function(std::string_view name, LogSink* log) const override;
  const TypeAliasEntry* find_type_alias(std::string_view cased_name, LogSink* log) const override;
  const std::vector<TypeAliasEntry>& aliases_read_for(std::string_view name, NodeKind kind) const override;
  std::vector<const RubyFunctionFile*> ruby_functions(std::string_view name) const override;
  const RubyFunctionFile* old_function(std::string_view name) const override;
  std::string data_type_file(std::string_view name) const override;
  const ResourceTypeInfo* find_resource_type(std::string_view name) const override;

  const std::vector<Module>& modules() const override { return modules_.all(); }
  const Module* find_module(std::string_view name) const override { return modules_.find(name, nullptr); }
  const Module* module_of(std::string_view path) const override {
    const auto* place = modules_.place_of(path);
    return place ? modules_.find(place->name, nullptr) : nullptr;
  }
  std::optional<std::string> find_module_file(ModuleFileKind kind, std::string_view reference) const override;

  std::shared_ptr<const std::string> read_file(const std::string& path) const override;
  std::shared_ptr<const ParsedFile> epp_template(const std::string& path, LogSink* log) const override;
  const DataFile& data_file(const std::string& path, DataFormat format) const override;
  bool path_exists(const std::string& path) const override;
  bool unchanged() const override { return watch_.unchanged(); }
  void watch(const std::string& path) const override { watch_.note(path); }
  RegexCache& regexes() const override { return regexes_; }
  std::shared_ptr<EnvironmentAttachment> attachment(std::type_index kind, const MakeAttachment& make) const override;

private:
  struct MainState : MainManifests {
    Once once;
  };
  /// The result of a search for a name, and the files loaded for it that have messages.
  template <class Entry> struct NameCell {
    Once once;
    std::optional<Entry> entry;
    std::vector<const LoadedFile*> talkative;
    std::vector<TypeAliasEntry> aliases; // in the files loaded for it
    MaybeError error;

    void clear() {
      entry.reset();
      talkative.clear();
      aliases.clear();
      error.reset();
    }
    const Entry* result(LogSink* log) const {
      for (const LoadedFile* f : talkative) f->report(log);
      if (error) throw CompileError(*error);
      return entry ? &*entry : nullptr;
    }
  };
  struct TextCell {
    Once once;
    std::shared_ptr<const std::string> text;
  };
  struct DataCell {
    Once once;
    DataFile data;
  };
  struct ExistsCell {
    Once once;
    bool exists = false;
  };

  static EnvironmentOptions prepare(EnvironmentOptions o) {
    for (auto& d : o.modulepath) d = absolute_path(d);
    if (!o.path.empty()) o.path = absolute_path(o.path);
    if (!o.manifest.empty()) o.manifest = absolute_path(o.manifest);
    if (!o.hiera_config.empty()) o.hiera_config = absolute_path(o.hiera_config);
    return o;
  }

  const MainState& main(LogSink* log) const;
  void load_main() const;
  const LoadedFile& manifest_file(const std::string& path, std::string_view message_prefix = {}) const;
  const LoadedFile* given_file(std::string_view path) const;
  const LoadedFile* existing_manifest(const std::string& path) const;
  const LoadedFile* init_manifest(const ModuleTable::Numbered& module) const;
  void import(const LoadedFile& file, const LoadedFile* init) const;
  const DefinitionEntry* find_in_manifests(std::string_view name, NodeKind kind, LogSink* log) const;
  NameCell<DefinitionEntry>& manifest_cell(std::string_view key, NodeKind kind) const;
  template <class Entry> bool search_manifests(std::string_view name, NodeKind kind, NameCell<Entry>& cell) const;
  void load_function(std::string_view name, NameCell<DefinitionEntry>& cell) const;
  void load_alias(std::string_view name, NameCell<TypeAliasEntry>& cell) const;
  std::string folder_of(std::string_view module) const;
  std::string code_file(std::string_view name, std::string_view folder, const Module*& module) const;

  EnvironmentOptions options_;
  EnvironmentExtras extras_;
  mutable FileWatch watch_;
  ModuleTable modules_;
  std::shared_ptr<TypeRunnerSlot> runner_ = std::make_shared<TypeRunnerSlot>();
  ResourceTypeTable resource_types_;
  mutable RegexCache regexes_;
  mutable ParserMemory parser_memory_;
  mutable MainState main_;
  mutable CellMap<LoadedFile> manifests_, templates_;
  mutable Once given_once_;
  mutable std::vector<LoadedFile> given_; // those of extras_.parsed, in its order; it never grows
  struct InitCell {
    Once once;
    const LoadedFile* file = nullptr;
  };
  std::unique_ptr<InitCell[]> inits_; // by numbers of modules
  mutable CellMap<NameCell<DefinitionEntry>> classes_, defines_, functions_;
  mutable CellMap<NameCell<TypeAliasEntry>> aliases_;
  mutable CellMap<TextCell> texts_;
  mutable CellMap<DataCell> data_;
  mutable CellMap<ExistsCell> exists_;
  /// The modules' Ruby functions of one name.
  struct RubyFunctions {
    Once once;                         // for the first search for the name
    std::list<RubyFunctionFile> files; // most have one
    std::vector<const RubyFunctionFile*> called;
    const RubyFunctionFile* old = nullptr;

    void clear() {
      files.clear();
      called.clear();
      old = nullptr;
    }
    void add(std::string path, const std::string& module, bool old_api);
  };
  const RubyFunctions* ruby_files(std::string_view name) const;
  mutable Once ruby_once_;
  mutable std::unordered_map<std::string, RubyFunctions> unqualified_ruby_;
  mutable CellMap<RubyFunctions> qualified_ruby_;
  mutable std::mutex attachments_mutex_;
  mutable std::unordered_map<std::type_index, std::shared_ptr<EnvironmentAttachment>> attachments_;
};

// -- main manifest

/// The manifest or template at the path among those that were parsed before; null when it is not among them.
const LoadedFile* EnvironmentImpl::given_file(std::string_view path) const {
  if (!extras_.parsed) return nullptr;
  const size_t number = extras_.parsed->find(path);
  if (number == ParsedManifests::none) return nullptr;
  given_once_.call([&] {
    given_ = std::vector<LoadedFile>(extras_.parsed->size());
    for (size_t i = 0; i < given_.size(); ++i) given_[i].file = extras_.parsed->tree(i);
  });
  return number < given_.size() ? &given_[number] : nullptr;
}

const LoadedFile& EnvironmentImpl::manifest_file(const std::string& path, std::string_view message_prefix) const {
  LoadedFile& cell = manifests_.at(path);
  cell.once.call([&] {
    cell.clear();
    if (extras_.parsed)
      if (const size_t number = extras_.parsed->find(path); number != ParsedManifests::none) {
        cell.file = extras_.parsed->tree(number);
        return;
      }
    watch_.note(path);
    auto text = read_whole_file(path, path == options_.manifest ? FileKinds::Pipes : FileKinds::Regular);
    if (!text) {
      Diagnostic d;
      d.code = ErrorCode::load_error;
      d.file = path;
      d.message = fmt::format("Could not read the file: {}", file_problem(errno));
      cell.error = std::make_shared<Diagnostic>(std::move(d));
      return;
    }
    CheckOptions check = options_.check;
    set_place(check, path, options_.modulepath, options_.manifest);
    load_text(cell, path, std::move(*text), false, regexes_, check, message_prefix, false, &parser_memory_);
  });
  return cell;
}

void EnvironmentImpl::load_main() const {
  MainState& m = main_;
  static_cast<MainManifests&>(m) = {}; // an earlier attempt may have reached a limit of its work
  std::string prefix = fmt::format("Could not parse for environment {}: ", options_.name);
  if (options_.code) {
    LoadedFile& cell = manifests_.at("");
    cell.once.call([&] {
      cell.clear();
      load_text(cell, "", *options_.code, false, regexes_, options_.check, prefix);
    });
    m.loaded.push_back(&cell);
  } else if (watch_.note(options_.manifest); is_directory(options_.manifest)) {
    std::vector<std::string> paths;
    collect_manifests(options_.manifest, paths, watch_);
    std::sort(paths.begin(), paths.end());
    for (const auto& path : paths) {
      m.loaded.push_back(&manifest_file(path, prefix));
      if (m.loaded.back()->error && !extras_.usable_main_only) break;
    }
  } else if (!options_.manifest.empty()) {
    // As in Puppet, the name may lack .pp, and a manifest that does not exist is empty.
    std::string path = options_.manifest;
    if (!path_exists(path) && !path.ends_with(".pp")) path += ".pp";
    if (path_exists(path)) m.loaded.push_back(&manifest_file(path, prefix));
  }
  m.index(extras_.usable_main_only);
}

const EnvironmentImpl::MainState& EnvironmentImpl::main(LogSink* log) const {
  main_.once.call([this] { load_main(); });
  main_.report(log);
  return main_;
}

// -- autoloading

/// Checks a module's file against the main manifest and the module's init.pp, which are always loaded before it. Puppet checks against
/// everything that this compile has loaded so far; that would make the result depend on other compiles.
void EnvironmentImpl::import(const LoadedFile& file, const LoadedFile* init) const {
  auto& cell = const_cast<LoadedFile&>(file); // guarded by its own once-flag
  cell.import_once.call([&] {
    StackMemory<256> memory;
    std::pmr::vector<const ParsedFile*> before(main_.raw.begin(), main_.raw.end(), &memory.resource);
    if (init && init->file) before.push_back(init->file.get());
    const ParsedFile* const own = file.file.get();
    if (auto clash = find_duplicate({&own, 1}, before)) cell.import_error = std::make_shared<Diagnostic>(std::move(*clash));
  });
}

/// The manifest at the path; null when there is none.
const LoadedFile* EnvironmentImpl::existing_manifest(const std::string& path) const {
  if (const LoadedFile* given = given_file(path)) return given;
  return path_exists(path) ? &manifest_file(path) : nullptr;
}

/// The init.pp of a module, or null.
const LoadedFile* EnvironmentImpl::init_manifest(const ModuleTable::Numbered& module) const {
  InitCell& cell = inits_[module.number];
  cell.once.call([&] { cell.file = existing_manifest(module.module->path + "/manifests/init.pp"); });
  return cell.file;
}

/// Searches the manifests that may define `name`: for a::b::c in module a these are init.pp and b/c.pp, then b.pp. Returns true when it
/// finds the name. An error ends the search and stays in the cell.
template <class Entry> bool EnvironmentImpl::search_manifests(std::string_view name, NodeKind kind, NameCell<Entry>& cell) const {
  if (!loadable_name(name)) return false;
  const ModuleTable::Numbered numbered = modules_.find_numbered(name.substr(0, name.find(':')), nullptr);
  const Module* const module = numbered.module;
  if (!module) return false;

  auto take = [&](const LoadedFile* file, const LoadedFile* init) {
    if (file == nullptr) return file;
    if (file->error || !file->messages.empty()) cell.talkative.push_back(file);
    if (file->error) {
      cell.error = file->error;
      return file;
    }
    import(*file, init);
    if (file->import_error) cell.error = file->import_error;
    for (const Node* node : file->file->definitions)
      if (node->kind == NodeKind::TypeAlias) cell.aliases.push_back({static_cast<const TypeAlias*>(node), file->file, module});
    return file;
  };
  auto found_in = [&](const LoadedFile& file) {
    for (const Node* node : file.file->definitions) {
      if (node->kind != kind) continue;
      if constexpr (std::is_same_v<Entry, TypeAliasEntry>) {
        if (!is_canonical_name(name, node->as<TypeAlias>().name.str())) continue;
        cell.entry = Entry{static_cast<const TypeAlias*>(node), file.file, module};
      } else {
        if (!is_canonical_name(name, static_cast<const Definition*>(node)->name.str())) continue;
        cell.entry = Entry{static_cast<const Definition*>(node), file.file, module, false};
      }
      return true;
    }
    return false;
  };

  const LoadedFile* init = take(init_manifest(numbered), nullptr);
  if (cell.error) return false;
  // Like Puppet, parse init.pp and the file whose name matches best before searching either of them.
  std::string path;
  path.reserve(module->path.size() + name.size() + 16);
  path.append(module->path).append("/manifests");
  const size_t folder = path.size();
  append_path(path, name.substr(module->name.size()));
  bool best = true;
  while (path.size() > folder) {
    const size_t end = path.size();
    path += ".pp";
    const LoadedFile* file = take(existing_manifest(path), init);
    if (cell.error) return false;
    if (best && init && found_in(*init)) return true;
    best = false;
    if (file && found_in(*file)) return true;
    path.resize(path.rfind('/', end - 1));
  }
  return best && init && found_in(*init);
}

EnvironmentImpl::NameCell<DefinitionEntry>& EnvironmentImpl::manifest_cell(std::string_view key, NodeKind kind) const {
  auto& cell = (kind == NodeKind::ClassDef ? classes_ : defines_).at(key);
  cell.once.call([&] {
    cell.clear();
    search_manifests(key, kind, cell);
  });
  return cell;
}

const DefinitionEntry* EnvironmentImpl::find_in_manifests(std::string_view name, NodeKind kind, LogSink* log) const {
  const MainState& m = main(log);
  const CanonicalName canonical(name);
  const std::string_view key = canonical.view();
  const auto& own = kind == NodeKind::ClassDef ? m.classes : m.defines;
  if (!own.empty())
    if (auto it = own.find(key); it != own.end()) return &it->second;
  auto& cell = manifest_cell(key, kind);
  if (log != nullptr) modules_.find(key.substr(0, key.find(':')), log); // logs the messages of the module itself
  return cell.result(log);
}

/// The path of the file in a module's or the environment's code folder for a name, by the loader's rules; empty when there can be none.
std::string EnvironmentImpl::code_file(std::string_view name, std::string_view folder, const Module*& module) const {
  module = nullptr;
  if (!loadable_name(name)) return {};
  size_t cut = name.find(':');
  std::string path;
  if (cut == std::string_view::npos || name.substr(0, cut) == "environment") {
    if (options_.path.empty()) return {};
    path = fmt::format("{}/{}/{}.pp", options_.path, folder, as_path(name));
  } else {
    module = modules_.find(name.substr(0, cut), nullptr);
    if (!module) return {};
    path = fmt::format("{}/{}/{}.pp", module->path, folder, as_path(name.substr(cut + 2)));
  }
  return path;
}

[[nodiscard]] Diagnostic wrong_content(std::string message) {
  Diagnostic d;
  d.code = ErrorCode::load_error;
  d.style = PositionStyle::None;
  d.message = std::move(message);
  return d;
}

/// The top-level statement if there is exactly one, else null.
const Node* only_statement(const ParsedFile& file) {
  if (!file.body || file.body->kind != NodeKind::Block) return file.body;
  const auto& statements = file.body->as<Block>().statements;
  return statements.size == 1 ? statements[0] : nullptr;
}

/// The definition in a file below functions/ or types/. The file must contain exactly one definition, of `kind` and with the name that its
/// path demands. Otherwise returns null and sets `error` in Puppet's words.
const Node* sole_definition(const LoadedFile& file, const std::string& path, std::string_view name, NodeKind kind, MaybeError& error) {
  if (file.error) {
    error = file.error;
    return nullptr;
  }
  const bool function = kind == NodeKind::FunctionDef;
  auto refuse = [&](std::string_view what) {
    error = std::make_shared<Diagnostic>(wrong_content(fmt::format("The code loaded from {} {}", path, what)));
    return nullptr;
  };
  const auto quoted = [&] { return fmt::format("{} '{}'", function ? "function" : "type", name); };
  const auto& definitions = file.file->definitions;
  if (definitions.empty()) return refuse(fmt::format("does not define the {} - it is empty.", quoted()));
  if (definitions.size > 1) return refuse(fmt::format("must contain only the {} - it has additional definitions.", quoted()));
  const Node* node = definitions[0];
  if (node->kind != kind)
    return refuse(
        fmt::format("does not define the {} - {} found.", quoted(), function ? "no function" : "no type alias or type definition"));
  const std::string_view actual = function ? node->as<FunctionDef>().name.str() : node->as<TypeAlias>().name.str();
  if (function && actual != name) return refuse(fmt::format("produced function with the wrong name, expected {}, actual {}", name, actual));
  if (!function && !is_canonical_name(name, actual))
    return refuse(fmt::format("produced type with the wrong name, expected '{}', actual '{}'", name, actual));
  if (only_statement(*file.file) != node)
    return refuse(
        fmt::format("contains additional logic - can only contain the {}", function ? fmt::format("function {}", name) : quoted()));
  return node;
}

void EnvironmentImpl::load_function(std::string_view name, NameCell<DefinitionEntry>& cell) const {
  const Module* module = nullptr;
  const std::string path = code_file(name, "functions", module);
  const LoadedFile* const file = path.empty() ? nullptr : existing_manifest(path);
  if (file == nullptr) {
    // In Puppet a call does not load a manifest: its functions are known once something else has loaded it. So drop the messages of
    // manifests that do not define the function.
    if (!search_manifests(name, NodeKind::FunctionDef, cell)) {
      cell.error.reset();
      cell.talkative.clear();
    }
    return;
  }
  if (file->error || !file->messages.empty()) cell.talkative.push_back(file);
  const Node* node = sole_definition(*file, path, name, NodeKind::FunctionDef, cell.error);
  if (node == nullptr) return;
  cell.entry = DefinitionEntry{static_cast<const Definition*>(node), file->file, module, false};
}

const DefinitionEntry* EnvironmentImpl::find_function(std::string_view name, LogSink* log) const {
  const MainState& m = main(log);
  const CanonicalName canonical(name);
  const std::string_view key = canonical.view();
  if (auto it = m.functions.find(key); it != m.functions.end()) return &it->second;
  auto& cell = functions_.at(key);
  cell.once.call([&] {
    cell.clear();
    load_function(key, cell);
  });
  return cell.result(log);
}

void EnvironmentImpl::load_alias(std::string_view name, NameCell<TypeAliasEntry>& cell) const {
  // Puppet looks for a define of the name before it looks into types/, and that reads the manifests.
  if (search_manifests(name, NodeKind::TypeAlias, cell)) return;
  const Module* module = nullptr;
  const std::string path = code_file(name, "types", module);
  const LoadedFile* const file = path.empty() ? nullptr : existing_manifest(path);
  if (file == nullptr) return;
  cell.clear();
  if (file->error || !file->messages.empty()) cell.talkative.push_back(file);
  const Node* node = sole_definition(*file, path, name, NodeKind::TypeAlias, cell.error);
  if (node == nullptr) return;
  cell.entry = TypeAliasEntry{static_cast<const TypeAlias*>(node), file->file, module};
}

const TypeAliasEntry* EnvironmentImpl::find_type_alias(std::string_view cased_name, LogSink* log) const {
  const MainState& m = main(log);
  const CanonicalName canonical(cased_name);
  const std::string_view key = canonical.view();
  if (auto it = m.aliases.find(key); it != m.aliases.end()) return &it->second;
  auto& cell = aliases_.at(key);
  cell.once.call([&] {
    cell.clear();
    load_alias(key, cell);
  });
  return cell.result(log);
}

const std::vector<TypeAliasEntry>& EnvironmentImpl::aliases_read_for(std::string_view name, NodeKind kind) const {
  static const std::vector<TypeAliasEntry> none;
  const CanonicalName canonical(name);
  const std::string_view key = canonical.view();
  const MainState& m = main(nullptr);
  if ((kind == NodeKind::ClassDef ? m.classes : m.defines).contains(key)) return none;
  return manifest_cell(key, kind).aliases;
}

void EnvironmentImpl::RubyFunctions::add(std::string path, const std::string& module, bool old_api) {
  const RubyFunctionFile& file = files.emplace_back(std::move(path), module, old_api);
  if (called.empty() || called.back()->module() != module) called.push_back(&file);
  if (old_api && old == nullptr && module != environment_module) old = &file;
}

const EnvironmentImpl::RubyFunctions* EnvironmentImpl::ruby_files(std::string_view name) const {
  std::string key = canonical_name(name);
  if (!loadable_name(key)) return nullptr;
  size_t cut = key.find(':');
  if (cut != std::string::npos) { // only that module can have it
    RubyFunctions& found = qualified_ruby_.at(key);
    found.once.call([&] {
      found.clear();
      const std::string name_space = key.substr(0, cut);
      const std::string folder = folder_of(name_space);
      if (folder.empty()) return;
      for (bool old_api : {false, true}) {
        std::string path = fmt::format("{}/lib/puppet/{}/{}.rb", folder, old_api ? "parser/functions" : "functions", as_path(key));
        if (path_exists(path)) found.add(std::move(path), name_space, old_api);
      }
    });
    return &found;
  }
  // Any module may have it. List the folders once instead of asking for each name.
  ruby_once_.call([&] {
    unqualified_ruby_.clear();
    auto list_folder = [&](const std::string& folder, const std::string& module, bool old_api) {
      std::string directory = fmt::format("{}/lib/puppet/{}", folder, old_api ? "parser/functions" : "functions");
      watch_.note(directory);
      for (const std::string& file : modules_.listing().names_in(directory))
        if (file.ends_with(".rb")) unqualified_ruby_[file.substr(0, file.size() - 3)].add(directory + "/" + file, module, old_api);
    };
    auto list = [&](const ModuleTable::Place& place, bool old_api) { list_folder(place.path, place.name, old_api); };
    if (!options_.path.empty())
      for (bool old_api : {false, true}) list_folder(options_.path, std::string(environment_module), old_api);
    const auto& with_new = modules_.with_library_entry("functions");
    const auto& with_old = modules_.with_library_entry("parser");
    // Both lists have the order of the places.
    auto next_new = with_new.begin(), next_old = with_old.begin();
    auto take = [](auto& next, const ModuleTable::Libraries& libraries, const ModuleTable::Place& place) {
      return next != libraries.end() && *next == &place && (++next, true);
    };
    for (const auto& place : modules_.places()) {
      if (take(next_new, with_new, place)) list(place, false);
      if (take(next_old, with_old, place)) list(place, true);
    }
    for (; next_old != with_old.end(); ++next_old) list(**next_old, true); // those that are no modules
  });
  auto it = unqualified_ruby_.find(key);
  if (it == unqualified_ruby_.end()) return nullptr;
  it->second.once.call([&] {
    for (const RubyFunctionFile& file : it->second.files) watch_.note(file.path());
  });
  return &it->second;
}

std::vector<const RubyFunctionFile*> EnvironmentImpl::ruby_functions(std::string_view name) const {
  const RubyFunctions* found = ruby_files(name);
  return found ? found->called : std::vector<const RubyFunctionFile*>();
}

const RubyFunctionFile* EnvironmentImpl::old_function(std::string_view name) const {
  const RubyFunctions* found = ruby_files(name);
  return found ? found->old : nullptr;
}

/// The folder of a module, or of the environment itself; empty when there is none. Without a module path the environment's folder has the
/// libraries of modules that are not here, as an agent gets them.
std::string EnvironmentImpl::folder_of(std::string_view module) const {
  if (module == environment_module) return options_.path;
  if (const Module* found = modules_.find(module, nullptr); found != nullptr) return found->path;
  return options_.modulepath.empty() ? options_.path : std::string();
}

std::string EnvironmentImpl::data_type_file(std::string_view name) const {
  const std::string key = canonical_name(name);
  if (!loadable_name(key)) return {};
  const std::string file = fmt::format("/lib/puppet/datatypes/{}.rb", as_path(key));
  auto in = [&](const std::string& folder) {
    std::string path = folder + file;
    return !folder.empty() && path_exists(path) ? path : std::string();
  };
  if (const size_t cut = key.find(':'); cut != std::string::npos) return in(folder_of(std::string_view(key).substr(0, cut)));
  std::string found = in(options_.path);
  if (found.empty())
    for (const ModuleTable::Place* place : modules_.with_library_entry("datatypes"))
      if (modules_.is_module(*place) && !(found = in(place->path)).empty()) break;
  return found;
}

const ResourceTypeInfo* EnvironmentImpl::find_resource_type(std::string_view name) const { return resource_types_.find(name); }

// -- files

std::optional<std::string> EnvironmentImpl::find_module_file(ModuleFileKind kind, std::string_view reference) const {
  if (reference.starts_with('/')) return path_exists(std::string(reference)) ? std::optional<std::string>(reference) : std::nullopt;
  size_t cut = reference.find('/');
  if (cut == std::string_view::npos) return std::nullopt;
  const Module* module = modules_.find(reference.substr(0, cut), nullptr);
  if (!module) return std::nullopt;
  static constexpr std::string_view folders[] = {"files", "templates", "scripts", "data"};
  std::string path = fmt::format("{}/{}/{}", module->path, folders[static_cast<size_t>(kind)], reference.substr(cut + 1));
  if (!path_exists(path)) return std::nullopt;
  return path;
}

std::shared_ptr<const std::string> EnvironmentImpl::read_file(const std::string& path) const {
  TextCell& cell = texts_.at(path);
  cell.once.call([&] {
    watch_.note(path);
    if (auto text = read_whole_file(path)) cell.text = std::make_shared<const std::string>(std::move(*text));
  });
  return cell.text;
}

std::shared_ptr<const ParsedFile> EnvironmentImpl::epp_template(const std::string& path, LogSink* log) const {
  if (const LoadedFile* given = given_file(path)) return given->file;
  LoadedFile& cell = templates_.at(path);
  cell.once.call([&] {
    cell.clear();
    watch_.note(path);
    auto text = read_whole_file(path);
    if (!text) {
      cell.error = std::make_shared<Diagnostic>(
          wrong_content(fmt::format("Could not read the template {}: {}", path, file_problem(errno))));
      return;
    }
    load_text(cell, path, std::move(*text), true, regexes_, options_.check, {}, false, &parser_memory_);
  });
  cell.report(log);
  return cell.file;
}

const DataFile& EnvironmentImpl::data_file(const std::string& path, DataFormat format) const {
  DataCell& cell = data_.at(path);
  cell.once.call([&] {
    watch_.note(path);
    load_data_file(path, format, cell.data);
  });
  return cell.data;
}

bool EnvironmentImpl::path_exists(const std::string& path) const {
  if (extras_.parsed && extras_.parsed->find(path) != ParsedManifests::none) return true;
  if (!options_.watch)
    if (const auto known = modules_.listing().known_to_exist(path)) return *known;
  ExistsCell& cell = exists_.at(path);
  cell.once.call([&] {
    watch_.note(path);
    cell.exists = modules_.listing().exists(path);
  });
  return cell.exists;
}

std::shared_ptr<EnvironmentAttachment> EnvironmentImpl::attachment(std::type_index kind, const MakeAttachment& make) const {
  std::lock_guard lock(attachments_mutex_);
  auto& slot = attachments_[kind];
  if (!slot) slot = make();
  return slot;
}

} // namespace

std::optional<uint64_t> RubyFunctionFile::program() const {
  std::call_once(once_, [&] {
    if (auto text = read_whole_file(path_)) program_ = ruby_program_digest(*text);
  });
  return program_;
}

TypeRunnerSlot& type_runner_slot(const Environment& environment) { return *environment.attached<TypeRunnerSlot>(); }

std::shared_ptr<const Environment> open_environment(EnvironmentOptions options) { return open_environment(std::move(options), {}); }

std::shared_ptr<const Environment> open_environment(EnvironmentOptions options, EnvironmentExtras extras) {
  return std::make_shared<EnvironmentImpl>(std::move(options), std::move(extras));
}

std::shared_ptr<const ParsedFile> parse_inline(const Environment& environment, std::string text, bool epp, RegexCache& regexes,
                                               LogSink* log) {
  LoadedFile file;
  load_text(file, epp ? "inlined-epp-text" : "", std::move(text), epp, regexes, environment.options().check, {});
  // The text does not outlive this call, so an error must carry its place itself.
  if (file.error && file.error->loc) {
    LineColumn p = file.error->loc.position();
    file.error->file = file.error->loc.file->path();
    file.error->line = p.line;
    file.error->column = p.column;
    file.error->loc = {};
  }
  file.report(log);
  return file.file;
}

} // namespace pupc::compiler
