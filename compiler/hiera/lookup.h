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

/// What a lookup needs from the compile it serves.
class LookupHost {
public:
  virtual ~LookupHost() = default;
  virtual Arena& arena() = 0;
  virtual TypeContext& types() = 0;
  /// Variable for interpolation (`facts.os.family` is asked as "facts"), false when unset.
  virtual bool variable(std::string_view name, Value& out) = 0;
  virtual Value call_function(std::string_view name, std::span<const Value> args) = 0;
  virtual void warn(std::string message) = 0;
  virtual void debug(std::string message) = 0;
};

struct LookupRequest {
  std::string_view key;
  Value merge = Value::undef();              // undef = from lookup_options; else strategy name or options hash
  const Hash* override_values = nullptr;     // tried before the hierarchy
  const Hash* default_values = nullptr;      // tried after it
  const Type* value_type = nullptr;          // null = Any
  bool automatic_parameter = false;          // key is class::parameter, asked by parameter binding
};

class LookupService {
public:
  virtual ~LookupService() = default;
  /// Value of a key, nothing when not found. Throws CompileError (lookup_error) for broken configuration or data.
  virtual std::optional<Value> lookup(const LookupRequest& request, LookupHost& host) = 0;
};

/// Hiera of an environment for one node: configuration and data files are read once per environment and shared.
std::unique_ptr<LookupService> make_lookup_service(const Environment& environment);

} // namespace pupc
