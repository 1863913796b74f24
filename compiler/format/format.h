#pragma once
// Formats manifests in the form of Puppet's style guide: two spaces a level, one attribute a line, aligned arrows, commas after the last.
// Lines stay where the author has them broken, but for what the guide asks; comments, groups of lines and the text of strings stay.
#include "catalog/base/diagnostic.h"

#include <memory>
#include <string>
#include <vector>

namespace pupc {

struct FormatOptions {
  // Only lines first … last (from 1) and what belongs to the same line of the result; 0 = all.
  uint32_t first_line = 0, last_line = 0;
};

struct FormatResult {
  bool ok = false;
  std::string text;                    // when ok
  std::vector<Diagnostic> diagnostics; // why not: syntax errors
  std::shared_ptr<const void> keep;    // what their places point into
};

/// Formats a manifest. The result was parsed and holds the same tree and the same comments, or `ok` is false and the text must stay as it
/// is. Formatting the result again changes nothing. Never throws for bad input. `path` is shown in diagnostics.
FormatResult format_manifest(const std::string& path, const std::string& text, const FormatOptions& options = {});

} // namespace pupc
