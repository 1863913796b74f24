#pragma once
// The machine this process runs on.
#include "runtime/sys/system.h"

#include <memory>

namespace pupc {

/// Access to this machine through the C library. One instance per run; not shared between threads.
std::unique_ptr<System> make_posix_system();

/// "No such file or directory" and so on, without the path.
std::string system_error_text(int error);

} // namespace pupc
