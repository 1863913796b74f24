// Names of facts: those that Facter 4 sets as top-scope variables, and the structured facts that replaced the legacy ones.
#include "compiler/analysis/codebase/fact_names.h"

#include "compiler/analysis/codebase/checked_codebase.h"

#include "catalog/base/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace pupc::compiler {
namespace {

enum class Told : uint8_t { No, Yes }; // whether a suggestion may name it: one that many nodes have

struct CoreFact {
  std::string_view name;
  Told told = Told::No;
};

constexpr CoreFact core[] = {
    // set by Puppet itself
    {"facts"},
    {"trusted"},
    {"server_facts"},
    {"environment", Told::Yes},
    {"servername"},
    {"serverip"},
    {"serverip6"},
    {"serverversion"},
    {"clientcert", Told::Yes},
    {"clientnoop"},
    {"clientversion", Told::Yes},
    {"agent_specified_environment"},
    {"puppetversion", Told::Yes},
    {"settings"},
    {"pe_serverversion"},
    {"pe_version"},
    {"pe_build"},
    {"pe_concat_dir"},
    {"is_pe"},
    {"pe_server_version"},
    {"concat_basedir"},
    {"puppet_vardir"},
    {"root_home"},
    {"service_provider"},
    {"package_provider"},
    {"staging_http_get"},
    {"aio_agent_version", Told::Yes},
    {"aio_agent_build"},
    {"node_terminus"},
    {"role"},
    {"datacenter"},
    {"puppet_environmentpath"},
    {"module_name"},
    {"caller_module_name"},
    {"vardir"},
    {"classes"},
    {"is_agent"},
    // Facter's own
    {"augeas", Told::Yes},
    {"az_metadata"},
    {"cloud", Told::Yes},
    {"disks", Told::Yes},
    {"dmi", Told::Yes},
    {"ec2_metadata", Told::Yes},
    {"ec2_userdata"},
    {"env_windows_installdir"},
    {"facterversion", Told::Yes},
    {"filesystems", Told::Yes},
    {"fips_enabled", Told::Yes},
    {"gce", Told::Yes},
    {"hypervisors", Told::Yes},
    {"identity", Told::Yes},
    {"is_virtual", Told::Yes},
    {"kernel", Told::Yes},
    {"kernelmajversion", Told::Yes},
    {"kernelrelease", Told::Yes},
    {"kernelversion", Told::Yes},
    {"ldom"},
    {"load_averages", Told::Yes},
    {"memory", Told::Yes},
    {"mountpoints", Told::Yes},
    {"networking", Told::Yes},
    {"nim_type"},
    {"os", Told::Yes},
    {"partitions", Told::Yes},
    {"path", Told::Yes},
    {"processors", Told::Yes},
    {"ruby", Told::Yes},
    {"scope6"},
    {"solaris_zones"},
    {"ssh", Told::Yes},
    {"system_profiler"},
    {"system_uptime", Told::Yes},
    {"timezone", Told::Yes},
    {"virtual", Told::Yes},
    {"xen"},
    {"zfs_featurenumbers"},
    {"zfs_version"},
    {"zpool_featureflags"},
    {"zpool_featurenumbers"},
    {"zpool_version"},
    {"interfaces"},
    {"swapsize"},
    {"swapfree"},
    {"memorytotal"},
    {"lsbdistcodename"},
    {"cfkey"},
    {"vlans"},
    {"system32"},
    {"rubyplatform"},
    {"rubysitedir"},
    {"rubyversion"},
    {"sshdsakey"},
    {"sshrsakey"},
    {"sshecdsakey"},
    {"sshed25519key"},
    {"augeasversion"},
    {"blockdevices"},
    {"macosx_productversion"},
    {"macosx_productversion_major"},
    {"macosx_productversion_minor"},
    {"macosx_buildversion"},
    {"sp_cpu_type"},
    {"sp_serial_number"},
    {"windows_product_name"},
    {"windows_release_id"},
    {"windows_edition_id"},
    {"windows_display_version"},
};

struct Legacy {
  std::string_view name, modern;
};
constexpr Legacy legacy[] = {
#include "catalog/schema/legacy_facts.inc"
    {"memoryfree_mb", "memory.system.available_bytes"},
    {"memorysize_mb", "memory.system.total_bytes"},
    {"swapfree_mb", "memory.swap.available_bytes"},
    {"swapsize_mb", "memory.swap.total_bytes"},
    {"ipaddress", "ip"},
    {"ipaddress6", "ip6"},
    {"macaddress", "mac"},
    {"mtu", "mtu"},
    {"netmask", "netmask"},
    {"netmask6", "netmask6"},
    {"network", "network"},
    {"network6", "network6"},
    {"scope6", "scope6"},
    {"interfaces", "networking.interfaces"},
    {"macosx_productname", "os.macosx.product"},
    {"zonename", "solaris_zones.current"},
    {"xendomains", "xen.domains"},
};

const Legacy* find(std::string_view name) {
  static const auto* by_name = [] {
    auto* table = new std::unordered_map<std::string_view, const Legacy*>;
    for (const Legacy& l : legacy) table->try_emplace(l.name, &l);
    return table;
  }();
  auto at = by_name->find(name);
  return at == by_name->end() ? nullptr : at->second;
}

/// Whether it is a legacy fact whose name contains the name of a device or the like: ipaddress_eth0.
bool of_a_thing(std::string_view name) {
  static constexpr std::string_view prefixes[] = {"ipaddress_",  "ipaddress6_", "netmask_",     "netmask6_",  "network_", "network6_",
                                                  "macaddress_", "mtu_",        "blockdevice_", "sp_",        "ldom_",    "zone_",
                                                  "sshfp_",      "lsbdist",     "scope6_",      "mountpoint", "dhcp_",    "os_"};
  const auto numbered = [](std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  };
  return std::any_of(std::begin(prefixes), std::end(prefixes), [&](std::string_view p) { return name.starts_with(p); }) ||
         (name.starts_with("processor") && numbered(name.substr(9)));
}

} // namespace

