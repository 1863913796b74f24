#pragma once
// Something for each symbol, found by its id: many small questions are asked of every name in a program.
#include "catalog/base/symbol.h"

#include <algorithm>
#include <vector>

namespace pupc::compiler {

template <class T> class BySymbol {
public:
  /// What is kept for the symbol; T() at first.
  T& at(Symbol name) {
    if (name.id >= values_.size()) values_.resize(std::max<size_t>(name.id + 1, 2 * values_.size()));
    return values_[name.id];
  }
  /// A copy of it; T() also when nobody has asked for it with at().
  T get(Symbol name) const { return name.id < values_.size() ? values_[name.id] : T(); }

private:
  std::vector<T> values_;
};

} // namespace pupc::compiler
