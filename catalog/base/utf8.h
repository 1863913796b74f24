#pragma once
#include "catalog/base/namespaces.h"

#include <string_view>

namespace pupc::catalog {

/// Whether a text is valid UTF-8: without overlong forms, surrogates and what is beyond U+10FFFF, as Ruby's valid_encoding? says.
bool valid_utf8(std::string_view text);

} // namespace pupc::catalog
