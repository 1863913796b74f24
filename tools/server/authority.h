#pragma once
// The endpoints of the CA that agents need. This server is no CA: it shows the CA's certificate and revocation lists, and passes the rest
// on.
#include "tools/server/shared_state.h"
#include "tools/server/visible_names.h"

namespace pupc::server {

/// GET /puppet-ca/v1/certificate/ca and certificate_revocation_list/ca from this server's files; certificates, requests and their states
/// from the CA's host (settings ca_server, ca_port), unless that is this server.
http::Response answer_authority(Call& call);

} // namespace pupc::server
