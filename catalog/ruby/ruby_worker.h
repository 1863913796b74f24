#pragma once
// One Ruby process with a socket to it. Frames in and out; nothing here knows what is in them.
#include <sched.h>

#include <chrono>
#include <string>
#include <string_view>

namespace pupc {

/// The process is gone, or was ended because it did not answer. `reason` completes "The Ruby worker …".
struct RubyWorkerLost {
  std::string reason; // "was killed by signal 9", "exited with status 1", "did not answer for 60 s"
};

class RubyWorker {
public:
  /// Starts `program` with `source`, which defines PupcWorker.run(socket) to serve requests. `memory`: the most bytes of data the process
  /// may have; 0 = any. Throws RubyWorkerLost when it cannot be started.
  RubyWorker(const std::string& program, std::string key, std::string_view source, size_t memory = 0);
  ~RubyWorker();
  RubyWorker(const RubyWorker&) = delete;
  RubyWorker& operator=(const RubyWorker&) = delete;

  /// Sends one frame. Throws RubyWorkerLost, and ends a process that does not take it within `limit`.
  void send(std::string_view payload, std::chrono::nanoseconds limit);
  /// Waits for the next frame, at most until `patience` is used up; takes the time waited off it. Throws RubyWorkerLost, and ends a
  /// process that is too late or sends something that is no frame. Throws TimeLimitReached, and ends the process, when the time of the
  /// whole work is up (catalog/base/limits.h).
  /// `limit`: the patience of the whole call, for the message. With a process that is ended its children end too: it may wait for one
  /// that waits for ever.
  std::string receive(std::chrono::nanoseconds& patience, std::chrono::nanoseconds limit);

  bool alive() const { return pid_ > 0; }
  /// Whether it has not answered anything yet.
  bool fresh() const { return fresh_; }
  int pid() const { return pid_; }
  /// What it was started for: the directories its libraries come from.
  const std::string& key() const { return key_; }

private:
  [[noreturn]] void lost(bool late, std::chrono::nanoseconds waited = {});
  void wait(short events, std::chrono::nanoseconds& patience, std::chrono::nanoseconds all);
  void end_process();
  bool fill(size_t needed, std::chrono::nanoseconds& patience, std::chrono::nanoseconds all);
  void close_socket();
  int pid_ = -1;
  int cpu_ = -1; // that the worker was last put on
  friend class SameProcessor;
  int socket_ = -1;
  std::string key_;
  std::string buffer_; // received and not yet taken
  size_t begin_ = 0;
  bool fresh_ = true;
};

/// Keeps the calling thread and the worker on one processor while it lives: only one of the two ever runs, and waking the other on a
/// sleeping processor takes several times as long as a call. Does nothing where that isn't allowed.
class SameProcessor {
public:
  explicit SameProcessor(RubyWorker& worker);
  ~SameProcessor();
  SameProcessor(const SameProcessor&) = delete;
  SameProcessor& operator=(const SameProcessor&) = delete;

private:
  cpu_set_t before_;
  bool bound_ = false;
};

} // namespace pupc
