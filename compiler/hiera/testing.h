#pragma once
// A case of testdata/hiera in a directory of its own, and a host that knows variables from a map.
#include "compiler/hiera/lookup.h"
#include "compiler/load/environment.h"

#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace pupc {

class HieraCase {
public:
  explicit HieraCase(const nlohmann::ordered_json& kase);
  ~HieraCase();
  /// Whether a lookup needs no evaluator.
  bool can_run(const nlohmann::ordered_json& lookup) const;
  /// What the lookup gives: JSON text of the value, or "error: …", then warnings line by line.
  std::string run(const nlohmann::ordered_json& lookup);
  /// Puppet's answer in that form.
  std::string expected(const nlohmann::ordered_json& lookup) const;

private:
  std::string root_;
  const nlohmann::ordered_json& case_;
  std::shared_ptr<const Environment> environment_;
};

} // namespace pupc
