#pragma once
// The servers that DNS names for a domain: SRV records, as the setting `use_srv_records` asks for them.
#include "tools/http/client.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pupc::cli::agent {

struct SrvRecord {
  uint16_t priority = 0, weight = 0, port = 0;
  std::string host;
  bool operator==(const SrvRecord&) const = default;
};

/// The SRV records of a DNS answer; nothing when the bytes are no answer. Records whose host is no name are left out.
std::optional<std::vector<SrvRecord>> read_srv_answer(std::span<const unsigned char> answer);

/// The order in which servers are tried: by priority, within one by weight and chance. `below(n)` gives a number from 0 to n - 1.
std::vector<http::ServerAddress> in_srv_order(std::vector<SrvRecord> records, const std::function<int64_t(int64_t)>& below);

/// The servers of a service ("puppet", "ca", "report", "fileserver") in that order; those of `puppet` when the service has none. Empty
/// without a domain, and when DNS has no answer.
std::vector<http::ServerAddress> srv_servers(const std::string& service, const std::string& domain);

} // namespace pupc::cli::agent
