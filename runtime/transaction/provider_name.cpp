#include "runtime/transaction/provider_name.h"

#include <algorithm>
#include <array>

namespace pupc {
namespace {

struct TypeProvider {
  std::string_view type, provider;
};

constexpr std::array providers = std::to_array<TypeProvider>({
    {"archive", "ruby"},
    {"augeas", "augeas"},
    {"cron", "crontab"},
    {"exec", "posix"},
    {"file", "posix"},
    {"file_line", "ruby"},
    {"group", "groupadd"},
    {"host", "parsed"},
    {"ini_setting", "ruby"},
    {"ini_subsetting", "ruby"},
    {"mailalias", "aliases"},
    {"mount", "parsed"},
    {"ssh_authorized_key", "parsed"},
    {"sshkey", "parsed"},
    {"user", "useradd"},
    {"yumrepo", "inifile"},
});

} // namespace

std::string provider_name(const ManagedResource& resource, RunContext& run) {
  if (const std::string given = resource.text("provider"); !given.empty()) return given;
  if (resource.type == "package") return value_text(run.fact("os.family")) == "RedHat" ? "dnf" : "apt";
  if (resource.type == "service") return run.system.stat("/run/systemd/system") ? "systemd" : "debian";
  const auto found = std::find_if(providers.begin(), providers.end(), [&](const TypeProvider& p) { return p.type == resource.type; });
  return found == providers.end() ? "" : std::string(found->provider);
}

} // namespace pupc
