#pragma once
#include "catalog/base/namespaces.h"

#include <string_view>

namespace pupc::catalog {

/// The version of Puppet whose language and behaviour pupc follows. Manifests, facts, reports and Ruby code of modules see this number.
/// The build passes it to compiler/ruby/facade.
inline constexpr std::string_view puppet_version = "8.11.0";

} // namespace pupc::catalog
