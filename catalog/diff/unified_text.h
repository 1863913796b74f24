#pragma once
// Compares two texts line by line, as `diff -u` does.
#include "catalog/base/namespaces.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::catalog {

struct DiffLine {
  char sign; // ' ', '-', '+'; '\\' for the note that the previous line has no line end
  std::string_view text;
};

struct DiffHunk {
  size_t old_start = 1, old_count = 0, new_start = 1, new_count = 0;
  std::vector<DiffLine> lines;
  /// "@@ -1,7 +1,8 @@"
  std::string head() const;
};

/// The changed lines with up to `context` common lines around them. The hunks point into the texts. In changed parts of thousands
/// of lines those that stand once in both texts are common; a part without any counts as replaced.
std::vector<DiffHunk> unified_diff(std::string_view before, std::string_view after, size_t context = 3);

} // namespace pupc::catalog
