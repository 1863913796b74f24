#include "tools/server/responses.h"

#include "catalog/base/version.h"
#include "catalog/json/json_writer.h"
#include "tools/server/compression.h"

#include <fmt/format.h>

namespace pupc::server {
namespace {

constexpr size_t worth_compressing = 2048;

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

http::Response body_response(const http::Request& request, std::string body, std::string_view type) {
  const bool wanted = body.size() >= worth_compressing && http::accepts_gzip(request.headers.get("Accept-Encoding"));
  http::Response out = text_response(200, wanted ? gzip(body) : std::move(body), type);
  if (wanted) out.headers.add("Content-Encoding", "gzip");
  return out;
}

} // namespace pupc::server
