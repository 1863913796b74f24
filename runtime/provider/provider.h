#pragma once
// The interface that manages one type of resources. A type has a TypeHandler in a folder of its own and one line in handlers.cpp.
//
// When the transaction evaluates a resource, it calls:
//   retrieve -> the present state            (queries only)
//   plan     -> the differences from the wanted state, with Puppet's messages (changes nothing: reads its arguments and queries only)
//   apply    -> make one of these changes    (never called under noop)
//   flush    -> after all changes of the resource
// Before the run it calls prepare (check and normalise attributes), autorelations and generate; before the first resource of a type,
// prefetch. A handler object lives for one run, so it may cache what it reads.
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

namespace pupc::runtime {

/// An error of a resource with Puppet's message; the text contains neither the resource's path nor its place in the manifest.
class ResourceError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
  ResourceError(const std::string& text, std::string cause_text) : std::runtime_error(text), cause(std::move(cause_text)) {}
  /// The text for the log: Puppet puts the error inside this one below it.
  std::string logged() const { return cause.empty() ? what() : std::string(what()) + "\nWrapped exception:\n" + cause; }
  std::string cause; // the text of the error that this one is made of, where Puppet keeps it
};

/// What an error that is not Puppet's own, say of the system, becomes when it stops the code of a property's value. Puppet tells it when
/// it is made, and again, with its cause, when the property fails.
class ValueError : public ResourceError {
public:
  ValueError(const ManagedResource& resource, std::string_view value, std::string_view property, const std::string& cause_text);
};

/// A ResourceError that Puppet shows without the place in the manifest.
class UnplacedError : public ResourceError {
public:
  using ResourceError::ResourceError;
};

/// One difference between the present and the wanted state.
struct PropertyChange {
  std::string property;    // "ensure", "mode"
  std::string message;     // logged after the change: "mode changed '0644' to '0600'"; noop adds " (noop)". apply may rewrite it.
  std::string is_text;     // IS of "change from IS to SHOULD failed: …", like "'absent'"; also for a sensitive property's messages
  std::string should_text; // SHOULD, like "'present'"
  Value previous, desired; // for the report; undef = null
  bool sensitive = false;  // no output shows the values
  bool hidden = false;     // keep the values out of report and state; message already hides what it must
  bool invalidates_refresh = false; // drop refreshes that wait for this resource (a stopped service)
  std::string failure;              // not empty: the change fails with this text and apply is not called
  std::string event_name;           // in the report; empty = TYPE_created, TYPE_removed or PROPERTY_changed
  int detail = 0;                   // the handler's own note for apply
};

/// The usual change from `is` to `should`, with Puppet's message: "mode changed '0644' to '0600'", "defined 'x' as 'y'" when `is` is
/// undef or 'absent', "undefined 'x' from 'y'" when `should` is 'absent'.
PropertyChange property_change(std::string_view property, Value is, Value should);

/// The present state of a resource.
struct Present {
  bool exists = true;
  std::vector<std::pair<std::string, Value>> values; // property and value, in order; for audit and plan
  std::shared_ptr<HandlerData> detail;               // the handler's own data for plan and apply

  void set(std::string_view property, Value value);
  Value get(std::string_view property) const; // undef when unknown
};

/// An automatic relationship of a type. It takes effect when the other resource is in the catalog and no relationship contradicts it.
struct AutoRelation {
  enum Kind : uint8_t { Require, Before, Subscribe, Notify };
  Kind kind = Require;
  std::string type;  // in lower case
  std::string title; // title or namevar
};

class ForeignTypes;
class RemoteFiles; // remote_files.h

struct RunSettings {
  bool noop = false;
  bool show_diff = false;
  bool ignore_schedules = false;
  std::string state_directory;  // for data that outlives a run
  std::string bucket_directory; // backups of replaced files
  /// The full path of "MODULE/PATH" in a module's files/; nothing when the module has no such file.
  std::function<std::optional<std::string>(std::string_view reference)> module_file;
  /// Where `puppet:` sources come from instead of modules on this machine; null: from there.
  RemoteFiles* remote_files = nullptr;
  /// The lib/ directories of all modules (lenses of Augeas, providers of module types).
  std::function<std::vector<std::string>()> library_directories;
  /// The types and providers that modules implement; null when the run has none.
  ForeignTypes* foreign_types = nullptr;
  /// read_yaml parses a YAML text and throws ResourceError; write_yaml writes a value as Ruby's Psych does.
  std::function<Value(std::string_view text, Arena& arena)> read_yaml;
  std::function<std::string(const Value& value)> write_yaml;
};

/// What a handler may use besides its resource: the machine, the run's settings, the log, facts and other resources.
class RunContext {
public:
  RunContext(System& machine, Arena& values, const RunSettings& how) : system(machine), arena(values), settings(how) {}
  virtual ~RunContext() = default;

  System& system;
  Arena& arena; // holds values; lives as long as the run
  const RunSettings& settings;
  uint64_t changes_begun = 0; // by the run, with refreshes: what was read before the last one may be old

  /// Logs a line for a resource. Its source is the resource's path and, when given, the property.
  virtual void log(LogLevel level, const ManagedResource& resource, std::string_view message, std::string_view property = {}) = 0;
  /// Logs a line that belongs to no resource.
  virtual void log(LogLevel level, std::string_view message) = 0;
  /// Logs a line with a source that the caller names. `resource` is the resource that caused it; it may be null.
  virtual void log_from(LogLevel level, std::string source, std::string_view message, const ManagedResource* resource) = 0;
  /// Finds a resource of the catalog by title, alias or namevar; null when there is none. `type` is in lower case.
  virtual ManagedResource* find(std::string_view type, std::string_view title) = 0;
  /// Sets an attribute of a resource of the catalog before its turn. Throws ResourceError when its type refuses the value.
  virtual void set_attribute(ManagedResource& resource, std::string_view name, Value value, bool sensitive = false) {
    resource.set(name, value, sensitive);
  }
  virtual std::vector<ManagedResource*> resources_of(std::string_view type) = 0;
  virtual std::vector<ManagedResource*> all_resources() = 0;
  /// A fact by its dotted name ("os.family"); undef when it is unknown.
  virtual Value fact(std::string_view dotted) = 0;

