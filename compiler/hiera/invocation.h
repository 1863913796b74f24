#pragma once
// One lookup in progress, with what it inherited from the lookup that caused it.
#include "compiler/hiera/errors.h"
#include "compiler/hiera/explain.h"
#include "compiler/hiera/key.h"
#include "compiler/hiera/lookup.h"

#include <memory>
#include <vector>

namespace pupc {

/// A variable that interpolation read, with what it gave: a resolved configuration is good as long as these stay the same.
struct ReadVariable {
  std::shared_ptr<const std::string> key;
  std::string root;
  std::vector<Value> segments; // views into *key
  Value value;
};

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
  bool version_3 = false; // in a version 3 configuration: variables as Hiera 3 saw them
  Value extra_paths;
  Explainer* explainer = nullptr;
  std::vector<ReadVariable>* reads = nullptr;                      // not null while a configuration is resolved
  std::vector<std::pair<std::string_view, Value>> local_variables; // of mapped_paths
  std::vector<std::string> names; // keys and variables whose values are being made, for the detection of cycles
  int depth = 0;

  explicit Invocation(LookupHost& h) : host(h) {}

  /// A lookup that this one causes. `keep_values`: with its overrides and defaults (interpolation), else without (lookup_options).
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

  /// Runs `body` with `name` among the names in progress. A name that is there already is Puppet's "Recursive lookup detected in
  /// […]"; errors of Puppet's own kind leave as LookupErrors.
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

/// `value` with `%{…}` in its strings (keys of hashes included) replaced. `methods`: whether `%{lookup('x')}` and its like are allowed.
/// `look_up` is what they call: the value of a key in an invocation made for it, or nothing.
using LookUp = std::optional<Value> (*)(void* service, std::string_view key, Invocation& invocation);
struct Interpolator {
  void* service;
  LookUp look_up;

  Value interpolate(const Value& value, Invocation& invocation, bool methods) const;
  std::string interpolate_text(std::string_view text, Invocation& invocation, bool methods) const;
  /// What `%{key}` stands for before it is interpolated itself. `subject` is the text it is in, for messages.
  Value variable(std::string_view key, Invocation& invocation, std::string_view subject) const;

private:
  Value interpolate_string(std::string_view subject, Invocation& invocation, bool methods) const;
};

/// A variable as Hiera 3 sees it: three of its own (calling_module, calling_class, calling_class_path), and empty texts are undef. False:
/// there is none.
bool version_3_variable(std::string_view name, LookupHost& host, Value& value);

} // namespace pupc
