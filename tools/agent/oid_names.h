#pragma once
// Puppet's names of certificate extensions, for requests.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pupc::cli::agent {

/// The number of an extension below Puppet's arc, "1.3.6.1.4.1.34380.1.1.13" of "pp_role"; other texts as they are.
std::string oid_of(std::string_view name);

} // namespace pupc::cli::agent
