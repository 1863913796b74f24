#pragma once
// The checks of `pupc validate` that see a whole environment. checks.def has one entry for each, with its number, severity, explanation
// and examples. `pupc explain`, `pupc doc checks` and the tests use these entries.
//   To add a check: add an entry to checks.def, the code to the file of its family, and cases to testdata/validate. The test of the
//   registry runs both examples of every entry.
#include "catalog/base/diagnostic.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace pupc::compiler {

/// Checks and errors (errors.def) share one sequence of numbers. A number is never reused.
enum class CheckCode : uint16_t {
#define PUPC_CHECK(number, ident, severity, summary, explanation, wrong, right) ident = number,
#include "compiler/analysis/codebase/checks.def"
#undef PUPC_CHECK
};

struct CheckEntry {
  CheckCode code;
  const char* ident; // with a leading _ when the check's name begins with a digit
  Severity severity; // as a rule; a finding that is not certain has a lower one
  const char* summary;
  const char* explanation;
  /// Examples: a manifest, or several files of an environment, each after a line `-- path --`. The wrong example has exactly this finding,
  /// the right one has none.
  const char* wrong;
  const char* right;

  /// The check's name as users see it.
  std::string_view name() const { return ident[0] == '_' ? ident + 1 : ident; }
};

/// All checks in the order of their numbers.
std::span<const CheckEntry> all_checks();
/// The check of a number, or null.
const CheckEntry* find_check(uint16_t number);

/// "error", "warning" or "hint".
std::string_view severity_name(Severity severity);

} // namespace pupc::compiler
