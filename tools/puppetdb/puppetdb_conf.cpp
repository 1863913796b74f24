#include "tools/puppetdb/puppetdb_conf.h"

#include "catalog/base/diagnostic.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <memory>

namespace pupc::puppetdb {
namespace {

using catalog::CompileError;
using catalog::Diagnostic;
using catalog::ErrorCode;

struct Setting {
  std::string value;
  uint32_t line = 0;
};
using Settings = std::map<std::string, Setting, std::less<>>;

constexpr std::string_view blanks = " \t\r\n\v\f";

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  });
}

class Reader {
public:
  explicit Reader(const std::string& file) : file_(file) {}

  Config read(std::string_view text) {
    for (uint32_t line = 1; !text.empty(); ++line) {
      const size_t end = text.find('\n');
      take_line(text.substr(0, end), line);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    Config out;
    out.server_urls = addresses("server_urls", "https://puppetdb:8081");
    out.submit_only_server_urls = addresses("submit_only_server_urls", "");
    out.server_url_timeout = std::chrono::seconds(number("server_url_timeout", 30));
    out.min_successful_submissions = number("min_successful_submissions", 1);
    out.command_broadcast = truth("command_broadcast", false);
    out.include_unchanged_resources = truth("include_unchanged_resources", false);
    out.soft_write_failure = truth("soft_write_failure", false);
    out.sticky_read_failover = truth("sticky_read_failover", false);
    out.verify_client_certificate = truth("verify_client_certificate", true);
    check(out);
    return out;
  }

private:
  [[noreturn]] void fail(std::string message, uint32_t line) const {
    Diagnostic d;
    d.code = ErrorCode::load_error;
    d.message = "PuppetDB's configuration: " + std::move(message);
    d.file = file_;
    d.line = line;
    throw CompileError(std::move(d));
  }

  void take_line(std::string_view whole, uint32_t line) {
    const std::string_view text = trimmed(whole);
    if (text.empty() || text.front() == '#' || text.front() == ';') return;
    if (text.front() == '[' && text.back() == ']') {
      const std::string_view name = trimmed(text.substr(1, text.size() - 2));
      if (!is_word(name)) fail(fmt::format("'{}' is no section", text), line);
      in_section_ = true;
      in_main_ = name == "main";
      return;
    }
    const size_t equals = text.find('=');
    const std::string_view name = trimmed(text.substr(0, equals));
    const std::string_view value = equals == std::string_view::npos ? std::string_view() : trimmed(text.substr(equals + 1));
    if (!is_word(name) || value.empty()) fail(fmt::format("expected 'name = value', found '{}'", text), line);
    if (name == "server" || name == "port") fail(fmt::format("'{}' is retired: use server_urls", name), line);
    if (!in_section_) fail(fmt::format("'{}' must be in a section, as [main]", name), line);
    if (in_main_) settings_.insert_or_assign(std::string(name), Setting{std::string(value), line});
  }

  uint32_t line_of(std::string_view name) const {
    auto it = settings_.find(name);
    return it == settings_.end() ? 0 : it->second.line;
  }

  std::vector<http::ServerAddress> addresses(std::string_view name, std::string_view fallback) const {
    auto it = settings_.find(name);
    std::string_view rest = it == settings_.end() ? fallback : std::string_view(it->second.value);
    std::vector<http::ServerAddress> out;
    while (!rest.empty()) {
      const size_t comma = rest.find(',');
      const std::string_view url = trimmed(rest.substr(0, comma));
      rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
      if (url.empty()) continue;
      std::string path;
      http::ServerAddress address;
      try {
        address = http::read_url(url, &path);
      } catch (const std::invalid_argument& e) { fail(fmt::format("{}: '{}': {}", name, url, e.what()), line_of(name)); }
      if (!address.tls) fail(fmt::format("{} must begin with https://, found '{}'", name, url), line_of(name));
      if (!path.empty() && path != "/") fail(fmt::format("{} must have no path, found '{}'", name, url), line_of(name));
      out.push_back(std::move(address));
    }
    return out;
  }

  int number(std::string_view name, int fallback) const {
    auto it = settings_.find(name);
    if (it == settings_.end()) return fallback;
    const std::string& text = it->second.value;
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0)
      fail(fmt::format("{} must be a number, found '{}'", name, text), it->second.line);
    return value;
  }

  bool truth(std::string_view name, bool fallback) const {
    auto it = settings_.find(name);
    if (it == settings_.end()) return fallback;
    if (it->second.value == "true") return true;
    if (it->second.value == "false") return false;
    fail(fmt::format("{} must be true or false, found '{}'", name, it->second.value), it->second.line);
  }

  void check(const Config& c) const {
    const uint32_t least = line_of("min_successful_submissions");
    if (c.server_urls.empty()) fail("server_urls names no server", line_of("server_urls"));
    for (const http::ServerAddress& url : c.submit_only_server_urls)
      if (std::find(c.server_urls.begin(), c.server_urls.end(), url) != c.server_urls.end())
        fail(fmt::format("'{}' is in both server_urls and submit_only_server_urls", url.url()), line_of("submit_only_server_urls"));
    if (c.min_successful_submissions > 1) {
      if (c.soft_write_failure) fail("soft_write_failure does not go with min_successful_submissions above 1", least);
      if (!c.command_broadcast) fail("min_successful_submissions above 1 needs command_broadcast = true", least);
    }
    if (static_cast<size_t>(c.min_successful_submissions) > c.server_urls.size())
      fail(
          fmt::format("min_successful_submissions is {}, but there are {} server_urls", c.min_successful_submissions, c.server_urls.size()),
          least);
  }

  const std::string& file_;
  Settings settings_; // of [main]
  bool in_section_ = false, in_main_ = false;
};

} // namespace

Config read_config(std::string_view text, const std::string& file) { return Reader(file).read(text); }

Config load_config(const std::string& file) {
  auto failed = [&] {
    Diagnostic d;
    d.code = ErrorCode::load_error;
    d.message = fmt::format("PuppetDB's configuration cannot be read: {}", std::strerror(errno));
    d.file = file;
    throw CompileError(std::move(d));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(file.c_str(), "re"), std::fclose);
  if (!in) {
    if (errno != ENOENT && errno != ENOTDIR) failed();
    return read_config("", file);
  }
  std::string text;
  char piece[4096];
  for (size_t n; (n = std::fread(piece, 1, sizeof piece, in.get())) > 0;) text.append(piece, n);
  if (std::ferror(in.get()) != 0) failed();
  return read_config(text, file);
}

} // namespace pupc::puppetdb
