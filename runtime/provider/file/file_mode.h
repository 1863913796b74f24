#pragma once
// File modes as manifests write them: octal ("0644") or symbolic ("u=rwX,g+r").
#include <cstdint>
#include <string>
#include <string_view>

namespace pupc::runtime {

/// Applies the mode `text` to the mode `current`. Throws ResourceError with Puppet's message for a text that passes valid_file_mode but has
/// no meaning ("X only works with the '+' operator in symbolic mode \"a=X\"").
uint32_t apply_mode(std::string_view text, uint32_t current, bool directory);
/// Adds the search bit wherever the read bit is set: Puppet does so for octal modes of directories.
uint32_t directory_mode(uint32_t mode);
/// "0644": at least four octal digits.
std::string mode_text(uint32_t mode);

} // namespace pupc::runtime
