#include "tools/puppetdb/delivery.h"

#include "catalog/base/arena.h"
#include "catalog/json/json_reader.h"
#include "catalog/value/digest.h"
#include "catalog/value/value.h"
#include "tools/http/message.h"
#include "tools/puppetdb/query.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <fmt/format.h>
#include <mutex>
#include <thread>
#include <vector>

namespace pupc::puppetdb {
namespace {

std::string underscored(std::string_view name) {
  std::string out(name);
  std::ranges::replace(out, ' ', '_');
  return out;
}

http::ClientRequest request_of(const Command& command, std::chrono::seconds completion) {
  http::ClientRequest out;
  out.method = "POST";
  out.target = fmt::format("/pdb/cmd/v1?checksum={}&version={}&certname={}&command={}&producer-timestamp={}",
                           catalog::hex_digest(catalog::DigestAlgorithm::Sha1, command.payload), version_of(command.kind),
                           percent_encoded(command.certname), underscored(name_of(command.kind)), percent_encoded(command.time));
  // Debian's PuppetDB 7.12 fails when a second command of a node comes before the first is done.
  if (completion.count() > 0) out.target += fmt::format("&secondsToWaitForCompletion={}", completion.count());
  out.headers = {{"Accept", "application/json"},
                 {"Content-Type", "application/json; charset=utf-8"},
                 {"Content-Encoding", "gzip"},
                 {"X-Uncompressed-Length", std::to_string(command.payload.size())}};
  out.body = http::gzip(command.payload);
  out.repeatable = true; // PuppetDB takes the same command twice as once
  return out;
}

/// Whether PuppetDB has the command although it has not worked on it yet, or why not.
Delivered verdict(const http::ClientResponse& response) {
  const std::string problem = fmt::format("{}: status {}: {}", response.server.url(), response.status, one_line(response.body));
  catalog::Arena arena;
  catalog::Value json;
  catalog::JsonError error;
  const bool readable = catalog::parse_json(response.body, arena, json, error) && json.is_hash();
  const catalog::Value* uuid = readable ? json.hash->find("uuid") : nullptr;
  const Delivered done{Delivered::How::Done, {}, uuid != nullptr && uuid->is_string() ? std::string(uuid->str()) : std::string()};
  if (response.status == 200) return readable ? done : Delivered{Delivered::How::Away, problem, {}};
  // Its own answer that the time to wait is over: queued.
  if (response.status == 503 && uuid != nullptr) return done;
  if (response.status == 400 || response.status == 413 || response.status == 415) return {Delivered::How::Rejected, problem, {}};
  return {Delivered::How::Away, problem, {}};
}

} // namespace

Delivered submit(const Command& command, const Config& config, std::chrono::seconds completion, const Send& send) {
  const http::ClientRequest request = request_of(command, completion);
  std::vector<http::ServerAddress> servers = config.server_urls;
  servers.insert(servers.end(), config.submit_only_server_urls.begin(), config.submit_only_server_urls.end());
  int successes = 0;
  Delivered last;
  std::string problems;
  for (const http::ServerAddress& server : servers) {
    try {
      last = verdict(send(server, request));
    } catch (const http::ClientError& e) { last = {Delivered::How::Away, one_line(e.what()), {}}; } catch (const http::TlsError& e) {
      last = {Delivered::How::Away, one_line(e.what()), {}};
    }
    if (last.how == Delivered::How::Done) ++successes;
    if (!last.problem.empty()) problems += (problems.empty() ? "" : "; ") + last.problem;
    if (!config.command_broadcast && last.how != Delivered::How::Away) return last;
  }
  if (successes > 0 && successes >= config.min_successful_submissions) return {Delivered::How::Done, {}, last.uuid};
  last.problem = problems;
  if (successes > 0 && last.how == Delivered::How::Rejected) last.how = Delivered::How::Away;
  return last;
}

struct Delivery::State {
  State(std::shared_ptr<Spool> s, DeliveryOptions o, Send f) : spool(std::move(s)), options(std::move(o)), send(std::move(f)) {
    if (!send)
      send = [this](const http::ServerAddress& server, const http::ClientRequest& request) { return client().send(server, request); };
  }

  std::shared_ptr<Spool> spool;
  DeliveryOptions options;
  Send send;
  std::mutex mutex;
  std::condition_variable turn, empty, ended;
  unsigned running = 0;
  std::unique_ptr<http::Client> client_;
  std::vector<std::thread> threads;
  bool stopped = false, away = false;
  std::chrono::milliseconds pause{0};
  std::chrono::steady_clock::time_point again{}; // nothing is sent before, while nobody takes it

