#include "runtime/sys/http.h"

#include "catalog/base/text.h"
#include "runtime/sys/shared_library.h"

#include <fmt/format.h>
#include <mutex>
#include <strings.h>

namespace pupc::runtime {
namespace {

// The options of libcurl that we use; their numbers never change.
enum CurlOption : int {
  write_data = 10001,
  url = 10002,
  error_buffer = 10010,
  user_agent = 10018,
  low_speed_limit = 19,
  low_speed_time = 20,
  http_header = 10023,
  header_data = 10029,
  no_body = 44,
  follow_location = 52,
  max_redirects = 68,
  connect_timeout = 78,
  no_signal = 99,
  protocols = 181,
  redirect_protocols = 182,
  write_function = 20011,
  header_function = 20079,
};
constexpr int response_code = 0x200002;
constexpr long http_and_https = 3, https_only = 2;

struct Curl {
  int (*global_init)(long) = nullptr;
  void* (*init)() = nullptr;
  int (*setopt)(void*, int, ...) = nullptr;
  int (*perform)(void*) = nullptr;
  int (*getinfo)(void*, int, ...) = nullptr;
  void (*cleanup)(void*) = nullptr;
  const char* (*text)(int) = nullptr;
  void* (*append)(void*, const char*) = nullptr;
  void (*free_list)(void*) = nullptr;
  bool complete = false;
};

const Curl* curl() {
  static const Curl loaded = [] {
    Curl c;
    SharedLibrary library({"libcurl.so.4", "libcurl-gnutls.so.4"});
    library.find(c.global_init, "curl_global_init");
    library.find(c.init, "curl_easy_init");
    library.find(c.setopt, "curl_easy_setopt");
    library.find(c.perform, "curl_easy_perform");
    library.find(c.getinfo, "curl_easy_getinfo");
    library.find(c.cleanup, "curl_easy_cleanup");
    library.find(c.text, "curl_easy_strerror");
    library.find(c.append, "curl_slist_append");
    library.find(c.free_list, "curl_slist_free_all");
    c.complete = library.complete() && c.global_init(3) == 0;
    return c;
  }();
  return loaded.complete ? &loaded : nullptr;
}

struct Body {
  HttpAnswer& answer;
  size_t most;
};

/// Another return value than the size ends the transfer.
size_t take_body(char* data, size_t size, size_t count, void* to) {
  auto& [answer, most] = *static_cast<Body*>(to);
  if (size * count > most - answer.body.size()) {
    answer.too_long = true;
    return 0;
  }
  answer.body.append(data, size * count);
  return size * count;
}

size_t take_header(char* data, size_t size, size_t count, void* to) {
  auto& answer = *static_cast<HttpAnswer*>(to);
  std::string_view line(data, size * count);
  while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.remove_suffix(1);
  if (line.starts_with("HTTP/")) {
    // A new status line begins the answer after a redirection: drop the earlier answer.
    answer.headers.clear();
    answer.body.clear();
    const size_t code = line.find(' '), reason = code == std::string_view::npos ? code : line.find(' ', code + 1);
    answer.reason = reason == std::string_view::npos ? "" : std::string(line.substr(reason + 1));
  } else if (const size_t colon = line.find(':'); colon != std::string_view::npos) {
    std::string name = ascii_lower(line.substr(0, colon));
    size_t value = line.find_first_not_of(" \t", colon + 1);
    answer.headers.emplace_back(std::move(name), value == std::string_view::npos ? "" : line.substr(value));
  }
  return size * count;
}

} // namespace

HttpAnswer send_http_request(const HttpRequest& request) {
  HttpAnswer answer;
  const Curl* c = curl();
  void* handle = c == nullptr ? nullptr : c->init();
  if (handle == nullptr) {
    answer.error = "libcurl is not installed";
    return answer;
  }
  char problem[256] = "";
  c->setopt(handle, url, request.url.c_str());
  c->setopt(handle, error_buffer, problem);
  c->setopt(handle, user_agent, "pupc");
  c->setopt(handle, no_signal, 1L);
  c->setopt(handle, no_body, request.head ? 1L : 0L);
  c->setopt(handle, follow_location, 1L);
  c->setopt(handle, max_redirects, 10L);
  c->setopt(handle, protocols, http_and_https);
  // Never follow a redirection from https to http: anyone on the way could change the answer.
  const bool encrypted = request.url.size() > 6 && strncasecmp(request.url.c_str(), "https:", 6) == 0;
  c->setopt(handle, redirect_protocols, encrypted ? https_only : http_and_https);
  c->setopt(handle, connect_timeout, 120L);
  // Give up when the server is silent for ten minutes.
  c->setopt(handle, low_speed_limit, 1L);
  c->setopt(handle, low_speed_time, 600L);
  c->setopt(handle, write_function, &take_body);
  Body body{answer, request.most_body};
  c->setopt(handle, write_data, &body);
  c->setopt(handle, header_function, &take_header);
  c->setopt(handle, header_data, &answer);
  void* headers = nullptr;
  for (const std::string& h : request.headers) headers = c->append(headers, h.c_str());
  if (headers != nullptr) c->setopt(handle, http_header, headers);
  const int result = c->perform(handle);
  if (result == 0 || answer.too_long) {
    long status = 0;
    c->getinfo(handle, response_code, &status);
    answer.status = static_cast<int>(status);
  }
  if (answer.too_long) {
    answer.body = {};
    answer.error = fmt::format("the answer is longer than {} bytes", request.most_body);
  } else if (result != 0) {
    answer.error = problem[0] != '\0' ? problem : c->text(result);
  }
  if (headers != nullptr) c->free_list(headers);
  c->cleanup(handle);
  return answer;
}

} // namespace pupc::runtime
