#include "tools/pupc/progress_line.h"

#include <cstdlib>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace pupc::cli {

ProgressLine::ProgressLine() {
  const char* kind = std::getenv("TERM");
  terminal_ = isatty(STDERR_FILENO) != 0 && kind != nullptr && std::string_view(kind) != "dumb";
}

void ProgressLine::show(size_t done, size_t of, std::string_view text) { show(fmt::format("[{}/{}] {}", done, of, text)); }

void ProgressLine::show(std::string_view text) {
  if (!terminal_) return;
  winsize size{};
  const size_t columns = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
  std::string line;
  size_t width = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) continue;
    if ((byte & 0xC0) != 0x80 && ++width >= columns) break; // continuation bytes of UTF-8 take no column
    line += c;
  }
  std::fflush(stdout);
  fmt::print(stderr, "\r\033[K{}", line);
  std::fflush(stderr);
  there_ = true;
}

void ProgressLine::clear() {
  if (!there_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  there_ = false;
}

} // namespace pupc::cli
