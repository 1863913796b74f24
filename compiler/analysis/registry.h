#pragma once
// The checks of `pupc validate` that see a whole environment: one entry each, with its number, severity, explanation and examples
// (checks.def). `pupc explain`, `pupc doc checks` and the tests are made from it.
//   To add a check: an entry in checks.def, its code in the file of its family, cases in testdata/validate. The test of the
//   registry runs both examples of every entry.
#include "catalog/base/diagnostic.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace pupc {

/// A severity that only these checks have, below warnings: what may well be meant, told to who asks for it.
inline constexpr Severity severity_hint = static_cast<Severity>(3);

/// The numbers of checks are of the same row as those of errors (errors.def) and never reused.
enum class CheckCode : uint16_t {
#define PUPC_CHECK(number, ident, severity, summary, explanation, wrong, right) ident = number,
#include "compiler/analysis/checks.def"
#undef PUPC_CHECK
};

struct CheckEntry {
  CheckCode code;
  const char* ident; // of a check whose name begins with a digit with _ before it
  Severity severity; // as a rule; a finding that is not certain has a lower one
  const char* summary;
  const char* explanation;
  /// Examples: a manifest, or several files of an environment, each after a line `-- path --`. The wrong one has exactly this finding, the
  /// right one none.
  const char* wrong;
  const char* right;

  /// As users see it.
  std::string_view name() const { return ident[0] == '_' ? ident + 1 : ident; }
};

/// All checks in the order of their numbers.
std::span<const CheckEntry> all_checks();
/// The check of a number, or null.
const CheckEntry* find_check(uint16_t number);

/// "error", "warning" or "hint".
std::string_view severity_name(Severity severity);

} // namespace pupc
