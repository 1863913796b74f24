#include "tools/pupc/node/puppetdb_nodes.h"

#include "tools/http/client.h"
#include "tools/pupc/command.h"
#include "tools/pupc/node/configured_exports.h"
#include "tools/puppetdb/delivery.h"

#include <fmt/format.h>

namespace pupc::cli {
namespace {

/// The text of a member; empty when it has none.
std::string text_at(const Value& row, std::string_view key) {
  const Value* found = row.hash->find(key);
  return found != nullptr && found->is_string() ? std::string(found->str()) : std::string();
}

/// The row of a node, whether it is active or not; undef when PuppetDB knows none.
Value row_of(ExportSource& source, const std::string& node, Arena& arena) {
  const auto list = [&](std::initializer_list<Value> items) { return make_list(arena, std::vector<Value>(items)); };
  const auto text = [](std::string_view t) { return Value::string(t); };
  const auto active = [&](bool b) { return list({text("="), list({text("node"), text("active")}), Value::boolean(b)}); };
  // A condition on `active` makes PuppetDB tell of nodes that are not.
  const Value any = list({text("or"), active(true), active(false)}), named = list({text("="), text("certname"), text(node)});
  const Value ast = list({text("from"), text("nodes"), list({text("and"), named, any})});
  const Value rows = source.query(ast, arena);
  return rows.is_list() && !rows.items().empty() && rows.items()[0].is_hash() ? rows.items()[0] : Value::undef();
}

} // namespace

int deactivate_nodes(const CompileOptions& options, const std::vector<std::string>& nodes) {
  const PuppetSettings& conf = options.configuration;
  const puppetdb::Config config = puppetdb::load_config(conf.value("confdir") + "/puppetdb.conf");
  http::ClientOptions how;
  how.tls = puppetdb_tls(conf, config);
  if (config.server_url_timeout.count() > 0) how.connect = how.read = how.total = config.server_url_timeout;
  http::Client client(std::move(how));
  const puppetdb::Send send = [&](const http::ServerAddress& server, const http::ClientRequest& request) {
    return client.send(server, request);
  };
  for (const std::string& node : nodes) {
    const puppetdb::Producer producer{conf.value("certname"), puppetdb::wire_time(std::chrono::system_clock::now()), {}};
    const puppetdb::Command command = puppetdb::deactivate_node(node, producer);
    const puppetdb::Delivered sent = puppetdb::submit(command, config, std::chrono::seconds(0), send);
    if (sent.how != puppetdb::Delivered::How::Done) {
      fmt::print(stderr, "Error: {}\n", sent.problem);
      return exit_failure;
    }
    fmt::print("Submitted '{}' for {} with UUID {}\n", name_of(command.kind), node, sent.uuid);
  }
  return exit_success;
}

int tell_nodes(const CompileOptions& options, const std::vector<std::string>& nodes) {
  const auto source = puppetdb_source(options);
  std::string out;
  for (const std::string& node : nodes) {
    Arena arena;
    const Value row = row_of(*source, node, arena);
    if (!out.empty()) out += '\n';
    out += node + '\n';
    if (row.is_undef()) {
      out += "No information known\n";
      continue;
    }
    const std::string deactivated = text_at(row, "deactivated"), expired = text_at(row, "expired");
    out += !deactivated.empty() ? fmt::format("Deactivated at {}\n", deactivated)
           : !expired.empty()   ? fmt::format("Expired at {}\n", expired)
                                : "Currently active\n";
    const std::string catalog = text_at(row, "catalog_timestamp"), facts = text_at(row, "facts_timestamp");
    out += catalog.empty() ? "No catalog received\n" : fmt::format("Last catalog: {}\n", catalog);
    out += facts.empty() ? "No facts received\n" : fmt::format("Last facts: {}\n", facts);
  }
  fmt::print("{}", out);
  return exit_success;
}

} // namespace pupc::cli
