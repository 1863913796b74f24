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

/// Whether a text is a certificate of that name for the key of another one.
bool renews(const std::string& pem, const http::PeerCertificate& before) {
  try {
    return http::read_certificate(pem).common_name == before.common_name && http::public_key_of(pem) == http::public_key_of(before.pem);
  } catch (const http::TlsError&) { return false; }
}

/// POST certificate_renewal. The CA cannot see the node's own connection: it gets the certificate, which was verified here, in the headers
/// that puppetserver reads with allow-header-cert-info. This server shows no certificate of its own, lest the CA renews that one.
http::Response renew(const Call& call, const http::ServerAddress& ca) {
  if (call.request.peer->certificate == nullptr) return text_response(403, "A certificate is needed\n", "text/plain");
  const http::PeerCertificate& shown = *call.request.peer->certificate;
  http::ClientOptions options;
  options.tls = call.core->settings.tls;
  options.tls.certificate.clear();
  options.total = std::chrono::seconds(30);
  http::ClientRequest request;
  request.method = "POST";
  request.target = "/puppet-ca/v1/certificate_renewal";
  request.headers = {{"Accept", "text/plain"},
                     {"X-Client-Verify", "SUCCESS"},
                     {"X-Client-DN", "CN=" + shown.common_name},
                     {"X-Client-Cert", percent_encoded(shown.pem)}};
  try {
    http::ClientResponse answer = http::Client(options).send(ca, request);
    if (answer.status == 200 && renews(answer.body, shown)) return text_response(200, std::move(answer.body), "text/plain");
    call.core->log.log(
        LogLevel::Info, shown.common_name,
        fmt::format("The CA does not renew the certificate (status {}); it does with allow-header-cert-info", answer.status));
  } catch (const http::ClientError& e) {
    call.core->log.error(fmt::format("The CA: {}", e.what()));
    return text_response(502, "The CA does not answer\n", "text/plain");
  }
  return text_response(404, "Certificates are not renewed here\n", "text/plain"); // for agents: the CA does not do that
}

http::ServerAddress authority_of(const PuppetSettings& conf) {
  http::ServerAddress out;
  out.host = conf.value("ca_server");
  out.port = static_cast<uint16_t>(conf.integer_of("ca_port"));
  return out;
}

} // namespace

http::Response answer_authority(Call& call) {
  const Settings& settings = call.core->settings;
  const std::string& path = call.target.path;
  if (path == "/puppet-ca/v1/certificate/ca") return own_file(call, settings.tls.ca);
  if (path == "/puppet-ca/v1/certificate_revocation_list/ca") return own_file(call, settings.tls.crl);
  const bool renewal = path == "/puppet-ca/v1/certificate_renewal";
  // The CA's own administration needs the asking certificate, which cannot be passed on.
  if (!renewal && !path.starts_with("/puppet-ca/v1/certificate/") && !path.starts_with("/puppet-ca/v1/certificate_request/"))
    return text_response(404, "This endpoint of the CA is not passed on\n", "text/plain");
  const PuppetSettings& conf = settings.compile.configuration;
  const http::ServerAddress ca = authority_of(conf);
  if (ca.host == conf.value("certname") && ca.port == settings.listen.port)
    return text_response(404, fmt::format("Could not find {}: this server is no CA\n", path), "text/plain");
  if (renewal) return renew(call, ca);
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
