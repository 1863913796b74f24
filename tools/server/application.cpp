#include "tools/server/application.h"

#include "catalog/base/text.h"
#include "catalog/base/version.h"
#include "catalog/json/json_writer.h"
#include "tools/server/authority.h"
#include "tools/server/catalog_endpoint.h"
#include "tools/server/environment_classes.h"
#include "tools/server/files.h"
#include "tools/server/responses.h"
#include "tools/server/static_catalog.h"
#include "tools/server/stores.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>

namespace pupc::server {
namespace {

// Requests that wait for something (a classifier, Ruby, PuppetDB), or never end, beside those that compile.
constexpr unsigned most_slow = 32;
constexpr std::string_view status_path = "/status/v1/";

http::Response forbidden(const http::Request& request, const Target& target) {
  return text_response(403, fmt::format("Forbidden request: {} (method :{}). Please see the server logs for details.", target.path,
                                        catalog::ascii_lower(request.method)));
}

http::Response api_response(const ApiError& error) {
  return error.kind.empty() ? text_response(error.status, error.message) : error_response(error);
}

std::string access_time() {
  const std::time_t now = std::time(nullptr);
  std::tm t{};
  ::gmtime_r(&now, &t);
  static constexpr const char* months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  return fmt::format("{:02}/{}/{}:{:02}:{:02}:{:02} +0000", t.tm_mday, months[t.tm_mon], t.tm_year + 1900, t.tm_hour, t.tm_min, t.tm_sec);
}

std::string without_quotes(std::string_view text) {
  std::string out(text.substr(0, 2000));
  std::ranges::replace(out, '"', '\'');
  return out;
}

} // namespace

/// An endpoint: the methods and the path by which it is known, and who answers.
struct Application::Route {
  std::string_view methods; // "GET POST"
  std::string_view prefix;  // of the path
  size_t parts;             // of the path at least
  Answer answer;
  bool compiles;
};

const Application::Route* Application::find_route(std::string_view method, const Target& target) {
  static constexpr Route routes[] = {
      {"GET POST", "/puppet/v3/catalog/", 4, answer_catalog, true},
      {"POST", "/puppet/v4/catalog", 3, answer_catalog_for_service, true},
      {"GET POST", "/puppet/v3/file_metadata/", 4, answer_file_metadata, false},
      {"GET POST", "/puppet/v3/file_metadatas/", 4, answer_file_metadatas, false},
      {"GET POST", "/puppet/v3/file_content/", 4, answer_file_content, false},
      {"GET", "/puppet/v3/static_file_content", 3, answer_static_file_content, false},
      {"PUT", "/puppet/v3/report/", 4, answer_report, false},
      {"PUT", "/puppet/v3/facts/", 4, answer_facts, false},
      {"GET HEAD PUT POST", "/puppet/v3/file_bucket_file/", 5, answer_file_bucket, false},
      {"GET", "/puppet/v3/node/", 4, answer_node, false},
      {"GET", "/puppet/v3/environment_classes", 3, answer_environment_classes, true},
      {"GET", "/puppet/v3/environments", 3, answer_environments, false},
      {"POST", "/puppet-ca/v1/certificate_renewal", 3, answer_authority, false},
      {"GET PUT", "/puppet-ca/v1/", 4, answer_authority, false},
  };
  for (const Route& route : routes)
    if (target.path.starts_with(route.prefix) && route.methods.find(method) != std::string_view::npos &&
        path_parts(target.path).size() >= route.parts)
      return &route;
  return nullptr;
}

Application::Application(std::shared_ptr<Core> core, ServerLog& log, LogFile& access_log)
    : log_(log), access_(access_log), core_(std::move(core)),
      compiles_pool_({.threads = core_->settings.compile.jobs, .most_slow = most_slow, .most_waiting = core_->settings.most_waiting}),
      files_pool_({.threads = core_->settings.file_jobs, .most_slow = most_slow, .most_waiting = core_->settings.most_waiting_files}) {}

Application::~Application() { stop(); }

bool Application::stop() {
  const bool compiles = compiles_pool_.stop(), files = files_pool_.stop();
  return compiles && files;
}

void Application::use(std::shared_ptr<Core> core) {
  std::lock_guard lock(mutex_);
  core_ = std::move(core);
}

std::shared_ptr<Core> Application::core() const {
  std::lock_guard lock(mutex_);
  return core_;
}

unsigned Application::seconds_to_wait() const {
  // Until the queue is empty, spread so that not all come again at once.
  const auto& threads = core_->settings.compile.jobs;
  const int64_t queue = static_cast<int64_t>(compiles_pool_.waiting()) * compile_micros_ / (1000000 * static_cast<int64_t>(threads));
  const unsigned least = static_cast<unsigned>(std::clamp<int64_t>(queue, 2, 600));
  return least + static_cast<unsigned>(std::rand()) % (least + 5);
}

http::Handler::Admission Application::admit(const http::Request& request) {
  Target target;
  switch (read_target(request.target, target)) {
  case TargetProblem::Malformed: return {0, text_response(400, "Bad Request: the path or query is malformed\n")};
  case TargetProblem::LeavesRoot:
    return {0,
            text_response(400, fmt::format("Invalid relative path (.. or .) in: {}", request.target.substr(0, request.target.find('?'))))};
  case TargetProblem::None: break;
  }
  const std::shared_ptr<Core> core_now = core();
  const Caller caller = caller_of(request.peer->certificate.get(), core_now->oids);
  const AuthRules::Verdict verdict = core_now->rules->verdict(request.method, target, caller);
  if (!verdict.allowed) {
    log_.log(LogLevel::Err, "",
             fmt::format("Forbidden request: {}({}) access to {} (method :{}) (authenticated: {}) denied by rule '{}'.", caller.name,
                         request.peer->address, target.path, catalog::ascii_lower(request.method), caller.authenticated(),
                         verdict.rule.empty() ? "none matches" : verdict.rule));
    return {0, forbidden(request, target)};
  }
  if (target.path.starts_with(status_path)) return {0, std::nullopt};
  const Route* route = find_route(request.method, target);
  if (route == nullptr) return {0, no_such_page(target.path)};
  if (const std::string encoding(request.headers.get("Content-Encoding")); !encoding.empty() && !http::same_name(encoding, "identity"))
    return {0, error_response({415, fmt::format("Unsupported Media Type: a request's body in the encoding '{}' is not taken", encoding),
                               "UNSUPPORTED_MEDIA_TYPE"})};
  JobPool& pool = route->compiles ? compiles_pool_ : files_pool_;
  const size_t most = route->compiles ? core_now->settings.most_waiting : core_now->settings.most_waiting_files;
  if (stopping_ || pool.waiting() >= most) {
    ++told_to_wait_;
    return {0, come_again(seconds_to_wait(), "The server is busy\n")};
  }
  return {request.method == "GET" || request.method == "HEAD" ? 0 : core_now->settings.most_body, std::nullopt};
}

void Application::handle(http::Request request, http::Reply reply) {
  auto call = std::make_shared<Call>();
  call->core = core();
  read_target(request.target, call->target); // admit has seen that it is one
  call->caller = caller_of(request.peer->certificate.get(), call->core->oids);
  call->request = std::move(request);
  for (const std::string_view part : path_parts(call->target.path)) call->parts.emplace_back(part);
  if (call->target.path.starts_with(status_path)) return reply(status(*call));
  const Route* route = find_route(call->request.method, call->target);
  if (route == nullptr) return reply(no_such_page(call->target.path));
  JobPool& pool = route->compiles ? compiles_pool_ : files_pool_;
  run(pool, route->answer, std::move(call), std::move(reply), route->compiles);
}

void Application::run(JobPool& pool, Answer answer, std::shared_ptr<Call> call, http::Reply reply, bool compile) {
  const auto job = [this, answer, call, reply, compile] {
    const auto began = std::chrono::steady_clock::now();
    http::Response response;
    try {
      response = answer(*call);
    } catch (const ApiError& error) {
      if (!error.logged)
        log_.log(error.status >= 500 ? LogLevel::Err : LogLevel::Info, call->parts.size() > 3 ? call->parts[3] : "", error.message);
      response = api_response(error);
    } catch (const std::exception& error) { // a limit reached, out of memory, a disk that is full
      log_.log(LogLevel::Err, call->parts.size() > 3 ? call->parts[3] : "", error.what());
      response = error_response({500, fmt::format("Server Error: {}", error.what())});
    }
    if (compile) {
      const auto took = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - began).count();
      compile_micros_ = (compile_micros_ * 7 + took) / 8;
      ++compiles_;
      compile_time_ += static_cast<uint64_t>(took);
      if (response.status != 200) ++compile_errors_;
    }
    reply(std::move(response));
  };
  // Work checks its time by itself, and waits for nothing longer. What still runs some seconds later does neither.
  const auto limit = call->core->settings.compile.limits.time;
  const auto patience = limit.count() > 0 ? limit + std::max<std::chrono::milliseconds>(limit / 10, std::chrono::seconds(1)) : limit;
  if (pool.submit({job, [this, call, reply] { give_up(*call, reply); }, patience})) return;
  ++told_to_wait_;
  reply(come_again(seconds_to_wait(), "The server is busy\n"));
}

