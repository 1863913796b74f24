#pragma once
// Some resource types can be read only by running their Ruby code. An environment gets the code that does this here (compiler/ruby/worker
// provides it).
#include "compiler/load/environment.h"
#include "compiler/ruby/types/type_scan.h"

#include <memory>
#include <mutex>

namespace pupc::compiler {

/// Reads a resource type by running the file that defines it. Thread-safe.
class TypeRunner {
public:
  virtual ~TypeRunner() = default;

  enum class Outcome : uint8_t {
    Read,   // the type is complete; only its titles may still be dynamic
    Absent, // the file does not define the type
    Failed, // nothing is known; `dynamic` gives more reasons than before
  };
  /// `type` contains what a scan found without running the file, and the file's path. Never throws.
  virtual Outcome run(ScannedType& type) = 0;
  /// Splits titles of a type with `title_code`, which run() has read.
  virtual std::unique_ptr<const TitleCode> title_code(const ScannedType& type) = 0;
  /// False when it cannot run anything any more (its processes are gone) and may be replaced.
  virtual bool usable() const = 0;
};

/// Holds the runner of an environment, if it has one.
class TypeRunnerSlot : public EnvironmentAttachment {
public:
  /// The runner, or null when there is none or it is no longer usable.
  std::shared_ptr<TypeRunner> get() const {
    std::lock_guard lock(mutex_);
    return runner_ && runner_->usable() ? runner_ : nullptr;
  }
  /// Calls `make` for a new runner when there is no usable one.
  template <class Make> void ensure(const Make& make) {
    std::lock_guard lock(mutex_);
    if (!runner_ || !runner_->usable()) runner_ = make();
  }

private:
  mutable std::mutex mutex_;
  std::shared_ptr<TypeRunner> runner_;
};

/// The slot of an environment. Types read before a runner was set stay as they are.
TypeRunnerSlot& type_runner_slot(const Environment& environment);

} // namespace pupc::compiler
