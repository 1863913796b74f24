#include "tools/http/server.h"

#include "tools/http/asio.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <ctime>
#include <fmt/format.h>
#include <mutex>
#include <stdexcept>
#include <sys/socket.h>
#include <thread>
#include <unordered_map>
#include <vector>

namespace pupc::http {
namespace {

using Clock = std::chrono::steady_clock;
using Parser = beast::http::request_parser<beast::http::buffer_body>;
constexpr size_t piece = 64 << 10;
// Handshakes at the same time: more wait in the kernel, so that those that began end before their time is up.
constexpr unsigned most_handshakes = 1000;
// What is read of a refused body, so that the client gets to see the refusal.
constexpr size_t most_discarded = 4 << 20;

class Session;

} // namespace

struct ServerState {
  ServerState(ServerOptions o, std::shared_ptr<const TlsContext> t, Handler& h)
      : options(std::move(o)), handler(h), loops(make_loops(options.loops)), acceptor(loops.front()->io), pause(loops.front()->io),
        tls(std::move(t)) {}

  ServerOptions options;
  Handler& handler;
  /// One thread's connections. A context of several threads wakes another one for each step that it has done.
  struct Loop {
    asio::io_context io{1};
    // A connection whose request is answered elsewhere waits for nothing here.
    asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(io);
  };
  static std::vector<std::unique_ptr<Loop>> make_loops(unsigned count) {
    std::vector<std::unique_ptr<Loop>> out;
    for (unsigned i = 0; i < std::max(count, 1u); ++i) out.push_back(std::make_unique<Loop>());
    return out;
  }
  std::vector<std::unique_ptr<Loop>> loops; // the first one accepts
  size_t next_loop = 0;                     // for the next connection
  Tcp::acceptor acceptor;
  asio::steady_timer pause;
  std::vector<std::thread> threads;

  std::mutex mutex;
  std::condition_variable ended; // a session
  std::shared_ptr<const TlsContext> tls;
  std::unordered_map<Session*, std::weak_ptr<Session>> sessions;
  std::atomic<bool> draining = false, waiting = false; // `waiting`: nothing is accepted until a session ends
  std::atomic<size_t> bodies = 0;                      // bytes of the bodies that are in memory
  std::atomic<uint64_t> connections = 0, handshakes_failed = 0, requests = 0, refused = 0, open = 0, busy = 0, shaking = 0;

  bool full() const { return open >= options.most_connections || shaking >= most_handshakes; }
  static void accept(const std::shared_ptr<ServerState>& self);
  static void accept_again(const std::shared_ptr<ServerState>& self);
};

namespace {

/// One connection. All its steps run on its loop.
class Session : public std::enable_shared_from_this<Session> {
public:
  Session(Tcp::socket socket, std::shared_ptr<ServerState> state, std::shared_ptr<const TlsContext> tls)
      : state_(std::move(state)), context_(take(*tls)), stream_(std::move(socket), context_) {
    auto peer = std::make_shared<Peer>();
    error_code ec;
    const auto endpoint = lowest().socket().remote_endpoint(ec);
    if (!ec) {
      auto address = endpoint.address();
      if (address.is_v6() && address.to_v6().is_v4_mapped()) address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
      peer->address = address.to_string();
    }
    peer_ = std::move(peer);
    ++state_->open;
    ++state_->shaking;
  }

  ~Session() {
    shaken();
    idle();
    release_body();
    --state_->open;
    {
      std::lock_guard lock(state_->mutex);
      state_->sessions.erase(this);
    }
    state_->ended.notify_all();
    ServerState::accept_again(state_);
  }

  void start() {
    asio::dispatch(stream_.get_executor(), [self = shared_from_this()] {
      error_code ignored;
      self->lowest().socket().set_option(Tcp::no_delay(true), ignored);
      self->lowest().expires_after(self->options().handshake);
      self->stream_.async_handshake(asio::ssl::stream_base::server, [self](error_code ec) { self->on_handshake(ec); });
    });
  }

  /// Ends it, whatever it does.
  void abandon() {
    asio::post(stream_.get_executor(), [self = shared_from_this()] { self->close(); });
  }

