#pragma once
// Resources as they are on the machine, for who looks at them (pupc resource).
#include "runtime/provider/provider.h"

#include <string>
#include <utility>
#include <vector>

namespace pupc::runtime {

struct ListedResource {
  std::string type; // lower case
  std::string title;
  std::vector<std::pair<std::string, Value>> attributes; // ensure first, then by name; without what is absent or empty
  bool described = false;                                // by a type of the Resource API: Puppet prints such resources in another form
};

/// The resources of a type, sorted by title. `more`: names of parameters that are told besides the properties. Throws ResourceError: there
/// is no such type, or its resources cannot be listed.
std::vector<ListedResource> list_resources(RunContext& run, const std::string& type, const std::vector<std::string>& more);

/// The resource of a title, there or not; all of its properties are looked at. Throws ResourceError as list_resources.
ListedResource find_resource(RunContext& run, const std::string& type, const std::string& title, const std::vector<std::string>& more);

/// A resource of the run, after it: only what it manages is looked at. Throws ResourceError.
ListedResource managed_resource(RunContext& run, ManagedResource& resource, const std::vector<std::string>& more);

/// As a manifest has it.
std::string as_manifest(const ListedResource& resource);

} // namespace pupc::runtime
