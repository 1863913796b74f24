#pragma once
// How a type of resources is managed. A type is one TypeHandler in a folder of its own, and one line in registry.cpp.
//
// For each resource, at its turn, the transaction asks:
//   retrieve -> what is there now            (queries only)
//   plan     -> what differs from what should be, in Puppet's words (pure: looks at nothing but its arguments and queries)
//   apply    -> make one of these changes    (never called under noop)
//   flush    -> after all changes of the resource were made
// Before the run: prepare (check and normalise attributes), autorelations, generate. At the first resource of its type: prefetch.
// An object of a handler lives for one run, so it may keep what it has learnt.
#include "runtime/provider/managed_resource.h"
#include "runtime/sys/system.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

/// What is wrong with a resource, in Puppet's words, without path and place.
class ResourceError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The same for errors that Puppet shows without their place.
class UnplacedError : public ResourceError {
public:
  using ResourceError::ResourceError;
};

/// One difference between what is and what should be.
struct PropertyChange {
  std::string property; // "ensure", "mode"
  std::string message;  // logged once made: "created", "mode changed '0644' to '0600'"; noop logs it with " (noop)". apply may rewrite it.
  std::string is_text;  // as "change from IS to SHOULD failed: …" shows them: "'absent'"; also for a sensitive property's messages
  std::string should_text;          // "'present'"
  Value previous, desired;          // for the report; undef = null
  bool sensitive = false;           // values appear nowhere
  bool hidden = false;              // values appear in no report and no state; the messages show what they may already
  bool invalidates_refresh = false; // refreshes that wait for this resource are dropped (a service that is stopped)
  std::string failure;              // not empty: the change is known to fail, with this text; apply is not called
  std::string event_name;           // of the report; empty = TYPE_created, TYPE_removed, PROPERTY_changed
  int detail = 0;                   // the handler's own, to tell apply what to do
};

/// The usual change: texts and report values from the two values, the message from them as Puppet makes it ("mode changed '0644' to
/// '0600'", "defined 'x' as 'y'" when `is` is undef or 'absent', "undefined 'x' from 'y'" when `should` is 'absent').
PropertyChange property_change(std::string_view property, Value is, Value should);

/// What there is of a resource now.
struct Present {
  bool exists = true;
  std::vector<std::pair<std::string, Value>> values; // by property, in order; for audit and plan
  std::shared_ptr<void> detail;                      // the handler's own

  void set(std::string_view property, Value value);
  Value get(std::string_view property) const; // undef when unknown
};

/// A relationship that a type adds by itself when the other resource is in the catalog (and no relationship says the contrary).
struct AutoRelation {
  enum Kind : uint8_t { Require, Before, Subscribe, Notify };
  Kind kind = Require;
  std::string type;  // lower case
  std::string title; // title or namevar
};

class ForeignTypes;

struct RunSettings {
  bool noop = false;
  bool show_diff = false;
  bool ignore_schedules = false;
  std::string state_directory;  // what is kept between runs
  std::string bucket_directory; // backups of replaced files
  /// Full path of "module/relative" in a module's files; nothing when there is none.
  std::function<std::optional<std::string>(std::string_view reference)> module_file;
  /// The lib/ directories of all modules (lenses of Augeas, providers of module types).
  std::function<std::vector<std::string>()> library_directories;
  /// Types and providers that modules implement; null when there are none.
  ForeignTypes* foreign_types = nullptr;
  /// A YAML text as a value, and the reverse as Ruby's Psych writes it. read_yaml throws ResourceError.
  std::function<Value(std::string_view text, Arena& arena)> read_yaml;
  std::function<std::string(const Value& value)> write_yaml;
};

/// What a handler may use besides its resource.
class RunContext {
public:
  RunContext(System& machine, Arena& values, const RunSettings& how) : system(machine), arena(values), settings(how) {}
  virtual ~RunContext() = default;

  System& system;
  Arena& arena; // for values; lives as long as the run
  const RunSettings& settings;

