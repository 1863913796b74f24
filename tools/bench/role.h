#pragma once
// Measures a warm compile of a role: 500 resources, 300 Hiera lookups over five levels.

namespace pupc::bench {

/// Prints the times. With `check` it tests only that the cost of Hiera grows linearly with lookups and with levels. Returns an exit code.
int role(bool check);

} // namespace pupc::bench
