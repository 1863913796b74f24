#pragma once
// The modules of a modulepath. Directories are listed once. A module's metadata.json is read when the module is first used, because an
// environment may have thousands of modules and a compile uses few.
#include "catalog/base/log.h"
#include "catalog/base/once.h"
#include "compiler/load/cell_map.h"
#include "compiler/load/environment_extras.h"
#include "compiler/load/file_watch.h"

namespace pupc::compiler {

class ModuleTable {
public:
  /// Lists the modules: directories named [a-z][a-z0-9_]*. Of several with the same name the first on the path wins. The named modules
  /// of `extras` precede the whole modulepath. `watch` notes what is read, and must outlive the table.
  ModuleTable(const std::vector<std::string>& modulepath, Strict strict, FileWatch& watch, const EnvironmentExtras& extras = {});

  /// The module, or null when there is none or Puppet refuses its metadata.json (which is then an error in `log`).
  const Module* find(std::string_view name, LogSink* log) const;
  /// The same with the module's number, which is below places().size().
  struct Numbered {
    const Module* module = nullptr;
    size_t number = 0;
  };
  Numbered find_numbered(std::string_view name, LogSink* log) const;
  const std::vector<Module>& all() const;
  /// The modules' directories by name, in the order of the modulepath. Does not read metadata.
  struct Place {
    std::string name;
    std::string path;
    std::shared_ptr<const ModuleMetadata> metadata; // when it has been read already
  };
  const std::vector<Place>& places() const { return places_; }
  /// The libraries, of modules and then the others, that have something of that name in lib/puppet, which is listed once. Few have what
  /// is asked for: this saves asking each for its types, providers, functions and what they require.
  using Libraries = std::vector<const Place*>;
  const Libraries& with_library_entry(std::string_view name) const;
  bool is_module(const Place& place) const { return &place >= places_.data() && &place < places_.data() + places_.size(); }
  /// What is known already of the directories of modules.
  const DirectoryListing& listing() const { return *listing_; }
  /// Name and path of the module that contains a path; null when none does.
  const Place* place_of(std::string_view path) const;
  /// The same, also for what is in one of the other libraries.
  const Place* library_of(std::string_view path) const;

private:
  struct Cell {
    Once once;
    Module module;
    bool usable = true;
    std::vector<LogEntry> messages;
  };
  const Cell& load(size_t index) const;

  Strict strict_;
  bool incomplete_; // see EnvironmentExtras
  FileWatch& watch_;
  std::shared_ptr<const DirectoryListing> listing_;
  std::vector<Place> places_;
  /// Directories on the modulepath that are no modules, as their names are none (My-Odd) or taken by an earlier module, and that have a
  /// lib/: Puppet's autoloader looks for types, providers and old functions in every DIRECTORY/*/lib.
  std::vector<Place> others_;
  std::unordered_map<std::string, size_t, TransparentHash, std::equal_to<>> by_name_;
  std::unordered_map<std::string, size_t, TransparentHash, std::equal_to<>> by_path_;
  std::vector<std::string> directories_;
  std::unique_ptr<Cell[]> cells_;
  mutable Once libraries_once_;
  mutable std::unordered_map<std::string, Libraries, TransparentHash, std::equal_to<>> libraries_; // by the name of an entry
  mutable Once all_once_;
  mutable std::vector<Module> all_;
};

} // namespace pupc::compiler
