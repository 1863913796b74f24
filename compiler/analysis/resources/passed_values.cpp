#include "compiler/analysis/resources/passed_values.h"

namespace pupc::compiler {

std::vector<PassedValues::Attribute> PassedValues::reached(Symbol owner, Symbol parameter) const {
  constexpr size_t most = 50; // circles end
  std::vector<Attribute> out, open{{owner, parameter, nullptr}};
  for (size_t i = 0; i < open.size() && open.size() < most; ++i) {
    if (open[i].native != nullptr) {
      out.push_back(open[i]);
      continue;
    }
    const auto passed = passed_.find({open[i].type.id, open[i].name.id});
    if (passed != passed_.end()) open.insert(open.end(), passed->second.begin(), passed->second.end());
  }
  return out;
}

} // namespace pupc::compiler
