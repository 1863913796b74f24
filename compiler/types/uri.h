#pragma once
// URIs taken apart and put together as Ruby's URI does (RFC 3986).
#include "catalog/value/value.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pupc {

struct UriParts {
  std::optional<std::string> scheme, userinfo, host, path, query, fragment, opaque;
  std::optional<int64_t> port; // also when it is the scheme's usual one
};

/// Throws CompileError "bad URI(is not URI?): …" or "URI must be ascii only …".
UriParts parse_uri(std::string_view text);
/// The text; a port that is the scheme's usual one is left out.
std::string compose_uri(const UriParts& parts);
/// A part by name ("host", "port", …) as a value of the language, undef when it is missing.
Value uri_part(Arena& arena, const UriParts& parts, std::string_view name);

} // namespace pupc
