#include "compiler/analysis/codebase/pattern_groups.h"

namespace pupc::compiler {

std::optional<int> groups_of(std::string_view pattern) {
  int groups = 0;
  bool set = false; // in [...]
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\')
      ++i;
    else if (c == '[')
      set = true;
    else if (c == ']')
      set = false;
    else if (c == '(' && !set) {
      if (i + 1 >= pattern.size() || pattern[i + 1] != '?')
        ++groups;
      else if (i + 2 < pattern.size() && (pattern[i + 2] == '<' || pattern[i + 2] == '\'') && pattern.substr(i + 3, 1) != "=" &&
               pattern.substr(i + 3, 1) != "!")
        return std::nullopt; // named
    }
  }
  return groups;
}

} // namespace pupc::compiler
