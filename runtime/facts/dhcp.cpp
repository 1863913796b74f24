// The DHCP server of an interface, from the lease files of systemd-networkd, dhclient and NetworkManager.
#include "runtime/facts/resolvers.h"

#include <cctype>

namespace pupc::runtime {
namespace {

std::optional<std::string> dhclient_server(FactSources& from, const std::string& interface) {
  for (const char* directory : {"/var/lib/dhclient/", "/var/lib/dhcp/", "/var/lib/dhcp3/", "/var/lib/NetworkManager/", "/var/db/"})
    for (const std::string& name : from.entries(directory)) {
      const size_t client = name.find("dhclient");
      if (client == std::string::npos || name.find(".lease", client) == std::string::npos) continue;
      const auto lease = from.read(directory + name);
      if (!lease) continue;
      const size_t at = lease->find("interface");
      if (at == std::string::npos || lease->find(interface, at) == std::string::npos) continue;
      if (auto server = after(*lease, "dhcp-server-identifier ")) {
        size_t end = 0;
        while (end < server->size() && (isdigit(static_cast<unsigned char>((*server)[end])) || (*server)[end] == '.')) ++end;
        if (end) return server->substr(0, end);
      }
    }
  return std::nullopt;
}

} // namespace

std::optional<std::string> dhcp_server(FactSources& from, const std::string& interface, const std::string& index) {
  if (!index.empty())
    if (auto lease = from.read("/run/systemd/netif/leases/" + index))
      if (auto server = after(*lease, "SERVER_ADDRESS=")) return server;
  if (auto server = dhclient_server(from, interface)) return server;
  const std::string manager = "/var/lib/NetworkManager/";
  for (const std::string& name : from.entries(manager))
    if (name.find("internal") != std::string::npos && name.ends_with(interface + ".lease"))
      if (auto lease = from.read(manager + name)) return after(*lease, "SERVER_ADDRESS=");
  return std::nullopt;
}

} // namespace pupc::runtime
