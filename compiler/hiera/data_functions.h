#pragma once
// Hiera's own functions for files of data: what a hierarchy entry that names one reads, and what code gets that calls one.
#include "compiler/hiera/lookup.h"

#include <functional>

namespace pupc::catalog {
struct DataFile;
} // namespace pupc::catalog
namespace pupc::compiler {

/// Puppet's text for a call of yaml_data, json_data or hocon_data with options other than a path.
inline constexpr std::string_view missing_path_text =
    "one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml when using this data_hash function";

/// Puppet's text for a call of eyaml_lookup_key with options without a path.
inline constexpr std::string_view missing_eyaml_path_text = "'eyaml_lookup_key': one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' "
                                                            "must be declared in hiera.yaml when using this lookup_key "
                                                            "function";

struct DataFileContent {
  const DataFile& file;
  Value value;
};

/// What `function` (yaml_data, json_data, hocon_data) returns for a file: a hash, but for JSON and HOCON that are something else. Throws
/// Puppet's errors for a file that cannot be read or parsed, and for YAML that is no hash, of which a warning is left without strictness.
DataFileContent content_for(std::string_view function, const Environment& environment, const std::string& path, LookupHost& host);

/// A call of eyaml_lookup_key: the key and file for its messages, the options that name the key pair, and what replaces %{...}.
struct EyamlCall {
  Arena& arena;
  std::string_view key, path;
  const Hash* options;
  std::function<Value(const Value&)> interpolate;
};

/// A value of such a file, decrypted and interpolated at every depth. Throws Puppet's error for what cannot be decrypted.
Value eyaml_value(const Value& value, const EyamlCall& call);

} // namespace pupc::compiler
