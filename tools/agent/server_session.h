#pragma once
// The agent's side of the wire: requests to the Puppet server that was chosen, with Puppet's headers, retries and messages.
#include "compiler/load/settings.h"
#include "tools/http/client.h"
#include "tools/pupc/settings/compile_settings.h"

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pupc::cli::agent {

/// A request without a usable answer, with Puppet's message.
struct RequestError : std::runtime_error {
  RequestError(unsigned code, const std::string& message) : std::runtime_error(message), status(code) {}
  unsigned status; // of HTTP; 0: there was no answer
};

/// The text with all but letters, digits and `-_.~` percent-encoded; `/` stays on request.
std::string encoded(std::string_view text, bool keep_slashes = false);

/// A query or form in the making.
class Query {
public:
  Query& add(std::string_view name, std::string_view value);
  const std::string& text() const { return text_; }

private:
  std::string text_;
};

/// Certificates and revocation lists of this machine, as the settings name them. Files that are not there are left out.
http::TlsFiles tls_files(const PuppetSettings& settings);

/// Where the settings send requests: of `server_list`, else `server` and `serverport`.
std::vector<http::ServerAddress> configured_servers(const PuppetSettings& settings);
/// The servers that DNS names for a service, where `use_srv_records` is set.
std::vector<http::ServerAddress> servers_of_dns(const PuppetSettings& settings, const char* service);
/// The CA: the first of DNS, else `ca_server` and `ca_port`, else the first of `server_list`.
http::ServerAddress ca_address(const PuppetSettings& settings);

class Session {
public:
  using Warn = std::function<void(const std::string&)>;
  /// Throws http::TlsError when the files cannot be used.
  Session(const PuppetSettings& settings, const http::TlsFiles& files, Warn warn);

  /// Takes the first server of DNS that can be reached. False when there is none.
  bool choose_of_dns(const std::function<void(const std::string&)>& debug);
  /// Takes the first server of server_list that says that it runs. False when none does.
  bool choose_server(const std::function<void(const std::string&)>& debug);
  void use(http::ServerAddress server) { server_ = std::move(server); }
  const http::ServerAddress& server() const { return server_; }

  struct Ask {
    std::string method = "GET";
    std::string path; // encoded, without query
    Query query;
    std::string accept = "application/json", content_type, body;
    std::string if_modified_since;
    bool repeatable = true;
  };
  /// Sends a request, again after the time that an answer 429 or 503 names. Returns the answer to it when its status is 200 to 299; throws
  /// RequestError for others, and when none comes.
  http::ClientResponse ask(const Ask& what);
  http::ClientResponse ask(const http::ServerAddress& server, const Ask& what);
  /// Hands over the body of the answer part by part.
  void receive(const http::ServerAddress& server, const Ask& what, const std::function<bool(std::string_view)>& part);
  void close() { client_->close_idle(); }

private:
  http::ClientRequest request_of(const Ask& what) const;
  http::ClientResponse send(const http::ServerAddress& server, const Ask& what, const std::function<bool(std::string_view)>* part);

  const PuppetSettings& settings_;
  Warn warn_;
  http::ServerAddress server_;
  std::vector<std::pair<std::string, std::string>> more_headers_;
  std::unique_ptr<http::Client> client_;
};

/// "Error 500 on SERVER: …" for an answer.
std::string answer_problem(const http::ClientResponse& answer);

} // namespace pupc::cli::agent
