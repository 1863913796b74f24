#pragma once
#include <string_view>

namespace pupc {

/// The version of Puppet whose language and behaviour this is: what manifests, facts, reports and Ruby code of modules are told. The build
/// hands it on to compiler/ruby/facade.
inline constexpr std::string_view puppet_version = "8.11.0";

} // namespace pupc
