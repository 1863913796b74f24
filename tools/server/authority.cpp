#include "tools/server/authority.h"

#include "catalog/base/paths.h"
#include "tools/http/client.h"
#include "tools/server/responses.h"

#include <cerrno>
#include <ctime>
#include <fmt/format.h>
#include <sys/stat.h>

namespace pupc::server {
namespace {

/// A file of this server, unless the client has this or a newer one.
http::Response own_file(const Call& call, const std::string& path) {
  struct stat info {};
  const auto text = read_whole_file(path);
  if (!text || ::stat(path.c_str(), &info) != 0) {
    call.core->log.error(fmt::format("Could not read {}: {}", path, file_problem(errno)));
    return text_response(404, "Not Found\n", "text/plain");
  }
  if (const std::string since(call.request.headers.get("If-Modified-Since")); !since.empty()) {
    std::tm t{};
    if (const char* end = ::strptime(since.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &t); end != nullptr && ::timegm(&t) >= info.st_mtime)
      return text_response(304, "", "text/plain");
  }
  http::Response out = text_response(200, *text, "text/plain");
  out.headers.add("Last-Modified", http::http_date(info.st_mtime));
  return out;
}

} // namespace

http::Response answer_authority(Call& call) {
  const Settings& settings = call.core->settings;
  const std::string& path = call.target.path;
  if (path == "/puppet-ca/v1/certificate/ca") return own_file(call, settings.tls.ca);
  if (path == "/puppet-ca/v1/certificate_revocation_list/ca") return own_file(call, settings.tls.crl);
  // Renewal and the CA's own administration need the asking certificate, which cannot be passed on.
  if (!path.starts_with("/puppet-ca/v1/certificate/") && !path.starts_with("/puppet-ca/v1/certificate_request/"))
    return text_response(404, "This endpoint of the CA is not passed on\n", "text/plain");
  const PuppetSettings& conf = settings.compile.configuration;
  http::ServerAddress ca;
  ca.host = conf.value("ca_server");
  ca.port = static_cast<uint16_t>(conf.integer_of("ca_port"));
  if (ca.host == conf.value("certname") && ca.port == settings.listen.port)
    return text_response(404, fmt::format("Could not find {} {}: this server is no CA\n", call.parts[2], call.parts[3]), "text/plain");
  http::ClientOptions options;
  options.tls = settings.tls;
  options.total = std::chrono::seconds(30);
  http::ClientRequest request;
  request.method = call.request.method;
  request.target = fmt::format("/puppet-ca/v1/{}/{}", call.parts[2], percent_encoded(call.parts[3]));
  request.headers = {{"Accept", "text/plain"}};
  if (call.request.method == "PUT") request.headers.add("Content-Type", "text/plain");
  request.body = call.request.body;
  try {
    http::ClientResponse answer = http::Client(options).send(ca, request);
    return text_response(answer.status, std::move(answer.body), "text/plain");
  } catch (const http::ClientError& e) {
    call.core->log.error(fmt::format("The CA: {}", e.what()));
    return text_response(502, "The CA does not answer\n", "text/plain");
  }
}

} // namespace pupc::server
