// POST /puppet/v4/catalog: for services that compile on behalf of nodes.
#include "catalog/base/limits.h"
#include "catalog/json/json_reader.h"
#include "catalog/json/json_writer.h"
#include "catalog/json/plain_json.h"
#include "tools/server/catalog_endpoint.h"
#include "tools/server/responses.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <vector>

namespace pupc::server {
namespace {

[[noreturn]] void refuse(const std::string& message) { throw ApiError{400, message, ""}; }

enum class Type : uint8_t { Text, Flag, Hash };

/// A member of the request, or of one of its hashes. Throws ApiError when it is missing though it is needed, or of another type.
const Value* member(const Value& of, std::string_view name, Type type, bool needed = false) {
  const Value* found = of.hash->find(name);
  if (found == nullptr) {
    if (needed) refuse(fmt::format("Invalid input: {{\"{}\" missing-required-key}}", name));
    return nullptr;
  }
  const bool right = type == Type::Text ? found->is_string() : type == Type::Flag ? found->is_bool() : found->is_hash();
  if (!right)
    refuse(fmt::format("Invalid input: \"{}\" is not a {}", name, type == Type::Text ? "string" : type == Type::Flag ? "boolean" : "map"));
  return found;
}

void only(const Value& of, std::initializer_list<std::string_view> known) {
  for (const HashEntry& e : of.hash->entries())
    if (std::ranges::find(known, e.key.str()) == known.end()) refuse(fmt::format("Invalid input: {{\"{}\" disallowed-key}}", e.key.str()));
}

/// Keeps the lines of one compile for the answer, besides the server's own log.
class KeptLines final : public LogSink {
public:
  KeptLines(LogSink& further, LogLevel least) : further_(further), least_(least) {}
  void log(LogEntry entry) override {
    if (entry.level >= least_) lines_.push_back(entry);
    further_.log(std::move(entry));
  }
  bool shows(LogLevel level) const override { return level >= least_ || further_.shows(level); }
  void write(JsonWriter& w) const {
    w.begin_array();
    for (const LogEntry& line : lines_) {
      w.begin_object();
      w.member("level", name_of(line.level));
      w.member("message", line.message);
      w.member("source", line.source.empty() ? std::string_view("Puppet") : std::string_view(line.source));
      w.end_object();
    }
    w.end_array();
  }

private:
  LogSink& further_;
  LogLevel least_;
  std::vector<LogEntry> lines_;
};

LogLevel least_level(const Value* options) {
  const Value* level = options == nullptr ? nullptr : member(*options, "log_level", Type::Text);
  if (level == nullptr) return LogLevel::Notice;
  static constexpr std::pair<std::string_view, LogLevel> levels[] = {
      {"debug", LogLevel::Debug}, {"info", LogLevel::Info}, {"warning", LogLevel::Warning}, {"err", LogLevel::Err}};
  for (const auto& [name, value] : levels)
    if (level->str() == name) return value;
  refuse(fmt::format("Invalid input: \"log_level\" is none of debug, info, warning, err"));
}

/// Keeps the facts that a request gives.
void keep(Core& core, const NodeRequest& request) {
  if (core.puppetdb) core.puppetdb->facts(request.name, request.facts, request.trusted, request.environment);
  std::string document;
  JsonWriter w(document);
  w.begin_object();
  w.member("name", request.name);
  w.key("values");
  write_plain_json(w, request.facts);
  w.end_object();
  store_facts(core, request.name, document);
}

} // namespace

http::Response answer_catalog_for_service(Call& call) {
  Core& core = *call.core;
  Arena arena;
  Value body;
  JsonError error;
  if (!parse_json(call.request.body, arena, body, error)) refuse(fmt::format("Error parsing JSON: {}", error.message));
  if (!body.is_hash()) refuse("Invalid input: it is not a map");
  only(body, {"certname", "persistence", "environment", "trusted_facts", "facts", "job_id", "transaction_uuid", "options"});
  NodeRequest request;
  request.name = member(body, "certname", Type::Text, true)->str();
  request.environment = member(body, "environment", Type::Text, true)->str();
  if (!valid_environment_name(request.environment)) refuse("Invalid input: \"environment\" is not the name of an environment");
  if (!valid_node_name(request.name)) refuse("Invalid input: \"certname\" is not a node's name");
  const Value& persistence = *member(body, "persistence", Type::Hash, true);
  const bool keep_facts = member(persistence, "facts", Type::Flag, true)->b,
             keep_catalog = member(persistence, "catalog", Type::Flag, true)->b;
  only(persistence, {"facts", "catalog"});
  const auto values_of = [&](const char* name) {
    const Value* found = member(body, name, Type::Hash);
    return found == nullptr ? Value() : *member(*found, "values", Type::Hash, true);
  };
  request.facts = values_of("facts");
  request.trusted = values_of("trusted_facts");
  CatalogRequest wanted;
  wanted.stored = keep_catalog;
  if (const Value* id = member(body, "job_id", Type::Text)) wanted.job_id = id->str();
  if (const Value* id = member(body, "transaction_uuid", Type::Text)) wanted.transaction_uuid = id->str();
  const Value* options = member(body, "options", Type::Hash);
  if (options != nullptr) only(*options, {"capture_logs", "log_level", "prefer_requested_environment"});
  const auto option = [&](const char* name) {
    const Value* found = options == nullptr ? nullptr : member(*options, name, Type::Flag);
    return found != nullptr && found->b;
  };
  request.prefers_asked_environment = option("prefer_requested_environment");
  if (!core.has_environment(request.environment))
    throw ApiError{404, fmt::format("Could not find environment '{}'", request.environment), ""};

  const LimitedWork limited(core.settings.compile.limits);
  CompileLog server_log(core.log, request.name);
  std::optional<KeptLines> log;
  std::string catalog;
  const std::string requested = request.environment;
  const bool given = !request.facts.is_undef();
  bool first = true;
  std::string used_environment;
  const auto work = [&](std::shared_ptr<const Environment>& used) {
    NodeData node;
    NodeRequest asked = request;
    if (!given) asked.facts = stored_facts(core, *node.arena, asked.name);
    if (asked.facts.is_undef()) asked.facts = HashBuilder(*node.arena).finish();
    if (asked.trusted.is_undef())
      if (const Value* trusted = asked.facts.hash->find("trusted"); trusted != nullptr && trusted->is_hash()) asked.trusted = *trusted;
    if (asked.trusted.is_undef()) asked.trusted = HashBuilder(*node.arena).finish();
    wanted.code_id = CodeVersions::current(core.directory_of(requested));
    log.emplace(server_log, least_level(options));
    used = open_node(core, node, asked, *log);
    if (asked.environment != requested) wanted.code_id.reset();
    if (first && keep_facts && given) keep(core, asked);
    first = false;
    catalog.clear();
    compile_document(core, used, node, wanted, *log, catalog);
    used_environment = asked.environment;
  };
  try {
    of_one_state(core, request.name, requested, work);
  } catch (const CompileError& e) { server_error(e.diagnostic.puppet_text()); }
  core.log.notice(fmt::format("Compiled catalog for {} in environment {} using the v4 catalog endpoint", request.name, used_environment));
  std::string out;
  JsonWriter w(out);
  w.begin_object();
  w.key("catalog");
  w.raw([&](std::string& into) { into += catalog; });
  if (option("capture_logs")) {
    w.key("logs");
    log->write(w);
  }
  w.end_object();
  return body_response(call.request, std::move(out), "application/json;charset=utf-8");
}

} // namespace pupc::server
