#pragma once
// What can be said of the interpolations in a text without looking anything up.
#include <string>
#include <string_view>

namespace pupc::compiler {

struct InterpolationProblem {
  std::string message;   // empty = none
  bool unclosed = false; // "%{" without "}": Puppet leaves the text as it is
};

/// The first interpolation that fails whatever the data are, in Puppet's words. `methods`: whether %{lookup('key')} and the like are
/// allowed there, which they are in data and not in hiera.yaml.
InterpolationProblem interpolation_problem(std::string_view text, bool methods);

} // namespace pupc::compiler
