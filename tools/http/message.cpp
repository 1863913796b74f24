#include "tools/http/message.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <libdeflate.h>
#include <new>
#include <stdexcept>

namespace pupc::http {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

class Compressor {
public:
  Compressor() {
    constexpr int fastest = 1;
    compressor_ = libdeflate_alloc_compressor(fastest);
    if (compressor_ == nullptr) throw std::bad_alloc();
  }
  ~Compressor() { libdeflate_free_compressor(compressor_); }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  std::string gzip(std::string_view text) {
    std::string out;
    out.resize(libdeflate_gzip_compress_bound(compressor_, text.size()));
    out.resize(libdeflate_gzip_compress(compressor_, text.data(), text.size(), out.data(), out.size()));
    if (out.empty()) throw std::runtime_error("could not compress a response");
    return out;
  }

private:
  libdeflate_compressor* compressor_;
};

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : text.substr(first, last - first + 1);
}

} // namespace

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

const std::string* Headers::find(std::string_view name) const {
  for (const Field& field : fields_)
    if (same_name(field.first, name)) return &field.second;
  return nullptr;
}

std::string_view Headers::get(std::string_view name) const {
  const std::string* value = find(name);
  return value == nullptr ? std::string_view() : *value;
}

std::string_view reason_of(unsigned status) {
  switch (status) {
  case 100: return "Continue";
  case 200: return "OK";
  case 204: return "No Content";
  case 304: return "Not Modified";
  case 400: return "Bad Request";
  case 401: return "Unauthorized";
  case 403: return "Forbidden";
  case 404: return "Not Found";
  case 405: return "Method Not Allowed";
  case 406: return "Not Acceptable";
  case 408: return "Request Timeout";
  case 409: return "Conflict";
  case 411: return "Length Required";
  case 413: return "Payload Too Large";
  case 415: return "Unsupported Media Type";
  case 429: return "Too Many Requests";
  case 431: return "Request Header Fields Too Large";
  case 500: return "Internal Server Error";
  case 501: return "Not Implemented";
  case 502: return "Bad Gateway";
  case 503: return "Service Unavailable";
  case 504: return "Gateway Timeout";
  case 507: return "Insufficient Storage";
  default: return "Unknown";
  }
}

std::string http_date(long long seconds) {
  // Not strftime with names: they follow the locale.
  static constexpr const char* days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", days[parts.tm_wday], parts.tm_mday, months[parts.tm_mon],
                     parts.tm_year + 1900, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string gzip(std::string_view text) {
  // Kept by each thread: its tables are most of the work for a text of some kilobytes.
  thread_local Compressor compressor;
  return compressor.gzip(text);
}

bool accepts_gzip(std::string_view accept) {
  bool any = false;
  while (!accept.empty()) {
    const size_t end = std::min(accept.find(','), accept.size());
    const std::string_view part = accept.substr(0, end);
    accept.remove_prefix(std::min(end + 1, accept.size()));
    const size_t semicolon = part.find(';');
    const std::string_view name = trimmed(part.substr(0, semicolon));
    bool wanted = true;
    if (semicolon != std::string_view::npos)
      if (const size_t q = part.find("q=", semicolon); q != std::string_view::npos)
        wanted = std::strtod(std::string(part.substr(q + 2)).c_str(), nullptr) > 0;
    if (same_name(name, "gzip") || same_name(name, "x-gzip")) return wanted;
    if (name == "*") any = wanted;
  }
  return any;
}

} // namespace pupc::http
