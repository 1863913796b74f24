#pragma once
// The resolvers of facts, one file for each. A resolver reads the machine and sets the facts that it can determine; as in Puppet, the
// others stay unset. The table in collect.cpp gives the order: later resolvers may use the facts of earlier ones.
#include "runtime/facts/fact_value.h"
#include "runtime/facts/sources.h"

namespace pupc::runtime {

void resolve_kernel(FactSources& from, Facts& facts);      // kernel, kernelrelease, kernelversion, kernelmajversion
void resolve_os(FactSources& from, Facts& facts);          // os (without selinux)
void resolve_selinux(FactSources& from, Facts& facts);     // os.selinux
void resolve_networking(FactSources& from, Facts& facts);  // networking.interfaces and the primary interface
void resolve_hostname(FactSources& from, Facts& facts);    // networking.hostname, domain, fqdn
void resolve_memory(FactSources& from, Facts& facts);      // memory
void resolve_processors(FactSources& from, Facts& facts);  // processors
void resolve_disks(FactSources& from, Facts& facts);       // disks
void resolve_mountpoints(FactSources& from, Facts& facts); // mountpoints
void resolve_partitions(FactSources& from, Facts& facts);  // partitions; needs mountpoints
void resolve_filesystems(FactSources& from, Facts& facts); // filesystems
void resolve_dmi(FactSources& from, Facts& facts);         // dmi
void resolve_virtual(FactSources& from, Facts& facts);     // virtual, is_virtual, hypervisors, cloud; needs dmi
void resolve_uptime(FactSources& from, Facts& facts);      // system_uptime, load_averages; needs hypervisors
void resolve_ssh(FactSources& from, Facts& facts);         // ssh
void resolve_identity(FactSources& from, Facts& facts);    // identity
void resolve_environment(FactSources& from, Facts& facts); // path, timezone, fips_enabled, facterversion
void resolve_ruby(FactSources& from, Facts& facts);        // ruby
void resolve_augeas(FactSources& from, Facts& facts);      // augeas
void resolve_legacy(FactSources& from, Facts& facts);      // the legacy facts; needs all others

/// The DHCP server from which an interface got its address; nothing when none is known.
std::optional<std::string> dhcp_server(FactSources& from, const std::string& interface, const std::string& index);

/// A property of a block device from udev's database, such as "ID_SERIAL_SHORT"; nothing when udev has none.
std::optional<std::string> udev_property(FactSources& from, const std::string& sys_path, std::string_view name);

} // namespace pupc::runtime
