#include "tools/server/catalog_endpoint.h"

#include "catalog/base/limits.h"
#include "catalog/base/paths.h"
#include "catalog/base/stack.h"
#include "catalog/base/text.h"
#include "catalog/base/version.h"
#include "catalog/json/catalog_writer.h"
#include "catalog/json/json_reader.h"
#include "catalog/json/json_writer.h"
#include "compiler/build/compile.h"
#include "compiler/load/facts_file.h"
#include "runtime/facts/legacy_facts.h"
#include "tools/pupc/node/trusted_external.h"
#include "tools/server/responses.h"
#include "tools/server/static_catalog.h"
#include "tools/server/storage.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <fmt/format.h>
#include <thread>

namespace pupc::server {
namespace {

constexpr std::string_view rich_json = "application/vnd.puppet.rich+json";
// How long a request waits for code that is being deployed to be whole, and how long between two looks: longer than the times of files need
// to differ (compiler/load/file_watch.cpp).
constexpr std::chrono::seconds deployment_patience{10};
constexpr std::chrono::milliseconds deployment_pause{60};

/// The catalog of another environment without resources: the agent starts again in that environment.
std::string empty_catalog(const std::string& node, const std::string& environment) {
  std::string out;
  JsonWriter w(out);
  w.begin_object();
  const auto empty_list = [&](const char* name) {
    w.key(name);
    w.begin_array();
    w.end_array();
  };
  empty_list("tags");
  w.member("name", node);
  w.key("version");
  w.null();
  w.key("code_id");
  w.null();
  w.key("catalog_uuid");
  w.null();
  w.key("catalog_format");
  w.integer(2);
  w.member("environment", environment);
  empty_list("resources");
  empty_list("edges");
  empty_list("classes");
  w.end_object();
  return out;
}

/// The facts that the request brings; undef when it brings none. The `first` time they are kept.
Value facts_of(const Call& call, const Parameters& form, NodeData& node, const std::string& name, bool first) {
  const std::string* facts = form.find("facts");
  if (facts == nullptr) return stored_facts(*call.core, *node.arena, name);
  const std::string* format = form.find("facts_format");
  if (format == nullptr) server_error(fmt::format("Facts but no fact format provided for {}", name));
  if (*format != "application/json" && *format != "pson" && *format != "text/pson") server_error("Unsupported facts format");
  // Encoded twice: as a part of the form, and before that by itself.
  const auto document = percent_decoded(*facts, true);
  if (!document) server_error("the facts are not percent-encoded");
  Value out = read_facts_document(*node.arena, *document, name);
  if (first) store_facts(*call.core, name, *document);
  return out;
}

} // namespace

std::string requested_environment(const Call& call, bool must_exist) {
  std::string name(call.target.query.get("environment"));
  if (name.empty() && call.request.method == "POST") {
    Parameters form;
    if (form.add(call.request.body)) name = form.get("environment");
  }
  if (!valid_environment_name(name))
    throw ApiError{400, fmt::format("The environment must be purely alphanumeric, not '{}'", name.empty() ? "null" : name), ""};
  if (must_exist && !call.core->has_environment(name)) not_found(fmt::format("Could not find environment '{}'", name));
  return name;
}

std::string accepted_type(const http::Request& request, std::initializer_list<std::string_view> offered) {
  const std::string* accept = request.headers.find("Accept");
  if (accept == nullptr || catalog::trimmed(*accept, " \t").empty()) return std::string(*offered.begin());
  for (std::string_view rest = *accept; !rest.empty();) {
    const size_t end = std::min(rest.find(','), rest.size());
    std::string_view one = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    one = trimmed(one.substr(0, one.find(';')));
    if (one == "*/*") return std::string(*offered.begin());
    for (const std::string_view type : offered)
      if (http::same_name(one, type)) return std::string(type);
  }
  throw ApiError{406, fmt::format("Not Acceptable: No supported formats are acceptable (Accept: {})", *accept), "UNSUPPORTED_FORMAT"};
}

Value read_facts_document(Arena& arena, const std::string& text, const std::string& node) {
  Value json;
  JsonError error;
  if (!parse_json(text, arena, json, error)) server_error(fmt::format("Could not intern from json: {}", error.message));
  const Value* values = json.is_hash() ? json.hash->find("values") : nullptr;
  const Value* given = json.is_hash() ? json.hash->find("name") : nullptr;
  if (values == nullptr || !values->is_hash()) server_error("Could not intern from json: the facts have no hash 'values'");
  const std::string named(given != nullptr && given->is_string() ? given->str() : "");
  if (named != node)
    server_error(fmt::format("Catalog for \"{}\" was requested with fact definition for the wrong node (\"{}\").", node, named));
  if (values->hash->find("_timestamp") == nullptr) return *values;
  HashBuilder facts(arena); // Puppet's own note about the facts, which is none of them
  for (const HashEntry& e : values->hash->entries())
    if (e.key.str() != "_timestamp") facts.set(e.key, e.value);
  return facts.finish();
}

void store_facts(const Core& core, const std::string& node, std::string_view document) {
  try {
    renew_file(fmt::format("{}/{}.json", core.settings.facts_directory, node), document);
  } catch (const std::exception& e) { core.log.log(LogLevel::Err, node, e.what()); }
}

Value stored_facts(const Core& core, Arena& arena, const std::string& node) {
  const std::string path = fmt::format("{}/{}.json", core.settings.facts_directory, node);
  const auto text = read_whole_file(path);
  if (!text || text->empty()) return Value::undef();
  try {
    return read_facts(arena, arena.copy(*text), path);
  } catch (const CompileError& e) { server_error(e.diagnostic.puppet_text()); }
}

Value trusted_of(const Call& call, Arena& arena) {
  const Settings& settings = call.core->settings;
  return with_trusted_external(settings.compile, arena, trusted_data(arena, call.caller), call.caller.name, settings.classifier_limit);
}

std::shared_ptr<const Environment> open_node(Core& core, NodeData& node, NodeRequest& request, LogSink& log) {
  Arena& arena = *node.arena;
  node.input.name = request.name;
  if (std::string named = core.classifier.classify(node, request.facts, request.trusted);
      !named.empty() && !request.prefers_asked_environment) {
    if (!core.has_environment(named))
      server_error(
          fmt::format("Failed when searching for node {}: Could not find a directory environment named '{}' anywhere in the path: {}. Does "
                      "the directory exist?",
                      request.name, named, core.settings.compile.environmentpath));
    request.environment = std::move(named);
  }
  node.exports = core.environments.exports();
  auto opened = core.environments.open(request.environment, &log);
  set_node_facts(core.settings.compile, node, request.name, request.facts, *opened);
  node.input.trusted = request.trusted;
  HashBuilder given(arena);
  given.set("serverversion", Value::string(puppet_version));
  for (const auto& [key, value] : core.server_facts) given.set(arena.copy(key), Value::string(arena.copy(value)));
  set_server_facts(node, given.finish(), *opened);
  return opened;
}

void of_one_state(Core& core, const std::string& node, const std::string& environment,
                  const std::function<void(std::shared_ptr<const Environment>& used)>& work) {
  const auto end = std::chrono::steady_clock::now() + deployment_patience;
  const auto late = [&] { return std::chrono::steady_clock::now() >= end; };
  for (;;) {
    const std::string directory = core.directory_of(environment);
    while (CodeVersions::changing(directory) && !late()) std::this_thread::sleep_for(deployment_pause);
    std::shared_ptr<const Environment> used;
    std::exception_ptr failure;
    try {
      work(used);
    } catch (const CompileError&) { failure = std::current_exception(); } catch (const ApiError&) {
      failure = std::current_exception();
    }
    const bool whole = (used == nullptr || used->unchanged()) && !CodeVersions::changing(used ? used->options().path : directory);
    if (!whole && late())
      core.log.log(
          LogLevel::Warning, node,
          fmt::format("The code of environment '{}' changes all the time: the catalog may be of several states of it", environment));
    if (whole || late()) {
      if (failure) std::rethrow_exception(failure);
      return;
    }
    core.log.log(LogLevel::Info, node, "The code has changed while the catalog was compiled: it is compiled again");
    std::this_thread::sleep_for(deployment_pause);
  }
}

bool compile_document(Core& core, const std::shared_ptr<const Environment>& environment, NodeData& node, const CatalogRequest& request,
                      LogSink& log, std::string& out) {
  const std::string& directory = environment->options().path;
  const std::string checksum_type = !request.checksum_types.empty() && request.code_id && may_be_static(core, environment->options())
                                        ? common_checksum_type(request.checksum_types)
                                        : std::string();
  CompileResult result = compile(environment, node, core.settings.compile.settings, log, &core.ruby);
  if (!result.ok()) throw ApiError{.status = 500, .message = "Server Error: " + result.error_text, .logged = true};
  CatalogWriteOptions how;
  // Code that was deployed meanwhile is not what this catalog was compiled of.
  const bool versioned = request.code_id && CodeVersions::current(directory) == request.code_id;
  if (versioned) result.catalog->code_id = request.code_id;
  if (versioned && !checksum_type.empty()) how.more = static_members(core, *environment, *result.catalog, *request.code_id, checksum_type);
  if (core.puppetdb && request.stored)
    core.puppetdb->catalog(*result.catalog, environment->options().name, request.transaction_uuid, request.job_id);
  write_catalog(*result.catalog, out, how);
  return how.more != nullptr;
}

http::Response answer_catalog(Call& call) {
  Core& core = *call.core;
  NodeRequest request;
  request.name = call.parts[3];
  request.environment = requested_environment(call, false);
  const std::string type = accepted_type(call.request, {rich_json, "application/json", "text/pson"});
  const Parameters form = parameters_of(call);
  if (!core.has_environment(request.environment))
    request.environment = core.default_environment(); // as in Puppet: the agent sees it and starts again there
  const std::string requested = request.environment;
  const LimitedWork limited(core.settings.compile.limits);
  const auto began = std::chrono::steady_clock::now();
  CompileLog log(core.log, request.name);
  std::string out;
  bool is_static = false, first = true, elsewhere = false;
  const auto work = [&](std::shared_ptr<const Environment>& used) {
    NodeData node;
    request.environment = requested;
    request.facts = facts_of(call, form, node, request.name, first);
    request.trusted = trusted_of(call, *node.arena);
    if (first && core.puppetdb && form.find("facts") != nullptr)
      core.puppetdb->facts(request.name, request.facts, request.trusted, requested);
    first = false;
    if (request.facts.is_undef()) request.facts = HashBuilder(*node.arena).finish();
    CatalogRequest wanted;
    wanted.code_id = CodeVersions::current(core.directory_of(requested));
    if (form.get("static_catalog") == "true") wanted.checksum_types = form.get("checksum_type");
    wanted.transaction_uuid = form.get("transaction_uuid");
    wanted.job_id = form.get("job_id");
    used = open_node(core, node, request, log);
    elsewhere = request.environment != requested && form.get("check_environment") == "true";
    if (elsewhere) return;
    if (request.environment != requested) wanted.code_id.reset(); // of other code
    out.clear();
    is_static = compile_document(core, used, node, wanted, log, out);
  };
  try {
    of_one_state(core, request.name, requested, work);
  } catch (const CompileError& e) { server_error(e.diagnostic.puppet_text()); }
  if (elsewhere) {
    core.log.log(LogLevel::Warning, request.name,
                 fmt::format("Requested environment '{}' did not match server specified environment '{}'", requested, request.environment));
    return body_response(call.request, empty_catalog(request.name, request.environment), type + ";charset=utf-8");
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  core.log.notice(fmt::format("Compiled {}catalog for {} in environment {} in {:.2f} seconds", is_static ? "static " : "", request.name,
                              request.environment, took.count()));
  return body_response(call.request, std::move(out), type == rich_json ? type + "; charset=utf-8" : type + ";charset=utf-8");
}

} // namespace pupc::server
