#include "catalog/base/split_text.h"
#include "catalog/value/digest.h"
#include "runtime/facts/resolvers.h"

#include <fmt/format.h>

namespace pupc::runtime {
namespace {

std::string base64_bytes(std::string_view text) {
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const int digit = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+'             ? 62
                      : c == '/'             ? 63
                                             : -1;
    if (digit < 0) continue;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out += static_cast<char>(bits >> count & 0xff);
    }
  }
  return out;
}

struct KeyKind {
  std::string_view type, name;
  int number; // in SSHFP records
};
constexpr KeyKind kinds[] = {
    {"ssh-dss", "dsa", 2}, {"ecdsa-sha2-nistp256", "ecdsa", 3}, {"ssh-ed25519", "ed25519", 4}, {"ssh-rsa", "rsa", 1}};

} // namespace

void resolve_ssh(FactSources& from, Facts& facts) {
  for (const char* directory : {"/etc/ssh", "/usr/local/etc/ssh", "/etc", "/usr/local/etc", "/etc/opt/ssh"})
    for (const char* file : {"ssh_host_rsa_key.pub", "ssh_host_dsa_key.pub", "ssh_host_ecdsa_key.pub", "ssh_host_ed25519_key.pub"}) {
      const auto content = from.read(std::string(directory) + "/" + file);
      if (!content) continue;
      const auto words = catalog::words_of(*content);
      if (words.size() < 2) continue;
      for (const KeyKind& kind : kinds) {
        if (words[0] != kind.type) continue;
        const std::string bytes = base64_bytes(words[1]);
        const std::string base = fmt::format("ssh.{}.", kind.name);
        facts.set(base + "fingerprints.sha1", fmt::format("SSHFP {} 1 {}", kind.number, hex_digest(DigestAlgorithm::Sha1, bytes)));
        facts.set(base + "fingerprints.sha256", fmt::format("SSHFP {} 2 {}", kind.number, hex_digest(DigestAlgorithm::Sha256, bytes)));
        facts.set(base + "key", words[1]);
        facts.set(base + "type", words[0]);
      }
    }
}

} // namespace pupc::runtime
