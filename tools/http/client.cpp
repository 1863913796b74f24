#include "tools/http/client.h"

#include "tools/http/asio.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <mutex>
#include <openssl/x509v3.h>
#include <optional>
#include <poll.h>

namespace pupc::http {
namespace {

using Clock = std::chrono::steady_clock;
using Kind = ClientError::Kind;
using Parser = beast::http::response_parser<beast::http::buffer_body>;
constexpr size_t piece = 64 << 10;

bool is_address(const std::string& host) {
  error_code ec;
  asio::ip::make_address(host, ec);
  return !ec;
}

/// The moments at which the steps of one exchange must have ended.
struct Times {
  const ClientOptions& options;
  Clock::time_point end; // of the whole exchange

  explicit Times(const ClientOptions& o) : options(o), end(o.total.count() > 0 ? Clock::now() + o.total : Clock::time_point::max()) {}
  Clock::time_point after(std::chrono::milliseconds step) const { return std::min(end, Clock::now() + step); }
};

/// One connection, used by one thread at a time.
class Connection {
public:
  Connection(ServerAddress server, std::shared_ptr<const TlsContext> tls, bool verify)
      : server_(std::move(server)), files_(std::move(tls)), verify_(verify) {}

  ~Connection() {
    error_code ignored;
    if (tcp_) tcp_->socket().close(ignored);
    if (tls_) beast::get_lowest_layer(*tls_).socket().close(ignored);
  }

  const ServerAddress& server() const { return server_; }
  Clock::time_point unused_since;
  bool answered = false; // something of the present response came
  bool used = false;     // for an exchange before this one

  void connect(const Times& times) {
    Tcp::resolver resolver(io_);
    Tcp::resolver::results_type found;
    finish("finding the address of", Kind::Resolve, times.after(times.options.connect), [&](auto done) {
      resolver.async_resolve(server_.host, std::to_string(server_.port), Tcp::resolver::numeric_service,
                             [&, done](error_code ec, auto results) {
                               found = std::move(results);
                               done(ec);
                             });
    });
    beast::tcp_stream* stream = nullptr;
    if (server_.tls) {
      if (SSL_CTX_up_ref(files_->native()) != 1) throw error(Kind::Tls, "connecting to", "out of memory");
      context_.emplace(files_->native());
      tls_.emplace(io_, *context_);
      stream = &beast::get_lowest_layer(*tls_);
    } else {
      stream = &tcp_.emplace(io_);
    }
    stream->expires_at(times.after(times.options.connect));
    run("connecting to", Kind::Connect,
        [&](auto done) { stream->async_connect(found, [done](error_code ec, const Tcp::endpoint&) { done(ec); }); });
    error_code ignored;
    stream->socket().set_option(Tcp::no_delay(true), ignored);
    if (tls_) handshake(times);
  }

  /// Whether the server has closed it, or sent what nobody asked for.
  bool stale() {
    const int descriptor = lowest().socket().native_handle();
    pollfd state{descriptor, POLLIN, 0};
    return ::poll(&state, 1, 0) != 0 || buffer_.size() > 0;
  }

  ClientResponse exchange(const ClientRequest& request, const Times& times, const std::function<bool(std::string_view)>* part) {
    answered = false;
    return tls_ ? exchange_by(*tls_, request, times, part) : exchange_by(*tcp_, request, times, part);
  }
  bool reusable() const { return keep_; }

private:
  beast::tcp_stream& lowest() { return tls_ ? beast::get_lowest_layer(*tls_) : *tcp_; }

  ClientError error(Kind kind, std::string_view step, const std::string& reason) const {
    return {kind, fmt::format("{} {} failed: {}", step, server_.url(), reason)};
  }

