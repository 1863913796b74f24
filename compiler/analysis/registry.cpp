#include "compiler/analysis/registry.h"

#include <algorithm>

namespace pupc {
namespace {

// checks.def uses these short names of severities.
constexpr Severity Error = Severity::Error, Warning = Severity::Warning, Hint = Severity::Hint;

constexpr CheckEntry registered_checks[] = {
#define PUPC_CHECK(number, ident, severity, summary, explanation, wrong, right)                                                            \
  {CheckCode::ident, #ident, severity, summary, explanation, wrong, right},
#include "compiler/analysis/checks.def"
#undef PUPC_CHECK
};

} // namespace

std::span<const CheckEntry> all_checks() { return registered_checks; }

const CheckEntry* find_check(uint16_t number) {
  auto at = std::find_if(std::begin(registered_checks), std::end(registered_checks),
                         [&](const CheckEntry& e) { return static_cast<uint16_t>(e.code) == number; });
  return at == std::end(registered_checks) ? nullptr : at;
}

std::string_view severity_name(Severity severity) {
  if (severity == Severity::Hint) return "hint";
  return severity == Severity::Error ? "error" : "warning";
}

} // namespace pupc
