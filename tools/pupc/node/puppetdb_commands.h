#pragma once
// What the settings send to PuppetDB: facts, catalogs and reports.
#include "catalog/graph/catalog.h"
#include "tools/pupc/settings/compile_settings.h"
#include "tools/puppetdb/delivery.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::cli {

struct PuppetDbCommands {
  bool facts = false, catalogs = false, reports = false;
  puppetdb::Config config;
  http::TlsFiles tls;
  std::string directory;          // of the spool
  std::string producer;           // the certname of who sends
  std::vector<std::string> notes; // what of routes.yaml has no meaning here
  bool any() const { return facts || catalogs || reports; }
};

/// What the settings storeconfigs, storeconfigs_backend and route_file ask for, and where it goes. As in Puppet, storeconfigs makes
/// PuppetDB the cache of catalogs and facts, and routes.yaml can give facts another terminus or cache. `application`: whose part of
/// routes.yaml counts ("server", which older files call "master"; "apply"). `reports`: whether reports are to be sent. Throws CompileError
/// for files that cannot be read, and for a terminus that would change what is compiled.
PuppetDbCommands puppetdb_commands(const CompileOptions& options, std::string_view application, bool reports);

/// The terminus of facts that routes.yaml, the `file`, names in the part of `application`; "" when it names none. Throws CompileError.
std::string routed_facts_terminus(const std::string& file, std::string_view application);

/// Sends the commands of one run: at once, or later where PuppetDB is away.
class CommandSender {
public:
  using Say = std::function<void(LogLevel level, const std::string& line)>;
  /// `say` hears of problems, and of what was sent.
  CommandSender(PuppetDbCommands commands, Say say) : commands_(std::move(commands)), say_(std::move(say)) {}

  /// These do nothing where the settings do not ask for it. False when a command could neither be sent nor kept, and soft_write_failure is
  /// off: the run must end then, as in Puppet.
  bool facts(const std::string& node, const Value& facts, const Value& trusted, const std::string& environment);
  bool catalog(Catalog& catalog, const std::string& environment, std::string_view transaction_uuid);
  bool report(const Value& report);

private:
  template <class Make> bool send(const Make& make);

  PuppetDbCommands commands_;
  Say say_;
  std::shared_ptr<puppetdb::Spool> spool_;
};

} // namespace pupc::cli
