#include "tools/pupc/batch.h"

#include "catalog/json/catalog_writer.h"
#include "catalog/json/json_reader.h"
#include "catalog/json/json_writer.h"
#include "compiler/types/value_text.h"
#include "tools/pupc/node_setup.h"
#include "tools/pupc/workers.h"

namespace pupc {
namespace {

void write_logs(JsonWriter& w, const LogCollector& log) {
  w.begin_array();
  for (const LogEntry& e : log.entries) {
    if (e.level == LogLevel::Debug || e.level == LogLevel::Info) continue;
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

std::string error_answer(const Value& id, const std::string& message) {
  std::string out;
  JsonWriter w(out);
  w.begin_object();
  write_id(w, id);
  w.key("ok");
  w.boolean(false);
  w.key("catalog");
  w.null();
  w.key("logs");
  w.begin_array();
  w.end_array();
  w.key("error");
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

} // namespace

std::string answer_request(const std::string& line, const CompileOptions& options, FactsFiles& facts_files, RubyPool& ruby,
                           bool& readable) {
  NodeData node;
  Value request;
  JsonError error;
  if (!parse_json(line, *node.arena, request, error) || !request.is_hash()) {
    readable = false;
    return error_answer(Value::undef(), fmt::format("the request is not a JSON object: {}{}", error.message,
                                                    error.message.empty() ? "" : fmt::format(" (column {})", error.column)));
  }
  auto field = [&](const char* name) {
    const Value* v = request.hash->find(name);
    return v != nullptr ? *v : Value::undef();
  };
  Value id = field("id"), code = field("code"), name = field("node");
  LogCollector log;
  std::shared_ptr<const Environment> environment;
  CompileOptions own = options;
  if (code.is_string()) own.environment.code = std::string(code.str());
  std::string node_name = name.is_string() ? std::string(name.str()) : own.node;
  try {
    Value facts = field("facts");
    if (facts.is_undef())
      facts = given_facts(own, facts_files, node_name);
    else if (!facts.is_hash())
      return error_answer(id, "the request's facts are not a JSON object");
    if (node_name.empty()) node_name = "test.example.com";
    Environments environments(own);
    environment = set_up_node(own, environments, node, node_name, facts, &log);
    // Requests are compared with the reference's compiles without a server, which have none.
    if (own.server_facts_file.empty()) node.input.server_facts = HashBuilder(*node.arena).finish();
  } catch (const CompileError& e) { return error_answer(id, e.diagnostic.reference_text()); }
  CompileResult result = compile(environment, node, own.settings, log, &ruby);

  std::string out;
  JsonWriter w(out);
  w.begin_object();
  write_id(w, id);
  w.key("ok");
  w.boolean(result.ok());
  w.key("catalog");
  if (result.ok()) {
    w.raw([&](std::string& to) { write_catalog(*result.catalog, to); });
  } else {
    w.null();
  }
  w.key("logs");
  // The error is in `error`; the log holds what came before it.
  if (!result.ok() && !log.entries.empty() && log.entries.back().level == LogLevel::Err) log.entries.pop_back();
  write_logs(w, log);
  w.key("error");
  if (result.ok()) {
    w.null();
  } else {
    const Diagnostic& d = *result.error;
    LineColumn p = d.position();
    w.begin_object();
    w.key("message");
    w.string(result.error_text);
    w.key("file");
    if (d.file_name().empty())
      w.null();
    else
      w.string(d.file_name());
    w.key("line");
    if (p.line == 0)
      w.null();
    else
      w.integer(p.line);
    w.key("column");
    if (p.column == 0)
      w.null();
    else
      w.integer(p.column);
    w.end_object();
  }
  w.end_object();
  return out;
}

int run_batch(const std::string& path, const CompileOptions& options) {
  RubyPool ruby(options.ruby);
  FactsFiles facts_files;
  int code = answer_lines(path, std::max(options.jobs, 1u), [&](const std::string& line, bool& readable) {
    try {
      const LimitedWork work(options.limits);
      return answer_request(line, options, facts_files, ruby, readable);
    } catch (const std::exception& e) { return error_answer(Value::undef(), e.what()); } // a limit, out of memory
  });
  if (options.explain_ruby) fmt::print(stderr, "{}", explain_ruby(ruby));
  return code;
}

} // namespace pupc
