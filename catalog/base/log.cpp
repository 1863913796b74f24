#include "catalog/base/log.h"

namespace pupc {

std::string_view name_of(LogLevel level) {
  static constexpr std::string_view names[] = {"debug", "info", "notice", "warning", "err", "alert", "emerg", "crit"};
  return names[static_cast<size_t>(level)];
}

} // namespace pupc