  /// Ends it if no request is under way; else it ends after the response.
  void drain() {
    asio::post(stream_.get_executor(), [self = shared_from_this()] {
      if (!self->busy_ && self->reading_nothing_) self->close();
    });
  }

private:
  static asio::ssl::context take(const TlsContext& tls) {
    if (SSL_CTX_up_ref(tls.native()) != 1) throw std::bad_alloc();
    return asio::ssl::context(tls.native());
  }
  beast::tcp_stream& lowest() { return beast::get_lowest_layer(stream_); }
  const ServerOptions& options() const { return state_->options; }

  void shaken() {
    if (!shaking_) return;
    shaking_ = false;
    --state_->shaking;
  }
  void idle() {
    if (!busy_) return;
    busy_ = false;
    --state_->busy;
  }
  void release_body() {
    state_->bodies -= counted_;
    counted_ = 0;
  }

  void on_handshake(error_code ec) {
    shaken();
    ServerState::accept_again(state_);
    SSL* ssl = stream_.native_handle();
    if (ec) {
      ++state_->handshakes_failed;
      const long verdict = SSL_get_verify_result(ssl);
      if (verdict != X509_V_OK)
        state_->handler.connection_problem(peer_->address,
                                           fmt::format("the client's certificate: {}", X509_verify_cert_error_string(verdict)));
      else if (ec != asio::error::eof && ec != asio::error::connection_reset && ec != asio::ssl::error::stream_truncated)
        state_->handler.connection_problem(peer_->address, fmt::format("the handshake failed: {}", ec.message()));
      // Not closed at once: the client is to see the alert.
      lowest().expires_after(std::chrono::seconds(1));
      error_code ignored;
      lowest().socket().shutdown(Tcp::socket::shutdown_send, ignored);
      return discard_raw();
    }
    if (X509* shown = SSL_get1_peer_certificate(ssl)) {
      const std::unique_ptr<X509, void (*)(X509*)> certificate(shown, X509_free);
      try {
        if (SSL_get_verify_result(ssl) != X509_V_OK) throw TlsError("it was not verified");
        auto peer = std::make_shared<Peer>(*peer_);
        peer->certificate = std::make_shared<const PeerCertificate>(describe_certificate(shown));
        peer_ = std::move(peer);
      } catch (const std::exception& e) {
        state_->handler.connection_problem(peer_->address, fmt::format("the client's certificate: {}", e.what()));
        return close();
      }
    }
    next();
  }

  /// Waits for the next request.
  void next() {
    if (state_->draining) return close();
    parser_.reset();
    if (buffer_.size() > 0) return read_header();
    buffer_.shrink_to_fit();
    reading_nothing_ = true;
    lowest().expires_after(options().idle);
    stream_.async_read_some(buffer_.prepare(4096), [self = shared_from_this()](error_code ec, size_t bytes) {
      self->reading_nothing_ = false;
      if (ec) return self->close();
      self->buffer_.commit(bytes);
      self->read_header();
    });
  }

  void read_header() {
    busy_ = true;
    ++state_->busy;
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(options().most_header));
    parser_->body_limit(UINT64_MAX); // counted here; without a limit Beast 1.74 refuses every length
    lowest().expires_after(options().header);
    beast::http::async_read_header(stream_, buffer_, *parser_, [self = shared_from_this()](error_code ec, size_t) { self->on_header(ec); });
  }

  void on_header(error_code ec) {
    if (ec) {
      unsigned status = 0;
      if (ec == beast::http::error::header_limit || ec == beast::http::error::buffer_overflow)
        status = 431;
      else if (ec == beast::error::timeout)
        status = 0; // nobody reads what a stalled client is told
      else if (ec.category() == beast::http::make_error_code(beast::http::error::bad_version).category() &&
               ec != beast::http::error::end_of_stream && ec != beast::http::error::partial_message)
        status = 400;
      if (status == 0) return close();
      state_->handler.connection_problem(peer_->address, fmt::format("what came is not a request: {}", ec.message()));
      return refuse(status, fmt::format("{}\n", reason_of(status)));
    }
    ++state_->requests;
    const auto& head = parser_->get();
    request_ = Request();
    request_.method = std::string(head.method_string().data(), head.method_string().size());
    request_.target = std::string(head.target().data(), head.target().size());
    for (const auto& field : head)
      request_.headers.add(std::string(field.name_string().data(), field.name_string().size()),
                           std::string(field.value().data(), field.value().size()));
    request_.peer = peer_;
    request_.began = Clock::now();
    keep_ = parser_->keep_alive();
    // Beast takes a coding that it does not know for no body: what follows would be the next request.
    if (const std::string* coding = request_.headers.find("Transfer-Encoding");
        coding != nullptr && (!same_name(*coding, "chunked") || head.version() < 11))
      return refuse(400, "Bad Request\n");
    Handler::Admission admission = state_->handler.admit(request_);
    if (admission.refusal) {
      if (!parser_->is_done()) admission.refusal->close = true;
      return write(std::move(*admission.refusal));
    }
    most_body_ = admission.most_body;
    if (const auto length = parser_->content_length(); length && *length > most_body_)
      return refuse(413, "The request's body is too large\n");
    if (parser_->is_done()) return hand_over();
    if (same_name(request_.headers.get("Expect"), "100-continue")) {
      lowest().expires_after(options().stall);
      static constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
      asio::async_write(stream_, asio::buffer(go_on.data(), go_on.size()), [self = shared_from_this()](error_code e, size_t) {
        if (e) return self->close();
        self->begin_body();
      });
      return;
    }
    begin_body();
  }

