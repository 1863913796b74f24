#pragma once
// An HTTPS server for clients with certificates. It reads requests, hands them to a Handler and writes the responses; every step has a
// limit of time and size. It knows nothing of what is served.
#include "catalog/base/descriptor.h"
#include "tools/http/message.h"
#include "tools/http/tls.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace pupc::http {

using catalog::Descriptor;

/// The other side of a connection.
struct Peer {
  std::string address;
  std::shared_ptr<const PeerCertificate> certificate; // null: it has shown none. One that does not verify ends the handshake.
};

struct Request {
  std::string method;
  std::string target; // path and query as they were sent
  Headers headers;
  std::string body;
  std::shared_ptr<const Peer> peer;
  std::chrono::steady_clock::time_point began{}; // when its header was complete
};

struct Response {
  unsigned status = 200;
  Headers headers; // Content-Length, Connection and Date are added
  std::string body;
  std::optional<Descriptor> file; // sent after `body`: `file_size` bytes from its beginning. Must be a regular file.
  uint64_t file_size = 0;
  bool close = false; // end the connection afterwards
};

/// Gives the response to a request: called once, from any thread.
using Reply = std::function<void(Response)>;

class Handler {
public:
  virtual ~Handler() = default;
  /// Asked when a request's header is complete, before its body is read: how large the body may be, or a response that refuses it (the
  /// connection is closed then if the request has a body). `request.body` is empty. Must not block.
  struct Admission {
    size_t most_body = 0;
    std::optional<Response> refusal;
  };
  virtual Admission admit(const Request& request) = 0;
  /// Answers a request. Runs on an event loop, so it must not block: long work goes elsewhere and replies later.
  virtual void handle(Request request, Reply reply) = 0;
  /// Told when a response was written, or its connection broke. `bytes`: of the body. `request.body` is empty.
  virtual void finished(const Request& request, unsigned status, uint64_t bytes, std::chrono::microseconds took) = 0;
  /// What went wrong in connections: handshakes that failed, headers that are no HTTP. Not for every client that goes away.
  virtual void connection_problem(const std::string& address, const std::string& problem) = 0;
};

struct ServerOptions {
  std::string address = "0.0.0.0"; // "::" listens on IPv6 and IPv4
  uint16_t port = 8140;            // 0: any, see Server::port
  unsigned loops = 2;              // threads that read, write and do handshakes
  unsigned most_connections = 5000;
  std::chrono::milliseconds handshake{10000};
  std::chrono::milliseconds idle{30000};   // until a request begins
  std::chrono::milliseconds header{10000}; // from its first byte until it is complete
  std::chrono::milliseconds body{300000};  // the whole body
  std::chrono::milliseconds stall{30000};  // until the client sends or takes something, in a body
  size_t most_header = 64 << 10;
  size_t most_bodies = size_t(512) << 20; // of all requests that are in memory; beyond, they get 503
  unsigned retry_after = 10;              // seconds, in such a 503
};

struct ServerCounts {
  uint64_t connections = 0, handshakes_failed = 0, requests = 0; // since the start
  uint64_t open = 0, busy = 0;                                   // now: connections, and those with a request
  uint64_t refused = 0;                                          // connections above the limit
};

struct ServerState; // server.cpp

class Server {
public:
  /// Listens at once. Throws std::runtime_error with the address and the reason.
  Server(ServerOptions options, std::shared_ptr<const TlsContext> tls, Handler& handler);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  uint16_t port() const;
  /// Starts the threads.
  void start();
  /// The context of connections that are accepted from now on.
  void set_tls(std::shared_ptr<const TlsContext> tls);
  /// Accepts no more connections, closes those without a request, and the others after their response. Waits for them, at most `patience`.
  /// Returns whether all ended in time.
  bool drain(std::chrono::milliseconds patience);
  /// Ends all threads. Connections that are still open break.
  void stop();
  ServerCounts counts() const;

private:
  std::shared_ptr<ServerState> state_;
};

} // namespace pupc::http