  /// Begins one asynchronous operation by `begin` and waits for it.
  template <class Begin> error_code wait(Begin begin) {
    error_code result = asio::error::operation_aborted;
    begin([&result](error_code ec) { result = ec; });
    io_.restart();
    io_.run();
    return result;
  }
  void check(const char* step, Kind kind, error_code ec) {
    if (!ec) return;
    if (ec == beast::error::timeout) throw error(Kind::Timeout, step, "it took too long");
    if (ec == asio::error::eof || ec == asio::error::connection_reset || ec == asio::error::broken_pipe ||
        ec == asio::ssl::error::stream_truncated || ec == beast::http::error::end_of_stream || ec == beast::http::error::partial_message)
      throw error(kind == Kind::Tls ? Kind::Tls : Kind::Closed, step, "the server closed the connection");
    if (ec.category() == beast::http::make_error_code(beast::http::error::bad_version).category()) {
      if (ec == beast::http::error::header_limit || ec == beast::http::error::body_limit || ec == beast::http::error::buffer_overflow)
        throw error(Kind::TooLarge, step, "the response is too large");
      throw error(Kind::Protocol, step, "the response is not HTTP: " + ec.message());
    }
    throw error(kind, step, ec.message());
  }
  template <class Begin> void run(const char* step, Kind kind, Begin begin) { check(step, kind, wait(begin)); }

  /// The same for an operation that has no limit of its own.
  template <class Begin> void finish(const char* step, Kind kind, Clock::time_point end, Begin begin) {
    bool ended = false;
    error_code result;
    begin([&](error_code ec) {
      result = ec;
      ended = true;
    });
    io_.restart();
    io_.run_until(end);
    if (!ended) {
      io_.stop();
      throw error(Kind::Timeout, step, "it took too long");
    }
    check(step, kind, result);
  }

  void handshake(const Times& times) {
    SSL* ssl = tls_->native_handle();
    if (verify_) {
      if (is_address(server_.host))
        X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), server_.host.c_str());
      else
        SSL_set1_host(ssl, server_.host.c_str());
    }
    if (!is_address(server_.host)) SSL_set_tlsext_host_name(ssl, server_.host.c_str());
    lowest().expires_at(times.after(times.options.connect));
    const error_code ec = wait([&](auto done) { tls_->async_handshake(asio::ssl::stream_base::client, done); });
    const long verdict = SSL_get_verify_result(ssl);
    if (ec && ec != beast::error::timeout && verdict != X509_V_OK)
      throw error(Kind::Tls, "the handshake with", fmt::format("the server's certificate: {}", X509_verify_cert_error_string(verdict)));
    check("the handshake with", Kind::Tls, ec);
  }

  template <class Stream> void send(Stream& stream, std::string_view bytes, const Times& times) {
    while (!bytes.empty()) {
      const std::string_view part = bytes.substr(0, 4 * piece);
      lowest().expires_at(times.after(times.options.read));
      run("sending to", Kind::Closed, [&](auto done) {
        asio::async_write(stream, asio::buffer(part.data(), part.size()), [done](error_code ec, size_t) { done(ec); });
      });
      bytes.remove_prefix(part.size());
    }
  }

  std::string head_of(const ClientRequest& request, const ClientOptions& options) const {
    const bool usual_port = server_.port == (server_.tls ? 443 : 80);
    const bool v6 = server_.host.find(':') != std::string::npos;
    std::string head = fmt::format("{} {} HTTP/1.1\r\nHost: {}{}{}", request.method, request.target, v6 ? "[" : "", server_.host,
                                   v6 ? "]" : "");
    if (!usual_port) head += fmt::format(":{}", server_.port);
    head += fmt::format("\r\nUser-Agent: {}\r\nConnection: Keep-Alive\r\n", options.user_agent);
    for (const auto& [name, value] : request.headers) {
      if (name.find_first_of("\r\n:") != std::string::npos || value.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos)
        throw std::invalid_argument(fmt::format("the header '{}' has a line break", name));
      head += fmt::format("{}: {}\r\n", name, value);
    }
    if (!request.body.empty() || (request.method != "GET" && request.method != "HEAD" && request.method != "DELETE"))
      head += fmt::format("Content-Length: {}\r\n", request.body.size());
    return head + "\r\n";
  }