  void begin_body() {
    body_end_ = Clock::now() + options().body;
    body_.clear();
    const size_t length = static_cast<size_t>(parser_->content_length().value_or(piece)); // at most most_body_
    body_.reserve(std::min(length, piece));
    room_.resize(std::clamp<size_t>(length, 1, piece));
    read_body();
  }

  void read_body() {
    auto& into = parser_->get().body();
    into.data = room_.data();
    into.size = room_.size();
    into.more = true;
    lowest().expires_at(std::min(Clock::now() + options().stall, body_end_));
    beast::http::async_read_some(stream_, buffer_, *parser_, [self = shared_from_this()](error_code ec, size_t) { self->on_body(ec); });
  }

  void on_body(error_code ec) {
    if (ec && ec != beast::http::error::need_buffer) {
      if (ec.category() == beast::http::make_error_code(beast::http::error::bad_version).category() &&
          ec != beast::http::error::end_of_stream && ec != beast::http::error::partial_message)
        return refuse(400, "Bad Request\n");
      return close();
    }
    const size_t got = room_.size() - parser_->get().body().size;
    if (body_.size() + got > most_body_) return refuse(413, "The request's body is too large\n");
    if ((state_->bodies += got) > options().most_bodies) {
      state_->bodies -= got;
      Response busy;
      busy.status = 503;
      busy.headers = {{"Retry-After", std::to_string(options().retry_after)}, {"Content-Type", "text/plain;charset=utf-8"}};
      busy.body = "Too many large requests at once\n";
      busy.close = true;
      return write(std::move(busy));
    }
    counted_ += got;
    body_.append(room_.data(), got);
    if (!parser_->is_done()) return read_body();
    hand_over();
  }

  void hand_over() {
    std::string().swap(room_);
    lowest().expires_never();
    Request request = request_;
    request.body = std::move(body_);
    body_ = std::string();
    // Answers even if the handler forgets to, as the client would wait for ever.
    struct Promise {
      std::shared_ptr<Session> session;
      std::atomic<bool> kept = false;
      ~Promise() {
        if (kept) return;
        Response lost;
        lost.status = 500;
        lost.body = "The request was lost\n";
        answer(std::move(lost));
      }
      void answer(Response response) {
        if (kept.exchange(true)) return;
        // The executor runs copies only of what can be copied.
        auto held = std::make_shared<Response>(std::move(response));
        asio::post(session->stream_.get_executor(), [s = session, held] { s->write(std::move(*held)); });
      }
    };
    auto promise = std::make_shared<Promise>();
    promise->session = shared_from_this();
    state_->handler.handle(std::move(request), [promise](Response response) { promise->answer(std::move(response)); });
  }

  void refuse(unsigned status, std::string text) {
    Response response;
    response.status = status;
    response.headers = {{"Content-Type", "text/plain;charset=utf-8"}};
    response.body = std::move(text);
    response.close = true;
    write(std::move(response));
  }

  void write(Response response) {
    release_body();
    response_ = std::move(response);
    keep_ = keep_ && !response_.close && !state_->draining;
    const bool head_only = request_.method == "HEAD";
    const bool bodiless = response_.status == 204 || response_.status == 304;
    const uint64_t size = response_.body.size() + (response_.file ? response_.file_size : 0);
    out_ = fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\n", response_.status, reason_of(response_.status), http_date(std::time(nullptr)));
    for (const auto& [name, value] : response_.headers)
      if (value.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos) out_ += fmt::format("{}: {}\r\n", name, value);
    if (!bodiless) out_ += fmt::format("Content-Length: {}\r\n", size);
    if (!keep_) out_ += "Connection: close\r\n";
    out_ += "\r\n";
    if (head_only || bodiless) {
      response_.body.clear();
      response_.file.reset();
    }
    sent_ = response_.body.size();
    // A body goes with the header in as few records as possible.
    if (response_.body.size() <= piece) {
      out_ += response_.body;
      response_.body.clear();
    }
    at_ = file_at_ = 0;
    write_part(out_);
  }

