#pragma once
// Resource types that only running their Ruby code can tell: who does that is told to an environment here (compiler/ruby does it).
#include "compiler/load/environment.h"
#include "compiler/ruby_source/type_scan.h"

#include <memory>
#include <mutex>

namespace pupc {

/// Reads a resource type by running the file that defines it. Thread-safe.
class TypeRunner {
public:
  virtual ~TypeRunner() = default;

  enum class Outcome : uint8_t {
    Read,   // the type is as it is in Ruby: nothing about it is dynamic any more but perhaps its titles
    Absent, // the file does not define it
    Failed, // nothing is known; `dynamic` tells more than before
  };
  /// `type` is what was seen of the type without running it, with its file. Never throws.
  virtual Outcome run(ScannedType& type) = 0;
  /// False when it can run nothing any more (its processes are gone) and may be replaced.
  virtual bool usable() const = 0;
};

/// Where an environment keeps its runner, if it has one.
class TypeRunnerSlot {
public:
  std::shared_ptr<TypeRunner> get() const {
    std::lock_guard lock(mutex_);
    return runner_ && runner_->usable() ? runner_ : nullptr;
  }
  /// Calls `make` for a runner when there is no usable one.
  template <class Make> void ensure(const Make& make) {
    std::lock_guard lock(mutex_);
    if (!runner_ || !runner_->usable()) runner_ = make();
  }

private:
  mutable std::mutex mutex_;
  std::shared_ptr<TypeRunner> runner_;
};

/// The slot of an environment. Types that were read before it was filled stay as they are.
TypeRunnerSlot& type_runner_slot(const Environment& environment);

} // namespace pupc
