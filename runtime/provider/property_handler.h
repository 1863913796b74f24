#pragma once
// The common form of types: a thing that is there or not (`ensure`), with properties that are compared one by one and changed each for
// itself.
#include "runtime/provider/provider.h"

namespace pupc {

class PropertyHandler : public TypeHandler {
public:
  std::vector<PropertyChange> plan(ManagedResource& resource, const Present& present, RunContext& run) override;
  void apply(ManagedResource& resource, const Present& present, PropertyChange& change, RunContext& run) override;

protected:
  /// The properties besides ensure, in the order in which they are compared.
  virtual std::span<const std::string_view> properties() const = 0;
  /// What `ensure` is to be; present when it is not given.
  virtual std::string wanted(const ManagedResource& resource) const { return resource.text("ensure", "present"); }
  /// Whether a property is as it should be; the default compares texts.
  virtual bool in_sync(const ManagedResource& resource, std::string_view property, const Value& is, const Value& should, RunContext& run);
  /// How a difference is told; the default is property_change().
  virtual PropertyChange describe(const ManagedResource& resource, std::string_view property, const Value& is, const Value& should,
                                  RunContext& run);

  virtual void create(ManagedResource& resource, const Present& present, RunContext& run) = 0;
  virtual void destroy(ManagedResource& resource, const Present& present, RunContext& run) = 0;
  virtual void set(ManagedResource& resource, const Present& present, std::string_view property, RunContext& run) = 0;
};

/// The changes of `ensure` between there and not there: "created" and "removed". `event` names the report's event ("user_created").
PropertyChange ensure_change(RunContext& run, bool present, std::string_view event = {});

} // namespace pupc
