#pragma once
// The resource types of an environment: generated types (.resource_types), types of modules (lib/puppet/type) and native types, in Puppet's
// order of precedence. A type is read on first use; the modules' folders are listed once.
#include "catalog/base/diagnostic.h"
#include "catalog/base/once.h"
#include "catalog/schema/resource_type.h"
#include "compiler/load/cell_map.h"
#include "compiler/load/modules.h"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace pupc::compiler {

class TypeRunnerSlot; // compiler/load/type_runner.h
struct RubyFile;      // compiler/ruby/syntax/ruby_static.h
class RubyFiles;

class ResourceTypeTable {
public:
  /// `environment_path`: directory of a directory environment, may be empty. `modules` and `runner` must outlive the table. `runner` runs
  /// the Ruby code of types that cannot be read without that. `watch` notes what is read, and must outlive the table, too.
  /// `kept_ruby`: null, or where the types' files stay for others.
  ResourceTypeTable(std::string environment_path, const ModuleTable& modules, const TypeRunnerSlot& runner, FileWatch& watch,
                    RubyFiles* kept_ruby)
      : environment_path_(std::move(environment_path)), modules_(modules), runner_(runner), watch_(watch), kept_ruby_(kept_ruby) {}

  /// The type with a lower-case name; null when there is none. The order is: generated types, Puppet's own, a module's, those that come
  /// with puppet-agent, pupc's own. A type of puppet-agent also replaces a module's file of the same name that cannot be understood. Throws
  /// CompileError (load_error) for a generated file of an unknown form.
  const ResourceTypeInfo* find(std::string_view name) const;

private:
  struct Cell {
    Once once;
    std::unique_ptr<const ResourceTypeInfo> owned;
    const ResourceTypeInfo* info = nullptr;
    std::optional<Diagnostic> error;
  };
  using PlacesByName = std::unordered_map<std::string, ModuleTable::Libraries, TransparentHash, std::equal_to<>>;
  struct TypeFolders { // what libraries have in lib/puppet/type
    std::unordered_map<std::string, const ModuleTable::Place*, TransparentHash, std::equal_to<>> files; // by type: the first that has it
    PlacesByName folders;
  };
  const TypeFolders& types() const;
  const PlacesByName& providers() const; // the folders in lib/puppet/provider, by type: few ask for them
  void load(const std::string& name, Cell& cell) const;
  bool load_generated(const std::string& name, Cell& cell) const;
  void load_module_type(const std::string& name, Cell& cell) const;
  std::vector<std::string> names_in(const ModuleTable::Place& library, std::string_view folder) const;
  bool has_provider(const std::string& name) const;
  const ModuleTable::Libraries* libraries_with(std::string_view required) const;
  std::shared_ptr<const RubyFile> find_required(const std::string& from, const std::string& name) const;
  std::shared_ptr<const RubyFile> required_file(const std::string& path) const;

  std::string environment_path_;
  const ModuleTable& modules_;
  const TypeRunnerSlot& runner_;
  FileWatch& watch_;
  RubyFiles* kept_ruby_;
  mutable CellMap<Cell> cells_;
  mutable Once types_once_, providers_once_;
  mutable TypeFolders types_;
  mutable PlacesByName providers_;
  // Files that the code of types requires, by path: the types of a module often require the same. And names that no module has.
  mutable std::mutex required_mutex_;
  mutable std::unordered_map<std::string, std::shared_ptr<const RubyFile>> required_;
  mutable std::unordered_set<std::string> nowhere_;
};

} // namespace pupc::compiler