bool is_known_fact(std::string_view name) {
  static const auto* own = [] {
    auto* names = new std::unordered_set<std::string_view>;
    for (const CoreFact& f : core) names->insert(f.name);
    return names;
  }();
  return own->contains(name) || find(name) != nullptr || of_a_thing(name);
}

std::string_view modern_fact(std::string_view name) {
  const Legacy* l = find(name);
  return l == nullptr ? std::string_view() : l->modern;
}

std::span<const std::string_view> fact_keys(std::string_view path) {
  static constexpr std::string_view os[] = {"architecture", "distro",  "family",  "hardware", "macosx",
                                            "name",         "release", "selinux", "windows"},
                                    release[] = {"branch", "full", "major", "minor", "patchlevel"},
                                    distro[] = {"codename", "description", "id", "release", "specification"},
                                    selinux[] = {"config_mode", "config_policy", "current_mode", "enabled", "enforced", "policy_version"},
                                    networking[] = {"dhcp", "domain",  "fqdn",     "hostname", "interfaces", "ip",      "ip6",   "mac",
                                                    "mtu",  "netmask", "netmask6", "network",  "network6",   "primary", "scope6"},
                                    memory[] = {"swap", "system"},
                                    of_memory[] = {"available",  "available_bytes", "capacity",    "cipher", "encrypted",
                                                   "encryption", "total",           "total_bytes", "used",   "used_bytes"},
                                    processors[] = {"cores", "count", "extensions", "isa", "models", "physicalcount", "speed", "threads"},
                                    uptime[] = {"days", "hours", "seconds", "uptime"}, load[] = {"15m", "1m", "5m"},
                                    identity[] = {"gid", "group", "privileged", "uid", "user"}, ruby[] = {"platform", "sitedir", "version"};
  static constexpr std::pair<std::string_view, std::span<const std::string_view>> keys[] = {
      {"os", os},
      {"os.release", release},
      {"os.distro", distro},
      {"os.distro.release", release},
      {"os.selinux", selinux},
      {"networking", networking},
      {"memory", memory},
      {"memory.system", of_memory},
      {"memory.swap", of_memory},
      {"processors", processors},
      {"system_uptime", uptime},
      {"load_averages", load},
      {"identity", identity},
      {"ruby", ruby},
  };
  for (const auto& [fact, of_fact] : keys)
    if (fact == path) return of_fact;
  return {};
}

std::span<const std::string_view> trusted_keys() {
  static constexpr std::string_view keys[] = {"authenticated", "certname", "domain", "extensions", "external", "hostname"};
  return keys;
}