  template <class Stream>
  ClientResponse exchange_by(Stream& stream, const ClientRequest& request, const Times& times,
                             const std::function<bool(std::string_view)>* part) {
    keep_ = false;
    if (request.target.find_first_of(std::string_view(" \r\n\0", 4)) != std::string::npos || !request.target.starts_with('/'))
      throw std::invalid_argument(fmt::format("'{}' is not a path", request.target));
    std::string head = head_of(request, times.options);
    // A small body goes with its header: one packet, one record.
    if (request.body.size() <= piece) {
      send(stream, head + request.body, times);
    } else {
      send(stream, head, times);
      send(stream, request.body, times);
    }
    for (;;) {
      Parser parser;
      parser.header_limit(static_cast<std::uint32_t>(times.options.most_header));
      parser.body_limit(UINT64_MAX); // counted here; without a limit Beast 1.74 refuses every length
      if (request.method == "HEAD") parser.skip(true);
      lowest().expires_at(times.after(times.options.read));
      run("the response of", Kind::Closed, [&](auto done) {
        beast::http::async_read_header(stream, buffer_, parser, [this, done](error_code ec, size_t bytes) {
          answered = answered || bytes > 0;
          done(ec);
        });
      });
      if (parser.get().result_int() >= 100 && parser.get().result_int() < 200) continue;
      return read_rest(stream, parser, times, part);
    }
  }

  template <class Stream>
  ClientResponse read_rest(Stream& stream, Parser& parser, const Times& times, const std::function<bool(std::string_view)>* part) {
    ClientResponse response;
    response.server = server_;
    response.status = parser.get().result_int();
    for (const auto& field : parser.get())
      response.headers.add(std::string(field.name_string().data(), field.name_string().size()),
                           std::string(field.value().data(), field.value().size()));
    const bool to_receiver = part != nullptr && response.status == 200;
    std::string room(piece, '\0');
    while (!parser.is_done()) {
      parser.get().body().data = room.data();
      parser.get().body().size = room.size();
      parser.get().body().more = true;
      lowest().expires_at(times.after(times.options.read));
      error_code ec = wait(
          [&](auto done) { beast::http::async_read_some(stream, buffer_, parser, [done](error_code e, size_t) { done(e); }); });
      if (ec != beast::http::error::need_buffer) check("the response of", Kind::Closed, ec);
      const std::string_view got(room.data(), room.size() - parser.get().body().size);
      if (to_receiver) {
        if (!got.empty() && !(*part)(got)) throw error(Kind::Stopped, "the response of", "its receiver stopped");
      } else {
        if (response.body.size() + got.size() > times.options.most_body)
          throw error(Kind::TooLarge, "the response of", "its body is too large");
        response.body += got;
      }
    }
    keep_ = parser.keep_alive();
    return response;
  }

  ServerAddress server_;
  std::shared_ptr<const TlsContext> files_;
  bool verify_;
  asio::io_context io_{1};
  std::optional<asio::ssl::context> context_;
  std::optional<TlsStream> tls_;
  std::optional<beast::tcp_stream> tcp_;
  beast::flat_buffer buffer_;
  bool keep_ = false;
};

} // namespace

std::string ServerAddress::url() const {
  const bool v6 = host.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}", tls ? "https" : "http", v6 ? "[" : "", host, v6 ? "]" : "", port);
}

