#pragma once
// Becoming another user, for good: the one way in which a child of this program gives up its rights.
#include "runtime/sys/system.h"

#include <optional>
#include <sys/types.h>
#include <vector>

namespace pupc {

/// Everything by which the kernel decides what a process may do.
struct Identity {
  std::optional<uid_t> uid;
  std::optional<gid_t> gid;
  std::vector<gid_t> groups; // all, supplementary ones too
};

/// Identity of an account: its uid, its group unless another is given, and every group that it is in.
Identity identity_of(const User& user, std::optional<uint32_t> gid = std::nullopt);

enum class BecomeStep : int { None, Groups, Group, User };

/// Takes an identity on, in the order that leaves nothing of the old one. Only calls that are safe after a fork. None = it has worked; else
/// the step that failed (errno), after which the process must end.
BecomeStep become(const Identity& identity);

} // namespace pupc
