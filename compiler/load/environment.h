#pragma once
// An environment: a snapshot of modules, manifests and data that many compiles share, from many threads. Each file is read, parsed, checked
// and resolved once, on first use (one once-cell per file), and never changes afterwards.
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
#include <type_traits>
#include <typeindex>
#include <vector>

namespace pupc::catalog {
class ResourceTypeInfo; // catalog/schema
class LogSink;
struct DataFile; // catalog/formats/data_file.h
enum class DataFormat : uint8_t;
} // namespace pupc::catalog
namespace pupc::compiler {

struct Module {
  std::string name;
  std::string path;
  std::string version;                   // from metadata.json, may be empty
  std::vector<std::string> dependencies; // module names (without author) from metadata.json
  bool has_metadata = false;
  std::string data_provider; // deprecated key of metadata.json: "hiera", "function", "none"
};

/// A definition and its source. `module` is null for definitions of the main manifest and of the environment's own functions/ folder.
struct DefinitionEntry {
  const Definition* definition = nullptr; // ClassDef, DefineDef or FunctionDef by its kind
  std::shared_ptr<const ParsedFile> file;
  const Module* module = nullptr;
  bool main = false; // from the main manifest: such a function hides even a built-in of the same name
};
struct TypeAliasEntry {
  const TypeAlias* alias = nullptr;
  std::shared_ptr<const ParsedFile> file;
  const Module* module = nullptr;
};
/// The name under which Puppet loads what is in the environment's own folder.
inline constexpr std::string_view environment_module = "environment";

/// A Ruby file of a module that defines a function.
class RubyFunctionFile {
public:
  RubyFunctionFile(std::string path, std::string module, bool old_api)
      : path_(std::move(path)), module_(std::move(module)), old_api_(old_api) {}
  const std::string& path() const { return path_; }
  const std::string& module() const { return module_; }
  /// Whether the file belongs to the 3.x API (lib/puppet/parser/functions).
  bool old_api() const { return old_api_; }
  /// The program in the file (compiler/ruby/syntax/program_digest.h); the first call reads the file. Nothing when the file shows no
  /// program.
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
  std::optional<std::string> code;     // `-e`: replaces the manifest
  std::string hiera_config;            // global hiera.yaml, empty = none
  std::string config_version;          // a command; empty = none (the time is the version then)
  CheckOptions check;
  bool watch = false; // remembers what it reads from disk, for unchanged()
};

enum class ModuleFileKind : uint8_t { Files, Templates, Scripts, Data };

class DependencyRecorder; // compiler/load/dependencies.h

/// The base of what a higher component keeps with an environment: Hiera's configurations, programs of templates.
struct EnvironmentAttachment {
  virtual ~EnvironmentAttachment() = default;
};

class Environment {
public:
  virtual ~Environment() = default;

  virtual const EnvironmentOptions& options() const = 0;
  /// The main manifests in Puppet's order: parsed, checked and resolved. Throws CompileError for the first error. Warnings of checks go to
  /// `log` (may be null).
  virtual const std::vector<std::shared_ptr<const ParsedFile>>& main_manifests(LogSink* log) const = 0;
  /// The node definitions of the main manifests, in order.
  virtual const std::vector<NodeEntry>& nodes() const = 0;

  /// Finds a definition by its fully qualified name; case and a leading :: are ignored. Autoloads by the naming rules of modules. Classes
  /// and defines of a::b::c are in a's manifests/init.pp, b/c.pp or b.pp; functions are in functions/b/c.pp, aliases in types/b/c.pp.
  /// Functions and aliases with unqualified names, or names that start with `environment::`, are in the environment's own functions/ and
  /// types/. Returns null when there is none. Throws CompileError when a file that should contain the definition is broken or defines
  /// something else. The error has a place when the file's code is wrong (Puppet adds no words). It has none when the definition is not the
  /// one that the path demands (Puppet adds "Error while evaluating a …, " and the place of use).
  virtual const DefinitionEntry* find_class(std::string_view name, LogSink* log) const = 0;
  virtual const DefinitionEntry* find_define(std::string_view name, LogSink* log) const = 0;
  virtual const DefinitionEntry* find_function(std::string_view name, LogSink* log) const = 0;
  virtual const TypeAliasEntry* find_type_alias(std::string_view cased_name, LogSink* log) const = 0;
  /// The type aliases, whatever their names, in the manifests of modules that a search for the class or define (`kind`) reads, in the order
  /// of reading. From then on a compile knows them.
  virtual const std::vector<TypeAliasEntry>& aliases_read_for(std::string_view name, NodeKind kind) const = 0;
  /// The Ruby files that define the function: that of the environment's own lib/, whose module is environment_module, then in the order of
  /// the modules. At most one of each: that of the 4.x API if there are both. For a qualified name only its module is searched.
  virtual std::vector<const RubyFunctionFile*> ruby_functions(std::string_view name) const = 0;
  /// The file that defines the function for the 3.x API, under which Ruby code calls it as `function_NAME`. The first module that has one
  /// wins; the environment's own lib/ does not count.
  virtual const RubyFunctionFile* old_function(std::string_view name) const = 0;
  /// The Ruby file (lib/puppet/datatypes) of the environment or a module for the name of a data type; empty when there is none.
  virtual std::string data_type_file(std::string_view name) const = 0;

