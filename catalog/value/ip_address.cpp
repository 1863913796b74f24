#include "catalog/value/ip_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>

namespace pupc::catalog {
namespace {

bool is_small_number(std::string_view s) {
  return !s.empty() && s.size() < 6 && s.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The number of leading one bits of a mask such as 255.255.0.0, or -1 if a one follows a zero.
int bits_of_mask(const std::array<uint8_t, 16>& mask, int bytes) {
  int ones = 0;
  bool ended = false;
  for (int i = 0; i < bytes * 8; ++i) {
    bool one = (mask[static_cast<size_t>(i / 8)] >> (7 - i % 8) & 1) != 0;
    if (one && ended) return -1;
    if (one)
      ++ones;
    else
      ended = true;
  }
  return ones;
}

} // namespace

bool IpAddress::includes(const IpAddress& other) const {
  if (family != other.family) return false;
  for (int i = 0; i < prefix; ++i) {
    auto at = static_cast<size_t>(i / 8);
    if (((bytes[at] ^ other.bytes[at]) >> (7 - i % 8) & 1) != 0) return false;
  }
  return true;
}

std::optional<IpAddress> parse_ip_address(std::string_view text, std::string& error) {
  size_t slash = text.find('/');
  std::string_view host = text.substr(0, slash);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  std::string_view bare = host.substr(0, host.find('%'));
  IpAddress ip;
  std::string name(bare);
  if (bare.size() == host.size() && inet_pton(AF_INET, name.c_str(), ip.bytes.data()) == 1) {
    ip.family = 4;
    ip.prefix = 32;
  } else if (bare.find(':') != std::string_view::npos && inet_pton(AF_INET6, name.c_str(), ip.bytes.data()) == 1) {
    ip.family = 6;
    ip.prefix = 128;
  } else {
    error = "invalid address: "; // IPAddr's message does not contain the text here
    return std::nullopt;
  }
  if (slash == std::string_view::npos) return ip;
  std::string_view prefix = text.substr(slash + 1);
  int most = ip.prefix;
  if (is_small_number(prefix)) {
    int n = std::stoi(std::string(prefix));
    if (n > most) {
      error = fmt::format("invalid length: {}", text);
      return std::nullopt;
    }
    ip.prefix = n;
    return ip;
  }
  std::array<uint8_t, 16> mask{};
  std::string mask_text(prefix);
  int bits = inet_pton(ip.family == 4 ? AF_INET : AF_INET6, mask_text.c_str(), mask.data()) == 1 ? bits_of_mask(mask, most / 8) : -1;
  if (bits < 0) {
    error = fmt::format("invalid mask: {}", text);
    return std::nullopt;
  }
  ip.prefix = bits;
  return ip;
}

std::optional<IpAddress> parse_ip_address(std::string_view text) {
  std::string ignored;
  return parse_ip_address(text, ignored);
}

} // namespace pupc::catalog
