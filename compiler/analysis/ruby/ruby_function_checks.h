#pragma once
// Checks of the files of functions in Ruby, and what the checks of code ask of such functions.
#include "compiler/analysis/codebase/checked_codebase.h"
#include "compiler/analysis/ruby/ruby_functions.h"
#include "compiler/discovery/repository.h"
#include "compiler/ruby/syntax/ruby_static.h"

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace pupc::compiler {

/// Reads each file of a function once. Not thread-safe.
class RubyFunctionChecks {
public:
  /// All outlive this object.
  RubyFunctionChecks(CheckedCodebase& program, Findings& findings, RubyFiles& files)
      : program_(program), findings_(findings), files_(files) {}

  /// Checks the files of functions in Ruby among these: their names, dispatches, methods and types.
  void check(const std::vector<RepositoryFile>& files);
  /// What the file tells of its function; unreadable, too, if it is not there. Valid as long as this object.
  const ModuleRubyFunction& function(const std::string& path);
  /// Whether a function in Ruby of a module may read variables that its call does not name.
  bool reads_variables(std::string_view name);
  /// Whether the function of that name may declare resources or include classes.
  bool may_declare(std::string_view name);
  /// The types of the resources that it may declare where it does nothing else of the kind.
  std::vector<std::string> creates(std::string_view name);
  /// The paths of the functions whose tokens could not be followed.
  std::set<std::string> unreadable() const;

  /// The files in Ruby that several checks ask for.
  RubyFiles& files() { return files_; }

private:
  /// The function of a module by its name; null when none is in Ruby.
  const ModuleRubyFunction* named(std::string_view name);
  void check_dispatches(const RepositoryFile& file, const ModuleRubyFunction& f);
  void check_local_types(const RepositoryFile& file, const ModuleRubyFunction& f, const ModuleRubyFunction::Dispatch& d);
  void check_return_type(const RepositoryFile& file, const ModuleRubyFunction::Dispatch& d, const ModuleRubyFunction::Method& method);

  CheckedCodebase& program_;
  Findings& findings_;
  RubyFiles& files_;
  std::unordered_map<std::string, ModuleRubyFunction> functions_; // by path
};

} // namespace pupc::compiler
