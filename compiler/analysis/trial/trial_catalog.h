#pragma once
// What the catalogs of a node definition have, as far as a trial run tells.
#include "compiler/analysis/trial/trial.h"

namespace pupc::compiler {

struct Trial::Catalog {
  std::string shown;
  std::unordered_set<Symbol> classes;
  std::unordered_map<Symbol, std::vector<std::pair<const TrialResource*, bool>>> resources; // and whether it may be missing
  std::vector<std::pair<const TrialReference*, bool>> references;
  std::vector<const TrialCollector*> collectors;
  std::unordered_set<Symbol> open_types;
  bool open = false, realizes = false;
};

} // namespace pupc::compiler
