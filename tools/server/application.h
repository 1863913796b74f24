#pragma once
// What the server does with each request: who may, who does it, what is logged.
#include "tools/http/server.h"
#include "tools/server/job_pool.h"
#include "tools/server/shared_state.h"
#include "tools/server/visible_names.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace pupc::server {

class Application : public http::Handler {
public:
  Application(std::shared_ptr<Core> core, ServerLog& log, LogFile& access_log);
  ~Application() override;

  Admission admit(const http::Request& request) override;
  void handle(http::Request request, http::Reply reply) override;
  void finished(const http::Request& request, unsigned status, uint64_t bytes, std::chrono::microseconds took) override;
  void connection_problem(const std::string& address, const std::string& problem) override;

  /// Requests from now on use this core.
  void use(std::shared_ptr<Core> core);
  /// The one in use.
  std::shared_ptr<Core> core() const;
  /// From now on the status says that the server stops.
  void say_stopping() { stopping_ = true; }
  /// Ends the threads; requests that wait are dropped. False when some work does not end: this must live as long as the process then.
  bool stop();
  /// Where metrics come from that others know: of connections, and lines as they are.
  void measure_by(std::function<http::ServerCounts()> counts, std::function<std::string()> more) {
    counts_ = std::move(counts);
    more_metrics_ = std::move(more);
  }

private:
  using Answer = http::Response (*)(Call&);
  struct Route;
  static const Route* find_route(std::string_view method, const Target& target);
  http::Response status(const Call& call) const;
  std::string metrics() const;
  void run(JobPool& pool, Answer answer, std::shared_ptr<Call> call, http::Reply reply, bool compile);
  void give_up(const Call& call, const http::Reply& reply);
  unsigned seconds_to_wait() const;

  ServerLog& log_;
  LogFile& access_;
  mutable std::mutex mutex_;
  std::shared_ptr<Core> core_;
  std::atomic<bool> stopping_ = false;
  std::atomic<int64_t> compile_micros_ = 50000; // how long a compile takes, lately
  std::atomic<uint64_t> by_status_[6] = {};     // responses of 1xx, 2xx, …
  std::atomic<uint64_t> compiles_ = 0, compile_errors_ = 0, compile_time_ = 0, sent_bytes_ = 0, told_to_wait_ = 0;
  std::function<http::ServerCounts()> counts_;
  std::function<std::string()> more_metrics_;
  JobPool compiles_pool_, files_pool_;
};

} // namespace pupc::server
