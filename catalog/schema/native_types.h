#pragma once
// The built-in resource types: those of Puppet, of the modules that come with puppet-agent 8, and pupc's own.
#include "catalog/schema/resource_type.h"

#include <string_view>
#include <vector>

namespace pupc::catalog {

/// The native type with a lower-case name, or null. A type of origin Core takes precedence over all others of its name. CoreModule
/// counts only if no module on the modulepath defines the type, and Extension only if no module, class or define has the name.
const ResourceTypeInfo* find_native_type(std::string_view name);

/// Names of all native types, sorted.
std::vector<std::string_view> native_type_names();

/// Whether the name is a script type, which guard_interpreter may name: script, bash, csh, ksh, zsh, perl, python, ruby,
/// powershell_script or batch (runtime/guard/README.md, "Script types").
bool is_script_type(std::string_view name);

} // namespace pupc::catalog
