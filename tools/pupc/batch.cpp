#include "tools/pupc/batch.h"

#include "catalog/json/catalog_writer.h"
#include "catalog/json/json_reader.h"
#include "catalog/json/json_writer.h"
#include "compiler/types/value_text.h"
#include "tools/pupc/command.h"

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <mutex>
#include <pthread.h>

namespace pupc {
namespace {

// Deep recursion in a manifest must meet the evaluator's own limit before the thread's stack ends.
constexpr size_t worker_stack = 64 * 1024 * 1024;

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

std::string answer(const std::string& line, const CompileOptions& options, bool& readable) {
  NodeData node;
  Value request;
  JsonError error;
  if (!parse_json(line, *node.arena, request, error) || !request.is_hash()) {
    readable = false;
    return error_answer(Value::undef(), "the request is not a JSON object: " + error.message);
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
  try {
    environment = open_environment(own, &log);
  } catch (const CompileError& e) {
    return error_answer(id, e.diagnostic.reference_text());
  }
  std::string node_name = name.is_string() ? std::string(name.str()) : own.node.empty() ? "test.example.com" : own.node;
  set_node_data(node, node_name, field("facts"), own.environment.name);
  CompileResult result = compile(environment, node, own.settings, log);

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

/// Lines are taken in order by any worker; answers leave in order.
class Batch {
public:
  Batch(std::istream& in, const CompileOptions& options) : in_(in), options_(options) {}

  void work() {
    while (true) {
      std::string line;
      size_t number = 0;
      {
        std::lock_guard lock(mutex_);
        do {
          if (!std::getline(in_, line)) return;
        } while (line.find_first_not_of(" \t\r") == std::string::npos);
        number = taken_++;
      }
      bool readable = true;
      std::string text = answer(line, options_, readable) + "\n";
      std::unique_lock lock(mutex_);
      turn_.wait(lock, [&] { return printed_ == number; });
      if (!readable) all_readable_ = false;
      std::fwrite(text.data(), 1, text.size(), stdout);
      std::fflush(stdout);
      ++printed_;
      turn_.notify_all();
    }
  }
  bool all_readable() const { return all_readable_; }

private:
  std::istream& in_;
  const CompileOptions& options_;
  std::mutex mutex_;
  std::condition_variable turn_;
  size_t taken_ = 0;
  size_t printed_ = 0;
  bool all_readable_ = true;
};

} // namespace

int run_batch(const std::string& path, const CompileOptions& options) {
  std::ifstream file;
  if (path != "-") {
    file.open(path, std::ios::binary);
    if (!file) {
      fmt::print(stderr, "Error: Could not read {}\n", path);
      return exit_failure;
    }
  }
  Batch batch(path == "-" ? std::cin : file, options);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, worker_stack);
  std::vector<pthread_t> threads(options.jobs);
  for (pthread_t& t : threads) {
    auto body = [](void* b) -> void* {
      static_cast<Batch*>(b)->work();
      return nullptr;
    };
    if (pthread_create(&t, &attributes, body, &batch) != 0) throw std::runtime_error("could not start a worker thread");
  }
  for (pthread_t t : threads) pthread_join(t, nullptr);
  pthread_attr_destroy(&attributes);
  return batch.all_readable() ? exit_success : exit_failure;
}

} // namespace pupc