  /// An attribute of the node by its dotted path. The compiler or an earlier node_attribute resource has set it; undef otherwise.
  Value node_attribute(std::string_view path) const;
  void set_node_attribute(std::string_view path, Value value);

protected:
  Value node_attributes_; // a Hash
};

class TypeHandler {
public:
  virtual ~TypeHandler() = default;

  /// Checks and normalises the attributes. Called for every resource before anything changes, and again after Deferred values were
  /// resolved. Throws ResourceError.
  virtual void prepare(ManagedResource&, RunContext&) {}
  /// Whether `prepare` checks by itself which values the attributes allow; otherwise check_values (handlers.h) is asked before it.
  virtual bool checks_values() const { return false; }
  /// Whether `prepare` also takes resources with unresolved Deferred values before the run. Otherwise it is called only at their turn.
  virtual bool prepares_deferred() const { return false; }
  /// How the error of a wrong value names the resource.
  virtual std::string shown_reference(const ManagedResource& resource, std::string_view) const { return resource.reference(); }
  /// The key by which a resource is found besides its title (file: the path without a trailing slash).
  virtual std::string key(const ManagedResource& resource) const { return resource.title; }
  virtual void autorelations(const ManagedResource&, RunContext&, std::vector<AutoRelation>&) {}
  /// The name of a resource's provider; empty: Puppet's choice (provider_name). Resources of one provider are prefetched together.
  virtual std::string provider(const ManagedResource&) const { return {}; }
  /// Called for every resource when all are known and nothing has changed yet. A ResourceError from here stops the run before it starts.
  virtual void check_before_run(ManagedResource&, RunContext&) {}
  /// The reason why no provider of the type works on this machine yet; empty when one works. Such resources wait for others that may
  /// change this (a package that installs the tool), and fail when nothing else is left.
  virtual std::string unsuitable(ManagedResource&, RunContext&) { return {}; }
  /// Whether `unsuitable` failed because the type has no provider at all here and the resource names none. The run reports that once, not
  /// for each resource.
  virtual bool providerless(const ManagedResource&) const { return false; }
  /// Reads at once what all resources of the type and provider need. The resources come in the catalog's order, but when `provider` names
  /// a provider, the resource to evaluate comes first. If this throws, all of them fail.
  virtual void prefetch(std::span<ManagedResource* const>, RunContext&) {}
  /// All instances on the machine, for `resources { purge }`. Each can be removed by `ensure => absent`. Nothing: the type cannot list its
  /// instances.
  virtual std::optional<std::vector<ManagedResource>> instances(RunContext&) { return std::nullopt; }
  /// The same where only the one with this title is wanted: a handler may leave out what costs time and comes after it.
  virtual std::optional<std::vector<ManagedResource>> instances_for(const std::string& /*title*/, RunContext& run) {
    return instances(run);
  }
  /// Resources that this one adds before the run; they come after it. One that the catalog has already is taken from there.
  virtual std::vector<ManagedResource> generate(ManagedResource&, RunContext&) { return {}; }
  /// Whether generated resources come before this one (tidy) instead of after it.
  virtual bool depth_first() const { return false; }
  /// Resources that this one adds when it is evaluated (files below a directory). They come after it; a path below another one's comes
  /// after that one. One that the catalog has already is taken from there, and need not have more than type and title.
  virtual std::vector<ManagedResource> eval_generate(ManagedResource&, RunContext&) { return {}; }

  virtual Present retrieve(ManagedResource&, RunContext&) = 0;
  /// The changes to make. A change of `ensure` comes alone: its apply sets all other properties too.
  virtual std::vector<PropertyChange> plan(ManagedResource&, const Present&, RunContext&) = 0;
  /// Makes one change. When it throws ResourceError or SystemError, this property has failed and the others continue.
  virtual void apply(ManagedResource&, const Present&, PropertyChange&, RunContext&) = 0;
  virtual void flush(ManagedResource&, const Present&, RunContext&) {}
  /// Called after a change, made or not, when something else than an earlier run has set what was found (a corrective change). Puppet
  /// learns that by comparing the property once more, and some types tell what they compare.
  virtual void compare_again(ManagedResource&, const PropertyChange&, RunContext&) {}

  virtual bool refreshable(const ManagedResource&) const { return false; }
  /// Whether a resource's own changes refresh it (mount remounts).
  virtual bool self_refresh(const ManagedResource&) const { return false; }
  /// Reacts to notify and subscribe. Throws ResourceError or SystemError on failure.
  virtual void refresh(ManagedResource&, RunContext&) {}
  /// Called once, after the last resource.
  virtual void finish(RunContext&) {}
};

/// Makes a native handler for one run; null when pupc does not implement the type. `type` is in lower case.
std::unique_ptr<TypeHandler> make_type_handler(std::string_view type);
/// Makes a handler for one run, also for types that modules define: those derived from ini_setting (derived_type.h) and foreign types.
std::unique_ptr<TypeHandler> make_type_handler(std::string_view type, const RunSettings& settings);
/// The types that pupc can apply, sorted.
std::vector<std::string_view> applicable_types();

} // namespace pupc::runtime
