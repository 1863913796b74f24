#include "tools/agent/srv_records.h"

#include "tools/agent/run_files.h"

#include <algorithm>
#include <arpa/nameser.h>
#include <netinet/in.h>
#include <resolv.h>

namespace pupc::cli::agent {
namespace {

constexpr size_t most_records = 1000;

bool is_host_name(std::string_view name) {
  return !name.empty() && name != "." && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  });
}

} // namespace

std::optional<std::vector<SrvRecord>> read_srv_answer(std::span<const unsigned char> answer) {
  ns_msg message;
  if (::ns_initparse(answer.data(), static_cast<int>(answer.size()), &message) != 0) return std::nullopt;
  std::vector<SrvRecord> out;
  for (int i = 0; i < ns_msg_count(message, ns_s_an) && out.size() < most_records; ++i) {
    ns_rr record;
    if (::ns_parserr(&message, ns_s_an, i, &record) != 0) return std::nullopt;
    if (ns_rr_type(record) != ns_t_srv || ns_rr_class(record) != ns_c_in || ns_rr_rdlen(record) < 7) continue;
    const unsigned char* data = ns_rr_rdata(record);
    SrvRecord one{
        static_cast<uint16_t>(ns_get16(data)), static_cast<uint16_t>(ns_get16(data + 2)), static_cast<uint16_t>(ns_get16(data + 4)), {}};
    char name[NS_MAXDNAME];
    if (::ns_name_uncompress(ns_msg_base(message), ns_msg_end(message), data + 6, name, sizeof name) < 0) return std::nullopt;
    one.host = name;
    if (one.port != 0 && is_host_name(one.host)) out.push_back(std::move(one));
  }
  return out;
}

std::vector<http::ServerAddress> in_srv_order(std::vector<SrvRecord> records, const std::function<int64_t(int64_t)>& below) {
  const auto weight = [](const SrvRecord& r) { return r.weight == 0 ? int64_t(1) : int64_t(r.weight) * 10; }; // as Puppet counts
  std::ranges::stable_sort(records, {}, &SrvRecord::priority);
  std::vector<http::ServerAddress> out;
  while (!records.empty()) {
    const auto end = std::ranges::find_if(records, [&](const SrvRecord& r) { return r.priority != records.front().priority; });
    int64_t total = 0;
    for (auto it = records.begin(); it != end; ++it) total += weight(*it);
    int64_t chosen = below(total);
    auto it = records.begin();
    while (chosen >= weight(*it)) chosen -= weight(*it++);
    http::ServerAddress server;
    server.host = it->host;
    server.port = it->port;
    out.push_back(std::move(server));
    records.erase(it);
  }
  return out;
}

std::vector<http::ServerAddress> srv_servers(const std::string& service, const std::string& domain) {
  if (domain.empty()) return {};
  const std::string name = service == "puppet" ? "_x-puppet._tcp." + domain : "_x-puppet-" + service + "._tcp." + domain;
  struct __res_state resolver {};
  if (::res_ninit(&resolver) != 0) return {};
  std::vector<unsigned char> answer(NS_MAXMSG);
  const int size = ::res_nquery(&resolver, name.c_str(), ns_c_in, ns_t_srv, answer.data(), static_cast<int>(answer.size()));
  ::res_nclose(&resolver);
  std::vector<SrvRecord> records;
  if (size > 0 && size <= static_cast<int>(answer.size()))
    records = read_srv_answer({answer.data(), static_cast<size_t>(size)}).value_or(std::vector<SrvRecord>());
  if (records.empty() && service != "puppet") return srv_servers("puppet", domain);
  return in_srv_order(std::move(records), random_below);
}

} // namespace pupc::cli::agent
