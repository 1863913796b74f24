#pragma once
// What facts ask of the kernel and the C library besides files: names, addresses, sizes. Tests put fixed answers in its place.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pupc {

struct UnameFields {
  std::string kernel, node, release, version, machine;
};

struct InterfaceAddress {
  enum Family : uint8_t { None, Link, Inet, Inet6 };
  std::string interface;
  Family family = None;
  std::vector<uint8_t> address, netmask; // network order; of Link the hardware address
};

struct FilesystemSize {
  uint64_t total = 0, available = 0, free = 0; // bytes
};

class MachineProbe {
public:
  virtual ~MachineProbe() = default;
  virtual UnameFields uname() = 0;
  /// In the kernel's order.
  virtual std::vector<InterfaceAddress> interface_addresses() = 0;
  /// Nothing when it cannot be asked.
  virtual std::optional<FilesystemSize> filesystem_size(const std::string& path) = 0;
  /// The canonical name that the resolver knows of a host; nothing when it knows none.
  virtual std::optional<std::string> canonical_name(const std::string& host) = 0;
  /// Abbreviation of the local time zone.
  virtual std::string time_zone() = 0;
  /// Signature that a hypervisor gives of itself by the processor's instruction ("KVMKVMKVM"); empty without one.
  virtual std::string hypervisor_signature() = 0;
  /// Environment variables whose names begin with `prefix`.
  virtual std::vector<std::pair<std::string, std::string>> environment(const std::string& prefix) = 0;
};

/// The probe of this machine.
std::unique_ptr<MachineProbe> make_machine_probe();

} // namespace pupc
