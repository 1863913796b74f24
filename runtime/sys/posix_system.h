#pragma once
// The System of the machine on which this process runs.
#include "runtime/sys/system.h"

#include <memory>

namespace pupc::runtime {

/// Access to this machine through the C library. Make one instance per run; do not share it between threads.
std::unique_ptr<System> make_posix_system();

/// The text of an errno, such as "No such file or directory".
std::string system_error_text(int error);

} // namespace pupc::runtime
