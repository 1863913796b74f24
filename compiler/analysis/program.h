#pragma once
// The program that is checked: the files asked about, the environment they belong to, and how much of it is known.
//   Files asked about are parsed by the caller; what they use of other modules is loaded by the environment at first use. Not thread-safe.
#include "compiler/analysis/findings.h"
#include "compiler/eval/function.h"
#include "compiler/load/environment.h"
#include "compiler/types/type.h"

#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace pupc {

/// What is known of a name: No is certain, Unsure means that it may be in something that is not here.
enum class Known : uint8_t { Yes, No, Unsure };

/// A manifest or template to check. `parsed` is null for those with errors.
struct AnalysedFile {
  std::string path; // absolute
  std::shared_ptr<const ParsedFile> parsed;
  bool epp = false;
};

/// Types of the environment, for reading parameters' types: aliases by name, resource types.
class Program;
class ProgramTypes : public TypeContext {
public:
  ProgramTypes(Arena& a, RegexCache& r, Program& program) : TypeContext(a, r), program_(program) {}
  const Type* load_type(std::string_view name) override;
  bool resource_type_exists(std::string_view name) override;

private:
  Program& program_;
  std::unordered_map<std::string, const Type*> loaded_;
};

class Program {
public:
  /// `whole`: the files are a whole environment (or the modulepath was given), so that what is not there does not exist.
  /// `missing`: modules that it should have (Puppetfile) and has not.
  Program(std::shared_ptr<const Environment> environment, const FunctionRegistry& functions, std::vector<AnalysedFile> files, bool whole,
          std::set<std::string> missing);

  const Environment& environment() const { return *environment_; }
  const FunctionRegistry& functions() const { return functions_registry_; }
  const std::vector<AnalysedFile>& files() const { return files_; }
  ProgramTypes& types() { return types_; }
  Arena& arena() { return arena_; }

  /// Definitions by name; null when there is none or its file is broken (`broken` tells).
  const DefinitionEntry* find_class(std::string_view name, bool* broken = nullptr);
  const DefinitionEntry* find_define(std::string_view name, bool* broken = nullptr);
  const DefinitionEntry* find_function(std::string_view name, bool* broken = nullptr);
  const TypeAliasEntry* find_alias(std::string_view name, bool* broken = nullptr);
  const ResourceTypeInfo* find_resource_type(std::string_view name);
  const Module* module_of(const std::string& path) { return environment_->module_of(path); }

  /// Whether a qualified name, which is in no file that is known, may be somewhere else: No when its module is here.
  /// Other names (types, functions) are certain when all that the using module depends on is here.
  Known may_exist(std::string_view name, const Module* user);
  /// Whether everything is here that the module depends on, or, in a whole environment, that it lists.
  bool complete(const Module* user);
  bool whole() const { return whole_; }

  /// Names of the definitions in all files of the module that `name` is of, and of those asked about: for suggestions.
  std::vector<std::string_view> names_of(NodeKind kind, std::string_view name);
  /// Names of a kind that the files asked about define.
  const std::unordered_map<std::string_view, const Definition*>& own(NodeKind kind) const;

  /// A parameter's declared type; null: none, or one that cannot be read.
  const Type* type_of(const Parameter& parameter, const SourceFile& source);

  /// Names of facts that the modules' own Ruby and fact files define.
  const std::unordered_set<std::string>& custom_facts();
  /// Names that the top scope and nodes assign in the main manifests.
  const std::unordered_set<uint32_t>& top_variables();

private:
  bool complete_module(const Module& module, std::set<std::string>& seen);
  std::shared_ptr<const Environment> environment_;
  const FunctionRegistry& functions_registry_;
  std::vector<AnalysedFile> files_;
  bool whole_;
  std::set<std::string> missing_;
  size_t suggestions_ = 0;
  Arena arena_;
  ProgramTypes types_;
  std::unordered_map<const Parameter*, const Type*> parameter_types_;
  std::unordered_map<std::string_view, const Definition*> classes_, defines_, functions_;
  std::unordered_map<std::string, bool> complete_;
  std::unordered_map<std::string, std::vector<std::string>> module_names_;
  std::optional<std::unordered_set<std::string>> custom_facts_;
  std::optional<std::unordered_set<uint32_t>> top_variables_;
};

} // namespace pupc
