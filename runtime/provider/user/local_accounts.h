#pragma once
// `forcelocal` of users and groups: accounts of this machine's files, whatever other name services say, changed by libuser's tools.
#include "runtime/provider/provider.h"

namespace pupc {

/// Whether libuser's tools are installed. Without them Puppet does not manage `forcelocal`, nor a group's members.
bool has_libuser(RunContext& run);
/// What its tools are to find in their environment.
std::vector<std::pair<std::string, std::string>> libuser_environment(RunContext& run);

/// The seven fields of a user's line in /etc/passwd, the four of a group's in /etc/group; nothing when there is none.
std::optional<std::vector<std::string>> local_user(std::string_view name, RunContext& run);
std::optional<std::vector<std::string>> local_group(std::string_view name, RunContext& run);
bool is_local_uid(std::string_view uid, RunContext& run);
bool is_local_gid(std::string_view gid, RunContext& run);

} // namespace pupc
