#include "runtime/facts/resolvers.h"

namespace pupc::runtime {
namespace {

/// The domain in /etc/resolv.conf: `domain`, else the first word of `search`.
std::optional<std::string> resolver_domain(FactSources& from) {
  std::optional<std::string> search;
  for (const std::string& line : from.lines("/etc/resolv.conf")) {
    const auto words = split_words(line);
    if (words.size() < 2 || line[0] != words[0][0]) continue;
    if (words[0] == "domain") return words[1];
    if (words[0] == "search" && !search) search = words[1];
  }
  return search;
}

} // namespace

void resolve_hostname(FactSources& from, Facts& facts) {
  const std::string node = from.system.hostname();
  if (node.empty()) return;
  const size_t dot = node.find('.');
  const std::string host = node.substr(0, dot);
  std::string domain = dot == std::string::npos ? "" : node.substr(dot + 1);
  std::string fqdn;
  if (domain.empty()) {
    fqdn = from.probe.canonical_name(host).value_or("");
    if (fqdn == host) fqdn.clear();
    if (fqdn.starts_with(host + ".")) domain = fqdn.substr(host.size() + 1);
  }
  if (domain.empty()) domain = resolver_domain(from).value_or("");
  if (fqdn.empty()) fqdn = domain.empty() ? host : host + "." + domain;
  facts.set("networking.hostname", host);
  if (!domain.empty()) facts.set("networking.domain", domain);
  facts.set("networking.fqdn", fqdn);
}

} // namespace pupc::runtime
