#pragma once
// Hiera: values for keys from module, environment and global data. This room sits below eval and declares what it needs
// from there (LookupHost), so that a test needs only a map.
#include "catalog/base/diagnostic.h"
#include "catalog/value/value.h"
#include "compiler/types/type.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pupc {

class Environment;
class Explainer;

/// What a backend of Hiera 3, written in Ruby, is asked. Symbols in `config` and `resolution` are texts that begin with symbol_mark.
struct BackendRequest {
  static constexpr char symbol_mark = '\x01';
  std::string_view backend;
  std::string_view key;
  Value config;         // Hiera::Config, a hash
  Value order_override; // list of sources that go before the hierarchy
  Value resolution;     // undef, a symbol or a hash
  bool version_3 = false;
};

/// What a lookup needs from the compile it serves, in the scope it was called from.
class LookupHost {
public:
  virtual ~LookupHost() = default;
  virtual Arena& arena() = 0;
  virtual TypeContext& types() = 0;
  /// Variable for interpolation (`facts.os.family` is asked as "facts"; "::x" and "a::b" as they are), false when unset.
  virtual bool variable(std::string_view name, Value& out) = 0;
  /// An unset variable was interpolated. By strictness: throws Puppet's "Undefined variable 'x'; <reason>" (a CompileError
  /// without place), warns once, or does nothing.
  virtual void undefined_variable(std::string_view name) = 0;
  /// Name of the class whose scope asks, or that of the nearest outer one; empty when there is none.
  virtual std::string calling_class() { return {}; }
  virtual bool function_exists(std::string_view /*name*/) { return false; }
  virtual Value call_function(std::string_view name, std::span<const Value> args) = 0;
  /// A backend's value, in which there may be symbols (symbol_text.h); nothing when it has none.
  /// Throws CompileError without place when there is no such backend, no Ruby, or the backend fails.
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

/// Broken configuration or data (Puppet's DataBinding::LookupError): complete text, shown without anything around it.
class LookupError : public CompileError {
public:
  explicit LookupError(Diagnostic d, bool has_number = false) : CompileError(std::move(d)), numbered(has_number) {}
  bool numbered; // Puppet gives it an issue code: then the global layer does not rewrite it
};

class LookupService {
public:
  virtual ~LookupService() = default;
  /// Value of a key, nothing when not found. Throws LookupError for broken configuration or data, and CompileError without place
  /// for what Puppet raises as an error of the calling function (wrong merge strategy, undefined variables).
  virtual std::optional<Value> lookup(const LookupRequest& request, LookupHost& host) = 0;
  /// Whether the environment has a hiera.yaml of version 5 (the hiera functions look in the global layer only when not).
  virtual bool has_environment_data(LookupHost& host) = 0;
  /// Told about every lookup whose request names none.
  Explainer* explainer = nullptr;
};

/// Hiera of an environment for one node: configuration and data files are read once per environment and shared.
std::unique_ptr<LookupService> make_lookup_service(const Environment& environment);

} // namespace pupc
