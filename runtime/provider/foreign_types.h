#pragma once
// The interface to types that modules implement in Ruby. The program that starts the run connects an implementation.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::runtime {

class ManagedResource;
class RunContext;
class TypeHandler;
} // namespace pupc::runtime
namespace pupc::catalog {
struct Value;
} // namespace pupc::catalog
namespace pupc::runtime {

class ForeignTypes {
public:
  virtual ~ForeignTypes() = default;
  /// A handler for one run; null when no module has the type. `type` is in lower case.
  virtual std::unique_ptr<TypeHandler> handler(std::string_view type) = 0;
  /// Whether a module has a provider of that name for a type.
  virtual bool has_provider(std::string_view type, std::string_view provider) = 0;
  /// Whether a module's provider is the default one of a native type on this machine, as the choice among all providers has it. Logs a
  /// warning when the modules' providers cannot be asked.
  virtual bool is_default(std::string_view type, RunContext& run) = 0;
  /// Leaves in the environment what the modules' providers of a native type set in it when Puppet loads them with the type.
  virtual void leave_environment(std::string_view type, RunContext& run) = 0;
  /// The resources of a type on the machine, or the one of a title: a list of hashes with "title", "attributes" and "described" (whether
  /// the type is one of the Resource API). `more`: parameters that are told besides the properties. Throws ResourceError.
  virtual Value list(std::string_view type, std::string_view title, const std::vector<std::string>& more, RunContext& run) = 0;
  /// The same of one resource of the run, as it is now.
  virtual Value show(const ManagedResource& resource, const std::vector<std::string>& more, RunContext& run) = 0;
};

/// Whether a module's provider manages a resource of a native type: the one that it names, or, without a name, the default one here.
bool has_foreign_provider(const ManagedResource& resource, RunContext& run);

} // namespace pupc::runtime
