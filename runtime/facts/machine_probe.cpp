#include "runtime/facts/machine_probe.h"

#include "catalog/base/host_name.h"

#include <arpa/inet.h>
#include <cstring>
#include <ctime>
#include <ifaddrs.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

extern char** environ;

namespace pupc::runtime {
namespace {

std::vector<uint8_t> address_bytes(const sockaddr* a) {
  if (!a) return {};
  const uint8_t* bytes = nullptr;
  size_t size = 0;
  if (a->sa_family == AF_INET) {
    bytes = reinterpret_cast<const uint8_t*>(&reinterpret_cast<const sockaddr_in*>(a)->sin_addr);
    size = 4;
  } else if (a->sa_family == AF_INET6) {
    bytes = reinterpret_cast<const uint8_t*>(&reinterpret_cast<const sockaddr_in6*>(a)->sin6_addr);
    size = 16;
  } else if (a->sa_family == AF_PACKET) {
    const auto* link = reinterpret_cast<const sockaddr_ll*>(a);
    bytes = link->sll_addr;
    size = link->sll_halen;
  }
  return {bytes, bytes + size};
}

class LinuxProbe final : public MachineProbe {
public:
  UnameFields uname() override {
    utsname u{};
    ::uname(&u);
    return {u.sysname, u.nodename, u.release, u.version, u.machine};
  }

  std::vector<InterfaceAddress> interface_addresses() override {
    std::vector<InterfaceAddress> out;
    ifaddrs* list = nullptr;
    if (getifaddrs(&list) != 0) return out;
    for (const ifaddrs* i = list; i; i = i->ifa_next) {
      InterfaceAddress a;
      a.interface = i->ifa_name;
      if (i->ifa_addr) {
        const int family = i->ifa_addr->sa_family;
        a.family = family == AF_PACKET  ? InterfaceAddress::Link
                   : family == AF_INET  ? InterfaceAddress::Inet
                   : family == AF_INET6 ? InterfaceAddress::Inet6
                                        : InterfaceAddress::None;
        a.address = address_bytes(i->ifa_addr);
        if (a.family != InterfaceAddress::Link) a.netmask = address_bytes(i->ifa_netmask);
      }
      out.push_back(std::move(a));
    }
    freeifaddrs(list);
    return out;
  }

  std::optional<FilesystemSize> filesystem_size(const std::string& path) override {
    struct statvfs s {};
    if (::statvfs(path.c_str(), &s) != 0) return std::nullopt;
    return FilesystemSize{s.f_blocks * s.f_frsize, s.f_bavail * s.f_frsize, s.f_bfree * s.f_frsize};
  }

  std::optional<std::string> canonical_name(const std::string& host) override { return catalog::canonical_host_name(host); }

  std::string time_zone() override {
    const time_t now = time(nullptr);
    tm local{};
    localtime_r(&now, &local);
    char text[64];
    return {text, strftime(text, sizeof text, "%Z", &local)};
  }

  std::string hypervisor_signature() override {
#if defined(__x86_64__) || defined(__i386__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1U << 31))) return {};
    __cpuid(0x40000000, a, b, c, d);
    char text[13] = {};
    memcpy(text, &b, 4);
    memcpy(text + 4, &c, 4);
    memcpy(text + 8, &d, 4);
    return text;
#else
    return {};
#endif
  }

  std::vector<std::pair<std::string, std::string>> environment(const std::string& prefix) override {
    std::vector<std::pair<std::string, std::string>> out;
    for (char** e = environ; e && *e; ++e) {
      const std::string_view entry = *e;
      const size_t equals = entry.find('=');
      if (equals == std::string_view::npos || entry.substr(0, prefix.size()) != prefix) continue;
      out.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
    }
    return out;
  }
};

} // namespace

std::unique_ptr<MachineProbe> make_machine_probe() { return std::make_unique<LinuxProbe>(); }

} // namespace pupc::runtime
