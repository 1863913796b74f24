#pragma once
// What the resolvers ask the kernel and the C library besides files: names, addresses, sizes. Tests replace it by fixed answers.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pupc::runtime {

struct UnameFields {
  std::string kernel, node, release, version, machine;
};

struct InterfaceAddress {
  enum Family : uint8_t { None, Link, Inet, Inet6 };
  std::string interface;
  Family family = None;
  std::vector<uint8_t> address, netmask; // in network order; for Link, the hardware address
};

struct FilesystemSize {
  uint64_t total = 0, available = 0, free = 0; // in bytes
};

class MachineProbe {
public:
  virtual ~MachineProbe() = default;
  virtual UnameFields uname() = 0;
  /// All addresses, in the kernel's order.
  virtual std::vector<InterfaceAddress> interface_addresses() = 0;
  /// The size of the file system at a path; nothing when the kernel does not tell.
  virtual std::optional<FilesystemSize> filesystem_size(const std::string& path) = 0;
  /// A host's canonical name from the resolver; nothing when the resolver knows none.
  virtual std::optional<std::string> canonical_name(const std::string& host) = 0;
  /// The abbreviation of the local time zone.
  virtual std::string time_zone() = 0;
  /// The hypervisor's signature from the CPUID instruction ("KVMKVMKVM"); empty without a hypervisor.
  virtual std::string hypervisor_signature() = 0;
  /// The environment variables whose names begin with `prefix`.
  virtual std::vector<std::pair<std::string, std::string>> environment(const std::string& prefix) = 0;
};

/// The probe of this machine.
std::unique_ptr<MachineProbe> make_machine_probe();

} // namespace pupc::runtime
