#pragma once
// Writes catalogs, reports and state. They contain sensitive values in clear text, so other users must never see them.
#include "runtime/sys/system.h"

#include <optional>
#include <string>
#include <string_view>

namespace pupc::cli {

/// Replaces a file as a whole. Only its user and group can read the new file, whatever the umask is. Does not follow links. Writes directly
/// to a path that is no regular file (a terminal, a pipe). Throws SystemError.
void write_private_file(System& system, const std::string& path, std::string_view text);

/// Makes a directory that other users cannot enter, and its parents. An existing directory must belong to this user, to root or to the
/// `trusted` one (else EPERM); removes the write permission of others from it unless it is sticky. Throws SystemError.
void make_private_directories(System& system, const std::string& path, std::optional<uint32_t> trusted = std::nullopt);

} // namespace pupc::cli
