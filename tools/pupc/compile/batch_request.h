#pragma once
// One request of `compile --batch`: the fields of batch_request.schema.json.
#include "compiler/build/compile.h"
#include "tools/pupc/settings/compile_settings.h"

#include <string>

namespace pupc::cli {

/// Thrown for an invalid request. The answer's error is `message`.
struct BadRequest {
  std::string message;
};

struct BatchRequest {
  Value id;               // a string, an integer or undef
  CompileOptions options; // those of the command line, overridden by the request
  std::string node;
  Value facts, trusted, server_facts, parameters, classes;
  bool facts_given = false, as_server = false, exported = false, invalidate = false;
};

/// Reads the fields of `request` (a Hash) into `out`. The values stay in the caller's arena. Throws BadRequest for an unknown field or a
/// value of the wrong kind, but sets `id` first, so that the caller can answer.
void read_batch_request(const Value& request, const CompileOptions& common, BatchRequest& out);

} // namespace pupc::cli
