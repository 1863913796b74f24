#pragma once
// Resource types the program knows by itself: those of Puppet, of the modules that come with puppet-agent 8, and pupc's own.
#include "catalog/schema/resource_type.h"

#include <string_view>
#include <vector>

namespace pupc {

/// The native type of a lower-case name, or null. A type of origin Core goes before any other of its name, CoreModule only where no
/// module on the modulepath defines the type, Extension only where neither a module nor a class or define of the program does.
const ResourceTypeInfo* find_native_type(std::string_view name);

/// Names of all native types, sorted.
std::vector<std::string_view> native_type_names();

/// Whether the name is a script type, which guard_interpreter may name: script, bash, csh, ksh, zsh, perl, python, ruby,
/// powershell_script or batch (the document on guards and phases, "Script resources").
bool is_script_type(std::string_view name);

} // namespace pupc
