#pragma once
// The time of a warm compile of a role: 500 resources, 300 Hiera lookups over five levels.

namespace pupc::bench {

/// Prints the times; with `check` only whether Hiera's cost grows linearly with lookups and with levels. Returns an exit code.
int role(bool check);

} // namespace pupc::bench
