#pragma once
// The conversation with the Ruby process of a run: requests and answers, and in between log lines and questions from Ruby.
#include "catalog/json/json_writer.h"
#include "catalog/ruby/ruby_worker.h"
#include "runtime/ruby/ruby_types.h"

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

namespace pupc::runtime {

/// An exception of Ruby code. what() is its text with the place in a manifest.
class RubyFailure : public ResourceError {
public:
  RubyFailure(const std::string& full, std::string bare_text, bool has_place, std::string cause_text)
      : ResourceError(full, std::move(cause_text)), bare(std::move(bare_text)), placed(has_place) {}
  std::string bare; // the text without the place
  bool placed;      // whether the error has a place
};

/// The process is gone: it was killed, ended by itself or was too slow.
class RubyGone : public ResourceError {
public:
  using ResourceError::ResourceError;
};

/// Sets what Ruby code has left changed in the environment, which commands of other resources inherit too; undef: gone.
void take_environment(const Value& changes);

class ProviderRubySession {
public:
  ProviderRubySession(RubyTypesOptions options, std::vector<std::string> libraries);

  /// Calls an operation in Ruby and returns its result. `arguments` writes the elements after the operation's name. Log lines of the call
  /// belong to the resource `about`, which may be null. Throws RubyFailure when the code raises, RubyGone when the process is lost,
  /// UnplacedError when it cannot be started.
  Value call(RunContext& run, std::string_view operation, const std::function<void(JsonWriter&)>& arguments,
             const ManagedResource* about = nullptr);

  /// How many processes were started so far. A new process knows nothing of what an earlier one was told.
  unsigned epoch() const { return epoch_; }
  bool running() const { return worker_ != nullptr; }
  /// A new, positive number for a resource. Ruby gives negative numbers to the resources that it creates.
  int64_t new_id() { return next_id_++; }
  /// Records the number of a resource of the run.
  void name(const ManagedResource& resource, int64_t id) { ids_[&resource] = id; }
  unsigned finished = 0; // epoch of the process that has been told about the end of the run
  /// The path of the first file with this name in the modules' lib directories; empty when there is none.
  std::string library_file(std::string_view name) const;
  /// The Ruby files of a folder of the modules' lib directories.
  std::vector<std::string> library_files(std::string_view folder) const;

private:
  void start(RunContext& run);
  /// Tells a process that serves the run from now on what it must know.
  void introduce(RunContext& run);
  Value converse(RunContext& run, std::string_view operation, const std::function<void(JsonWriter&)>& arguments,
                 const ManagedResource* about);
  /// Tells the worker what has changed in this process's environment since it was started.
  void tell_environment(RunContext& run);
  void answer(RunContext& run, std::span<const Value> question);
  void write_resource(JsonWriter& w, const ManagedResource& resource) const;

  RubyTypesOptions options_;
  std::vector<std::string> libraries_;
  std::unique_ptr<RubyWorker> worker_;
  unsigned epoch_ = 0;
  int64_t next_id_ = 1;
  std::unordered_map<const ManagedResource*, int64_t> ids_;
  uint64_t told_changes_ = 0; // of this process's environment, to the worker
};

} // namespace pupc::runtime
