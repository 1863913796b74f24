#include "catalog/base/paths.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pupc {

std::string absolute_path(std::string_view path, std::string_view base) {
  std::string whole;
  if (!path.starts_with('/')) {
    if (base.empty()) {
      char* cwd = ::getcwd(nullptr, 0);
      if (cwd) whole = cwd;
      ::free(cwd);
    } else {
      whole = base;
    }
    whole += '/';
  }
  whole += path;
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin < whole.size();) {
    size_t end = std::min(whole.find('/', begin), whole.size());
    std::string_view part = std::string_view(whole).substr(begin, end - begin);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (!parts.empty()) parts.pop_back();
    } else {
      parts.push_back(part);
    }
  }
  std::string out;
  for (auto part : parts) out.append("/").append(part);
  return out.empty() ? "/" : out;
}

std::vector<std::string> split_path(std::string_view list) {
  std::vector<std::string> out;
  for (size_t begin = 0; begin < list.size();) {
    size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin) out.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

bool is_directory(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

std::optional<std::string> read_whole_file(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  std::string text;
  struct stat info {};
  bool ok = ::fstat(fd, &info) == 0;
  if (ok && S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    ok = false;
  }
  if (ok) {
    size_t have = 0;
    text.resize(static_cast<size_t>(info.st_size) + 1); // one more, so that one read sees the end
    for (;;) {
      ssize_t n = ::read(fd, text.data() + have, text.size() - have);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) ok = false;
      if (n <= 0) break;
      have += static_cast<size_t>(n);
      if (have == text.size()) text.resize(text.size() * 2);
    }
    text.resize(have);
  }
  int code = errno;
  ::close(fd);
  errno = code;
  if (!ok) return std::nullopt;
  return text;
}

} // namespace pupc
