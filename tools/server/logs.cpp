#include "tools/server/logs.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdexcept>
#include <unistd.h>

namespace pupc::server {

std::string log_time() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(now).count() % 1000;
  std::tm t{};
  ::gmtime_r(&seconds, &t);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec,
                     millis);
}

LogFile::LogFile(std::string path) : path_(std::move(path)), fd_(open()) {
  if (fd_ < 0 && path_ != "none") throw std::runtime_error(fmt::format("Could not open the log {}: {}", path_, std::strerror(errno)));
}

LogFile::~LogFile() {
  if (fd_ > STDERR_FILENO) ::close(fd_);
}

int LogFile::open() const {
  if (path_ == "none") return -1;
  if (path_.empty()) return STDERR_FILENO;
  return ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
}

void LogFile::line(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 1);
  for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  out += '\n';
  std::lock_guard lock(mutex_);
  if (fd_ < 0) return;
  for (std::string_view rest = out; !rest.empty();) {
    const ssize_t n = ::write(fd_, rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return; // a full disk must not stop the server
    rest.remove_prefix(static_cast<size_t>(n));
  }
}

void LogFile::reopen() {
  if (path_.empty() || path_ == "none") return;
  const int fresh = open();
  if (fresh < 0) return;
  std::lock_guard lock(mutex_);
  if (fd_ > STDERR_FILENO) ::close(fd_);
  fd_ = fresh;
}

void ServerLog::log(LogLevel level, std::string_view about, std::string_view text) {
  if (level < least_) return;
  ++lines_[static_cast<size_t>(level)];
  std::string word(name_of(level));
  for (char& c : word) c = static_cast<char>(c - 32);
  file_.line(fmt::format("{} {} {}{}{}", log_time(), word, about, about.empty() ? "" : ": ", text));
}

} // namespace pupc::server
