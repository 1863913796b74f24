#pragma once
#include <string>

namespace pupc::runtime {

/// Translates a short key type of sshkey and ssh_authorized_key ("rsa") to OpenSSH's name ("ssh-rsa"). Other names stay as they are.
std::string ssh_key_type(const std::string& type);

} // namespace pupc::runtime