std::span<const std::string_view> server_fact_keys() {
  static constexpr std::string_view keys[] = {"environment", "servername", "serverip", "serverip6", "serverversion", "pe_serverversion"};
  return keys;
}

std::span<const std::string_view> fact_names() {
  static const auto* names = [] {
    auto* told = new std::vector<std::string_view>;
    for (const CoreFact& f : core)
      if (f.told == Told::Yes) told->push_back(f.name);
    return told;
  }();
  return *names;
}

std::string_view family_of_system(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> families[] = {
      {"ubuntu", "Debian"}, {"raspbian", "Debian"},   {"linuxmint", "Debian"}, {"kali", "Debian"},      {"devuan", "Debian"},
      {"centos", "RedHat"}, {"fedora", "RedHat"},     {"rocky", "RedHat"},     {"almalinux", "RedHat"}, {"oraclelinux", "RedHat"},
      {"sles", "Suse"},     {"scientific", "RedHat"}, {"opensuse", "Suse"},    {"sled", "Suse"},        {"macos", "Darwin"}};
  const std::string lower = ascii_lower(name);
  const auto found = std::ranges::find(families, std::string_view(lower), [](const auto& f) { return f.first; });
  return found != std::end(families) ? found->second : std::string_view();
}

namespace {

std::string never_value(std::string_view path, std::string_view text, bool in_ruby) {
  static const std::vector<std::string_view> families = {"RedHat",  "Debian", "Suse",      "Gentoo",   "Archlinux", "Mandrake",  "Solaris",
                                                         "windows", "Darwin", "FreeBSD",   "OpenBSD",  "NetBSD",    "DragonFly", "AIX",
                                                         "HP-UX",   "Alpine", "Slackware", "VMkernel", "Linux"};
  static const std::vector<std::string_view> names = {
      "RedHat",    "CentOS",   "Fedora",       "Rocky",      "AlmaLinux", "OracleLinux", "Scientific", "Amazon",    "Debian",
      "Ubuntu",    "Raspbian", "Devuan",       "LinuxMint",  "Kali",      "SLES",        "SLED",       "OpenSuSE",  "Suse",
      "Archlinux", "Gentoo",   "Manjarolinux", "Alpine",     "windows",   "Darwin",      "FreeBSD",    "OpenBSD",   "NetBSD",
      "Solaris",   "AIX",      "HP-UX",        "CloudLinux", "XenServer", "VMwareESX",   "Slackware",  "DragonFly", "EulerOS"};
  static const std::vector<std::string_view> kernels = {"Linux",  "Darwin",    "windows", "FreeBSD", "OpenBSD",
                                                        "NetBSD", "DragonFly", "SunOS",   "AIX",     "HP-UX"};
  // What belongs to another kernel, by the system's name.
  static constexpr std::pair<std::string_view, std::string_view> of_kernel[] = {
      {"debian", "Linux"}, {"ubuntu", "Linux"}, {"redhat", "Linux"}, {"centos", "Linux"},
      {"macos", "Darwin"}, {"osx", "Darwin"},   {"win", "windows"},  {"solaris", "SunOS"}};
  const bool family = path == "os.family", name = path == "os.name";
  if (!family && !name && path != "kernel") return {};
  const std::vector<std::string_view>& known = family ? families : name ? names : kernels;
  const std::string lower = ascii_lower(text);
  const auto says = [&](std::string_view other) {
    return fmt::format("the fact '{}' is never '{}'. Did you mean '{}'?", path, text, other);
  };
  for (std::string_view value : known)
    if (value == text || (!in_ruby && ascii_lower(value) == lower)) return {};
  if (in_ruby && lower == "opensuse") return {}; // Facter's spelling is another on some systems
  const std::string plain = ascii_lower(trimmed(text));
  for (std::string_view value : known)
    if (ascii_lower(value) == plain || (text.size() > 4 && one_slip_apart(lower, ascii_lower(value)))) return says(value);
  if (family)
    if (const std::string_view its = family_of_system(lower); !its.empty()) return says(its);
  if (path == "kernel")
    for (const auto& [other, its] : of_kernel)
      if (lower == other) return says(its);
  return {};
}

} // namespace

std::string never_value_of_fact(std::string_view path, std::string_view text) { return never_value(path, text, false); }
std::string never_value_in_ruby(std::string_view path, std::string_view text) { return never_value(path, text, true); }

} // namespace pupc::compiler
