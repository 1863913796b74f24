#include "tools/server/job_pool.h"

#include "tools/pupc/workers.h"

#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace pupc::server {
namespace {

using Clock = std::chrono::steady_clock;

} // namespace

/// What the threads share. Each holds on to it, as a thread whose job never ends outlives the pool.
struct JobPool::State : std::enable_shared_from_this<State> {
  struct Running {
    Clock::time_point began;
    std::function<void()> give_up;
    Clock::duration limit;
    bool slow = false, given_up = false;
  };

  explicit State(const JobPoolOptions& o) : options(o) {}
  const JobPoolOptions options;
  std::mutex mutex;
  std::condition_variable turn, watch, ended;
  std::deque<Job> jobs;
  std::list<Running> running;
  unsigned threads = 0, idle = 0, slow = 0, given_up = 0;
  bool stopped = false, looking = true, watched = false; // watched: the watcher looks again by itself

  unsigned counted() const { return static_cast<unsigned>(running.size()) - slow; }
  bool free_place() const { return !jobs.empty() && counted() < options.threads; }

  /// Starts a thread if a job may run and no thread waits for one. With the lock.
  void need_thread() {
    if (!free_place() || idle >= jobs.size() || threads >= options.threads + slow) return;
    ++threads;
    // run_workers gives threads large stacks, and waits for them.
    std::thread([self = shared_from_this()] { cli::run_workers(1, [&] { self->work(); }); }).detach();
  }

  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      ++idle;
      turn.wait(lock, [this] { return stopped || free_place(); });
      --idle;
      if (stopped) break;
      Job job = std::move(jobs.front());
      jobs.pop_front();
      const auto here = running.insert(running.end(), Running{Clock::now(), std::move(job.give_up), job.limit});
      if (!watched) watch.notify_one();
      lock.unlock();
      job.work();
      job = Job();
      lock.lock();
      if (here->slow) --slow;
      if (here->given_up) --given_up;
      const std::function<void()> dropped = std::move(here->give_up); // ends after the lock
      running.erase(here);
      if (stopped || threads > options.threads + slow) break;
    }
    --threads;
    turn.notify_one();
    ended.notify_all();
  }

  /// Looks at the jobs that run, a few times a second while there are any.
  void look() {
    std::unique_lock lock(mutex);
    while (!stopped) {
      if (running.empty()) {
        watched = false;
        watch.wait(lock, [this] { return stopped || !running.empty(); });
      }
      watched = true;
      watch.wait_for(lock, options.slow / 2, [this] { return stopped; });
      if (stopped) return;
      const auto now = Clock::now();
      std::vector<std::function<void()>> late;
      for (Running& one : running) {
        if (!one.slow && slow < options.most_slow && now - one.began >= options.slow) {
          one.slow = true;
          ++slow;
        }
        if (one.limit.count() > 0 && !one.given_up && now - one.began >= one.limit) {
          one.given_up = true;
          ++given_up;
          if (one.give_up) late.push_back(std::exchange(one.give_up, nullptr));
        }
      }
      if (free_place()) {
        need_thread();
        turn.notify_one();
      }
      if (late.empty()) continue;
      lock.unlock();
      for (const auto& give_up : late) give_up();
      late.clear();
      lock.lock();
    }
  }
};

JobPool::JobPool(const JobPoolOptions& options) : state_(std::make_shared<State>(options)) {
  std::thread([state = state_] {
    state->look();
    std::lock_guard lock(state->mutex);
    state->looking = false;
    state->ended.notify_all();
  }).detach();
}

JobPool::~JobPool() { stop(); }

bool JobPool::submit(Job job) {
  State& s = *state_;
  {
    std::lock_guard lock(s.mutex);
    if (s.stopped || s.jobs.size() >= s.options.most_waiting) return false;
    s.jobs.push_back(std::move(job));
    s.need_thread();
  }
  s.turn.notify_one();
  return true;
}

size_t JobPool::waiting() const {
  std::lock_guard lock(state_->mutex);
  return state_->jobs.size();
}

size_t JobPool::running() const {
  std::lock_guard lock(state_->mutex);
  return state_->running.size();
}

size_t JobPool::given_up() const {
  std::lock_guard lock(state_->mutex);
  return state_->given_up;
}

bool JobPool::stop(std::chrono::milliseconds patience) {
  State& s = *state_;
  std::deque<Job> dropped;
  std::unique_lock lock(s.mutex);
  s.stopped = true;
  dropped.swap(s.jobs);
  s.turn.notify_all();
  s.watch.notify_all();
  return s.ended.wait_for(lock, patience, [&s] { return s.threads == 0 && !s.looking; });
}

} // namespace pupc::server
