#pragma once
// Spreads work over threads whose stacks are large enough for manifests at the nesting limits.
#include <cstddef>
#include <functional>
#include <string>

namespace pupc::cli {

/// Runs `work` in `threads` threads (in this one when 1) and waits for all. `work` must not throw.
void run_workers(unsigned threads, const std::function<void()>& work);

/// Calls `work(i)` for 0 ≤ i < count, spread over at most `threads` threads.
void for_each_index(size_t count, unsigned threads, const std::function<void(size_t)>& work);

/// The number of threads that the machine can run at once.
unsigned default_jobs();

/// Answers each non-blank line of a file (stdin for "-") with one line on stdout, in the order of the requests and as early as possible.
/// `answer` gets a line and returns the answer without line end; it sets `readable` to false when the line is not a request. Returns the
/// exit code: 0 when all lines were requests.
int answer_lines(const std::string& path, unsigned threads,
                 const std::function<std::string(const std::string& line, bool& readable)>& answer);

} // namespace pupc::cli
