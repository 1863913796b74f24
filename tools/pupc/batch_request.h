#pragma once
// One request of `compile --batch`: the fields of batch_request.schema.json.
#include "compiler/build/compile.h"
#include "tools/pupc/compile_settings.h"
#include "tools/pupc/node_setup.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace pupc {

/// A request that cannot be answered: its text is the answer's error.
struct BadRequest {
  std::string message;
};

struct BatchRequest {
  Value id;               // a string, an integer or undef
  CompileOptions options; // those of the command line, with what the request says
  std::string node;
  Value facts, trusted, server_facts, parameters, classes;
  bool facts_given = false, as_server = false, exported = false, invalidate = false;
  /// What makes two requests share an environment.
  std::string environment_key() const;
};

/// Takes the fields of `request` (a Hash), which live in an arena of the caller. Throws BadRequest for a field that is none or has a value
/// of the wrong kind; `id` is set before that.
void read_batch_request(const Value& request, const CompileOptions& common, BatchRequest& out);

/// Environments that requests share: each is opened at its first use and kept until a request invalidates them. Safe to share between
/// threads.
class BatchEnvironments {
public:
  /// The request's environment, with its code as the main manifest when it has one. Throws CompileError.
  std::shared_ptr<const Environment> open(const BatchRequest& request, LogSink* log);
  /// Files may have changed: those opened so far are used no more.
  void forget();

private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Environment>> opened_;
};

} // namespace pupc
