#include "catalog/base/log.h"

namespace pupc::catalog {

std::string_view name_of(LogLevel level) {
  static constexpr std::string_view names[] = {"debug", "info", "notice", "warning", "err", "alert", "emerg", "crit"};
  return names[static_cast<size_t>(level)];
}

bool LogSink::first_time(const void* what) {
  std::lock_guard lock(seen_mutex_);
  return seen_.insert(what).second;
}

} // namespace pupc::catalog
