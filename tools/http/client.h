#pragma once
// An HTTPS client with certificates, timeouts on every step, kept connections, and several servers to try. Its calls block; any thread may
// call. It knows HTTP/1.1 without proxies and redirects.
#include "tools/http/message.h"
#include "tools/http/tls.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace pupc::http {

struct ServerAddress {
  std::string host;
  uint16_t port = 8140;
  bool tls = true; // false: plain HTTP

  /// "https://host:port"
  std::string url() const;
  bool operator==(const ServerAddress&) const = default;
};

/// Reads "https://host:port/path" or "http://[::1]:8080"; the path (may be null) gets "/path", or "" when there is none. Throws
/// std::invalid_argument that says what is wrong.
ServerAddress read_url(std::string_view url, std::string* path = nullptr);

struct ClientOptions {
  TlsFiles tls;
  std::chrono::milliseconds connect{10000}; // finding the name, connecting and the handshake, each
  std::chrono::milliseconds read{600000};   // until something comes, or something is taken, at any point of an exchange
  std::chrono::milliseconds total{0};       // the whole exchange; 0: no limit
  std::chrono::milliseconds keep{4000};     // how long an unused connection is kept for the next request
  size_t most_header = 64 << 10;
  size_t most_body = size_t(256) << 20; // of a response that is held in memory
  std::string user_agent = "pupc";
};

struct ClientRequest {
  std::string method = "GET";
  std::string target = "/"; // path and query, percent-encoded
  Headers headers;          // Host, User-Agent, Content-Length and Connection are added
  std::string body;
  /// Whether it may be sent a second time when a kept connection turns out to be closed. GET, HEAD and PUT may always.
  bool repeatable = false;
};

struct ClientResponse {
  unsigned status = 0;
  Headers headers;
  std::string body;
  ServerAddress server; // who answered
};

/// No response came. The message names the server and the step.
struct ClientError : std::runtime_error {
  enum class Kind : uint8_t {
    Resolve,  // the name has no address
    Connect,  // nobody listens, or no way there
    Tls,      // the handshake failed: certificates, names, revocation
    Timeout,  // a step took too long
    Closed,   // the server closed the connection before the response was complete
    Protocol, // what came is not HTTP
    TooLarge, // a header or body is larger than the limits
    Stopped,  // the receiver of the parts threw or asked to stop
  };
  ClientError(Kind k, const std::string& message) : std::runtime_error(message), kind(k) {}
  Kind kind;
};

class Client {
public:
  /// Throws TlsError when the files cannot be used.
  explicit Client(ClientOptions options);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Sends the request to this server and returns its response, whatever the status. Throws ClientError.
  ClientResponse send(const ServerAddress& server, const ClientRequest& request);
  /// The same for the first server that answers with a status below 500: asks the next one after a ClientError, or such a status. When none
  /// does, returns the last response, or throws the last error. Throws std::invalid_argument when there is no server.
  ClientResponse send(std::span<const ServerAddress> servers, const ClientRequest& request);
  /// Gives the body to `part` as it comes, in pieces of at most 64 KB, and returns the response without it; its size has no limit. Bodies
  /// of statuses other than 200 go into the response instead. `part` returns false to stop, which throws ClientError::Stopped.
  ClientResponse receive(const ServerAddress& server, const ClientRequest& request, const std::function<bool(std::string_view)>& part);

  /// Closes the kept connections.
  void close_idle();

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace pupc::http
