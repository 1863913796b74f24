#pragma once
// The fuzz targets: each one passes its input to one of the program's readers. A reader may refuse an input. An input that ends the
// process, hangs, or triggers a sanitizer report reveals a defect.
#include <span>
#include <string_view>

namespace pupc::fuzz {

struct Target {
  std::string_view name;
  void (*run)(std::string_view input);
};

/// All targets, by name.
std::span<const Target> targets();
/// The target of that name, or null.
const Target* find_target(std::string_view name);

} // namespace pupc::fuzz
