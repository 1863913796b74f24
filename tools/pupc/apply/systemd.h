#pragma once
// What a service tells the program that started it.

namespace pupc::cli {

/// Tells systemd how the service is (Type=notify): "READY=1", "RELOADING=1", "STOPPING=1". Nothing where nobody listens.
void tell_systemd(const char* state);

} // namespace pupc::cli