  /// A log line of a resource: source is its path and, when given, a property.
  virtual void log(LogLevel level, const ManagedResource& resource, std::string_view message, std::string_view property = {}) = 0;
  /// A log line of no resource.
  virtual void log(LogLevel level, std::string_view message) = 0;
  /// A log line whose source its author names; `resource`, which may be null, is whose doing it is.
  virtual void log_from(LogLevel level, std::string source, std::string_view message, const ManagedResource* resource) = 0;
  /// The resource of the catalog by title, alias or namevar; null when there is none. `type` in lower case.
  virtual ManagedResource* find(std::string_view type, std::string_view title) = 0;
  /// Sets an attribute of a resource of the catalog before its turn. Throws ResourceError when its type refuses the value.
  virtual void set_attribute(ManagedResource& resource, std::string_view name, Value value) { resource.set(name, value); }
  virtual std::vector<ManagedResource*> resources_of(std::string_view type) = 0;
  virtual std::vector<ManagedResource*> all_resources() = 0;
  /// A fact by its dotted name ("os.family"); undef when it is unknown.
  virtual Value fact(std::string_view dotted) = 0;

  /// Attributes of the node by dotted path: written while the catalog was compiled or by a node_attribute resource before; undef when
  /// nobody did.
  Value node_attribute(std::string_view path) const;
  void set_node_attribute(std::string_view path, Value value);

protected:
  Value node_attributes_; // a Hash
};

class TypeHandler {
public:
  virtual ~TypeHandler() = default;

  /// Checks and normalises the attributes; called for every resource before anything changes, and again when Deferred values were resolved.
  /// Throws ResourceError.
  virtual void prepare(ManagedResource&, RunContext&) {}
  /// The attributes by which resources of the type are found besides their title (file: path without trailing slash).
  virtual std::string key(const ManagedResource& resource) const { return resource.title; }
  virtual void autorelations(const ManagedResource&, RunContext&, std::vector<AutoRelation>&) {}
  /// Name of the provider that looks after a resource; empty: the one that Puppet has (provider_name). Resources of one provider
  /// are prefetched together.
  virtual std::string provider(const ManagedResource&) const { return {}; }
  /// Called for all resources when all are known and nothing has changed. Throws ResourceError: nothing is applied.
  virtual void check_before_run(ManagedResource&, RunContext&) {}
  /// Not empty: no provider of the type works on this machine yet, and why. Such resources wait for others that may change this;
  /// when nothing else is left, they fail.
  virtual std::string unsuitable(ManagedResource&, RunContext&) { return {}; }
  /// Whether that was because the type has no provider at all here: that is told once, not for each resource.
  virtual bool providerless() const { return false; }
  /// Reads what all resources of the type and provider need, in one go, in the catalog's order; where
  /// `provider` names one, the resource whose turn it is comes first. Throws: all of them fail.
  virtual void prefetch(std::span<ManagedResource* const>, RunContext&) {}
  /// All instances on the machine, for `resources { purge }`: resources with the title and `ensure => absent`-able. Nothing: the type
  /// cannot list.
  virtual std::optional<std::vector<ManagedResource>> instances(RunContext&) { return std::nullopt; }
  /// Resources that this one brings, before the run. Those that the catalog has already are dropped.
  virtual std::vector<ManagedResource> generate(ManagedResource&, RunContext&) { return {}; }
  /// Whether what it brings comes before it (tidy) instead of after it.
  virtual bool depth_first() const { return false; }
  /// The same at its turn (files below a directory). They come after it, those with a path below another's after that.
  virtual std::vector<ManagedResource> eval_generate(ManagedResource&, RunContext&) { return {}; }

  virtual Present retrieve(ManagedResource&, RunContext&) = 0;
  /// A change of `ensure` comes alone: apply of it brings all other properties about.
  virtual std::vector<PropertyChange> plan(ManagedResource&, const Present&, RunContext&) = 0;
  /// Makes a change. Throws ResourceError or SystemError: the property failed, others go on.
  virtual void apply(ManagedResource&, const Present&, PropertyChange&, RunContext&) = 0;
  virtual void flush(ManagedResource&, const Present&, RunContext&) {}

  virtual bool refreshable(const ManagedResource&) const { return false; }
  /// Whether its own changes refresh it (a mount is remounted).
  virtual bool self_refresh(const ManagedResource&) const { return false; }
  /// Reaction to notify and subscribe. Throws when it fails.
  virtual void refresh(ManagedResource&, RunContext&) {}
  /// Called once after the last resource.
  virtual void finish(RunContext&) {}
};

/// Handler of a lower-case type for one run; null when the type cannot be applied.
std::unique_ptr<TypeHandler> make_type_handler(std::string_view type);
/// The same, of module types too whose provider is ini_setting's with other names (derived_type.h).
std::unique_ptr<TypeHandler> make_type_handler(std::string_view type, const RunSettings& settings);
/// Types that can be applied, sorted.
std::vector<std::string_view> applicable_types();

} // namespace pupc
