#include "tools/pupc/configured_exports.h"

#include "compiler/load/load_error.h"
#include "tools/puppetdb/source.h"

#include <fmt/format.h>

namespace pupc::cli {

bool uses_puppetdb(const CompileOptions& options) { return options.store.empty() && options.configuration.truth("storeconfigs"); }

std::unique_ptr<ExportSource> configured_exports(const CompileOptions& options) {
  if (!uses_puppetdb(options)) return nullptr;
  const PuppetSettings& conf = options.configuration;
  if (const std::string backend = conf.value("storeconfigs_backend"); backend != "puppetdb")
    throw_load_error(fmt::format("storeconfigs_backend is '{}', but only puppetdb is supported", backend), conf.file());
  puppetdb::SourceOptions how;
  how.config = puppetdb::load_config(conf.value("confdir") + "/puppetdb.conf");
  if (how.config.verify_client_certificate) {
    how.tls.certificate = conf.value("hostcert");
    how.tls.key = conf.value("hostprivkey");
  }
  how.tls.ca = conf.value("localcacert");
  const std::string revocation = conf.value("certificate_revocation");
  how.tls.revocation = revocation == "chain"  ? http::Revocation::Chain
                       : revocation == "leaf" ? http::Revocation::Leaf
                                              : http::Revocation::None;
  if (how.tls.revocation != http::Revocation::None) how.tls.crl = conf.value("hostcrl");
  how.warn = [level = options.log_level](const std::string& line) { ConsoleLog(level, false).log({LogLevel::Warning, "", line}); };
  return puppetdb::make_source(std::move(how));
}

} // namespace pupc::cli
