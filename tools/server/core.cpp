#include "tools/server/shared_state.h"

#include "tools/server/responses.h"

#include "catalog/base/paths.h"
#include "runtime/facts/collect.h"
#include "runtime/sys/posix_system.h"
#include "tools/pupc/node/configured_exports.h"

#include <cerrno>
#include <fmt/format.h>
#include <stdexcept>

namespace pupc::server {
namespace {

std::shared_ptr<const AuthRules> read_rules(const std::string& file) {
  if (file.empty()) return std::make_shared<const AuthRules>(usual_auth_rules(), "the usual rules");
  const auto text = read_whole_file(file);
  if (!text) throw AuthError(fmt::format("Could not read {}: {}", file, file_problem(errno)));
  return std::make_shared<const AuthRules>(*text, file);
}

/// The facts of this machine that compiles see as server facts.
std::map<std::string, std::string> facts_of_server() {
  std::map<std::string, std::string> out;
  const auto system = make_posix_system();
  const auto probe = make_machine_probe();
  FactSources from(*system, *probe);
  const Facts facts = collect_core_facts(from);
  static constexpr std::pair<const char*, const char*> names[] = {
      {"servername", "networking.fqdn"}, {"serverip", "networking.ip"}, {"serverip6", "networking.ip6"}};
  for (const auto& [name, fact] : names)
    if (const FactValue* value = facts.find(fact))
      if (const auto* text = std::get_if<std::string>(&value->data)) out[name] = *text;
  return out;
}

} // namespace

Core::Core(Settings s, ServerLog& server_log, const Core* before, bool same_rules)
    : settings(std::move(s)), log(server_log), rules(same_rules ? before->rules : read_rules(settings.auth_file)),
      environments(settings.compile, Environments::For::Requests), ruby(settings.compile.ruby),
      classifier(settings.compile.classifier, cli::puppetdb_tls(settings.compile.configuration, {}), settings.classifier_limit,
                 settings.classifier_kept),
      server_facts(facts_of_server()) {
  if (!settings.oid_names.empty()) oids.read(settings.oid_names);
  if (same_rules) {
    mounts = before->mounts;
  } else if (!settings.fileserver.empty()) {
    const auto text = read_whole_file(settings.fileserver);
    if (!text) throw MountError(fmt::format("Could not read {}: {}", settings.fileserver, file_problem(errno)));
    mounts = read_file_mounts(*text, settings.fileserver);
  }
  environments.exports(); // a wrong puppetdb.conf shows now
  // Last: nothing after it fails, so that what it takes over is in use.
  if (before != nullptr && before->puppetdb != nullptr && before->settings.puppetdb.directory == settings.puppetdb.directory) {
    puppetdb = before->puppetdb;
    puppetdb->use(settings.puppetdb);
  } else if (settings.puppetdb.any()) {
    puppetdb = std::make_shared<Submissions>(settings.puppetdb, log);
  }
}

std::string Core::directory_of(const std::string& environment) const {
  if (!valid_environment_name(environment)) return {};
  for (const std::string& directory : split_path(settings.compile.environmentpath))
    if (std::string path = absolute_path(directory) + "/" + environment; is_directory(path)) return path;
  return {};
}

Parameters parameters_of(const Call& call) {
  Parameters out = call.target.query;
  if (call.request.method == "POST" && !out.add(call.request.body)) bad_request("the form in the request's body is malformed");
  return out;
}

} // namespace pupc::server
