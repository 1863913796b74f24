#pragma once
// Hiera: values for keys from module, environment and global data. This component is below eval and declares what it needs from there
// (LookupHost), so that a test needs only a map of variables.
#include "catalog/base/diagnostic.h"
#include "catalog/value/value.h"
#include "compiler/types/type.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pupc::compiler {

class Environment;
class Explainer;

/// A question to a backend of Hiera 3, which is written in Ruby. Symbols in `config` and `resolution` are texts that begin with
/// symbol_mark.
struct BackendRequest {
  static constexpr char symbol_mark = '\x01';
  std::string_view backend;
  std::string_view key;
  Value config;         // Hiera::Config, a hash
  Value order_override; // list of sources to read before the hierarchy
  Value resolution;     // undef, a symbol or a hash
  bool version_3 = false;
};

/// What a lookup needs from the compile it serves, in the scope that called it.
class LookupHost {
public:
  virtual ~LookupHost() = default;
  virtual Arena& arena() = 0;
  virtual TypeContext& types() = 0;
  /// Reads a variable for interpolation. For `facts.os.family`, `name` is "facts"; "::x" and "a::b" stay as they are. Returns false when it
  /// is unset.
  virtual bool variable(std::string_view name, Value& out) = 0;
  /// The lookup calls this when it interpolates an unset variable. Depending on strictness it throws Puppet's "Undefined variable 'x';
  /// <reason>" (a CompileError without place), warns once, or does nothing. In a path, glob, URI or mapped path of a configuration
  /// (`in_location`) it never throws.
  virtual void undefined_variable(std::string_view name, bool in_location) = 0;
  /// The class of the scope that called the lookup, or of the nearest scope around it that has one; empty when there is none.
  virtual std::string calling_class() { return {}; }
  virtual bool function_exists(std::string_view /*name*/) { return false; }
  virtual Value call_function(std::string_view name, std::span<const Value> args) = 0;
  /// Asks a backend. The value may contain symbols (symbol_text.h); nothing when the backend has none. Throws CompileError without place
  /// when the backend does not exist or fails, or when there is no Ruby.
  virtual std::optional<Value> call_backend(const BackendRequest& request);
  virtual void warn(std::string message) = 0;
  virtual void debug(std::string message) = 0;
};

struct LookupRequest {
  std::string_view key;
  Value merge = Value::undef();          // undef = from lookup_options; else strategy name or options hash
  const Hash* override_values = nullptr; // what interpolation prefers to variables (the function `lookup` tries them before a lookup)
  const Hash* default_values = nullptr;  // what interpolation takes for unset variables
  bool global_only = false;              // the hiera functions where the environment has no data of its own
  bool hiera_call = false;               // of the functions hiera, hiera_array, hiera_hash and hiera_include
  Value extra_paths;                     // their argument `override`: data that a version 3 hierarchy has before its own; undef = none
  Explainer* explainer = nullptr;        // compiler/hiera/explain.h; null = none
};

/// Broken configuration or data (Puppet's DataBinding::LookupError). The text is complete: callers add no words to it.
class LookupError : public CompileError {
public:
  explicit LookupError(Diagnostic d, bool has_number = false) : CompileError(std::move(d)), numbered(has_number) {}
  bool numbered; // Puppet gives it an issue code, so the global layer does not rewrite it
};

class LookupService {
public:
  virtual ~LookupService() = default;
  /// Returns the value of a key, or nothing when it is not found. Throws LookupError for broken configuration or data. Throws CompileError
  /// without place for errors that Puppet raises in the calling function (wrong merge strategy, undefined variables).
  virtual std::optional<Value> lookup(const LookupRequest& request, LookupHost& host) = 0;
  /// Whether the environment has a hiera.yaml of version 5. If not, the hiera functions read only the global layer.
  virtual bool has_environment_data(LookupHost& host) = 0;
  /// Whether lookups of all keys of a module find nothing, as no layer has a configuration. May be false although they find nothing.
  virtual bool has_no_data(std::string_view module) = 0;
  /// The explainer for lookups whose request names none.
  Explainer* explainer = nullptr;
};

/// Makes the Hiera of an environment for one node. Configuration and data files are read once per environment and shared.
std::unique_ptr<LookupService> make_lookup_service(const Environment& environment);

} // namespace pupc::compiler
