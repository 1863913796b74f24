#include "catalog/base/host_name.h"

#include <fstream>
#include <netdb.h>
#include <sstream>
#include <unistd.h>

namespace pupc::catalog {

namespace {

std::string resolver_domain(const std::vector<std::string>& lines) {
  std::string search;
  for (const std::string& line : lines) {
    std::istringstream words(line);
    std::string what, first;
    if (!(words >> what >> first) || line[0] != what[0]) continue;
    if (what == "domain") return first;
    if (what == "search" && search.empty()) search = first;
  }
  return search;
}

} // namespace

HostNames host_names(std::string_view node, const std::function<std::optional<std::string>(const std::string&)>& canonical,
                     const std::function<std::vector<std::string>()>& resolver_lines) {
  HostNames out;
  const size_t dot = node.find('.');
  out.host = node.substr(0, dot);
  if (dot != std::string_view::npos) out.domain = node.substr(dot + 1);
  if (out.domain.empty()) {
    out.full = canonical(out.host).value_or("");
    if (out.full == out.host) out.full.clear();
    if (out.full.starts_with(out.host + ".")) out.domain = out.full.substr(out.host.size() + 1);
  }
  if (out.domain.empty()) out.domain = resolver_domain(resolver_lines());
  if (out.full.empty()) out.full = out.domain.empty() ? out.host : out.host + "." + out.domain;
  return out;
}

std::optional<std::string> canonical_host_name(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_CANONNAME;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return std::nullopt;
  std::optional<std::string> name;
  if (found != nullptr && found->ai_canonname != nullptr) name = found->ai_canonname;
  freeaddrinfo(found);
  return name;
}

const HostNames& this_host() {
  static const HostNames found = [] {
    char name[256] = "";
    if (gethostname(name, sizeof name - 1) != 0 || *name == '\0') return HostNames{"localhost", "", "localhost"};
    return host_names(name, canonical_host_name, [] {
      std::vector<std::string> lines;
      std::ifstream in("/etc/resolv.conf");
      for (std::string line; std::getline(in, line);) lines.push_back(line);
      return lines;
    });
  }();
  return found;
}

} // namespace pupc::catalog
