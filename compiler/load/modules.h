#pragma once
// The modules of a modulepath. Directories are listed once; a module's metadata.json is read when the module is first used,
// as an environment may have thousands of modules and a compile uses few.
#include "catalog/base/log.h"
#include "compiler/load/cell_map.h"
#include "compiler/load/environment_extras.h"
#include "compiler/load/file_watch.h"

namespace pupc {

class ModuleTable {
public:
  /// Lists the modules: directories named [a-z][a-z0-9_]*; of several with one name the first on the path is the module.
  /// `named` modules go before all of the modulepath. `watch` hears of what is read and outlives the table.
  ModuleTable(const std::vector<std::string>& modulepath, CheckOptions::Strict strict, FileWatch& watch,
              const std::vector<EnvironmentExtras::NamedModule>& named = {});

  /// The module, or null when there is none or Puppet refuses its metadata.json (an error in `log` then).
  const Module* find(std::string_view name, LogSink* log) const;
  const std::vector<Module>& all() const;
  /// Directories by name in order of the modulepath, without looking at metadata.
  struct Place {
    std::string name;
    std::string path;
  };
  const std::vector<Place>& places() const { return places_; }
  /// Name and path of the module that a path lies in; null when none.
  const Place* place_of(std::string_view path) const;

private:
  struct Cell {
    std::once_flag once;
    Module module;
    bool usable = true;
    std::vector<LogEntry> messages;
  };
  const Cell& load(size_t index) const;

  CheckOptions::Strict strict_;
  FileWatch& watch_;
  std::vector<Place> places_;
  std::unordered_map<std::string, size_t, TransparentHash, std::equal_to<>> by_name_;
  std::unordered_map<std::string, size_t, TransparentHash, std::equal_to<>> by_path_;
  std::vector<std::string> directories_;
  std::unique_ptr<Cell[]> cells_;
  mutable std::once_flag all_once_;
  mutable std::vector<Module> all_;
};

} // namespace pupc
