#include "compiler/analysis/registry.h"

#include <algorithm>

namespace pupc {
namespace {

constexpr CheckEntry entries[] = {
#define PUPC_CHECK(number, ident, severity, summary, explanation, wrong, right)                                                            \
  {CheckCode::ident, #ident, Severity::severity, summary, explanation, wrong, right},
#include "compiler/analysis/checks.def"
#undef PUPC_CHECK
};

} // namespace

std::span<const CheckEntry> all_checks() { return entries; }

const CheckEntry* find_check(uint16_t number) {
  auto at = std::find_if(std::begin(entries), std::end(entries),
                         [&](const CheckEntry& e) { return static_cast<uint16_t>(e.code) == number; });
  return at == std::end(entries) ? nullptr : at;
}

std::string_view severity_name(Severity severity) {
  switch (severity) {
  case Severity::Error: return "error";
  case Severity::Warning:
  case Severity::Deprecation: return "warning";
  case Severity::Hint: return "hint";
  }
  return "error";
}

} // namespace pupc
