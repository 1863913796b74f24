#pragma once
// Threads that do what takes time, with a bounded queue before them.
#include "tools/server/namespaces.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace pupc::server {

class JobPool {
public:
  /// The threads have stacks for the deep recursion of compiles.
  JobPool(unsigned threads, size_t most_waiting);
  ~JobPool();
  JobPool(const JobPool&) = delete;
  JobPool& operator=(const JobPool&) = delete;

  /// Queues a job; false when the queue is full or the pool has stopped. Jobs must not throw.
  bool submit(std::function<void()> job);
  /// Jobs that wait.
  size_t waiting() const;
  /// Jobs that run.
  size_t running() const;
  /// Ends the threads after the jobs that run; those that wait are dropped.
  void stop();

private:
  void work();

  const size_t most_waiting_;
  mutable std::mutex mutex_;
  std::condition_variable turn_;
  std::deque<std::function<void()>> jobs_;
  size_t running_ = 0;
  bool stopped_ = false;
  std::thread threads_; // runs the others, with large stacks
};

} // namespace pupc::server