void Application::give_up(const Call& call, const http::Reply& reply) {
  const std::string text = "the work took longer than --max-time allows, and could not be interrupted";
  log_.log(LogLevel::Err, call.parts.size() > 3 ? call.parts[3] : "", text);
  reply(error_response({500, "Server Error: " + text}));
  if (compiles_pool_.given_up() + files_pool_.given_up() < most_slow) return;
  log_.error("Too many requests never end: the server ends, for who started it to start it again");
  std::_Exit(EXIT_FAILURE);
}

void Application::finished(const http::Request& request, unsigned status, uint64_t bytes, std::chrono::microseconds took) {
  ++by_status_[std::min(status / 100, 5u)];
  sent_bytes_ += bytes;
  const auto& certificate = request.peer->certificate;
  access_.line(fmt::format("{} - {} [{}] \"{} {} HTTP/1.1\" {} {} \"-\" \"{}\" {}", request.peer->address,
                           certificate ? certificate->common_name : "-", access_time(), without_quotes(request.method),
                           without_quotes(request.target), status, bytes, without_quotes(request.headers.get("User-Agent")),
                           took.count() / 1000));
}

void Application::connection_problem(const std::string& address, const std::string& problem) {
  log_.log(LogLevel::Warning, address, problem);
}

http::Response Application::status(const Call& call) const {
  const std::string_view path = call.target.path;
  const char* state = stopping_ ? "stopping" : "running";
  if (path == "/status/v1/simple" || path == "/status/v1/simple/server" || path == "/status/v1/simple/master")
    return text_response(stopping_ ? 503 : 200, state);
  if (path == "/status/v1/services") {
    std::string out;
    JsonWriter w(out);
    w.begin_object();
    for (const char* service : {"server", "master"}) {
      w.key(service);
      w.begin_object();
      w.member("service_version", puppet_version);
      w.key("service_status_version");
      w.integer(1);
      w.member("detail_level", "info");
      w.member("state", state);
      w.key("status");
      w.begin_object();
      w.end_object();
      w.key("active_alerts");
      w.begin_array();
      w.end_array();
      w.end_object();
    }
    w.end_object();
    return text_response(stopping_ ? 503 : 200, std::move(out), "application/json;charset=utf-8");
  }
  if (path == "/status/v1/metrics") return text_response(200, metrics(), "text/plain; version=0.0.4; charset=utf-8");
  return no_such_page(path);
}

