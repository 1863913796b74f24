#pragma once
// What the main manifests of an environment define.
#include "catalog/base/text_hash.h"
#include "compiler/load/environment.h"
#include "compiler/load/parsed_files.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pupc::compiler {

/// The name in lower case, without a leading ::.
std::string canonical_name(std::string_view name);
/// The same without a copy where the name is that already. It lives as long as this object and the text of the name.
class CanonicalName {
public:
  explicit CanonicalName(std::string_view name);
  CanonicalName(const CanonicalName&) = delete;
  CanonicalName& operator=(const CanonicalName&) = delete;
  std::string_view view() const { return view_; }

private:
  std::string made_;
  std::string_view view_;
};
/// Whether canonical_name(name) is `canonical`.
bool is_canonical_name(std::string_view canonical, std::string_view name);

struct MainManifests {
  std::vector<const LoadedFile*> loaded; // in order; they must outlive this object
  std::vector<std::shared_ptr<const ParsedFile>> files;
  std::vector<NodeEntry> nodes;
  template <class Entry> using ByName = std::unordered_map<std::string, Entry, TransparentHash, std::equal_to<>>; // by canonical_name
  ByName<DefinitionEntry> classes, defines, functions;
  ByName<TypeAliasEntry> aliases;
  std::vector<const ParsedFile*> raw; // the same files, for duplicate checks
  std::optional<Diagnostic> error;

  /// Fills the other members from `loaded`. Stops at a file that cannot be used; report() throws its error. With `usable_only` such a file
  /// is left out, and what is defined twice is no error.
  void index(bool usable_only = false);
  /// Logs the messages of the files to `log` (may be null). Throws CompileError for the first file that cannot be used.
  void report(LogSink* log) const;
};

} // namespace pupc::compiler
