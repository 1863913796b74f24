#pragma once
#include <string>

namespace pupc {

/// The name of a key's type in OpenSSH's files for one of the short names that sshkey and ssh_authorized_key allow; others stay as they
/// are.
std::string ssh_key_type(const std::string& type);

} // namespace pupc