  http::Client& client() {
    std::lock_guard lock(mutex);
    if (!client_) {
      http::ClientOptions how;
      how.tls = options.tls;
      const std::chrono::milliseconds limit = options.config.server_url_timeout;
      if (limit.count() > 0) {
        how.connect = limit;
        how.read = limit + options.completion;
        how.total = how.read;
      }
      client_ = std::make_unique<http::Client>(std::move(how));
    }
    return *client_;
  }

  void tell(bool problem, const std::string& line) const {
    if (options.tell) options.tell(problem, line);
  }

  void work() {
    std::unique_lock lock(mutex);
    while (!stopped) {
      if (away && std::chrono::steady_clock::now() < again) {
        turn.wait_until(lock, again);
        continue;
      }
      const auto entry = spool->take();
      if (!entry) {
        if (spool->waiting() == 0) empty.notify_all();
        turn.wait(lock);
        continue;
      }
      // One attempt at a time finds out whether somebody is there again.
      if (away) again = std::chrono::steady_clock::now() + options.longest_pause;
      lock.unlock();
      const Delivered result = deliver(*entry);
      lock.lock();
      if (result.how == Delivered::How::Away)
        went_away(result.problem);
      else
        came_back();
    }
  }

  Delivered deliver(const Spool::Entry& entry) {
    const auto command = spool->read(entry);
    if (!command) {
      tell(true, fmt::format("A '{}' command of {} in the spool is damaged, and was taken out", name_of(entry.kind), entry.certname));
      spool->reject(entry);
      return {Delivered::How::Rejected, {}, {}};
    }
    Delivered result = submit(*command, options.config, options.completion, send);
    switch (result.how) {
    case Delivered::How::Done: spool->done(entry); break;
    case Delivered::How::Rejected:
      tell(true, fmt::format("PuppetDB refuses a '{}' command of {}: {}", name_of(entry.kind), entry.certname, result.problem));
      spool->reject(entry);
      break;
    case Delivered::How::Away:
      spool->back(entry);
      spool->sync();
      break;
    }
    return result;
  }

  void went_away(const std::string& problem) {
    pause = away ? std::min(pause * 2, options.longest_pause) : options.first_pause;
    if (!away) tell(true, fmt::format("PuppetDB takes no commands, {} wait in {}: {}", spool->waiting(), spool->directory(), problem));
    away = true;
    again = std::chrono::steady_clock::now() + pause;
    turn.notify_all();
  }

  void came_back() {
    if (away) {
      away = false;
      tell(false, fmt::format("PuppetDB takes commands again, {} wait", spool->waiting()));
      turn.notify_all();
    } else {
      turn.notify_one(); // a command of the same node may wait
    }
  }

  void run() {
    work();
    std::lock_guard lock(mutex);
    --running;
    ended.notify_all();
  }

  void say_stop() {
    {
      std::lock_guard lock(mutex);
      stopped = true;
    }
    turn.notify_all();
  }
};

bool deliver_all(Spool& spool, const DeliveryOptions& options, Send send) {
  // The caller keeps the spool.
  Delivery::State state(std::shared_ptr<Spool>(&spool, [](Spool*) {}), options, std::move(send));
  while (const auto entry = spool.take()) {
    const Delivered result = state.deliver(*entry);
    if (result.how != Delivered::How::Away) continue;
    state.went_away(result.problem);
    return false;
  }
  return true;
}

Delivery::Delivery(std::shared_ptr<Spool> spool, DeliveryOptions options, Send send)
    : state_(std::make_shared<State>(std::move(spool), std::move(options), std::move(send))) {
  state_->running = std::max(state_->options.threads, 1u);
  for (unsigned i = 0; i < state_->running; ++i) state_->threads.emplace_back([state = state_] { state->run(); });
}

Delivery::~Delivery() {
  state_->say_stop();
  for (std::thread& thread : state_->threads) thread.join();
  state_->spool->sync();
}

bool Delivery::stop(std::chrono::milliseconds patience) {
  state_->say_stop();
  std::unique_lock lock(state_->mutex);
  return state_->ended.wait_for(lock, patience, [this] { return state_->running == 0; });
}

void Delivery::wake() {
  std::lock_guard lock(state_->mutex); // not between a look at the spool and the wait
  state_->turn.notify_one();
}

bool Delivery::drain(std::chrono::milliseconds patience) {
  std::unique_lock lock(state_->mutex);
  return state_->empty.wait_for(lock, patience, [this] { return state_->spool->waiting() == 0; });
}

} // namespace pupc::puppetdb
