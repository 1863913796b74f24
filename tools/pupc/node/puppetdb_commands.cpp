#include "tools/pupc/node/puppetdb_commands.h"

#include "catalog/base/paths.h"
#include "catalog/formats/data_file.h"
#include "compiler/load/load_error.h"
#include "tools/pupc/node/configured_exports.h"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>

namespace pupc::cli {
namespace {

/// What routes.yaml says of one indirection.
struct Route {
  std::string terminus, cache;
};

std::string text_at(const Value& hash, std::string_view key) {
  const Value* found = hash.is_hash() ? hash.hash->find(key) : nullptr;
  return found != nullptr && found->is_string() ? std::string(found->str()) : std::string();
}

/// Whether nothing is compiled otherwise with this terminus. `own`: what the program does by itself.
bool harmless(std::string_view indirection, std::string_view terminus) {
  if (indirection == "catalog") return terminus == "compiler";
  if (indirection == "resource") return terminus == "ral";
  return indirection == "facts" && (terminus == "yaml" || terminus == "json" || terminus == "facter" || terminus == "puppetdb");
}

/// The route of facts.
Route facts_route(const std::string& file, std::string_view application, std::vector<std::string>& notes) {
  Route out;
  // As with puppet.conf: a directory that this user may not enter has none.
  if (std::error_code none; !std::filesystem::exists(file, none)) return out;
  const auto text = read_whole_file(file);
  if (!text) throw_load_error(fmt::format("Could not read {}: {}", file, file_problem(errno)), file);
  Arena arena;
  Value root;
  YamlOptions how;
  how.file = file;
  if (const auto error = read_yaml(*text, arena, root, how)) throw_load_error(error->message, file, error->line);
  const Value* routes = root.is_hash() ? root.hash->find(application) : nullptr;
  if (routes == nullptr && root.is_hash() && application == "server") routes = root.hash->find("master");
  if (routes == nullptr || !routes->is_hash()) return out;
  for (const HashEntry& e : routes->hash->entries()) {
    const Route route{text_at(e.value, "terminus"), text_at(e.value, "cache")};
    const std::string what(e.key.is_string() ? e.key.str() : "");
    if (!route.terminus.empty() && !harmless(what, route.terminus))
      throw_load_error(fmt::format("the terminus '{}' for {} is not supported", route.terminus, what), file);
    if (what == "facts") out = route;
    if (!route.cache.empty() && !route.cache.starts_with("puppetdb"))
      notes.push_back(fmt::format("{}: the cache for {} has no meaning here", file, what));
  }
  return out;
}

} // namespace

std::string routed_facts_terminus(const std::string& file, std::string_view application) {
  std::vector<std::string> notes;
  return facts_route(file, application, notes).terminus;
}

PuppetDbCommands puppetdb_commands(const CompileOptions& options, std::string_view application, bool reports) {
  const PuppetSettings& conf = options.configuration;
  PuppetDbCommands out;
  out.catalogs = uses_puppetdb(options);
  const Route facts = facts_route(conf.value("route_file"), application, out.notes);
  out.facts = facts.terminus == "puppetdb" || (facts.cache.empty() ? out.catalogs : facts.cache.starts_with("puppetdb"));
  out.reports = reports;
  if (!out.any()) return out;
  out.config = puppetdb::load_config(conf.value("confdir") + "/puppetdb.conf");
  out.tls = puppetdb_tls(conf, out.config);
  out.producer = conf.value("certname");
  out.directory = conf.value("vardir") + "/puppetdb_spool";
  return out;
}

template <class Make> bool CommandSender::send(const Make& make) {
  try {
    if (!spool_) spool_ = std::make_shared<puppetdb::Spool>(commands_.directory, puppetdb::Spool::Limits());
    const puppetdb::Producer producer{commands_.producer, puppetdb::wire_time(std::chrono::system_clock::now()), {}};
    const puppetdb::Command command = make(producer);
    spool_->put(command);
    puppetdb::DeliveryOptions how;
    how.config = commands_.config;
    how.tls = commands_.tls;
    how.tell = [&](bool problem, const std::string& line) { say_(problem ? LogLevel::Warning : LogLevel::Info, line); };
    if (puppetdb::deliver_all(*spool_, how))
      say_(LogLevel::Info, fmt::format("'{}' command for {} submitted to PuppetDB", puppetdb::name_of(command.kind), command.certname));
    return true;
  } catch (const puppetdb::SpoolError& e) { say_(LogLevel::Err, e.what()); } catch (const puppetdb::WireError& e) {
    say_(LogLevel::Err, e.what());
    return false;
  }
  return commands_.config.soft_write_failure;
}

bool CommandSender::facts(const std::string& node, const Value& facts, const Value& trusted, const std::string& environment) {
  if (!commands_.facts || !facts.is_hash()) return true;
  return send([&](puppetdb::Producer producer) {
    producer.environment = environment;
    return puppetdb::replace_facts(node, facts, trusted, producer);
  });
}

bool CommandSender::catalog(Catalog& catalog, const std::string& environment, std::string_view transaction_uuid) {
  if (!commands_.catalogs) return true;
  return send([&](puppetdb::Producer producer) {
    producer.environment = environment;
    return puppetdb::replace_catalog(catalog, producer, transaction_uuid, {});
  });
}

bool CommandSender::report(const Value& report) {
  if (!commands_.reports) return true;
  return send([&](const puppetdb::Producer& producer) {
    return puppetdb::store_report(report, producer, commands_.config.include_unchanged_resources);
  });
}

} // namespace pupc::cli
