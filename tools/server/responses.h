#pragma once
// The forms of responses: errors as Puppet's agents know them, JSON, text.
#include "tools/http/server.h"
#include "tools/server/visible_names.h"

#include <string>
#include <string_view>

namespace pupc::server {

/// Ends the handling of a request with an error response.
struct ApiError {
  unsigned status;
  std::string message; // with Puppet's prefix: "Not Found: …"
  std::string kind = "RUNTIME_ERROR";
  bool logged = false; // the log has it already
};

[[noreturn]] void bad_request(const std::string& message);
[[noreturn]] void not_found(const std::string& message, std::string kind = "RUNTIME_ERROR");
[[noreturn]] void server_error(const std::string& message);

/// {"message": …, "issue_kind": …}
http::Response error_response(const ApiError& error);
http::Response text_response(unsigned status, std::string text, std::string_view type = "text/plain;charset=utf-8");
/// A page for paths that are not Puppet's.
http::Response no_such_page(std::string_view path);
/// Not now: the client is to come again after that many seconds.
http::Response come_again(unsigned seconds, std::string text);
/// A body of that type; compressed when the client takes gzip and it is worth it.
http::Response body_response(const http::Request& request, std::string body, std::string_view type);

} // namespace pupc::server
