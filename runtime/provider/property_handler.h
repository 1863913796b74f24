#pragma once
// The base class of most types: a thing that exists or not (`ensure`), with properties that are compared and changed one by one.
#include "runtime/provider/provider.h"

namespace pupc::runtime {

class PropertyHandler : public TypeHandler {
public:
  std::vector<PropertyChange> plan(ManagedResource& resource, const Present& present, RunContext& run) override;
  void apply(ManagedResource& resource, const Present& present, PropertyChange& change, RunContext& run) override;

protected:
  /// The properties besides `ensure`, in the order of their comparison.
  virtual std::span<const std::string_view> properties() const = 0;
  /// The wanted `ensure`; "present" when it is not given.
  virtual std::string wanted(const ManagedResource& resource) const { return resource.text("ensure", "present"); }
  /// The attributes that make a resource without `ensure` one that shall be there, as Puppet's `ensurable` has it: its properties. None
  /// where `ensure` is always "present" when it is not given.
  virtual std::span<const std::string_view> reasons_to_exist() const { return {}; }
  /// Whether a resource has neither `ensure` nor one of these: the run leaves it as it is.
  bool left_alone(const ManagedResource& resource) const;
  /// Whether a property has its wanted value; the default compares the values as texts.
  virtual bool in_sync(const ManagedResource& resource, std::string_view property, const Value& is, const Value& should, RunContext& run);
  /// Describes a difference for logs and reports; the default is property_change().
  virtual PropertyChange describe(const ManagedResource& resource, std::string_view property, const Value& is, const Value& should,
                                  RunContext& run);

  virtual void create(ManagedResource& resource, const Present& present, RunContext& run) = 0;
  virtual void destroy(ManagedResource& resource, const Present& present, RunContext& run) = 0;
  virtual void set(ManagedResource& resource, const Present& present, std::string_view property, RunContext& run) = 0;
};

/// " (file: F, line: N)" of a resource, as far as it is known.
std::string place_suffix(const ManagedResource& r);

/// The change of `ensure` between present and absent, with the message "created" or "removed". `event` names the event in the report
/// ("user_created").
PropertyChange ensure_change(RunContext& run, bool present, std::string_view event = {});

} // namespace pupc::runtime
