#pragma once
// `compile --batch`: one request per line in, one answer per line out, in order. A failing request does not affect the next one.
#include "compiler/ruby/worker/ruby_pool.h"
#include "tools/pupc/compile/batch_request.h"
#include "tools/pupc/node/node_setup.h"
#include "tools/pupc/settings/compile_settings.h"

#include <string>

namespace pupc::cli {

/// The state that the requests of a batch share.
struct BatchRun {
  const CompileOptions& options;
  FactsFiles facts_files;
  Environments environments;
  RubyPool ruby;
};

/// The answer to one request. `readable` becomes false when the line is not a request. The caller must put options.limits into effect;
/// throws LimitReached when the compile exceeds them.
std::string answer_request(const std::string& line, BatchRun& run, bool& readable);

/// Answers every line of the file (or of stdin for "-") on stdout. Returns the exit code: 0 when all lines could be read as requests.
int run_batch(const std::string& path, const CompileOptions& options);

} // namespace pupc::cli
