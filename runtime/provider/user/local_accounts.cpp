#include "runtime/provider/user/local_accounts.h"

#include "catalog/base/split_text.h"
#include "runtime/provider/system_tools.h"

namespace pupc::runtime {
namespace {

/// The fields of the first line of an account file in which the given field has the given text.
std::optional<std::vector<std::string>> line_with(const char* file, size_t field, std::string_view text, size_t fields, RunContext& run) {
  for (const std::string& line : text_lines(read_if_there(run, file).value_or(""))) {
    auto parts = catalog::split_text(line, ':');
    if (parts.size() <= field || parts[field] != text) continue;
    parts.resize(std::max(parts.size(), fields));
    return parts;
  }
  return std::nullopt;
}

} // namespace

bool has_libuser(RunContext& run) { return run.system.executable("/usr/sbin/lgroupadd") && run.system.executable("/usr/sbin/luseradd"); }

std::vector<std::pair<std::string, std::string>> libuser_environment(RunContext& run) {
  // Puppet ships a configuration that restricts libuser to local files; without it libuser uses the machine's own configuration.
  for (const char* file :
       {"/opt/puppetlabs/puppet/lib/ruby/vendor_ruby/puppet/util/libuser.conf", "/usr/lib/ruby/vendor_ruby/puppet/util/libuser.conf"})
    if (exists(run.system, file)) return {{"LIBUSER_CONF", file}};
  return {};
}

std::optional<std::vector<std::string>> local_user(std::string_view name, RunContext& run) {
  return line_with("/etc/passwd", 0, name, 7, run);
}
std::optional<std::vector<std::string>> local_group(std::string_view name, RunContext& run) {
  return line_with("/etc/group", 0, name, 4, run);
}
bool is_local_uid(std::string_view uid, RunContext& run) { return line_with("/etc/passwd", 2, uid, 7, run).has_value(); }
bool is_local_gid(std::string_view gid, RunContext& run) { return line_with("/etc/group", 2, gid, 4, run).has_value(); }

} // namespace pupc::runtime
