#pragma once
// Generated manifests, one for each way in which real code grows.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::bench {

struct Shape {
  std::string_view name;
  std::string (*make)(size_t n); // about n resources, or n of what the shape is about
};

const std::vector<Shape>& shapes();

/// Much of everything, for the parser: about `bytes` of source text.
std::string mixed_source(size_t bytes);

} // namespace pupc::bench
