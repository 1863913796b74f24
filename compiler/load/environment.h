#pragma once
// An environment: modules, manifests and data as one snapshot that many compiles share, from many threads. Files are read,
// parsed, checked and resolved once, on first use (one once-cell per file), and never change afterwards.
#include "catalog/base/diagnostic.h"
#include "catalog/value/regex.h"
#include "compiler/ast/ast.h"
#include "compiler/check/checker.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

class ResourceTypeInfo; // catalog/schema
class LogSink;
struct DataFile; // catalog/formats/data_file.h
enum class DataFormat : uint8_t;

struct Module {
  std::string name;
  std::string path;
  std::string version;                   // from metadata.json, may be empty
  std::vector<std::string> dependencies; // module names (without author) from metadata.json
  bool has_metadata = false;
  std::string data_provider; // deprecated key of metadata.json: "hiera", "function", "none"
};

/// A definition with where it comes from. `module` is null for definitions of the main manifest and of the environment's own
/// functions/ folder.
struct DefinitionEntry {
  const Definition* definition = nullptr; // ClassDef, DefineDef or FunctionDef by its kind
  std::shared_ptr<const ParsedFile> file;
  const Module* module = nullptr;
  bool main = false; // from the main manifest: such a function even wins over a built-in of the same name
};
struct TypeAliasEntry {
  const TypeAlias* alias = nullptr;
  std::shared_ptr<const ParsedFile> file;
  const Module* module = nullptr;
};
/// A Ruby file of a module that defines a function.
class RubyFunctionFile {
public:
  RubyFunctionFile(std::string path, std::string module, bool old_api)
      : path_(std::move(path)), module_(std::move(module)), old_api_(old_api) {}
  const std::string& path() const { return path_; }
  const std::string& module() const { return module_; }
  /// Whether it is of the 3.x API (lib/puppet/parser/functions).
  bool old_api() const { return old_api_; }
  /// Which program it holds (compiler/ruby_source/program_digest.h), read at the first question; nothing where that cannot be told.
  std::optional<uint64_t> program() const;

private:
  std::string path_, module_;
  bool old_api_;
  mutable std::once_flag once_;
  mutable std::optional<uint64_t> program_;
};
struct NodeEntry {
  const NodeDef* node = nullptr;
  std::shared_ptr<const ParsedFile> file;
};

struct EnvironmentOptions {
  std::string name = "production";
  std::string path;                    // directory of a directory environment, empty when there is none
  std::vector<std::string> modulepath; // in order
  std::string manifest;                // file or directory; empty = none
  std::optional<std::string> code;     // `-e`: takes the manifest's place
  std::string hiera_config;            // global hiera.yaml, empty = none
  std::string config_version;          // command, empty = none (the time is the version then)
  CheckOptions check;
  bool watch = false; // remembers what it looks at on disk, for unchanged()
};

enum class ModuleFileKind : uint8_t { Files, Templates, Scripts, Data };

class Environment {
public:
  virtual ~Environment() = default;

  virtual const EnvironmentOptions& options() const = 0;
  /// Parsed, checked and resolved main manifests in Puppet's order. Throws CompileError for the first error;
  /// warnings of checks go to `log` (may be null).
  virtual const std::vector<std::shared_ptr<const ParsedFile>>& main_manifests(LogSink* log) const = 0;
  /// Node definitions of the main manifests, in order.
  virtual const std::vector<NodeEntry>& nodes() const = 0;

