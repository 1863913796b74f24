#pragma once
// The files of a tree that a recursive file resource manages: from the machine, a `target` or the `source`s.
#include "runtime/provider/file/file_spec.h"

#include <string>
#include <vector>

namespace pupc::runtime {

/// The path that a file resource manages, without a slash at its end.
std::string managed_path(const ManagedResource& resource);
/// The directory of an absolute path; "/" for one without a directory.
std::string directory_of(const std::string& path);

/// A resource for each file of the tree; none when the resource is not recursive. A `target` is used up by it. Throws ResourceError or
/// SystemError.
std::vector<ManagedResource> children_of(const ManagedResource& resource, FileSpec& spec, RunContext& run);

} // namespace pupc::runtime
