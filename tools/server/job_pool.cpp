#include "tools/server/job_pool.h"

#include "tools/pupc/workers.h"

#include <utility>

namespace pupc::server {

JobPool::JobPool(unsigned threads, size_t most_waiting) : most_waiting_(most_waiting) {
  // With one thread run_workers would use the caller's own.
  threads_ = std::thread([this, threads] { run_workers(threads, [this] { work(); }); });
}

JobPool::~JobPool() { stop(); }

bool JobPool::submit(std::function<void()> job) {
  {
    std::lock_guard lock(mutex_);
    if (stopped_ || jobs_.size() >= most_waiting_) return false;
    jobs_.push_back(std::move(job));
  }
  turn_.notify_one();
  return true;
}

size_t JobPool::waiting() const {
  std::lock_guard lock(mutex_);
  return jobs_.size();
}

size_t JobPool::running() const {
  std::lock_guard lock(mutex_);
  return running_;
}

void JobPool::stop() {
  std::deque<std::function<void()>> dropped;
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    dropped.swap(jobs_);
  }
  turn_.notify_all();
  if (threads_.joinable()) threads_.join();
}

void JobPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    turn_.wait(lock, [this] { return stopped_ || !jobs_.empty(); });
    if (stopped_) return;
    std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    ++running_;
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
    --running_;
  }
}

} // namespace pupc::server
