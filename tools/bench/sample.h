#pragma once
// Measures many nodes over one environment, the sample control repository.
#include <string>

namespace pupc::bench {

/// Compiles the nodes of `directory` (testdata/sample) with 1 and 2 threads, without and with a store of exported resources, and prints
/// nodes per second and memory. With `check` returns 1 when time or memory grows worse than linearly with the nodes, else 0.
int sample(const std::string& directory, bool check);

} // namespace pupc::bench
