#include "runtime/provider/other_systems.h"

#include "runtime/provider/system_tools.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace pupc::runtime {

namespace {

struct OtherProvider {
  std::string_view type, name;
  std::string_view program; // with which Puppet uses the provider on Linux; empty: it never does
};

constexpr OtherProvider other_providers[] = {
    {"group", "aix", ""},
    {"group", "directoryservice", ""},
    {"group", "ldap", ""},
    {"group", "pw", ""},
    {"group", "windows_adsi", ""},
    {"package", "aix", ""},
    {"package", "appdmg", ""},
    {"package", "apple", ""},
    {"package", "aptitude", "/usr/bin/aptitude"},
    {"package", "aptrpm", ""},
    {"package", "blastwave", ""},
    {"package", "dnfmodule", "/usr/bin/dnf"},
    {"package", "fink", ""},
    {"package", "freebsd", ""},
    {"package", "hpux", ""},
    {"package", "macports", ""},
    {"package", "nim", ""},
    {"package", "openbsd", ""},
    {"package", "opkg", ""},
    {"package", "pacman", ""},
    {"package", "pip2", "pip2"},
    {"package", "pkg", ""},
    {"package", "pkgdmg", ""},
    {"package", "pkgin", "pkgin"},
    {"package", "pkgng", ""},
    {"package", "pkgutil", ""},
    {"package", "portage", ""},
    {"package", "ports", ""},
    {"package", "portupgrade", ""},
    {"package", "puppetserver_gem", "/opt/puppetlabs/bin/puppetserver"},
    {"package", "rug", ""},
    {"package", "sun", ""},
    {"package", "sunfreeware", ""},
    {"package", "tdnf", "tdnf"},
    {"package", "up2date", "/usr/sbin/up2date-nox"},
    {"package", "urpmi", "urpmi"},
    {"package", "windows", ""},
    {"package", "xbps", "/usr/bin/xbps-install"},
    {"package", "zypper", "/usr/bin/zypper"},
    {"service", "bsd", ""},
    {"service", "daemontools", "/usr/bin/svc"},
    {"service", "freebsd", ""},
    {"service", "gentoo", ""},
    {"service", "launchd", ""},
    {"service", "openbsd", ""},
    {"service", "openrc", "/sbin/rc-service"},
    {"service", "openwrt", ""},
    {"service", "rcng", ""},
    {"service", "runit", "/usr/bin/sv"},
    {"service", "smf", ""},
    {"service", "src", ""},
    {"service", "upstart", "/sbin/initctl"},
    {"service", "windows", ""},
    {"user", "aix", ""},
    {"user", "directoryservice", ""},
    {"user", "hpux", ""},
    {"user", "ldap", ""},
    {"user", "openbsd", ""},
    {"user", "pw", ""},
    {"user", "user_role_add", ""},
    {"user", "windows_adsi", ""},
};

const OtherProvider* find_other(std::string_view type, std::string_view provider) {
  const auto found = std::find_if(std::begin(other_providers), std::end(other_providers),
                                  [&](const OtherProvider& p) { return p.type == type && p.name == provider; });
  return found == std::end(other_providers) ? nullptr : found;
}

} // namespace

bool is_of_other_systems(std::string_view type, std::string_view provider) { return find_other(type, provider) != nullptr; }

std::string other_system_problem(std::string_view type, std::string_view provider, RunContext& run) {
  const OtherProvider* found = find_other(type, provider);
  if (found == nullptr) return {};
  if (!found->program.empty() && find_tool(run, found->program))
    throw ResourceError(fmt::format("pupc does not have the {} provider '{}'", type, provider));
  return fmt::format("Provider {} is not functional on this host", provider);
}

} // namespace pupc::runtime
