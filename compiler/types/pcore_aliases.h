#pragma once
// Aliases that Puppet's runtime brings under the name Pcore.
#include "compiler/types/core_types.h"

#include <string_view>

namespace pupc {

/// The type that "Pcore::URI", "Pcore::URI_RX", "Pcore::SimpleTypeName", "Pcore::TypeName", "Pcore::QRef" or "Pcore::MemberName" names (in
/// any case); null for other names. Lives as long as the process.
const Type* pcore_alias(std::string_view name);

} // namespace pupc
