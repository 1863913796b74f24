#pragma once
// Modes of files as manifests give them: octal ("0644") or symbolic ("u=rwX,g+r").
#include <cstdint>
#include <string>
#include <string_view>

namespace pupc {

/// Whether a text can be a mode at all (Puppet's check when the catalog is read).
bool valid_mode(std::string_view text);
/// Whether it is a number.
bool numeric_mode(std::string_view text);
/// The mode that `text` makes of `current`. Throws ResourceError in Puppet's words for a text that passes valid_mode and still
/// means nothing ("X only works with the '+' operator in symbolic mode \"a=X\"").
uint32_t apply_mode(std::string_view text, uint32_t current, bool directory);
/// Numeric modes of directories have the search bit wherever they have the read bit.
uint32_t directory_mode(uint32_t mode);
/// "0644": at least four octal digits.
std::string mode_text(uint32_t mode);

} // namespace pupc
