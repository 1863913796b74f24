#include "catalog/base/split_text.h"
#include "catalog/base/text.h"
#include "runtime/facts/resolvers.h"

namespace pupc::runtime {

void resolve_selinux(FactSources& from, Facts& facts) {
  std::string mount;
  for (const std::string& line : from.lines("/proc/self/mounts")) {
    if (line.find("selinuxfs") == std::string::npos) continue;
    const auto words = catalog::words_of(line);
    if (words.size() > 1) mount = words[1];
    break;
  }
  const auto config = mount.empty() ? std::vector<std::string>{} : from.lines("/etc/selinux/config");
  facts.set("os.selinux.enabled", !config.empty());
  if (config.empty()) return;
  for (const std::string& line : config) {
    const std::string value(trimmed(std::string_view(line).substr(line.rfind('=') + 1), ruby_blanks));
    if (line.starts_with("SELINUX=")) facts.set("os.selinux.config_mode", value);
    if (line.starts_with("SELINUXTYPE=")) facts.set("os.selinux.config_policy", value);
  }
  facts.set("os.selinux.policy_version", from.read(mount + "/policyvers"));
  const bool enforced = from.read(mount + "/enforce").value_or("") == "1";
  facts.set("os.selinux.enforced", enforced);
  facts.set("os.selinux.current_mode", enforced ? "enforcing" : "permissive");
}

} // namespace pupc::runtime
