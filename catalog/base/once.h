#pragma once
// A value that the first thread to need it makes, and all others wait for.
#include "catalog/base/namespaces.h"

#include <atomic>
#include <cstdint>

namespace pupc::catalog {

/// std::once_flag with std::call_once, but without their system call at each first use: an environment has thousands of cells that are
/// filled once, and threads seldom wait for one another there.
class Once {
public:
  /// Calls `make` unless a call has succeeded. Waits while another thread calls. When `make` throws, the next caller calls it again.
  template <class F> void call(F&& make) {
    if (state_.load(std::memory_order_acquire) == done) [[likely]]
      return;
    while (!begin()) {
      if (state_.load(std::memory_order_acquire) == done) return;
      state_.wait(running, std::memory_order_acquire);
    }
    End end{state_};
    make();
    end.result = done;
  }

private:
  enum State : uint32_t { idle, running, done };
  struct End {
    std::atomic<uint32_t>& state;
    uint32_t result = idle;
    ~End() {
      state.store(result, std::memory_order_release);
      state.notify_all(); // asks the system only when a thread waits
    }
  };
  bool begin() {
    uint32_t expected = idle;
    return state_.compare_exchange_strong(expected, running, std::memory_order_acq_rel);
  }

  std::atomic<uint32_t> state_ = idle;
};

} // namespace pupc::catalog
