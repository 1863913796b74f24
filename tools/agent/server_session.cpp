#include "tools/agent/server_session.h"

#include "catalog/base/arena.h"
#include "catalog/base/version.h"
#include "catalog/json/json_reader.h"
#include "tools/agent/run_files.h"
#include "tools/agent/srv_records.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>

namespace pupc::cli::agent {
namespace {

constexpr int most_retries = 100; // after 429 and 503
constexpr size_t most_answer = size_t(256) << 20;

bool is_there(const std::string& file) {
  std::error_code ignored;
  return !file.empty() && std::filesystem::exists(file, ignored);
}

uint16_t port_of(std::string_view text, int64_t usual) {
  uint16_t port = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), port);
  return ec == std::errc() && end == text.data() + text.size() && port != 0 ? port : static_cast<uint16_t>(usual);
}

http::ServerAddress address(std::string host, uint16_t port) {
  http::ServerAddress out;
  out.host = std::move(host);
  out.port = port;
  return out;
}

/// How long an answer asks to wait; -1: it does not ask.
int64_t retry_after(const http::ClientResponse& answer) {
  const std::string_view value = answer.headers.get("Retry-After");
  if ((answer.status != 429 && answer.status != 503) || value.empty()) return -1;
  int64_t seconds = 0;
  const auto [end, ec] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  if (ec == std::errc() && end == value.data() + value.size()) return std::max<int64_t>(seconds, 0);
  std::tm t{};
  const std::string text(value);
  if (::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &t) == nullptr) return -1;
  return std::max<int64_t>(::timegm(&t) - std::time(nullptr), 0);
}

} // namespace

std::string encoded(std::string_view text, bool keep_slashes) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' ||
                       c == '~' || (keep_slashes && c == '/');
    if (plain)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

Query& Query::add(std::string_view name, std::string_view value) {
  text_ += fmt::format("{}{}={}", text_.empty() ? "" : "&", name, encoded(value));
  return *this;
}

http::TlsFiles tls_files(const PuppetSettings& settings) {
  http::TlsFiles out;
  out.certificate = settings.value("hostcert");
  out.key = settings.value("hostprivkey");
  if (!is_there(out.certificate)) out.certificate.clear();
  out.ca = settings.value("localcacert");
  out.crl = settings.value("hostcrl");
  const std::string revocation = settings.value("certificate_revocation");
  out.revocation = revocation == "false" ? http::Revocation::None : revocation == "leaf" ? http::Revocation::Leaf : http::Revocation::Chain;
  return out;
}

std::vector<http::ServerAddress> configured_servers(const PuppetSettings& settings) {
  const int64_t usual = settings.integer_of("serverport");
  std::vector<http::ServerAddress> out;
  const std::string list = settings.value("server_list");
  for (std::string_view rest = list; !rest.empty();) {
    const size_t end = std::min(rest.find(','), rest.size());
    std::string_view one = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    if (one.empty()) continue;
    const size_t colon = one.rfind(':');
    out.push_back(address(std::string(one.substr(0, colon)),
                          colon == std::string_view::npos ? static_cast<uint16_t>(usual) : port_of(one.substr(colon + 1), usual)));
  }
  if (out.empty()) out.push_back(address(settings.value("server"), static_cast<uint16_t>(usual)));
  return out;
}

std::vector<http::ServerAddress> servers_of_dns(const PuppetSettings& settings, const char* service) {
  if (!settings.truth("use_srv_records")) return {};
  std::string domain = settings.value("srv_domain");
  while (domain.ends_with('.')) domain.pop_back();
  return srv_servers(service, domain);
}

http::ServerAddress ca_address(const PuppetSettings& settings) {
  if (auto servers = servers_of_dns(settings, "ca"); !servers.empty()) return std::move(servers.front());
  if (!settings.value("server_list").empty() && !settings.given("ca_server")) return configured_servers(settings).front();
  return address(settings.value("ca_server"), static_cast<uint16_t>(settings.integer_of("ca_port")));
}

Session::Session(const PuppetSettings& settings, const http::TlsFiles& files, Warn warn)
    : settings_(settings), warn_(std::move(warn)), server_(configured_servers(settings).front()) {
  http::ClientOptions options;
  options.tls = files;
  const auto seconds = [&](const char* setting) { return std::chrono::seconds(settings.integer_of(setting)); };
  options.connect = seconds("http_connect_timeout");
  options.read = seconds("http_read_timeout");
  options.keep = seconds("http_keepalive_timeout");
  options.most_body = most_answer;
  options.user_agent = settings.given("http_user_agent") ? settings.value("http_user_agent")
                                                         : fmt::format("Puppet/{} pupc", puppet_version);
  for (const std::string& header : settings.list_of("http_extra_headers"))
    if (const size_t colon = header.find(':'); colon != std::string::npos)
      more_headers_.emplace_back(header.substr(0, colon), header.substr(colon + 1));
  client_ = std::make_unique<http::Client>(std::move(options));
}

