#pragma once
// The resource types of an environment: generated (.resource_types), of modules (lib/puppet/type) and native, by Puppet's
// order of precedence. Types are read at first use; the modules' folders are listed once.
#include "catalog/base/diagnostic.h"
#include "catalog/schema/resource_type.h"
#include "compiler/load/cell_map.h"
#include "compiler/load/modules.h"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pupc {

class TypeRunnerSlot; // compiler/load/type_runner.h

class ResourceTypeTable {
public:
  /// `environment_path`: directory of a directory environment, may be empty. `modules` and `runner` must outlive the table; `runner` is
  /// asked for types that cannot be told without running them.
  /// `watch` hears of what is read and outlives the table, too.
  ResourceTypeTable(std::string environment_path, const ModuleTable& modules, const TypeRunnerSlot& runner, FileWatch& watch)
      : environment_path_(std::move(environment_path)), modules_(modules), runner_(runner), watch_(watch) {}

  /// The type of a lower-case name; null when there is none. A generated type goes first, then Puppet's own, then a module's,
  /// then those that come with puppet-agent (also where a module's file of the same name cannot be understood), then pupc's own.
  /// Throws CompileError (load_error) for a generated file that is not of the known form.
  const ResourceTypeInfo* find(std::string_view name) const;

private:
  struct Cell {
    std::once_flag once;
    std::unique_ptr<const ResourceTypeInfo> owned;
    const ResourceTypeInfo* info = nullptr;
    std::optional<Diagnostic> error;
  };
  struct Folders {
    std::unordered_map<std::string, std::string, TransparentHash, std::equal_to<>> types;                  // name -> file
    std::unordered_map<std::string, std::vector<std::string>, TransparentHash, std::equal_to<>> providers; // name -> folders
  };
  const Folders& folders() const;
  void load(const std::string& name, Cell& cell) const;
  bool load_generated(const std::string& name, Cell& cell) const;
  void load_module_type(const std::string& name, Cell& cell) const;
  bool has_provider(const std::string& name) const;

  std::string environment_path_;
  const ModuleTable& modules_;
  const TypeRunnerSlot& runner_;
  FileWatch& watch_;
  mutable CellMap<Cell> cells_;
  mutable std::once_flag folders_once_;
  mutable Folders folders_;
};

} // namespace pupc
