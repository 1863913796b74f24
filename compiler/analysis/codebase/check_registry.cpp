#include "compiler/analysis/codebase/check_registry.h"

#include <algorithm>

namespace pupc::compiler {
namespace {

// checks.def uses these short names of severities.
constexpr Severity Error = Severity::Error, Warning = Severity::Warning, Hint = Severity::Hint;

constexpr CheckEntry registered_checks[] = {
#define PUPC_CHECK(number, ident, severity, summary, explanation, wrong, right)                                                            \
  {CheckCode::ident, #ident, severity, summary, explanation, wrong, right},
#include "compiler/analysis/codebase/checks.def"
#undef PUPC_CHECK
};

} // namespace

std::span<const CheckEntry> all_checks() { return registered_checks; }

const CheckEntry* find_check(uint16_t number) {
  const auto number_of = [](const CheckEntry& e) { return static_cast<uint16_t>(e.code); };
  static_assert(std::ranges::is_sorted(registered_checks, {}, [](const CheckEntry& e) { return static_cast<uint16_t>(e.code); }));
  const auto* at = std::ranges::lower_bound(registered_checks, number, {}, number_of);
  return at == std::end(registered_checks) || number_of(*at) != number ? nullptr : at;
}

std::string_view severity_name(Severity severity) {
  if (severity == Severity::Hint) return "hint";
  return severity == Severity::Error ? "error" : "warning";
}

} // namespace pupc::compiler
