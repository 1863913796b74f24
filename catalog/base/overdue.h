#pragma once
// What happens to the process when work is well over its time and cannot be interrupted (limits.h).
#include "catalog/base/namespaces.h"

namespace pupc::catalog {

/// From now on a Watchdog lets overdue work run instead of ending the process. For a server: it gives up that work alone.
void let_overdue_work_run();

} // namespace pupc::catalog
