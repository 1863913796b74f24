// networking: the interfaces with their addresses, as the C library lists them; the primary interface's addresses at the top level.
#include "catalog/base/split_text.h"
#include "catalog/base/text.h"
#include "runtime/facts/resolvers.h"

#include <algorithm>
#include <arpa/inet.h>
#include <fmt/format.h>
#include <map>

namespace pupc::runtime {
namespace {

using Bytes = std::vector<uint8_t>;

std::string address_text(const Bytes& bytes) {
  char text[INET6_ADDRSTRLEN] = {};
  inet_ntop(bytes.size() == 4 ? AF_INET : AF_INET6, bytes.data(), text, sizeof text);
  return text;
}

/// Whether an address must not be the main one: loopback, link-local or, for IPv6, site-local.
bool ignored(const Bytes& a) {
  if (a.size() == 4) return a[0] == 127 || (a[0] == 169 && a[1] == 254);
  bool loopback = true;
  for (size_t i = 0; i < 16; ++i) loopback &= a[i] == (i == 15 ? 1 : 0);
  return loopback || (a[0] == 0xfe && (a[1] & 0xc0) == 0x80) || (a[0] & 0xfe) == 0xfc;
}

std::string scope_of(const Bytes& a) {
  bool zeros = true;
  for (size_t i = 0; i < 12; ++i) zeros &= a[i] == 0;
  const bool loopback = zeros && a[12] == 0 && a[13] == 0 && a[14] == 0 && a[15] == 1;
  const bool compatible = zeros && !loopback && (a[12] || a[13] || a[14] || a[15]);
  const std::string_view scope = a[0] == 0xfe && (a[1] & 0xc0) == 0x80   ? "link"
                                 : a[0] == 0xfe && (a[1] & 0xc0) == 0xc0 ? "site"
                                 : loopback                              ? "host"
                                                                         : "global";
  return (compatible ? "compat," : "") + std::string(scope);
}

struct Binding {
  Bytes address, netmask;
  std::vector<std::string> flags;