  /// Definitions by fully qualified name (case and a leading :: are ignored), autoloaded by the module naming rules:
  /// classes and defines of a::b::c in a's manifests/init.pp, b/c.pp, b.pp; functions in functions/b/c.pp; aliases in types/b/c.pp;
  /// and of unqualified names or those starting with `environment::` in the environment's own functions/ and types/.
  /// Null when there is none. Throws CompileError when a file that should hold it is broken or defines something else:
  /// with a place when the file's code is wrong (Puppet shows it as it is), without one when the definition is not
  /// what the path says (Puppet puts "Error while evaluating a …, " and the place of use around it).
  virtual const DefinitionEntry* find_class(std::string_view name, LogSink* log) const = 0;
  virtual const DefinitionEntry* find_define(std::string_view name, LogSink* log) const = 0;
  virtual const DefinitionEntry* find_function(std::string_view name, LogSink* log) const = 0;
  virtual const TypeAliasEntry* find_type_alias(std::string_view cased_name, LogSink* log) const = 0;
  /// Ruby files that define the function, at most one of each module: that of the 4.x API where it has both. In order of the modules;
  /// of a qualified name only its module's.
  virtual std::vector<const RubyFunctionFile*> ruby_functions(std::string_view name) const = 0;
  /// The file that defines the function for the 3.x API, which Ruby code calls as `function_NAME`: the first module's that has one.
  virtual const RubyFunctionFile* old_function(std::string_view name) const = 0;

  /// Attributes, namevars and title patterns of a native or module resource type by lower-case name; null when unknown.
  virtual const ResourceTypeInfo* find_resource_type(std::string_view name) const = 0;

  virtual const std::vector<Module>& modules() const = 0;
  virtual const Module* find_module(std::string_view name) const = 0;
  /// Module that a source file's path lies in; null when none.
  virtual const Module* module_of(std::string_view path) const = 0;
  /// Absolute path of "module/relative" in the module's files/, templates/, scripts/; nothing when it does not exist.
  virtual std::optional<std::string> find_module_file(ModuleFileKind kind, std::string_view reference) const = 0;

  /// Content of a file, read once; null when it cannot be read.
  virtual std::shared_ptr<const std::string> read_file(const std::string& path) const = 0;
  /// Parsed EPP template by absolute path. Throws CompileError.
  virtual std::shared_ptr<const ParsedFile> epp_template(const std::string& path, LogSink* log) const = 0;
  /// A YAML, JSON or HOCON file as data, read and converted once. Never null: what went wrong is in it.
  virtual const DataFile& data_file(const std::string& path, DataFormat format) const = 0;
  /// Whether a file or directory exists; asked of the system once per path.
  virtual bool path_exists(const std::string& path) const = 0;

  /// Whether the files and directories that were looked at for this snapshot are as they were: one system call for each. Always true of
  /// one that was opened without `watch`.
  virtual bool unchanged() const { return true; }
  /// Adds a file or directory that was looked at for it elsewhere.
  virtual void watch(const std::string& path) const { static_cast<void>(path); }

  /// The environment that holds what several share, which is this one where it is not over another: what is attached lives as long as that.
  virtual const Environment& shared() const { return *this; }
  virtual RegexCache& regexes() const = 0;

  /// Something a higher room keeps with the environment (Hiera's configurations), made at the first call for this key.
  virtual std::shared_ptr<void> attachment(const void* key, const std::function<std::shared_ptr<void>()>& make) const = 0;
};

/// Opens an environment.
/// Throws CompileError (load_error) when its directories or configuration are unusable.
std::shared_ptr<const Environment> open_environment(EnvironmentOptions options);

/// An environment with `code` for its main manifest and the modules, files and data of `base`, read once for all that share it. `base` has
/// no main manifest of its own that counts.
std::shared_ptr<const Environment> environment_with_code(std::shared_ptr<const Environment> base, std::string code);

/// Options of the directory environment `name` on `environmentpath` (colon-separated directories), from its environment.conf:
/// modulepath (with $basemodulepath), manifest, config_version; unknown settings are warned about as Puppet does.
/// Throws CompileError in Puppet's words when there is no such environment.
EnvironmentOptions directory_environment(std::string_view environmentpath, std::string_view name,
                                         const std::vector<std::string>& basemodulepath, LogSink* log);

/// Parses, checks and resolves a text that belongs to no file of the environment (inline_epp); `log` (may be null) gets its warnings.
/// Throws CompileError.
std::shared_ptr<const ParsedFile> parse_inline(const Environment& environment, std::string text, bool epp, LogSink* log = nullptr);

} // namespace pupc
