#pragma once
// The targets of what listens and of what it reads.
#include <string_view>

namespace pupc::fuzz {

/// A request to pupc-server: "METHOD TARGET", header lines, an empty line, the body. It has a certificate when a header X-Name names it,
/// with an extension of Puppet's arc whose bytes are those of X-Extension.
void server_request(std::string_view input);
/// auth.conf, and what its rules say of some requests.
void auth_conf(std::string_view input);
/// fileserver.conf.
void fileserver_conf(std::string_view input);
/// A DNS answer with SRV records.
void srv_answer(std::string_view input);

} // namespace pupc::fuzz