  /// Writes a part and goes on with what remains.
  void write_part(std::string_view part) {
    lowest().expires_after(options().stall);
    asio::async_write(stream_, asio::buffer(part.data(), part.size()), [self = shared_from_this()](error_code ec, size_t) {
      if (ec) {
        self->finished();
        return self->close();
      }
      self->write_more();
    });
  }

  void write_more() {
    const std::string_view rest = std::string_view(response_.body).substr(at_);
    if (!rest.empty()) {
      const std::string_view part = rest.substr(0, 4 * piece);
      at_ += part.size();
      return write_part(part);
    }
    if (response_.file && file_at_ < response_.file_size) {
      room_.resize(piece);
      const size_t want = static_cast<size_t>(std::min<uint64_t>(piece, response_.file_size - file_at_));
      ssize_t got = 0;
      do got = ::pread(response_.file->get(), room_.data(), want, static_cast<off_t>(file_at_));
      while (got < 0 && errno == EINTR);
      if (got <= 0) { // it became shorter: the client must not take it for complete
        finished();
        return close();
      }
      file_at_ += static_cast<uint64_t>(got);
      sent_ += static_cast<uint64_t>(got);
      return write_part({room_.data(), static_cast<size_t>(got)});
    }
    finished();
    std::string().swap(room_);
    std::string().swap(out_);
    response_ = Response();
    if (keep_ && !state_->draining) return next();
    discard_left_ = parser_ && !parser_->is_done() ? most_discarded : 0;
    lowest().expires_after(std::chrono::seconds(2));
    discard();
  }

  void finished() {
    if (!request_.peer) return; // its header never was complete
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - request_.began);
    state_->handler.finished(request_, response_.status, sent_, took);
    request_ = Request();
    idle();
  }

  /// Takes what a client still sends that has got its answer early, for some seconds; then ends the connection.
  void discard() {
    if (discard_left_ == 0) return shut_down();
    room_.resize(4096);
    stream_.async_read_some(asio::buffer(room_), [self = shared_from_this()](error_code ec, size_t bytes) {
      if (ec) return self->close();
      self->discard_left_ -= std::min(bytes, self->discard_left_);
      self->discard();
    });
  }

  void discard_raw() {
    room_.resize(4096);
    lowest().async_read_some(asio::buffer(room_), [self = shared_from_this()](error_code ec, size_t) {
      if (ec) return self->close();
      self->discard_raw();
    });
  }

  void shut_down() {
    lowest().expires_after(std::chrono::seconds(2));
    stream_.async_shutdown([self = shared_from_this()](error_code) { self->close(); });
  }

  void close() {
    idle();
    error_code ignored;
    lowest().socket().close(ignored);
  }

  std::shared_ptr<ServerState> state_;
  asio::ssl::context context_;
  TlsStream stream_;
  std::shared_ptr<const Peer> peer_;
  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  Request request_;
  std::string body_, room_, out_;
  size_t most_body_ = 0, counted_ = 0, at_ = 0, discard_left_ = 0;
  uint64_t file_at_ = 0, sent_ = 0;
  Clock::time_point body_end_{};
  Response response_;
  bool keep_ = false, shaking_ = true, busy_ = false, reading_nothing_ = false;
};

} // namespace

