#pragma once
// Generated manifests, one for each way in which real code grows.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::bench {

struct Shape {
  std::string_view name;
  std::string (*make)(size_t n); // makes about n resources, or n of whatever the shape stresses
};

const std::vector<Shape>& shapes();

/// About `bytes` of source text that mixes all constructs, to measure the parser.
std::string mixed_source(size_t bytes);

} // namespace pupc::bench
