#include "tools/pupc/compile/batch.h"

#include "catalog/json/catalog_writer.h"
#include "catalog/json/json_reader.h"
#include "catalog/json/json_writer.h"
#include "tools/pupc/compile/batch_request.h"
#include "tools/pupc/node/node_setup.h"
#include "tools/pupc/workers.h"

#include <fmt/format.h>

namespace pupc::cli {
namespace {

void write_logs(JsonWriter& w, const LogCollector& log) {
  w.begin_array();
  for (const LogEntry& e : log.entries) {
    w.begin_object();
    w.key("level");
    w.string(name_of(e.level));
    w.key("message");
    w.string(e.source.empty() ? e.message : e.source + ": " + e.message);
    w.end_object();
  }
  w.end_array();
}

void write_id(JsonWriter& w, const Value& id) {
  w.key("id");
  if (id.is_string())
    w.string(id.str());
  else if (id.is_int())
    w.integer(id.i);
  else
    w.null();
}

void write_error(JsonWriter& w, const std::string& message, const Diagnostic& d) {
  const LineColumn p = d.position();
  w.begin_object();
  w.key("message");
  w.string(message);
  w.key("file");
  if (d.file_name().empty())
    w.null();
  else
    w.string(d.file_name());
  w.place_member("line", p.line);
  w.place_member("column", p.column);
  w.end_object();
}

/// Begins an answer without a catalog and without logs, up to the value of `error`.
void begin_bare_answer(JsonWriter& w, const Value& id, bool ok) {
  w.begin_object();
  write_id(w, id);
  w.key("ok");
  w.boolean(ok);
  w.key("catalog");
  w.null();
  w.key("logs");
  w.begin_array();
  w.end_array();
  w.key("error");
}

/// The answer to a request that only asks to forget the environments.
std::string empty_answer(const Value& id) {
  std::string out;
  JsonWriter w(out);
  begin_bare_answer(w, id, true);
  w.null();
  w.end_object();
  return out;
}

std::string error_answer(const Value& id, const std::string& message) {
  std::string out;
  JsonWriter w(out);
  begin_bare_answer(w, id, false);
  w.begin_object();
  w.key("message");
  w.string(message);
  for (const char* k : {"file", "line", "column"}) {
    w.key(k);
    w.null();
  }
  w.end_object();
  w.end_object();
  return out;
}

/// A hash with the entries of both; keys of `given` replace those of `base`.
Value merged(Arena& arena, const Value& base, const Value& given) {
  HashBuilder out(arena, *base.hash);
  for (const HashEntry& e : given.hash->entries()) out.set(e.key, e.value);
  return out.finish();
}

/// Fills `node` from the request, which supplies what a server would know about the node. Returns the node's environment.
std::shared_ptr<const Environment> set_up_node(BatchRequest& request, FactsFiles& facts_files, Environments& environments, NodeData& node,
                                               LogSink& log) {
  CompileOptions& options = request.options;
  Arena& arena = *node.arena;
  Value facts = request.facts_given ? request.facts : given_facts(options, facts_files, request.node);
  if (request.node.empty()) request.node = "test.example.com";
  auto environment = environments.open(request.options, &log);
  node.exports = environments.exports();
  set_node_facts(options, node, request.node, facts, *environment);
  if (request.trusted.is_hash()) node.input.trusted = merged(arena, node.input.trusted, request.trusted);
  if (request.as_server)
    set_server_facts(node, request.server_facts, *environment);
  else if (options.server_facts_file.empty()) // like a compile without a server, which has no server facts
    node.input.server_facts = HashBuilder(arena).finish();
  if (request.parameters.is_hash()) node.input.parameters = request.parameters;
  if (request.classes.is_hash())
    for (const HashEntry& e : request.classes.hash->entries()) node.input.classes.emplace_back(std::string(e.key.str()), e.value);
  if (request.classes.is_list())
    for (const Value& title : request.classes.items()) {
      if (!title.is_string()) throw BadRequest{"the request's classes are not all strings"};
      node.input.classes.emplace_back(std::string(title.str()), Value::undef());
    }
  return environment;
}

} // namespace

std::string answer_request(const std::string& line, BatchRun& run, bool& readable) {
  NodeData node;
  Value given;
  JsonError error;
  if (!parse_json(line, *node.arena, given, error) || !given.is_hash()) {
    readable = false;
    return error_answer(Value::undef(), fmt::format("the request is not a JSON object: {}{}", error.message,
                                                    error.message.empty() ? "" : fmt::format(" (column {})", error.column)));
  }
  BatchRequest request;
  LogCollector log;
  log.least = LogLevel::Notice;
  std::shared_ptr<const Environment> environment;
  try {
    read_batch_request(given, run.options, request);
    if (request.invalidate) {
      run.environments.forget();
      if (given.hash->find("code") == nullptr && given.hash->find("manifest") == nullptr) return empty_answer(request.id);
    }
    environment = set_up_node(request, run.facts_files, run.environments, node, log);
  } catch (const CompileError& e) { return error_answer(request.id, e.diagnostic.puppet_text()); } catch (const BadRequest& e) {
    return error_answer(request.id, e.message);
  } catch (const std::exception& e) {
    return error_answer(request.id, e.what()); // a limit reached while the facts or the environment are read
  }
  CompileResult result = compile(environment, node, request.options.settings, log, &run.ruby);

  std::string out;
  JsonWriter w(out);
  w.begin_object();
  write_id(w, request.id);
  w.key("ok");
  w.boolean(result.ok());
  w.key("catalog");
  if (result.ok()) {
    CatalogWriteOptions how;
    how.exported_only = request.exported;
    w.raw([&](std::string& to) { write_catalog(*result.catalog, to, how); });
  } else {
    w.null();
  }
  w.key("logs");
  // The answer has the error in its field `error`, so the log must not repeat it.
  if (!result.ok() && !log.entries.empty() && log.entries.back().level == LogLevel::Err) log.entries.pop_back();
  write_logs(w, log);
  w.key("error");
  if (result.ok())
    w.null();
  else
    write_error(w, result.error_text, *result.error);
  w.end_object();
  return out;
}

int run_batch(const std::string& path, const CompileOptions& options) {
  BatchRun run{options, {}, Environments(options, Environments::For::Requests), RubyPool(options.ruby)};
  int code = answer_lines(path, std::max(options.jobs, 1u), [&](const std::string& line, bool& readable) {
    try {
      const LimitedWork work(options.limits);
      return answer_request(line, run, readable);
    } catch (const std::exception& e) { return error_answer(Value::undef(), e.what()); } // a limit reached, out of memory
  });
  if (options.explain_ruby) fmt::print(stderr, "{}", explain_ruby(run.ruby));
  return code;
}

} // namespace pupc::cli
