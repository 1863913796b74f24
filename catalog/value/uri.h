#pragma once
// Parses and composes URIs as Ruby's URI library does (RFC 3986).
#include "catalog/value/value.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pupc::catalog {

struct UriParts {
  std::optional<std::string> scheme, userinfo, host, path, query, fragment, opaque;
  std::optional<int64_t> port; // set to the scheme's default if the text names none
};

/// Splits a URI into its parts. Throws CompileError "bad URI(is not URI?): …" or "URI must be ascii only …".
UriParts parse_uri(std::string_view text);
/// The URI as text, without a port that is the scheme's default.
std::string compose_uri(const UriParts& parts);
/// A part by name ("host", "port", …) as a value of the language, undef when it is missing.
Value uri_part(Arena& arena, const UriParts& parts, std::string_view name);

} // namespace pupc::catalog
