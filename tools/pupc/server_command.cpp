// pupc server: starts pupc-server, a program and package of its own, so that this one needs no TLS.
#include "tools/pupc/command.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace pupc::cli {

int server_command(std::span<const std::string_view> words) {
  std::vector<std::string> texts{"pupc-server"};
  for (const std::string_view word : words) texts.emplace_back(word);
  std::vector<char*> argv;
  for (std::string& text : texts) argv.push_back(text.data());
  argv.push_back(nullptr);
  // The one beside this program, else the one in the path.
  char self[4096];
  if (const ssize_t size = ::readlink("/proc/self/exe", self, sizeof self); size > 0 && size < static_cast<ssize_t>(sizeof self)) {
    std::string beside(self, static_cast<size_t>(size));
    beside.resize(beside.rfind('/') + 1);
    ::execv((beside + "pupc-server").c_str(), argv.data());
    if (errno != ENOENT) fmt::print(stderr, "pupc: Could not start {}pupc-server: {}\n", beside, std::strerror(errno));
  }
  ::execvp("pupc-server", argv.data());
  const bool help = std::ranges::any_of(words, [](std::string_view word) { return word == "--help" || word == "-h"; });
  if (errno == ENOENT && help) {
    fmt::print("Usage: pupc server [options]\n\nServes Puppet's agents over HTTPS: catalogs, files, reports. Its options are those of "
               "pupc-server, which is not installed.\n");
    return exit_success;
  }
  if (errno == ENOENT)
    fmt::print(stderr, "pupc: pupc-server is not installed: it is a package of its own\n");
  else
    fmt::print(stderr, "pupc: Could not start pupc-server: {}\n", std::strerror(errno));
  return exit_failure;
}

} // namespace pupc::cli
