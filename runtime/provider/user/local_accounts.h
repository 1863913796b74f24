#pragma once
// `forcelocal` of users and groups: manages accounts in the local files only, through libuser's tools, whatever other name services
// have.
#include "runtime/provider/provider.h"

namespace pupc::runtime {

/// Whether libuser's tools are installed. Without them Puppet does not manage `forcelocal`, nor a group's members.
bool has_libuser(RunContext& run);
/// The environment for libuser's tools.
std::vector<std::pair<std::string, std::string>> libuser_environment(RunContext& run);

/// The seven fields of a user in /etc/passwd, or the four of a group in /etc/group; nothing when the file has no such line.
std::optional<std::vector<std::string>> local_user(std::string_view name, RunContext& run);
std::optional<std::vector<std::string>> local_group(std::string_view name, RunContext& run);
bool is_local_uid(std::string_view uid, RunContext& run);
bool is_local_gid(std::string_view gid, RunContext& run);

} // namespace pupc::runtime
