#pragma once
// IPv4 and IPv6 addresses with an optional prefix, as Ruby's IPAddr reads them.
#include "catalog/base/namespaces.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pupc::catalog {

struct IpAddress {
  int family = 4; // 4 or 6
  std::array<uint8_t, 16> bytes{};
  int prefix = 32; // bits

  /// Whether `other` lies in this network.
  bool includes(const IpAddress& other) const;
};

/// Reads `1.2.3.4`, `10.0.0.0/8`, `10.0.0.0/255.0.0.0`, `::1`, `[::1]`, `fe80::1%eth0`, `::/0`. On failure returns nothing and sets
/// `error` to IPAddr's message.
std::optional<IpAddress> parse_ip_address(std::string_view text, std::string& error);
std::optional<IpAddress> parse_ip_address(std::string_view text);

} // namespace pupc::catalog
