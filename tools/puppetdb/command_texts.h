#pragma once
// The commands that PuppetDB takes, as JSON texts: what Puppet's terminus sends.
#include "catalog/graph/catalog.h"

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace pupc::puppetdb {

enum class CommandKind : uint8_t { ReplaceFacts, ReplaceCatalog, StoreReport, DeactivateNode };
/// "replace facts"
std::string_view name_of(CommandKind kind);
int version_of(CommandKind kind);

struct Command {
  CommandKind kind = CommandKind::ReplaceFacts;
  std::string certname;
  std::string time; // of the producer, see wire_time
  std::string payload;
};

/// The catalog refers to something that is not in it, or is not collected: Puppet's message.
struct WireError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "2026-11-23T19:00:00.123Z"
std::string wire_time(std::chrono::system_clock::time_point time);
/// The same of a text in the form of ISO 8601 with any offset; "" when it is none. `later` is added.
std::string wire_time(std::string_view text, std::chrono::milliseconds later = {});

struct Producer {
  std::string name; // certname of who sends
  std::string time; // see wire_time
  std::string environment;
};

/// The catalog with what it exports. The sensitive parameters are left out, other rich values are texts. Throws WireError.
Command replace_catalog(catalog::Catalog& catalog, const Producer& producer, std::string_view transaction_uuid, std::string_view job_id);
/// `facts` and `trusted` are Hashes.
Command replace_facts(const std::string& node, const catalog::Value& facts, const catalog::Value& trusted, const Producer& producer);
/// `report` is the document that an agent sends, a Hash. `unchanged`: with the resources to which nothing happened.
Command store_report(const catalog::Value& report, const Producer& producer, bool unchanged);
Command deactivate_node(const std::string& node, const Producer& producer);

} // namespace pupc::puppetdb