ServerAddress read_url(std::string_view url, std::string* path) {
  const auto wrong = [&](const char* what) { return std::invalid_argument(fmt::format("'{}' is no URL of a server: {}", url, what)); };
  ServerAddress out;
  std::string_view rest = url;
  if (rest.starts_with("https://")) {
    rest.remove_prefix(8);
    out.port = 443;
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
    out.port = 80;
    out.tls = false;
  } else {
    throw wrong("it begins with https:// or http://");
  }
  const size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view place = rest.substr(0, slash);
  if (path != nullptr) *path = std::string(rest.substr(slash));
  if (place.find('@') != std::string_view::npos) throw wrong("it has a user");
  size_t colon = place.rfind(':');
  if (place.starts_with('[')) {
    const size_t end = place.find(']');
    if (end == std::string_view::npos) throw wrong("the ] is missing");
    out.host = place.substr(1, end - 1);
    colon = end + 1 < place.size() ? end + 1 : std::string_view::npos;
    if (colon != std::string_view::npos && place[colon] != ':') throw wrong("after the ] comes a port");
  } else {
    out.host = place.substr(0, colon);
  }
  if (colon != std::string_view::npos) {
    const std::string_view digits = place.substr(colon + 1);
    const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), out.port);
    if (ec != std::errc() || end != digits.data() + digits.size() || out.port == 0) throw wrong("its port is no number from 1 to 65535");
  }
  if (out.host.empty()) throw wrong("it has no host");
  return out;
}

struct Client::State {
  ClientOptions options;
  std::mutex mutex;
  std::shared_ptr<const TlsContext> tls; // made at the first use: a client of plain HTTP needs no files
  bool verify = true;
  std::vector<std::unique_ptr<Connection>> idle;

  std::unique_ptr<Connection> kept(const ServerAddress& server) {
    std::lock_guard lock(mutex);
    const auto now = Clock::now();
    std::erase_if(idle, [&](const auto& c) { return now - c->unused_since > options.keep || c->stale(); });
    for (auto it = idle.rbegin(); it != idle.rend(); ++it)
      if ((*it)->server() == server) {
        auto out = std::move(*it);
        idle.erase(std::next(it).base());
        return out;
      }
    return nullptr;
  }
  std::unique_ptr<Connection> fresh(const ServerAddress& server, const Times& times) {
    std::shared_ptr<const TlsContext> files;
    {
      std::lock_guard lock(mutex);
      files = tls;
    }
    auto connection = std::make_unique<Connection>(server, files, verify);
    connection->connect(times);
    return connection;
  }
  void keep(std::unique_ptr<Connection> connection) {
    connection->unused_since = Clock::now();
    connection->used = true;
    std::lock_guard lock(mutex);
    idle.push_back(std::move(connection));
  }

  ClientResponse send(const ServerAddress& server, const ClientRequest& request, const std::function<bool(std::string_view)>* part) {
    const Times times(options);
    auto connection = kept(server);
    if (!connection) connection = fresh(server, times);
    const bool again = request.repeatable || request.method == "GET" || request.method == "HEAD" || request.method == "PUT";
    try {
      ClientResponse response = connection->exchange(request, times, part);
      if (connection->reusable()) keep(std::move(connection));
      return response;
    } catch (const ClientError& e) {
      if (e.kind != Kind::Closed || !connection->used || connection->answered || !again) throw;
    }
    // The server has given up the kept connection just now.
    connection = fresh(server, times);
    ClientResponse response = connection->exchange(request, times, part);
    if (connection->reusable()) keep(std::move(connection));
    return response;
  }
};

Client::Client(ClientOptions options) : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
  state_->verify = state_->options.tls.verify;
  state_->tls = std::make_shared<const TlsContext>(state_->options.tls, TlsSide::Client);
}

Client::~Client() = default;

ClientResponse Client::send(const ServerAddress& server, const ClientRequest& request) { return state_->send(server, request, nullptr); }

ClientResponse Client::send(std::span<const ServerAddress> servers, const ClientRequest& request) {
  if (servers.empty()) throw std::invalid_argument("there is no server to ask");
  for (size_t i = 0; i + 1 < servers.size(); ++i) {
    try {
      ClientResponse response = state_->send(servers[i], request, nullptr);
      if (response.status < 500) return response;
    } catch (const ClientError&) {} // the next one
  }
  return state_->send(servers.back(), request, nullptr);
}

ClientResponse Client::receive(const ServerAddress& server, const ClientRequest& request,
                               const std::function<bool(std::string_view)>& part) {
  return state_->send(server, request, &part);
}

void Client::close_idle() {
  std::lock_guard lock(state_->mutex);
  state_->idle.clear();
}

} // namespace pupc::http