bool Session::choose_of_dns(const std::function<void(const std::string&)>& debug) {
  for (const http::ServerAddress& one : servers_of_dns(settings_, "puppet")) {
    Ask status;
    status.path = "/status/v1/simple/server";
    status.accept = "text/plain";
    try {
      ask(one, status);
    } catch (const RequestError& e) {
      if (e.status == 0) { // any answer shows that the server is there
        debug(fmt::format("Connection to {}:{} failed, trying next route: {}", one.host, one.port, e.what()));
        continue;
      }
    }
    server_ = one;
    return true;
  }
  return false;
}

bool Session::choose_server(const std::function<void(const std::string&)>& debug) {
  for (const http::ServerAddress& one : configured_servers(settings_)) {
    Ask status;
    status.path = "/status/v1/simple/server";
    status.accept = "text/plain";
    try {
      try {
        ask(one, status);
      } catch (const RequestError& e) {
        if (e.status != 404) throw;
        status.path = "/status/v1/simple/master"; // of servers before Puppet 7
        ask(one, status);
      }
      server_ = one;
      return true;
    } catch (const RequestError& e) {
      debug(e.status == 0
                ? fmt::format("Unable to connect to server from server_list setting: {}", e.what())
                : fmt::format("Puppet server {}:{} is unavailable: {} {}", one.host, one.port, e.status, http::reason_of(e.status)));
    }
  }
  return false;
}

http::ClientRequest Session::request_of(const Ask& what) const {
  http::ClientRequest out;
  out.method = what.method;
  out.target = what.path;
  if (!what.query.text().empty()) out.target += "?" + what.query.text();
  out.headers.add("Accept", what.accept);
  out.headers.add("X-Puppet-Version", std::string(puppet_version));
  if (!what.content_type.empty()) out.headers.add("Content-Type", what.content_type);
  if (!what.if_modified_since.empty()) out.headers.add("If-Modified-Since", what.if_modified_since);
  for (const auto& [name, value] : more_headers_) out.headers.add(name, value);
  out.body = what.body;
  out.repeatable = what.repeatable;
  return out;
}

http::ClientResponse Session::send(const http::ServerAddress& server, const Ask& what, const std::function<bool(std::string_view)>* part) {
  const http::ClientRequest request = request_of(what);
  for (int tries = 0;; ++tries) {
    const auto began = std::chrono::steady_clock::now();
    http::ClientResponse answer;
    try {
      answer = part == nullptr ? client_->send(server, request) : client_->receive(server, request, *part);
    } catch (const http::ClientError& e) {
      const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
      const char* how = e.kind == http::ClientError::Kind::Timeout  ? "timed out"
                        : e.kind == http::ClientError::Kind::Closed ? "interrupted"
                                                                    : "failed";
      throw RequestError(0, fmt::format("Request to {}{} {} after {:.3f} seconds: {}", server.url(), request.target, how, took, e.what()));
    }
    const int64_t wait = retry_after(answer);
    if (wait < 0 || tries >= most_retries) {
      if (answer.status >= 200 && answer.status < 300) return answer;
      throw RequestError(answer.status, answer_problem(answer));
    }
    client_->close_idle();
    const int64_t seconds = std::min(wait, settings_.integer_of("runinterval"));
    warn_(fmt::format("Sleeping for {} seconds before retrying the request", seconds));
    rest_for(seconds);
  }
}

http::ClientResponse Session::ask(const Ask& what) { return send(server_, what, nullptr); }
http::ClientResponse Session::ask(const http::ServerAddress& server, const Ask& what) { return send(server, what, nullptr); }

void Session::receive(const http::ServerAddress& server, const Ask& what, const std::function<bool(std::string_view)>& part) {
  send(server, what, &part);
}

std::string answer_problem(const http::ClientResponse& answer) {
  std::string text = answer.body;
  if (text.empty()) {
    text = http::reason_of(answer.status);
  } else if (answer.headers.get("Content-Type").find("json") != std::string_view::npos) {
    Arena arena;
    Value document;
    JsonError error;
    if (parse_json(text, arena, document, error) && document.is_hash())
      if (const Value* message = document.hash->find("message"); message != nullptr && message->is_string())
        text = std::string(message->str());
  }
  constexpr size_t most_shown = 8192; // a page of somebody who is no Puppet server
  if (text.size() > most_shown) text.resize(most_shown);
  return fmt::format("Error {} on SERVER: {}", answer.status, text);
}

} // namespace pupc::cli::agent
