#pragma once
// What the fuzzers feed: each target reads an input as one of the program's readers does. An input that a reader refuses is fine; one that
// ends the process, hangs, or makes a sanitizer speak is a defect.
#include <span>
#include <string_view>

namespace pupc::fuzz {

struct Target {
  std::string_view name;
  void (*run)(std::string_view input);
};

/// All targets, by name.
std::span<const Target> targets();
/// Null when there is none of that name.
const Target* find_target(std::string_view name);

} // namespace pupc::fuzz