  /// Attributes, namevars and title patterns of a native or module resource type by lower-case name; null when unknown.
  virtual const ResourceTypeInfo* find_resource_type(std::string_view name) const = 0;

  virtual const std::vector<Module>& modules() const = 0;
  /// The module with this name, or null when there is none.
  virtual const Module* find_module(std::string_view name) const = 0;
  /// The module that contains a source file's path; null when none does.
  virtual const Module* module_of(std::string_view path) const = 0;
  /// The absolute path of "module/relative" in the module's files/, templates/ or scripts/; nothing when it does not exist.
  virtual std::optional<std::string> find_module_file(ModuleFileKind kind, std::string_view reference) const = 0;

  /// The content of a file, read once; null when it cannot be read.
  virtual std::shared_ptr<const std::string> read_file(const std::string& path) const = 0;
  /// The parsed EPP template at an absolute path. Throws CompileError.
  virtual std::shared_ptr<const ParsedFile> epp_template(const std::string& path, LogSink* log) const = 0;
  /// A YAML, JSON or HOCON file as data, read and converted once. Never null: the result contains the error, if any.
  virtual const DataFile& data_file(const std::string& path, DataFormat format) const = 0;
  /// Whether a file or directory exists; the system is asked once per path.
  virtual bool path_exists(const std::string& path) const = 0;

  /// Whether the files and directories of this snapshot have not changed on disk: one system call for each. Always true for an environment
  /// that was opened without `watch`.
  virtual bool unchanged() const { return true; }
  /// Adds a file or directory that other code read for this snapshot.
  virtual void watch(const std::string& path) const { static_cast<void>(path); }

  /// Hears what a compile looks at beside this interface; null: nobody wants to know.
  virtual DependencyRecorder* recorder() const { return nullptr; }

  /// The environment that holds what several environments share: the base of environment_with_code, else this one. Attachments live as long
  /// as it does.
  virtual const Environment& shared() const { return *this; }
  virtual RegexCache& regexes() const = 0;

  /// What a higher component keeps with the environment. The first call makes it.
  template <class T> std::shared_ptr<T> attached() const {
    static_assert(std::is_base_of_v<EnvironmentAttachment, T>);
    return std::static_pointer_cast<T>(attachment(typeid(T), [] { return std::make_shared<T>(); }));
  }

  /// What attached() calls.
  using MakeAttachment = std::function<std::shared_ptr<EnvironmentAttachment>()>;
  virtual std::shared_ptr<EnvironmentAttachment> attachment(std::type_index kind, const MakeAttachment& make) const = 0;
};

/// Opens an environment. Throws CompileError (load_error) when its directories or configuration are unusable.
std::shared_ptr<const Environment> open_environment(EnvironmentOptions options);

/// Makes an environment with `code` as its main manifest and the modules, files and data of `base`. All environments over `base` share
/// these. `base` must define nothing in a main manifest of its own.
std::shared_ptr<const Environment> environment_with_code(std::shared_ptr<const Environment> base, std::string code);

/// Reads environment.conf of the directory environment `name` on `environmentpath` (directories separated by colons): modulepath (with
/// $basemodulepath), manifest, config_version. Warns about unknown settings, as Puppet does. Throws CompileError in Puppet's words when the
/// environment does not exist.
EnvironmentOptions directory_environment(std::string_view environmentpath, std::string_view name,
                                         const std::vector<std::string>& basemodulepath, LogSink* log);

/// Parses, checks and resolves a text that is not in a file of the environment (inline_epp). Its warnings go to `log` (may be null). Throws
/// CompileError.
std::shared_ptr<const ParsedFile> parse_inline(const Environment& environment, std::string text, bool epp, RegexCache& regexes,
                                               LogSink* log = nullptr);

} // namespace pupc::compiler
