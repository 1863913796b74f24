#pragma once
// Threads that do what takes time, with a bounded queue before them.
#include "tools/server/visible_names.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

namespace pupc::server {

struct JobPoolOptions {
  unsigned threads = 2;                // jobs at the same time; slow ones do not count
  unsigned most_slow = 32;             // beyond, slow ones count as the others do
  std::chrono::milliseconds slow{500}; // a job that takes longer waits for something, most likely: another may run beside it
  size_t most_waiting = 300;
};

class JobPool {
public:
  /// The threads have stacks for the deep recursion of compiles.
  explicit JobPool(const JobPoolOptions& options);
  ~JobPool();
  JobPool(const JobPool&) = delete;
  JobPool& operator=(const JobPool&) = delete;

  struct Job {
    std::function<void()> work;                // must not throw
    std::function<void()> give_up;             // called once, by another thread, when `work` has taken longer than `limit`; it goes on
    std::chrono::steady_clock::duration limit; // 0: none
  };
  /// Queues a job; false when the queue is full or the pool has stopped.
  bool submit(Job job);
  /// Jobs that wait.
  size_t waiting() const;
  /// Jobs that run, and those among them that were given up.
  size_t running() const;
  size_t given_up() const;
  /// Drops jobs that wait, and ends the threads after those that run; false when they do not end within `patience`. What they use must
  /// live as long as the process then.
  bool stop(std::chrono::milliseconds patience = std::chrono::seconds(5));

private:
  struct State;
  std::shared_ptr<State> state_;
};

} // namespace pupc::server
