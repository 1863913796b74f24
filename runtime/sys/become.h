#pragma once
// Becomes another user for good. Every child process of pupc that gives up its rights does so through this file.
#include "runtime/sys/system.h"

#include <optional>
#include <sys/types.h>
#include <vector>

namespace pupc::runtime {

/// Everything by which the kernel decides what a process may do.
struct Identity {
  std::optional<uid_t> uid;
  std::optional<gid_t> gid;
  std::vector<gid_t> groups; // all groups, also the supplementary ones
};

/// The identity of an account: its uid, its group (or `gid` when given) and all groups that it is a member of.
Identity identity_of(const User& user, std::optional<uint32_t> gid = std::nullopt);

enum class BecomeStep : int { None, Groups, Group, User };

/// Switches to an identity, in the order that leaves no right of the old one. Makes only calls that are safe after fork. Returns None on
/// success, else the step that failed, with errno set; the process must then end.
BecomeStep become(const Identity& identity);

} // namespace pupc::runtime
