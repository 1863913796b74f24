#include "tools/pupc/workers.h"

#include "catalog/base/paths.h"
#include "catalog/base/stack.h"
#include "tools/pupc/command.h"

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <mutex>
#include <pthread.h>
#include <stdexcept>
#include <thread>
#include <unistd.h>

namespace pupc::cli {
namespace {

// Deep recursion in a manifest must reach the evaluator's own limit before the thread's stack ends.
constexpr size_t worker_stack = 64 * 1024 * 1024;

/// Reads lines from a descriptor as they arrive.
class LineSource {
public:
  explicit LineSource(int fd) : fd_(fd) {}

  /// Reads the next line, without its line end. False at the end of the input. Throws when reading fails or a line is too long.
  bool next(std::string& line) {
    for (;;) {
      const size_t end = buffer_.find('\n', searched_);
      if (end != std::string::npos || (ended_ && begin_ < buffer_.size())) {
        line = buffer_.substr(begin_, std::min(end, buffer_.size()) - begin_);
        begin_ = searched_ = std::min(end, buffer_.size() - 1) + 1;
        return true;
      }
      if (ended_) return false;
      buffer_.erase(0, begin_);
      begin_ = 0;
      searched_ = buffer_.size();
      if (searched_ > most_file_bytes) throw std::runtime_error("a request is larger than 128 MB");
      buffer_.resize(searched_ + 65536);
      ssize_t n = 0;
      do n = ::read(fd_, buffer_.data() + searched_, 65536);
      while (n < 0 && errno == EINTR);
      buffer_.resize(searched_ + static_cast<size_t>(std::max<ssize_t>(n, 0)));
      if (n < 0) throw std::runtime_error(fmt::format("the requests cannot be read: {}", std::strerror(errno)));
      ended_ = n == 0;
    }
  }

private:
  int fd_;
  std::string buffer_;
  size_t begin_ = 0, searched_ = 0;
  bool ended_ = false;
};

/// Any worker takes the next line; the answers are written in the order of the lines.
class LineBatch {
public:
  using Answer = std::function<std::string(const std::string& line, bool& readable)>;

  LineBatch(LineSource& in, const Answer& answer) : in_(in), answer_(answer) {}

  void work() {
    while (true) {
      std::string line;
      size_t number = 0;
      {
        std::lock_guard lock(mutex_);
        do {
          if (!next(line)) return;
        } while (line.find_first_not_of(" \t\r") == std::string::npos);
        number = taken_++;
      }
      bool readable = true;
      std::string text = answer_(line, readable) + "\n";
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
  bool next(std::string& line) {
    try {
      return !broken_ && in_.next(line);
    } catch (const std::exception& e) {
      broken_ = true;
      all_readable_ = false;
      fmt::print(stderr, "Error: {}\n", e.what());
      return false;
    }
  }

  LineSource& in_;
  const Answer& answer_;
  std::mutex mutex_;
  std::condition_variable turn_;
  size_t taken_ = 0;
  size_t printed_ = 0;
  bool all_readable_ = true;
  bool broken_ = false;
};

} // namespace

void run_workers(unsigned threads, const std::function<void()>& work) {
  // A process with one thread needs no locks to count references or to allocate.
  if (threads == 1)
    if (const LargeStack stack(worker_stack); stack.there()) return work();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, worker_stack);
  std::vector<pthread_t> started;
  auto body = [](void* w) -> void* {
    (*static_cast<const std::function<void()>*>(w))();
    return nullptr;
  };
  for (unsigned i = 0; i < threads; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, &attributes, body, const_cast<void*>(static_cast<const void*>(&work))) != 0) break;
    started.push_back(thread);
  }
  pthread_attr_destroy(&attributes);
  for (pthread_t thread : started) pthread_join(thread, nullptr);
  if (started.empty()) throw std::runtime_error("could not start a worker thread");
}

void for_each_index(size_t count, unsigned threads, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next = 0;
  run_workers(static_cast<unsigned>(std::min<size_t>(threads, std::max<size_t>(count, 1))), [&] {
    for (size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) work(i);
  });
}

unsigned default_jobs() { return std::max(1u, std::thread::hardware_concurrency()); }

int answer_lines(const std::string& path, unsigned threads,
                 const std::function<std::string(const std::string& line, bool& readable)>& answer) {
  int fd = STDIN_FILENO;
  if (path != "-" && (fd = open_readable(path, FileKinds::Pipes)) < 0) {
    fmt::print(stderr, "Error: Could not read {}: {}\n", path, file_problem(errno));
    return exit_failure;
  }
  LineSource source(fd);
  LineBatch batch(source, answer);
  run_workers(threads, [&] { batch.work(); });
  if (fd != STDIN_FILENO) ::close(fd);
  return batch.all_readable() ? exit_success : exit_failure;
}

} // namespace pupc::cli
