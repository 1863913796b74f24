#pragma once
// Where catalogs, reports and state are written: they hold values that Sensitive hides elsewhere, so others never see them.
#include "runtime/sys/system.h"

#include <string>
#include <string_view>

namespace pupc {

/// Replaces a file as a whole, readable by its user and group only whatever the umask is; nobody's link is followed. What is no file (a
/// terminal, a pipe) is written to as it is. Throws SystemError.
void write_private_file(System& system, const std::string& path, std::string_view text);

/// Makes a directory, with those above it, that others cannot enter. One that is there must belong to this user or root (EPERM else); what
/// others may change in it they may no more, unless it is sticky. Throws SystemError.
void make_private_directories(System& system, const std::string& path);

} // namespace pupc
