#pragma once
// One request of `compile --batch`: the fields of batch_request.schema.json.
#include "compiler/build/compile.h"
#include "tools/pupc/compile_settings.h"

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
};

/// Takes the fields of `request` (a Hash), which live in an arena of the caller. Throws BadRequest for a field that is none or has a value
/// of the wrong kind; `id` is set before that.
void read_batch_request(const Value& request, const CompileOptions& common, BatchRequest& out);

} // namespace pupc
