#pragma once
// Where resources that other nodes exported come from when the settings, and not --store, say so.
#include "catalog/graph/exports.h"
#include "tools/pupc/settings/compile_settings.h"
#include "tools/puppetdb/puppetdb_conf.h"

#include <memory>

namespace pupc::cli {

/// Whether the settings name PuppetDB, and no --store replaces it.
bool uses_puppetdb(const CompileOptions& options);

/// The certificates for connections to PuppetDB.
http::TlsFiles puppetdb_tls(const PuppetSettings& settings, const puppetdb::Config& config);

/// PuppetDB as puppetdb.conf in confdir describes it; null when the settings name none. It opens no connection and reads no certificate
/// before the first query. Throws CompileError.
std::unique_ptr<ExportSource> configured_exports(const CompileOptions& options);

/// The same whatever the settings say of storeconfigs.
std::unique_ptr<ExportSource> puppetdb_source(const CompileOptions& options);

} // namespace pupc::cli
