#pragma once
// The conversation with the Ruby process of a run: requests and answers, the logs that come between them, and what Ruby asks pupc.
#include "catalog/json/json_writer.h"
#include "catalog/ruby/ruby_worker.h"
#include "runtime/ruby/ruby_types.h"

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

namespace pupc {

/// What Ruby code raised. what() is its text with its place in the manifests.
class RubyFailure : public ResourceError {
public:
  RubyFailure(const std::string& full, std::string bare_text, bool has_place)
      : ResourceError(full), bare(std::move(bare_text)), placed(has_place) {}
  std::string bare; // without the place
  bool placed;      // whether a place belongs to it
};

/// The process is gone: killed, left by itself, or too slow.
class RubyGone : public ResourceError {
public:
  using ResourceError::ResourceError;
};

class RubySession {
public:
  RubySession(RubyTypesOptions options, std::vector<std::string> libraries);

  /// Asks for something. `arguments` writes the elements after the operation's name. `about`: the resource whose logs they are; may be
  /// null. Throws RubyFailure when the code raises, RubyGone when the process is lost, UnplacedError when it cannot be started.
  Value call(RunContext& run, std::string_view operation, const std::function<void(JsonWriter&)>& arguments,
             const ManagedResource* about = nullptr);

  /// How many processes were started: what an earlier one knew the present one does not.
  unsigned epoch() const { return epoch_; }
  bool running() const { return worker_ != nullptr; }
  /// A number for a resource. Those that Ruby gives itself are negative.
  int64_t new_id() { return next_id_++; }
  /// Says which resource of the run a number is.
  void name(const ManagedResource& resource, int64_t id) { ids_[&resource] = id; }
  unsigned finished = 0; // the process that was told that the run is over
  /// A file of the modules' lib directories: the first one's path, or empty.
  std::string library_file(std::string_view name) const;

private:
  void start(RunContext& run);
  Value converse(RunContext& run, std::string_view operation, const std::function<void(JsonWriter&)>& arguments,
                 const ManagedResource* about);
  void answer(RunContext& run, std::span<const Value> question);
  void write_resource(JsonWriter& w, const ManagedResource& resource) const;

  RubyTypesOptions options_;
  std::vector<std::string> libraries_;
  std::unique_ptr<RubyWorker> worker_;
  unsigned epoch_ = 0;
  int64_t next_id_ = 1;
  std::unordered_map<const ManagedResource*, int64_t> ids_;
};

} // namespace pupc
