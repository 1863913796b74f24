#pragma once
// The names of a machine, as Facter finds them; the settings of Puppet and the facts ask the same.
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::catalog {

struct HostNames {
  std::string host;   // without the domain
  std::string domain; // empty: none is known
  std::string full;   // both together
};

/// Finds the names of a machine whose kernel knows it as `node`: the domain in that name, in what `canonical` (the name that the system's
/// resolver gives) makes of it, or in the lines of resolv.conf (`domain`, else the first word of `search`). Asks only what it needs.
HostNames host_names(std::string_view node, const std::function<std::optional<std::string>(const std::string& host)>& canonical,
                     const std::function<std::vector<std::string>()>& resolver_lines);

/// The name that the system's resolver gives for a host; may ask a name server.
std::optional<std::string> canonical_host_name(const std::string& host);

/// The names of this machine, asked once.
const HostNames& this_host();

} // namespace pupc::catalog
