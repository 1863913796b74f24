#include "tools/server/responses.h"

#include "catalog/base/version.h"
#include "catalog/json/json_writer.h"

#include <deque>
#include <fmt/format.h>
#include <memory>
#include <mutex>

namespace pupc::server {
namespace {

constexpr size_t worth_compressing = 2048;
// Of gzip_once: at most 16 MB.
constexpr size_t most_compressed = 16, largest_compressed = 1 << 20;

} // namespace

void bad_request(const std::string& message) { throw ApiError{400, "Bad Request: " + message}; }
void not_found(const std::string& message, std::string kind) { throw ApiError{404, "Not Found: " + message, std::move(kind)}; }
void server_error(const std::string& message) { throw ApiError{500, "Server Error: " + message}; }

http::Response error_response(const ApiError& error) {
  std::string text;
  JsonWriter w(text);
  w.begin_object();
  w.member("message", error.message);
  w.member("issue_kind", error.kind);
  w.end_object();
  return text_response(error.status, std::move(text), "application/json;charset=utf-8");
}

http::Response text_response(unsigned status, std::string text, std::string_view type) {
  http::Response out;
  out.status = status;
  out.headers = {{"Content-Type", std::string(type)}, {"X-Puppet-Version", std::string(puppet_version)}};
  out.body = std::move(text);
  return out;
}

http::Response no_such_page(std::string_view path) {
  std::string shown;
  for (const char c : path.substr(0, 200)) {
    switch (c) {
    case '<': shown += "&lt;"; break;
    case '>': shown += "&gt;"; break;
    case '&': shown += "&amp;"; break;
    case '"': shown += "&quot;"; break;
    default: shown += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return text_response(
      404,
      fmt::format("<html><head><title>Error 404 Not Found</title></head><body><h2>HTTP ERROR 404 Not Found</h2><p>{}</p></body></html>\n",
                  shown),
      "text/html;charset=utf-8");
}

http::Response come_again(unsigned seconds, std::string text) {
  http::Response out = text_response(503, std::move(text));
  out.headers.add("Retry-After", std::to_string(seconds));
  return out;
}

http::Response body_response(const http::Request& request, std::string body, std::string_view type,
                             std::string (*compress)(std::string_view)) {
  const bool wanted = body.size() >= worth_compressing && http::accepts_gzip(request.headers.get("Accept-Encoding"));
  http::Response out = text_response(200, wanted ? compress(body) : std::move(body), type);
  if (wanted) out.headers.add("Content-Encoding", "gzip");
  return out;
}

std::string gzip_once(std::string_view text) {
  struct Kept {
    std::string text, compressed;
  };
  static std::mutex mutex;
  static std::deque<std::shared_ptr<const Kept>> last;
  if (text.size() > largest_compressed) return http::gzip(text);
  std::unique_lock lock(mutex);
  const auto known = last; // compared without the lock
  lock.unlock();
  for (const auto& one : known)
    if (one->text == text) return one->compressed;
  auto fresh = std::make_shared<const Kept>(Kept{std::string(text), http::gzip(text)});
  lock.lock();
  last.push_front(fresh);
  if (last.size() > most_compressed) last.pop_back();
  return fresh->compressed;
}

} // namespace pupc::server
