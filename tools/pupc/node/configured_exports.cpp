#include "tools/pupc/node/configured_exports.h"

#include "compiler/load/load_error.h"
#include "tools/puppetdb/exported_resources.h"

#include <fmt/format.h>

namespace pupc::cli {

bool uses_puppetdb(const CompileOptions& options) { return options.store.empty() && options.configuration.truth("storeconfigs"); }

http::TlsFiles puppetdb_tls(const PuppetSettings& conf, const puppetdb::Config& config) {
  http::TlsFiles out;
  if (config.verify_client_certificate) {
    out.certificate = conf.value("hostcert");
    out.key = conf.value("hostprivkey");
  }
  out.ca = conf.value("localcacert");
  const std::string revocation = conf.value("certificate_revocation");
  out.revocation = revocation == "chain" || revocation == "true" ? http::Revocation::Chain
                   : revocation == "leaf"                        ? http::Revocation::Leaf
                                                                 : http::Revocation::None;
  if (out.revocation != http::Revocation::None) out.crl = conf.value("hostcrl");
  return out;
}

std::unique_ptr<ExportSource> configured_exports(const CompileOptions& options) {
  if (!uses_puppetdb(options)) return nullptr;
  const PuppetSettings& conf = options.configuration;
  if (const std::string backend = conf.value("storeconfigs_backend"); backend != "puppetdb")
    throw_load_error(fmt::format("storeconfigs_backend is '{}', but only puppetdb is supported", backend), conf.file());
  return puppetdb_source(options);
}

std::unique_ptr<ExportSource> puppetdb_source(const CompileOptions& options) {
  const PuppetSettings& conf = options.configuration;
  puppetdb::SourceOptions how;
  how.config = puppetdb::load_config(conf.value("confdir") + "/puppetdb.conf");
  how.tls = puppetdb_tls(conf, how.config);
  how.warn = [level = options.log_level](const std::string& line) { ConsoleLog(level, false).log({LogLevel::Warning, "", line}); };
  return puppetdb::make_source(std::move(how));
}

} // namespace pupc::cli
