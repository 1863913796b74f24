#pragma once
// What the main manifests of an environment define.
#include "compiler/load/environment.h"
#include "compiler/load/parsed_files.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pupc {

/// Lower case, without a leading ::.
std::string canonical_name(std::string_view name);

struct MainManifests {
  std::vector<const LoadedFile*> loaded; // in order; they outlive this
  std::vector<std::shared_ptr<const ParsedFile>> files;
  std::vector<NodeEntry> nodes;
  std::unordered_map<std::string, DefinitionEntry> classes, defines, functions; // by canonical_name
  std::unordered_map<std::string, TypeAliasEntry> aliases;
  std::vector<const ParsedFile*> raw; // the same files, for duplicate checks
  std::optional<Diagnostic> error;

  /// Fills the rest from `loaded`; a file that cannot be used ends it, report() tells.
  void index();
  /// Tells `log` (may be null) what the files have to say. Throws CompileError for the first that cannot be used.
  void report(LogSink* log) const;
};

} // namespace pupc
