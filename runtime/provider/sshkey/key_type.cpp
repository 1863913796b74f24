#include "runtime/provider/sshkey/key_type.h"

namespace pupc::runtime {

std::string ssh_key_type(const std::string& type) {
  if (type == "dsa") return "ssh-dss";
  if (type == "rsa") return "ssh-rsa";
  if (type == "ed25519") return "ssh-ed25519";
  if (type == "ecdsa-sk") return "sk-ecdsa-sha2-nistp256@openssh.com";
  if (type == "ed25519-sk") return "sk-ssh-ed25519@openssh.com";
  return type;
}

} // namespace pupc::runtime
