#include "tools/server/auth.h"

namespace pupc::server {

const char* usual_auth_rules() {
  return R"(authorization: {
  version: 1
  rules: [
    { name: "own catalog", sort-order: 500, allow: "$1"
      match-request: { path: "^/puppet/v3/catalog/([^/]+)$", type: regex, method: [get, post] } }
    { name: "catalogs for services", sort-order: 500, deny: "*"
      match-request: { path: "^/puppet/v4/catalog/?$", type: regex, method: post } }
    { name: "certificates", sort-order: 500, allow-unauthenticated: true
      match-request: { path: "/puppet-ca/v1/certificate/", type: path, method: get } }
    { name: "revocation list", sort-order: 500, allow-unauthenticated: true
      match-request: { path: "/puppet-ca/v1/certificate_revocation_list/ca", type: path, method: get } }
    { name: "certificate requests", sort-order: 500, allow-unauthenticated: true
      match-request: { path: "/puppet-ca/v1/certificate_request", type: path, method: [get, put] } }
    { name: "renewal", sort-order: 500, allow: "*"
      match-request: { path: "/puppet-ca/v1/certificate_renewal", type: path, method: post } }
    { name: "status", sort-order: 500, allow-unauthenticated: true
      match-request: { path: "/status/v1/simple", type: path, method: get } }
    { name: "status of services", sort-order: 500, allow-unauthenticated: true
      match-request: { path: "/status/v1/services", type: path, method: get } }
    { name: "environments", sort-order: 500, allow: "*"
      match-request: { path: "/puppet/v3/environments", type: path, method: get } }
    { name: "file bucket", sort-order: 500, allow: "*"
      match-request: { path: "/puppet/v3/file_bucket_file", type: path, method: [get, head, post, put] } }
    { name: "file content", sort-order: 500, allow: "*"
      match-request: { path: "/puppet/v3/file_content", type: path, method: [get, post] } }
    { name: "file metadata", sort-order: 500, allow: "*"
      match-request: { path: "/puppet/v3/file_metadata", type: path, method: [get, post] } }
    { name: "own node", sort-order: 500, allow: "$1"
      match-request: { path: "^/puppet/v3/node/([^/]+)$", type: regex, method: get } }
    { name: "own report", sort-order: 500, allow: "$1"
      match-request: { path: "^/puppet/v3/report/([^/]+)$", type: regex, method: put } }
    { name: "own facts", sort-order: 500, allow: "$1"
      match-request: { path: "^/puppet/v3/facts/([^/]+)$", type: regex, method: put } }
    { name: "static file content", sort-order: 500, allow: "*"
      match-request: { path: "/puppet/v3/static_file_content", type: path, method: get } }
    { name: "all else", sort-order: 999, deny: "*"
      match-request: { path: "/", type: path } }
  ]
})";
}

} // namespace pupc::server
