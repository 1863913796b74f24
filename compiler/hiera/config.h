#pragma once
// hiera.yaml of one layer: read and checked once per environment, resolved (interpolated) per compile.
#include "compiler/hiera/lookup.h"
#include "compiler/load/environment.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace pupc {

enum class HieraLayer : uint8_t { Global, Environment, Module };

struct HierarchyEntry {
  std::string_view name;
  enum class Form : uint8_t { DataHash, LookupKey, DataDig, Hiera3Backend } form = Form::DataHash;
  std::string_view function; // yaml_data, …
  enum class Place : uint8_t { None, Path, Paths, Glob, Globs, Uri, Uris, MappedPaths } place = Place::None;
  std::vector<std::string_view> locations; // as written
  std::string datadir;                     // joined with the configuration's directory, not interpolated
  std::string extension;                   // versions 3 and 4: appended to paths that lack it
  const Hash* options = nullptr;           // not interpolated; null = none
};

struct HieraConfig {
  int version = 5;
  std::string path;      // of hiera.yaml; empty for the default configuration of a missing global one
  std::string directory; // that relative places start from
  HieraLayer layer = HieraLayer::Global;
  std::vector<HierarchyEntry> hierarchy;
  std::vector<HierarchyEntry> default_hierarchy;
  bool has_default_hierarchy = false;
  Value loaded;     // of version 3 with backends in Ruby, the file's hash as it is written (data_file.h: is_symbol)
  Value hash_merge; // of version 3, for hiera_hash: a hash with the strategy and its options; undef = as usual

  /// Line of the configuration that a pattern matches, comments left out; 0 when there is none.
  uint32_t find_line(const std::string& pattern, uint32_t first = 1) const;
};

/// The configuration at `path`. Its values live as long as the environment, those of version 3 as long as the compile. Throws LookupError
/// or CompileError in Puppet's words when it is malformed, for each caller anew. Versions 3 (but in the global layer) and 4 (in the
/// global layer) are only named: refusing them is the caller's. A `path` that does not exist gives the default configuration.
std::shared_ptr<const HieraConfig> read_hiera_config(const Environment& environment, const std::string& path, HieraLayer layer,
                                                     LookupHost& host);

/// `base` + `path` as Ruby's Pathname joins them: an absolute path stands for itself, leading `.` and `..` are resolved.
std::string join_path(std::string_view base, std::string_view path);
/// Files (not directories) that a Ruby glob matches (`*`, `**/`, `?`, `[…]`, `{a,b}`), in Ruby's order.
std::vector<std::string> glob_files(const std::string& pattern);

} // namespace pupc
