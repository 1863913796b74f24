#pragma once
// The agent that stays: runs at intervals, each in a process of its own, so that the one that sleeps stays small.
#include "tools/agent/agent_options.h"

#include <functional>

namespace pupc::cli::agent {

/// Goes into the background. Returns in the child only; the parent ends.
void go_into_background();
/// Makes `run` with the settings as they are then, in a child, at once and after each interval, until a signal ends it. Returns the exit
/// code.
int run_daemon(AgentOptions& options, const std::function<int()>& run);

} // namespace pupc::cli::agent
