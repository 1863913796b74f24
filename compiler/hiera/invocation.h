#pragma once
// One lookup in progress, with the state that it inherits from the lookup that caused it.
#include "compiler/hiera/errors.h"
#include "compiler/hiera/explain.h"
#include "compiler/hiera/key.h"
#include "compiler/hiera/lookup.h"

#include <memory>
#include <vector>

namespace pupc::compiler {

/// A variable that interpolation read, and its value. A resolved configuration is valid as long as all of them keep their values.
struct ReadVariable {
  std::shared_ptr<const std::string> key;
  std::string root;
  std::vector<Value> segments; // views into *key
  Value value;
};

/// The state of a lookup: the key and module it is for, its overrides and defaults, and the names in progress.
struct Invocation {
  LookupHost& host;
  const Invocation* parent = nullptr;
  const Hash* override_values = nullptr;
  const Hash* default_values = nullptr;
  std::string_view top_key;
  std::string_view module;
  bool has_module = false;
  bool global_only = false;
  bool hiera_call = false;
  bool in_location = false; // in a path, glob, URI or mapped path of a version 5 configuration
  bool version_3 = false;   // in a version 3 configuration, where variables follow the rules of Hiera 3
  Value extra_paths;
  Explainer* explainer = nullptr;
  std::vector<ReadVariable>* reads = nullptr;                      // set while a configuration is being resolved
  std::vector<std::pair<std::string_view, Value>> local_variables; // from mapped_paths
  std::vector<std::string> names;                                  // keys and variables whose lookup is in progress, to detect cycles
  int depth = 0;

  explicit Invocation(LookupHost& h) : host(h) {}

  /// A lookup that this one causes. With `keep_values` it has the same overrides and defaults (interpolation), without it none
  /// (lookup_options).
  Invocation sub(bool keep_values) const {
    Invocation s(host);
    s.parent = this;
    if (keep_values) {
      s.override_values = override_values;
      s.default_values = default_values;
    }
    s.global_only = global_only;
    s.hiera_call = hiera_call;
    s.extra_paths = extra_paths;
    s.explainer = explainer;
    s.local_variables = local_variables;
    s.depth = depth + 1;
    return s;
  }

  /// Runs `body` with `name` among the names in progress. If `name` is there already, throws Puppet's "Recursive lookup detected in […]". A
  /// Puppet::Error from `body` leaves as a LookupError.
  template <class Body> auto check(std::string_view name, Body body) {
    enter(name);
    struct Leave {
      std::vector<std::string>& names;
      ~Leave() { names.pop_back(); }
    } leave{names};
    try {
      return body();
    } catch (const LookupError&) { throw; } catch (const CompileError& error) {
      if (error.diagnostic.preformatted || is_ruby_error(error)) throw;
      throw_as_lookup_error(error);
    }
  }

private:
  void enter(std::string_view name);
};

/// Replaces `%{…}` in the strings of `value`, including the keys of hashes. `methods`: whether `%{lookup('x')}` and similar methods are
/// allowed. They call `look_up`, which returns the value of a key, or nothing, for an invocation made for it.
using LookUp = std::optional<Value> (*)(void* service, std::string_view key, Invocation& invocation);
struct Interpolator {
  void* service;
  LookUp look_up;

  Value interpolate(const Value& value, Invocation& invocation, bool methods) const;
  std::string interpolate_text(std::string_view text, Invocation& invocation, bool methods) const;
  /// The value of `%{key}` before it is interpolated itself. `subject` is the text that contains it, for messages.
  Value variable(std::string_view key, Invocation& invocation, std::string_view subject) const;

private:
  Value interpolate_string(std::string_view subject, Invocation& invocation, bool methods) const;
};

/// Reads a variable by the rules of Hiera 3: it has three of its own (calling_module, calling_class, calling_class_path), and an empty text
/// is undef. Returns false when there is no such variable.
bool version_3_variable(std::string_view name, LookupHost& host, Value& value);

} // namespace pupc::compiler
