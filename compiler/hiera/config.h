#pragma once
// The hiera.yaml of one layer. It is read and checked once per environment, and resolved (interpolated) per compile.
#include "compiler/hiera/lookup.h"
#include "compiler/load/environment.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace pupc::compiler {

enum class HieraLayer : uint8_t { Global, Environment, Module };

/// One entry of the hierarchy: where its data are, and which function or backend reads them.
struct HierarchyEntry {
  std::string_view name;
  enum class Form : uint8_t { DataHash, LookupKey, DataDig, Hiera3Backend } form = Form::DataHash;
  std::string_view function; // yaml_data, …
  enum class Place : uint8_t { None, Path, Paths, Glob, Globs, Uri, Uris, MappedPaths } place = Place::None;
  std::vector<std::string_view> locations; // as written
  std::string datadir;                     // joined with the configuration's directory; not interpolated
  std::string extension;                   // versions 3 and 4: appended to paths without it
  const Hash* options = nullptr;           // not interpolated; null = none
};

struct HieraConfig {
  int version = 5;
  std::string path;      // path of hiera.yaml; empty for the default configuration, when there is no global file
  std::string directory; // relative paths start here
  HieraLayer layer = HieraLayer::Global;
  std::vector<HierarchyEntry> hierarchy;
  std::vector<HierarchyEntry> default_hierarchy;
  bool has_default_hierarchy = false;
  Value loaded;     // version 3 with backends in Ruby: the file's hash as written (data_file.h: is_symbol)
  Value hash_merge; // version 3, for hiera_hash: a hash with the strategy and its options; undef = default

  /// The first line of the configuration that matches the pattern, ignoring comments; 0 when none does.
  uint32_t find_line(const std::string& pattern, uint32_t first = 1) const;
};

/// Returns the configuration at `path`, or the default configuration when the file does not exist. Its values live as long as the
/// environment, those of version 3 as long as the compile. Throws LookupError or CompileError in Puppet's words when it is malformed; every
/// caller gets the error again. Version 3 outside of the global layer and version 4 in the global layer are not read, only reported in
/// `version`: the caller refuses them.
std::shared_ptr<const HieraConfig> read_hiera_config(const Environment& environment, const std::string& path, HieraLayer layer,
                                                     LookupHost& host);

/// Joins `base` and `path` as Ruby's Pathname does: an absolute `path` replaces `base`; leading `.` and `..` are resolved.
std::string join_path(std::string_view base, std::string_view path);
/// The files (not directories) that match a Ruby glob (`*`, `**/`, `?`, `[…]`, `{a,b}`), in Ruby's order.
std::vector<std::string> glob_files(const std::string& pattern);

} // namespace pupc::compiler
