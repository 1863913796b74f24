#include "tools/pupc/node/machine_facts.h"

#include "catalog/base/diagnostic.h"
#include "catalog/json/json_reader.h"
#include "compiler/load/facts_file.h"
#include "tools/pupc/options.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace pupc::cli {
namespace {

namespace fs = std::filesystem;

/// What differs between the releases of systems. Releases are told as Facter does: of Ubuntu "22.04" is the major one.
struct SystemRelease {
  std::string_view id, name, family, full, major, minor; // no minor: the release has none
  std::string_view distro, codename, description;        // of os.distro; no codename: it has none
  std::string_view kernel;
  std::string_view architecture; // as the family names x86_64
  bool selinux;
};

constexpr SystemRelease systems[] = {
    {"almalinux-8", "AlmaLinux", "RedHat", "8.10", "8", "10", "AlmaLinux", "Cerulean Leopard", "AlmaLinux release 8.10 (Cerulean Leopard)",
     "4.18.0-553.el8_10.x86_64", "x86_64", true},
    {"almalinux-9", "AlmaLinux", "RedHat", "9.4", "9", "4", "AlmaLinux", "Seafoam Ocelot", "AlmaLinux release 9.4 (Seafoam Ocelot)",
     "5.14.0-427.el9.x86_64", "x86_64", true},
    {"amazon-2", "Amazon", "RedHat", "2", "2", "", "Amazon", "", "Amazon Linux release 2 (Karoo)", "4.14.336-257.562.amzn2.x86_64",
     "x86_64", false},
    {"amazon-2023", "Amazon", "RedHat", "2023", "2023", "", "Amazon", "", "Amazon Linux release 2023 (Amazon Linux)",
     "6.1.82-99.168.amzn2023.x86_64", "x86_64", true},
    {"centos-7", "CentOS", "RedHat", "7.9.2009", "7", "9", "CentOS", "Core", "CentOS Linux release 7.9.2009 (Core)",
     "3.10.0-1160.el7.x86_64", "x86_64", true},
    {"centos-9", "CentOS", "RedHat", "9", "9", "", "CentOSStream", "", "CentOS Stream release 9", "5.14.0-427.el9.x86_64", "x86_64", true},
    {"debian-10", "Debian", "Debian", "10.13", "10", "13", "Debian", "buster", "Debian GNU/Linux 10 (buster)", "4.19.0-26-amd64", "amd64",
     false},
    {"debian-11", "Debian", "Debian", "11.9", "11", "9", "Debian", "bullseye", "Debian GNU/Linux 11 (bullseye)", "5.10.0-28-amd64", "amd64",
     false},
    {"debian-12", "Debian", "Debian", "12.5", "12", "5", "Debian", "bookworm", "Debian GNU/Linux 12 (bookworm)", "6.1.0-18-amd64", "amd64",
     false},
    {"debian-13", "Debian", "Debian", "13.1", "13", "1", "Debian", "trixie", "Debian GNU/Linux 13 (trixie)", "6.12.43+deb13-amd64", "amd64",
     false},
    {"fedora-40", "Fedora", "RedHat", "40", "40", "", "Fedora", "Forty", "Fedora release 40 (Forty)", "6.8.5-301.fc40.x86_64", "x86_64",
     true},
    {"fedora-41", "Fedora", "RedHat", "41", "41", "", "Fedora", "Forty One", "Fedora release 41 (Forty One)", "6.11.4-301.fc41.x86_64",
     "x86_64", true},
    {"opensuse-15", "openSUSE", "Suse", "15.5", "15", "5", "openSUSE", "", "openSUSE Leap 15.5", "5.14.21-150500.55-default", "x86_64",
     false},
    {"oraclelinux-8", "OracleLinux", "RedHat", "8.9", "8", "9", "OracleServer", "", "Oracle Linux Server release 8.9",
     "5.15.0-200.131.27.el8uek.x86_64", "x86_64", true},
    {"oraclelinux-9", "OracleLinux", "RedHat", "9.3", "9", "3", "OracleServer", "", "Oracle Linux Server release 9.3",
     "5.15.0-200.131.27.el9uek.x86_64", "x86_64", true},
    {"redhat-7", "RedHat", "RedHat", "7.9", "7", "9", "RedHatEnterpriseServer", "Maipo",
     "Red Hat Enterprise Linux Server release 7.9 (Maipo)", "3.10.0-1160.el7.x86_64", "x86_64", true},
    {"redhat-8", "RedHat", "RedHat", "8.9", "8", "9", "RedHatEnterprise", "Ootpa", "Red Hat Enterprise Linux release 8.9 (Ootpa)",
     "4.18.0-513.el8.x86_64", "x86_64", true},
    {"redhat-9", "RedHat", "RedHat", "9.3", "9", "3", "RedHatEnterprise", "Plow", "Red Hat Enterprise Linux release 9.3 (Plow)",
     "5.14.0-362.el9.x86_64", "x86_64", true},
    {"rocky-8", "Rocky", "RedHat", "8.9", "8", "9", "Rocky", "Green Obsidian", "Rocky Linux release 8.9 (Green Obsidian)",
     "4.18.0-513.el8.x86_64", "x86_64", true},
    {"rocky-9", "Rocky", "RedHat", "9.3", "9", "3", "Rocky", "Blue Onyx", "Rocky Linux release 9.3 (Blue Onyx)", "5.14.0-362.el9.x86_64",
     "x86_64", true},
    {"sles-12", "SLES", "Suse", "12.5", "12", "5", "SUSE LINUX", "", "SUSE Linux Enterprise Server 12 SP5", "4.12.14-122-default", "x86_64",
     false},
    {"sles-15", "SLES", "Suse", "15.5", "15", "5", "SUSE LINUX", "", "SUSE Linux Enterprise Server 15 SP5", "5.14.21-150500.53-default",
     "x86_64", false},
    {"ubuntu-20.04", "Ubuntu", "Debian", "20.04", "20.04", "", "Ubuntu", "focal", "Ubuntu 20.04.6 LTS", "5.4.0-172-generic", "amd64",
     false},
    {"ubuntu-22.04", "Ubuntu", "Debian", "22.04", "22.04", "", "Ubuntu", "jammy", "Ubuntu 22.04.4 LTS", "5.15.0-100-generic", "amd64",
     false},
    {"ubuntu-24.04", "Ubuntu", "Debian", "24.04", "24.04", "", "Ubuntu", "noble", "Ubuntu 24.04 LTS", "6.8.0-31-generic", "amd64", false},
};

// What all of them have: a small virtual machine, with addresses that documentation is to use (RFC 5737, RFC 3849).
constexpr std::string_view recorded_machine = R"json({
  "dmi": {"manufacturer": "QEMU", "product": {"name": "Standard PC (Q35 + ICH9, 2009)"}},
  "disks": {"vda": {"size": "20.00 GiB", "size_bytes": 21474836480, "type": "hdd", "vendor": "0x1af4"}},
  "facterversion": "4.3.0",
  "filesystems": "ext2,ext3,ext4,squashfs,vfat,xfs",
  "fips_enabled": false,
  "hypervisors": {"kvm": {}},
  "identity": {"gid": 0, "group": "root", "privileged": true, "uid": 0, "user": "root"},
  "is_virtual": true,
  "kernel": "Linux",
  "load_averages": {"15m": 0.05, "1m": 0.0, "5m": 0.01},
  "memory": {"system": {"available": "3.40 GiB", "available_bytes": 3650722202, "capacity": "12.82%", "total": "3.90 GiB",
                        "total_bytes": 4187593114, "used": "512.00 MiB", "used_bytes": 536870912}},
  "mountpoints": {"/": {"available": "15.00 GiB", "available_bytes": 16106127360, "capacity": "21.05%", "device": "/dev/vda1",
                        "filesystem": "ext4", "options": ["rw", "relatime"], "size": "19.00 GiB", "size_bytes": 20401094656,
                        "used": "4.00 GiB", "used_bytes": 4294967296}},
  "networking": {"interfaces": {
      "eth0": {"bindings": [{"address": "192.0.2.10", "netmask": "255.255.255.0", "network": "192.0.2.0"}],
               "bindings6": [{"address": "2001:db8::10", "netmask": "ffff:ffff:ffff:ffff::", "network": "2001:db8::", "scope6": "global"}],
               "ip": "192.0.2.10", "ip6": "2001:db8::10", "mac": "52:54:00:00:00:10", "mtu": 1500, "netmask": "255.255.255.0",
               "netmask6": "ffff:ffff:ffff:ffff::", "network": "192.0.2.0", "network6": "2001:db8::", "scope6": "global"},
      "lo": {"bindings": [{"address": "127.0.0.1", "netmask": "255.0.0.0", "network": "127.0.0.0"}],
             "bindings6": [{"address": "::1", "netmask": "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "network": "::1", "scope6": "host"}],
             "ip": "127.0.0.1", "ip6": "::1", "mtu": 65536, "netmask": "255.0.0.0",
             "netmask6": "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "network": "127.0.0.0", "network6": "::1", "scope6": "host"}},
    "ip": "192.0.2.10", "ip6": "2001:db8::10", "mac": "52:54:00:00:00:10", "mtu": 1500, "netmask": "255.255.255.0",
    "netmask6": "ffff:ffff:ffff:ffff::", "network": "192.0.2.0", "network6": "2001:db8::", "primary": "eth0", "scope6": "global"},
  "partitions": {"/dev/vda1": {"filesystem": "ext4", "mount": "/", "size": "20.00 GiB", "size_bytes": 21473787904}},
  "path": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  "processors": {"cores": 2, "count": 2, "isa": "x86_64", "models": ["QEMU Virtual CPU", "QEMU Virtual CPU"], "physicalcount": 1, "threads": 1},
  "puppetversion": "8.11.0",
  "system_uptime": {"days": 1, "hours": 26, "seconds": 93600, "uptime": "1 day"},
  "timezone": "UTC",
  "virtual": "kvm"
})json";

Value text(Arena& arena, std::string_view t) { return Value::string(arena.copy(t)); }

/// A copy of a hash with one member set, by its path.
Value with_member(Arena& arena, const Value& hash, std::string_view path, const Value& value, std::string_view whole) {
  const size_t dot = path.find('.');
  const std::string_view name = path.substr(0, dot);
  if (name.empty()) throw UsageError{fmt::format("'{}' names no fact: a name is like os.family", whole)};
  if (!hash.is_hash()) throw UsageError{fmt::format("'{}' cannot be set: the fact that it is a part of is no hash", whole)};
  HashBuilder out(arena);
  for (const HashEntry& e : hash.hash->entries()) out.set(e.key, e.value);
  if (dot == std::string_view::npos) {
    out.set(arena.copy(name), value);
  } else {
    const Value* inner = hash.hash->find(name);
    const Value empty = HashBuilder(arena).finish();
    out.set(arena.copy(name), with_member(arena, inner == nullptr ? empty : *inner, path.substr(dot + 1), value, whole));
  }
  return out.finish();
}

Value release(Arena& arena, const SystemRelease& s) {
  HashBuilder out(arena);
  out.set("full", text(arena, s.full));
  out.set("major", text(arena, s.major));
  if (!s.minor.empty()) out.set("minor", text(arena, s.minor));
  return out.finish();
}

Value os_fact(Arena& arena, const SystemRelease& s) {
  HashBuilder distro(arena), selinux(arena), os(arena);
  if (!s.codename.empty()) distro.set("codename", text(arena, s.codename));
  distro.set("description", text(arena, s.description));
  distro.set("id", text(arena, s.distro));
  distro.set("release", release(arena, s));
  if (s.selinux) {
    for (const auto& [name, value] :
         {std::pair("config_mode", "enforcing"), std::pair("config_policy", "targeted"), std::pair("current_mode", "enforcing")})
      selinux.set(name, text(arena, value));
  }
  selinux.set("enabled", Value::boolean(s.selinux));
  if (s.selinux) {
    selinux.set("enforced", Value::boolean(true));
    selinux.set("policy_version", text(arena, "33"));
  }
  os.set("architecture", text(arena, s.architecture));
  os.set("distro", distro.finish());
  os.set("family", text(arena, s.family));
  os.set("hardware", text(arena, "x86_64"));
  os.set("name", text(arena, s.name));
  os.set("release", release(arena, s));
  os.set("selinux", selinux.finish());
  return os.finish();
}

} // namespace

std::vector<std::string_view> usual_systems() {
  std::vector<std::string_view> out;
  for (const SystemRelease& s : systems) out.push_back(s.id);
  return out;
}

Value usual_facts(Arena& arena, std::string_view system, std::string_view fqdn) {
  const SystemRelease* found = std::find_if(std::begin(systems), std::end(systems), [&](const SystemRelease& s) { return s.id == system; });
  if (found == std::end(systems)) {
    const auto names = usual_systems();
    const auto near = similar_names(system, names, 1);
    throw UsageError{fmt::format("--for: '{}' is not known{}; known are {}", system,
                                 near.empty() ? "" : fmt::format(", did you mean '{}'?", near[0]), fmt::join(names, ", "))};
  }
  Value facts;
  JsonError error;
  parse_json(recorded_machine, arena, facts, error);
  auto set = [&](std::string_view path, const Value& value) { facts = with_member(arena, facts, path, value, path); };
  const std::string_view hostname = fqdn.substr(0, fqdn.find('.'));
  set("networking.fqdn", text(arena, fqdn));
  set("networking.hostname", text(arena, hostname));
  if (hostname.size() < fqdn.size()) set("networking.domain", text(arena, fqdn.substr(hostname.size() + 1)));
  const std::string_view version = found->kernel.substr(0, found->kernel.find('-'));
  set("kernelrelease", text(arena, found->kernel));
  set("kernelversion", text(arena, version));
  set("kernelmajversion", text(arena, version.substr(0, version.find('.', version.find('.') + 1))));
  set("os", os_fact(arena, *found));
  return facts;
}

Value with_facts(Arena& arena, Value facts, const std::vector<std::string>& assignments) {
  for (const std::string& assignment : assignments) {
    const size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0) throw UsageError{fmt::format("--set takes NAME=VALUE, not '{}'", assignment)};
    const std::string value = assignment.substr(equals + 1);
    Value parsed;
    JsonError error;
    // What is no JSON is a text: role=web
    if (!parse_json(arena.copy(value), arena, parsed, error)) parsed = text(arena, value);
    const std::string_view name = arena.copy(std::string_view(assignment).substr(0, equals));
    facts = with_member(arena, facts, name, parsed, name);
  }
  return facts;
}

std::vector<NodeFacts> stored_facts(Arena& arena, const std::string& directory) {
  std::vector<std::string> files;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(directory, problem)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".json" || extension == ".yaml" || extension == ".yml") files.push_back(entry.path().string());
  }
  if (problem) throw UsageError{fmt::format("--from: cannot read the directory '{}': {}", directory, problem.message())};
  if (files.empty()) throw UsageError{fmt::format("--from: there is no file of facts (.yaml, .yml, .json) in '{}'", directory)};
  std::sort(files.begin(), files.end());
  std::vector<NodeFacts> out;
  for (const std::string& file : files) {
    NodeFacts node;
    node.facts = read_facts_file(arena, file, &node.name);
    if (node.name.empty()) node.name = fs::path(file).stem().string();
    out.push_back(std::move(node));
  }
  return out;
}

} // namespace pupc::cli
