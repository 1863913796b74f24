#pragma once
// Resource types that public modules bring, written in Ruby: what a repository uses of modules that are not installed.
#include <string_view>

namespace pupc::catalog {

/// The Forge module ("owner-name") that brings a resource type, by its lower-case name; empty for a type that is in no table. Types whose
/// names several modules use, or defined types of other modules, are left out. Such a type declares no resources itself.
std::string_view module_of_public_type(std::string_view type);

} // namespace pupc::catalog
