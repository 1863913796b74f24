#pragma once
// What a node's certificate says: `$trusted`, and who asks, for the rules of auth.conf.
#include "catalog/base/arena.h"
#include "catalog/value/value.h"
#include "tools/http/tls.h"
#include "tools/server/auth.h"
#include "tools/server/visible_names.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace pupc::server {

/// Names of certificate extensions: Puppet's own, and those of custom_trusted_oid_mapping.yaml.
class OidNames {
public:
  OidNames();
  /// Adds the file's names. Throws std::runtime_error with the file for what cannot be read.
  void read(const std::string& file);
  /// The short name of an extension below Puppet's arc, else its number.
  std::string name_of(const std::string& oid) const;

private:
  std::map<std::string, std::string> names_;
};

/// The extensions of Puppet's arc with the texts they hold, in the certificate's order.
std::vector<std::pair<std::string, std::string>> trusted_extensions(const http::PeerCertificate& certificate, const OidNames& names);

/// The caller that shows this certificate (null: none).
Caller caller_of(const http::PeerCertificate* certificate, const OidNames& names);

/// `$trusted`: of the caller, whichever node's catalog it asks for.
Value trusted_data(Arena& arena, const Caller& caller);

} // namespace pupc::server