void ServerState::accept(const std::shared_ptr<ServerState>& self) {
  if (self->draining) return;
  if (self->full()) {
    // A session that ends accepts again. The flag is set first, so that one that ends just now is not missed.
    self->waiting = true;
    if (self->full()) return;
    if (!self->waiting.exchange(false)) return;
  }
  self->next_loop = (self->next_loop + 1) % self->loops.size();
  self->acceptor.async_accept(self->loops[self->next_loop]->io, [self](error_code ec, Tcp::socket socket) {
    if (ec == asio::error::operation_aborted || self->draining) return;
    if (ec) { // no more descriptors, most likely
      self->handler.connection_problem("", fmt::format("could not accept a connection: {}", ec.message()));
      self->pause.expires_after(std::chrono::milliseconds(100));
      self->pause.async_wait([self](error_code) { accept(self); });
      return;
    }
    ++self->connections;
    try {
      std::shared_ptr<const TlsContext> tls;
      {
        std::lock_guard lock(self->mutex);
        tls = self->tls;
      }
      auto session = std::make_shared<Session>(std::move(socket), self, std::move(tls));
      {
        std::lock_guard lock(self->mutex);
        self->sessions.emplace(session.get(), session);
      }
      session->start();
    } catch (const std::exception& e) { self->handler.connection_problem("", e.what()); }
    accept(self);
  });
}

void ServerState::accept_again(const std::shared_ptr<ServerState>& self) {
  if (self->waiting && !self->full() && self->waiting.exchange(false)) asio::post(self->acceptor.get_executor(), [self] { accept(self); });
}

Server::Server(ServerOptions options, std::shared_ptr<const TlsContext> tls, Handler& handler)
    : state_(std::make_shared<ServerState>(std::move(options), std::move(tls), handler)) {
  const ServerOptions& o = state_->options;
  const auto fail = [&](const error_code& ec) {
    if (ec) throw std::runtime_error(fmt::format("Could not listen on {} port {}: {}", o.address, o.port, ec.message()));
  };
  error_code ec;
  const Tcp::endpoint endpoint(asio::ip::make_address(o.address, ec), o.port);
  fail(ec);
  state_->acceptor.open(endpoint.protocol(), ec);
  fail(ec);
  state_->acceptor.set_option(asio::socket_base::reuse_address(true), ec);
  if (endpoint.address().is_v6()) state_->acceptor.set_option(asio::ip::v6_only(false), ec);
  state_->acceptor.bind(endpoint, ec);
  fail(ec);
  state_->acceptor.listen(4096, ec);
  fail(ec);
}

Server::~Server() { stop(); }

uint16_t Server::port() const {
  error_code ignored;
  return state_->acceptor.local_endpoint(ignored).port();
}

void Server::start() {
  ServerState::accept(state_);
  for (const auto& loop : state_->loops) state_->threads.emplace_back([state = state_, io = &loop->io] { io->run(); });
}

void Server::set_tls(std::shared_ptr<const TlsContext> tls) {
  std::lock_guard lock(state_->mutex);
  state_->tls = std::move(tls);
}

bool Server::drain(std::chrono::milliseconds patience) {
  state_->draining = true;
  asio::post(state_->acceptor.get_executor(), [state = state_] {
    error_code ignored;
    state->acceptor.close(ignored);
    state->pause.cancel();
  });
  std::vector<std::shared_ptr<Session>> open;
  {
    std::lock_guard lock(state_->mutex);
    for (const auto& [address, session] : state_->sessions)
      if (auto held = session.lock()) open.push_back(std::move(held));
  }
  for (const auto& session : open) session->drain();
  open.clear();
  std::unique_lock lock(state_->mutex);
  return state_->ended.wait_for(lock, patience, [this] { return state_->open == 0; });
}

void Server::stop() {
  state_->draining = true;
  for (const auto& loop : state_->loops) loop->io.stop();
  for (std::thread& thread : state_->threads)
    if (thread.joinable()) thread.join();
  state_->threads.clear();
  // What is still open holds on to the state, and must let it go.
  std::vector<std::shared_ptr<Session>> open;
  {
    std::lock_guard lock(state_->mutex);
    for (const auto& [address, session] : state_->sessions)
      if (auto held = session.lock()) open.push_back(std::move(held));
  }
  for (const auto& session : open) session->abandon();
  open.clear();
  error_code ignored;
  state_->acceptor.close(ignored);
  state_->pause.cancel();
  for (const auto& loop : state_->loops) {
    loop->work.reset();
    loop->io.restart();
  }
  // Connections of one loop may post to another one.
  const auto end = Clock::now() + std::chrono::seconds(1);
  for (bool busy = true; busy && Clock::now() < end;) {
    busy = false;
    for (const auto& loop : state_->loops) {
      loop->io.restart();
      busy = loop->io.poll() > 0 || busy;
    }
  }
}

ServerCounts Server::counts() const {
  const ServerState& s = *state_;
  return {s.connections, s.handshakes_failed, s.requests, s.open, s.busy, s.refused};
}

} // namespace pupc::http
