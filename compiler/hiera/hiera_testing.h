#pragma once
// A case of testdata/hiera in a directory of its own, and a host that reads variables from a map.
#include "compiler/hiera/lookup.h"
#include "compiler/load/environment.h"

#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace pupc::compiler {

class HieraCase {
public:
  explicit HieraCase(const nlohmann::ordered_json& kase);
  ~HieraCase();
  /// Whether the lookup can run without an evaluator.
  bool can_run(const nlohmann::ordered_json& lookup) const;
  /// Runs a lookup. Returns the value as JSON or "error: …", followed by the warnings, one per line.
  std::string run(const nlohmann::ordered_json& lookup);
  /// Puppet's answer in the same form.
  std::string expected(const nlohmann::ordered_json& lookup) const;

private:
  std::string root_;
  const nlohmann::ordered_json& case_;
  std::shared_ptr<const Environment> environment_;
};

} // namespace pupc::compiler
