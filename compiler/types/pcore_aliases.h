#pragma once
// Type aliases that Puppet's runtime predefines under the name Pcore.
#include "compiler/types/core_types.h"

#include <string_view>

namespace pupc::compiler {

/// The type named "Pcore::URI", "Pcore::URI_RX", "Pcore::SimpleTypeName", "Pcore::TypeName", "Pcore::QRef" or "Pcore::MemberName" (in
/// any case), or null for other names. It lives as long as the process.
const Type* pcore_alias(std::string_view name);

} // namespace pupc::compiler