std::string Application::metrics() const {
  std::string out;
  const auto metric = [&](const char* name, const char* kind, const char* help, auto value) {
    out += fmt::format("# HELP pupc_{0} {1}\n# TYPE pupc_{0} {2}\npupc_{0} {3}\n", name, help, kind, value);
  };
  const http::ServerCounts counts = counts_ ? counts_() : http::ServerCounts();
  metric("connections_total", "counter", "Connections accepted.", counts.connections);
  metric("handshakes_failed_total", "counter", "TLS handshakes that failed.", counts.handshakes_failed);
  metric("connections_open", "gauge", "Connections that are open.", counts.open);
  metric("requests_busy", "gauge", "Requests under way.", counts.busy);
  out += "# HELP pupc_responses_total Responses by the first digit of their status.\n# TYPE pupc_responses_total counter\n";
  for (int i = 2; i < 6; ++i) out += fmt::format("pupc_responses_total{{status=\"{}xx\"}} {}\n", i, by_status_[i].load());
  out += "# HELP pupc_log_lines_total Lines of the server's log by level.\n# TYPE pupc_log_lines_total counter\n";
  for (const LogLevel level : {LogLevel::Warning, LogLevel::Err})
    out += fmt::format("pupc_log_lines_total{{level=\"{}\"}} {}\n", name_of(level), log_.lines(level));
  metric("response_bytes_total", "counter", "Bytes of response bodies.", sent_bytes_.load());
  if (const auto now = core(); now->puppetdb != nullptr) {
    metric("spool_commands", "gauge", "Commands that wait for PuppetDB.", now->puppetdb->waiting());
    metric("spool_bytes", "gauge", "Their bytes.", now->puppetdb->bytes());
  }
  metric("compiles_total", "counter", "Catalog requests answered.", compiles_.load());
  metric("compile_errors_total", "counter", "Catalog requests that failed.", compile_errors_.load());
  metric("compile_seconds_total", "counter", "Time spent in catalog requests.", static_cast<double>(compile_time_.load()) / 1e6);
  metric("compiles_waiting", "gauge", "Catalog requests that wait for a thread.", compiles_pool_.waiting());
  metric("files_waiting", "gauge", "Other requests that wait for a thread.", files_pool_.waiting());
  metric("told_to_wait_total", "counter", "Requests answered with 503 and Retry-After.", told_to_wait_.load());
  metric("ruby_processes_started_total", "counter", "Ruby processes started for code of modules.", core()->ruby.starts());
  return more_metrics_ ? out + more_metrics_() : out;
}

} // namespace pupc::server
