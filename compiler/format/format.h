#pragma once
// Formats manifests as Puppet's style guide asks: two spaces a level, one attribute a line, aligned arrows, trailing commas.
// Apart from that it keeps the author's line breaks, comments, empty lines between groups, and the text of strings,
// and the columns of aligned parameters and assignments.
#include "catalog/base/diagnostic.h"

#include <memory>
#include <string>
#include <vector>

namespace pupc::compiler {

struct FormatOptions {
  // Formats only the lines first … last (from 1), and whatever shares a line of the result with them; 0 = all lines.
  uint32_t first_line = 0, last_line = 0;
  // Leaves aligned parameters and assignments in the column where the author has them; else the column is as near as the longest allows.
  bool keep_columns = true;
};

struct FormatResult {
  bool ok = false;
  std::string text;                    // when ok
  std::vector<Diagnostic> diagnostics; // why not: syntax errors
  std::shared_ptr<const void> keep;    // keeps alive what the diagnostics point into
};

/// Formats a manifest. It parses the result again: either the result has the same syntax tree and the same comments, or `ok` is false and
/// the caller must keep the text as it is. Formatting the result again changes nothing. Never throws for bad input. `path` appears in
/// diagnostics.
FormatResult format_manifest(const std::string& path, const std::string& text, const FormatOptions& options = {});

} // namespace pupc::compiler
