#include "runtime/transaction/provider_name.h"

#include "runtime/provider/handlers.h"

namespace pupc::runtime {

std::string provider_name(const ManagedResource& resource, RunContext& run) {
  if (const std::string given = resource.text("provider"); !given.empty()) return given;
  if (resource.type == "package") return value_text(run.fact("os.family")) == "RedHat" ? "dnf" : "apt";
  if (resource.type == "service") return run.system.stat("/run/systemd/system") ? "systemd" : "debian";
  return std::string(native_provider(resource.type));
}

} // namespace pupc::runtime
