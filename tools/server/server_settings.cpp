#include "tools/server/server_settings.h"

#include "catalog/base/arena.h"
#include "catalog/base/paths.h"
#include "catalog/formats/data_file.h"
#include "tools/pupc/node/puppetdb_commands.h"
#include "tools/pupc/options.h"
#include "tools/pupc/settings/puppet_conf.h"
#include "tools/pupc/workers.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>

namespace pupc::server {
namespace {

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

/// What of the listening and TLS the command line has said, so that files do not change it.
struct Given {
  bool address = false, port = false, auth = false;
};

void take_listen(Settings& s, Given& given, std::string_view text) {
  const size_t colon = text.rfind(':');
  std::string_view host = colon == std::string_view::npos ? std::string_view() : text.substr(0, colon);
  const std::string_view digits = colon == std::string_view::npos ? text : text.substr(colon + 1);
  const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), s.listen.port);
  if (ec != std::errc() || end != digits.data() + digits.size())
    throw UsageError{fmt::format("--listen is [ADDRESS:]PORT, not '{}'", text)};
  given.port = true;
  if (host.empty()) return;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  s.listen.address = host;
  given.address = true;
}

/// Settings of puppetserver's webserver.conf. A setting that is not known is noted, one that would change who may come in is refused.
void read_webserver(Settings& s, const Given& given, const std::string& file) {
  const auto text = read_whole_file(file);
  if (!text) throw std::runtime_error(fmt::format("Could not read {}: {}", file, file_problem(errno)));
  Arena arena;
  Value root;
  if (const auto error = read_hocon(*text, arena, root))
    throw std::runtime_error(fmt::format("{}: {} (line: {})", file, error->message, error->line));
  const Value* section = root.is_hash() ? root.hash->find("webserver") : nullptr;
  if (section == nullptr || !section->is_hash()) throw std::runtime_error(file + " has no section 'webserver'");
  for (const HashEntry& e : section->hash->entries()) {
    const std::string_view key = e.key.str();
    const std::string value = e.value.is_string() ? std::string(e.value.str())
                              : e.value.is_int()  ? std::to_string(e.value.i)
                                                  : std::string();
    if (key == "ssl-host") {
      if (!given.address) s.listen.address = value;
    } else if (key == "ssl-port") {
      if (!e.value.is_int() || e.value.i < 1 || e.value.i > 65535)
        throw std::runtime_error(file + ": ssl-port is no number from 1 to 65535");
      if (!given.port) s.listen.port = static_cast<uint16_t>(e.value.i);
    } else if (key == "ssl-cert" || key == "ssl-cert-chain") {
      s.tls.certificate = value;
    } else if (key == "ssl-key") {
      s.tls.key = value;
    } else if (key == "ssl-ca-cert") {
      s.tls.ca = value;
    } else if (key == "ssl-crl-path") {
      s.tls.crl = value;
    } else if (key == "client-auth") {
      if (value != "want")
        throw std::runtime_error(fmt::format(
            "{}: client-auth = {} is not supported: certificates are wanted, and the rules of auth.conf tell where one is needed", file,
            value));
    } else if (key == "host" || key == "port") {
      throw std::runtime_error(fmt::format("{}: '{}' asks for HTTP without TLS, which is not supported", file, key));
    } else {
      s.notes.push_back(fmt::format("{}: the setting {} has no meaning here", file, key));
    }
  }
}

http::Revocation revocation_of(const PuppetSettings& conf) {
  const std::string text = conf.value("certificate_revocation");
  return text == "false" ? http::Revocation::None : text == "leaf" ? http::Revocation::Leaf : http::Revocation::Chain;
}

void take_files(Settings& s, const Given& given) {
  const PuppetSettings& conf = s.compile.configuration;
  s.tls.certificate = conf.value("hostcert");
  s.tls.key = conf.value("hostprivkey");
  s.tls.ca = conf.value("localcacert");
  s.tls.crl = conf.value("hostcrl");
  s.tls.revocation = revocation_of(conf);
  if (!given.port) s.listen.port = static_cast<uint16_t>(conf.integer_of("serverport"));
  const std::string confdir = conf.value("confdir");
  if (s.conf_dir.empty())
    for (const std::string& directory : {confdir + "/../puppetserver/conf.d", confdir + "/puppetserver/conf.d"})
      if (is_directory(directory)) s.conf_dir = absolute_path(directory);
  if (!s.conf_dir.empty()) {
    if (const std::string file = s.conf_dir + "/webserver.conf"; exists(file)) read_webserver(s, given, file);
    if (const std::string file = s.conf_dir + "/auth.conf"; !given.auth && exists(file)) s.auth_file = file;
  }
  if (const std::string file = confdir + "/custom_trusted_oid_mapping.yaml"; exists(file)) s.oid_names = file;
  if (const std::string file = conf.value("fileserverconfig"); exists(file)) s.fileserver = file;
  const std::string vardir = conf.value("vardir");
  s.facts_directory = vardir + "/server_data/facts";
  s.report_directory = conf.value("reportdir");
  s.bucket_directory = conf.value("bucketdir");
  for (const std::string& name : conf.list_of("reports")) {
    if (name == "none" || name.empty()) continue;
    if (name != "store" && name != "log" && name != "http" && name != "puppetdb")
      throw std::runtime_error(
          fmt::format("The setting reports names '{}', which is not supported: it is store, log, http, puppetdb or none", name));
    s.reports.push_back(name);
  }
  s.puppetdb = puppetdb_commands(s.compile, "server", std::ranges::find(s.reports, "puppetdb") != s.reports.end());
  s.notes.insert(s.notes.end(), s.puppetdb.notes.begin(), s.puppetdb.notes.end());
}

} // namespace