  FactMap fact() const {
    Bytes network = address;
    for (size_t i = 0; i < network.size() && i < netmask.size(); ++i) network[i] &= netmask[i];
    FactMap m{{"address", address_text(address)}, {"netmask", address_text(netmask)}, {"network", address_text(network)}};
    if (address.size() == 16) {
      m.emplace_back("scope6", scope_of(address));
      if (!flags.empty()) {
        FactList list;
        for (const std::string& f : flags) list.emplace_back(f);
        m.emplace_back("flags", std::move(list));
      }
    }
    return m;
  }
};

struct Interface {
  std::string name;
  std::optional<std::string> mac;
  std::vector<Binding> bindings, bindings6;
};

/// The permanent hardware address of a bond's member: in the bond the member has another one.
std::optional<std::string> permanent_address(FactSources& from, const std::string& interface) {
  const std::string master = "/sys/class/net/" + interface + "/master";
  if (!from.exists(master)) return std::nullopt;
  for (const std::string& bond : from.entries("/proc/net/bonding")) {
    bool here = false;
    for (const std::string& line : from.lines("/proc/net/bonding/" + bond)) {
      const std::string_view text = trimmed(line, ruby_blanks);
      if (text.find("Slave Interface") != std::string_view::npos) here = text == "Slave Interface: " + interface;
      if (here && text.starts_with("Permanent HW addr: ")) return std::string(trimmed(text.substr(19), ruby_blanks));
    }
  }
  return std::nullopt;
}

std::optional<std::string> hardware_address(FactSources& from, const std::string& interface, const Bytes& bytes) {
  if (auto permanent = permanent_address(from, interface)) return permanent;
  if (bytes.size() < 6) return std::nullopt;
  std::string text;
  bool zero = true;
  for (const uint8_t b : bytes) {
    text += fmt::format("{}{:02x}", text.empty() ? "" : ":", b);
    zero &= b == 0;
  }
  if (zero && bytes.size() == 6) return std::nullopt;
  return text;
}

/// The flags of IPv6 addresses, by interface and address.
std::map<std::pair<std::string, std::string>, std::vector<std::string>> read_flags(FactSources& from) {
  static constexpr std::pair<const char*, unsigned> names[] = {{"temporary", 0x01}, {"noad", 0x02},        {"optimistic", 0x04},
                                                               {"dadfailed", 0x08}, {"homeaddress", 0x10}, {"deprecated", 0x20},
                                                               {"tentative", 0x40}, {"permanent", 0x80}};
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> out;
  for (const std::string& line : from.lines("/proc/net/if_inet6")) {
    const auto words = catalog::words_of(line);
    if (words.size() != 6 || words[0].size() != 32) continue;
    Bytes address;
    for (size_t i = 0; i < 32; i += 2) address.push_back(static_cast<uint8_t>(strtoul(words[0].substr(i, 2).c_str(), nullptr, 16)));
    const unsigned long bits = strtoul(words[4].c_str(), nullptr, 16);
    auto& flags = out[{words[5], address_text(address)}];
    for (const auto& [name, bit] : names)
      if (bits & bit) flags.emplace_back(name);
  }
  return out;
}

/// The interface of the default route, else the first one with an address that is not `ignored`.
std::optional<std::string> primary_interface(FactSources& from, const std::vector<Interface>& interfaces) {
  const auto routes = from.lines("/proc/net/route");
  for (size_t i = 1; i < routes.size(); ++i) {
    const auto fields = catalog::split_text(trimmed(routes[i], ruby_blanks), '\t');
    if (fields.size() > 7 && fields[1] == "00000000" && fields[7] == "00000000" && fields[0] != "*") return fields[0];
  }
  for (const Interface& i : interfaces) {
    for (const Binding& b : i.bindings)
      if (!ignored(b.address)) return i.name;
    for (const Binding& b : i.bindings6)
      if (!ignored(b.address)) return i.name;
  }
  return std::nullopt;
}

void add_main_binding(FactMap& fact, const std::vector<Binding>& bindings, const std::string& suffix) {
  if (bindings.empty()) return;
  const Binding* main = &bindings.front();
  for (const Binding& b : bindings)
    if (!ignored(b.address)) {
      main = &b;
      break;
    }
  const FactValue shown(main->fact());
  fact.emplace_back("ip" + suffix, *shown.find("address"));
  fact.emplace_back("netmask" + suffix, *shown.find("netmask"));
  fact.emplace_back("network" + suffix, *shown.find("network"));
  if (!suffix.empty()) fact.emplace_back("scope6", *shown.find("scope6"));
}

FactValue binding_list(const std::vector<Binding>& bindings) {
  FactList list;
  for (const Binding& b : bindings) list.emplace_back(b.fact());
  return list;
}

} // namespace

void resolve_networking(FactSources& from, Facts& facts) {
  std::vector<Interface> interfaces;
  const auto flags = read_flags(from);
  for (const InterfaceAddress& a : from.probe.interface_addresses()) {
    auto it = std::find_if(interfaces.begin(), interfaces.end(), [&](const Interface& i) { return i.name == a.interface; });
    if (it == interfaces.end()) it = interfaces.insert(it, Interface{a.interface, {}, {}, {}});
    if (a.family == InterfaceAddress::Link && !it->mac) it->mac = hardware_address(from, a.interface, a.address);
    if (a.netmask.empty() || a.netmask.size() != a.address.size()) continue;
    if (a.family == InterfaceAddress::Inet) it->bindings.push_back({a.address, a.netmask, {}});
    if (a.family == InterfaceAddress::Inet6) {
      auto f = flags.find({a.interface, address_text(a.address)});
      it->bindings6.push_back({a.address, a.netmask, f == flags.end() ? std::vector<std::string>{} : f->second});
    }
  }
  if (interfaces.empty()) return;

  const auto primary = primary_interface(from, interfaces);
  FactMap all;
  for (const Interface& i : interfaces) {
    const std::string device = "/sys/class/net/" + i.name;
    FactMap fact;
    if (i.mac) fact.emplace_back("mac", *i.mac);
    if (!i.bindings.empty()) fact.emplace_back("bindings", binding_list(i.bindings));
    if (!i.bindings6.empty()) fact.emplace_back("bindings6", binding_list(i.bindings6));
    if (auto mtu = from.read_stripped(device + "/mtu")) fact.emplace_back("mtu", leading_integer(*mtu));
    if (auto server = dhcp_server(from, i.name, from.read_stripped(device + "/ifindex").value_or(""))) fact.emplace_back("dhcp", *server);
    add_main_binding(fact, i.bindings, "");
    add_main_binding(fact, i.bindings6, "6");
    if (primary == i.name) {
      facts.set("networking.primary", i.name);
      for (const auto& [key, value] : fact)
        if (key != "bindings" && key != "bindings6") facts.set("networking." + key, value);
    }
    all.emplace_back(i.name, std::move(fact));
  }
  facts.set("networking.interfaces", std::move(all));
}

} // namespace pupc::runtime
