#pragma once
// One Ruby process and the socket to it. Sends and receives frames, without knowledge of their contents.
#include "catalog/base/namespaces.h"

#include <chrono>
#include <string>
#include <string_view>

namespace pupc::catalog {

/// The process has ended, or this code has ended it because it did not answer. `reason` completes the sentence "The Ruby worker …".
struct RubyWorkerLost {
  std::string reason; // "was killed by signal 9", "exited with status 1", "did not answer for 60 s"
};

class RubyWorker {
public:
  /// Starts `program` with `source`, which defines PupcWorker.run(socket) to serve requests, and does not wait for it. `memory`: the limit
  /// for the process's data in bytes; 0 = none. Throws RubyWorkerLost when the process cannot be started.
  RubyWorker(const std::string& program, std::string key, std::string_view source, size_t memory = 0);
  ~RubyWorker();
  RubyWorker(const RubyWorker&) = delete;
  RubyWorker& operator=(const RubyWorker&) = delete;

  /// Sends one frame. Ends a process that does not accept it within `limit`. Throws RubyWorkerLost.
  void send(std::string_view payload, std::chrono::nanoseconds limit);
  /// Waits for the next frame, no longer than `patience`, and subtracts the waiting time from it. Ends a process that is too late or sends
  /// other data, and throws RubyWorkerLost. When the time of the whole work is up (catalog/base/limits.h), ends the process and throws
  /// TimeLimitReached.
  /// `limit`: the patience of the whole call, for the message. Ending the process also ends its children, because it may be waiting for a
  /// child that never ends.
  std::string receive(std::chrono::nanoseconds& patience, std::chrono::nanoseconds limit);

  /// Waits until the process sends something, or has ended, but no longer than `limit`; false when it did neither.
  bool wait_readable(std::chrono::milliseconds limit) const;
  /// Ends the process and its children.
  void end() { end_process(); }

  bool alive() const { return pid_ > 0; }
  /// Whether the process has not answered any request yet.
  bool fresh() const { return fresh_; }
  int pid() const { return pid_; }
  /// The key given at the start: the directories from which the process loads its libraries.
  const std::string& key() const { return key_; }

private:
  [[noreturn]] void end_interrupted();
  [[noreturn]] void lost(bool late, std::chrono::nanoseconds waited = {});
  void wait(short events, std::chrono::nanoseconds& patience, std::chrono::nanoseconds all);
  void end_process();
  bool fill(size_t needed, std::chrono::nanoseconds& patience, std::chrono::nanoseconds all);
  void close_socket();
  int pid_ = -1;
  int socket_ = -1;
  std::string key_;
  std::string buffer_; // received but not yet returned
  size_t begin_ = 0;
  bool fresh_ = true;
};

} // namespace pupc::catalog