Settings read_settings(std::span<const std::string_view> words, bool& help) {
  Settings s;
  Given given;
  CompileOptions& compile = s.compile;
  std::vector<Option> table = compile_option_table(compile);
  std::erase_if(table, [](const Option& o) {
    static constexpr std::string_view not_here[] = {"-e --execute", "--node --certname", "--facts",
                                                    "--trusted",    "--as-puppet",       "--explain-ruby"};
    return std::ranges::find(not_here, o.names) != std::end(not_here);
  });
  table.push_back({"--listen", "[ADDRESS:]PORT", "where to listen (0.0.0.0:8140; 0: any free port)",
                   [&](std::string_view v) { take_listen(s, given, v); }});
  table.push_back({"--conf-dir", "DIR", "puppetserver's conf.d: webserver.conf, auth.conf",
                   [&](std::string_view v) { s.conf_dir = absolute_path(v); }});
  table.push_back({"--auth", "FILE", "rules of who may ask for what (auth.conf)", [&](std::string_view v) {
                     s.auth_file = absolute_path(v);
                     given.auth = true;
                   }});
  table.push_back({"--log", "FILE", "the server's log (standard error)", [&](std::string_view v) { s.log = v; }});
  table.push_back({"--access-log", "FILE", "a line for each request (none)", [&](std::string_view v) { s.access_log = v; }});
  table.push_back({"--loops", "N", "threads that read, write and do handshakes (2)",
                   [&](std::string_view v) { s.listen.loops = positive_number("--loops", v); }});
  table.push_back({"--file-jobs", "N", "threads for files and reports (2)",
                   [&](std::string_view v) { s.file_jobs = positive_number("--file-jobs", v); }});
  table.push_back({"--max-waiting", "N", "compiles that may wait; beyond, agents are told to come again (300)",
                   [&](std::string_view v) { s.most_waiting = positive_number("--max-waiting", v); }});
  table.push_back({"--max-connections", "N", "connections at the same time (5000)",
                   [&](std::string_view v) { s.listen.most_connections = positive_number("--max-connections", v); }});
  table.push_back({"--max-request", "MB", "of one request's body (32)",
                   [&](std::string_view v) { s.most_body = size_t(positive_number("--max-request", v)) << 20; }});
  table.push_back({"--idle-timeout", "SECONDS", "until a connection without requests is closed (30)",
                   [&](std::string_view v) { s.listen.idle = std::chrono::seconds(positive_number("--idle-timeout", v)); }});
  table.push_back({"--enc-timeout", "SECONDS", "until the node classifier must have answered (30)",
                   [&](std::string_view v) { s.classifier_limit = std::chrono::seconds(positive_number("--enc-timeout", v)); }});
  table.push_back({"--enc-cache", "SECONDS", "how long a node's classification holds; 0: for one request (5)", [&](std::string_view v) {
                     s.classifier_kept = std::chrono::seconds(v == "0" ? 0 : positive_number("--enc-cache", v));
                   }});
  s.access_log = "none";
  compile.limits.time = std::chrono::minutes(2); // agents wait ten
  const auto rest = Options("Usage: pupc server [options]\n\nServes Puppet's agents over HTTPS: catalogs, files, reports.",
                            std::move(table), &compile.configuration)
                        .parse(words, help);
  if (help) return s;
  if (!rest.empty()) throw UsageError{fmt::format("'{}' is no option", rest[0])};
  compile.environment.name = "production";
  read_puppet_conf(compile, nullptr);
  if (compile.environmentpath.empty()) throw std::runtime_error("There is no directory of environments (setting environmentpath)");
  if (compile.jobs == 0) compile.jobs = default_jobs();
  take_files(s, given);
  return s;
}

} // namespace pupc::server
