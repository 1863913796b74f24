#pragma once
// Resources that other nodes exported, from PuppetDB.
#include "catalog/graph/exports.h"
#include "tools/puppetdb/puppetdb_conf.h"

#include <functional>
#include <memory>
#include <string>

namespace pupc::puppetdb {

struct SourceOptions {
  Config config;
  http::TlsFiles tls;                           // read at the first query
  std::function<void(const std::string&)> warn; // gets a line for each server that could not answer; any thread calls it
};

/// Sends one request to one server; throws http::ClientError or http::TlsError.
using Send = std::function<http::ClientResponse(const http::ServerAddress&, const http::ClientRequest&)>;

/// Asks the servers in their order until one answers. A query that none answers throws CompileError (load_error). Resources come in the
/// order of PuppetDB's answer, which is Puppet's. `send` is for tests; null: HTTPS.
std::unique_ptr<catalog::ExportSource> make_source(SourceOptions options, Send send = nullptr);

} // namespace pupc::puppetdb
