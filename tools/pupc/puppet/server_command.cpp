// pupc server, pupc agent, pupc ssl: start pupc-server and pupc-agent, programs and packages of their own, so that this one needs no TLS.
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
namespace {

/// Replaces this program by another one with these words. Returns only when it cannot; `usage` is what stands in for its help.
int start_program(const char* program, std::string_view first, std::span<const std::string_view> words, std::string_view usage) {
  std::vector<std::string> texts{program};
  if (!first.empty()) texts.emplace_back(first);
  for (const std::string_view word : words) texts.emplace_back(word);
  std::vector<char*> argv;
  for (std::string& text : texts) argv.push_back(text.data());
  argv.push_back(nullptr);
  // The one beside this program, else the one in the path.
  char self[4096];
  if (const ssize_t size = ::readlink("/proc/self/exe", self, sizeof self); size > 0 && size < static_cast<ssize_t>(sizeof self)) {
    std::string beside(self, static_cast<size_t>(size));
    beside.resize(beside.rfind('/') + 1);
    ::execv((beside + program).c_str(), argv.data());
    if (errno != ENOENT) fmt::print(stderr, "pupc: Could not start {}{}: {}\n", beside, program, std::strerror(errno));
  }
  ::execvp(program, argv.data());
  const bool help = std::ranges::any_of(words, [](std::string_view word) { return word == "--help" || word == "-h"; });
  if (errno == ENOENT && help) {
    fmt::print("{} Its options are those of {}, which is not installed.\n", usage, program);
    return exit_success;
  }
  if (errno == ENOENT)
    fmt::print(stderr, "pupc: {} is not installed: it is a package of its own\n", program);
  else
    fmt::print(stderr, "pupc: Could not start {}: {}\n", program, std::strerror(errno));
  return exit_failure;
}

} // namespace

int server_command(std::span<const std::string_view> words) {
  return start_program("pupc-server", "", words,
                       "Usage: pupc server [options]\n\nServes Puppet's agents over HTTPS: catalogs, files, reports.");
}

int agent_command(std::span<const std::string_view> words) {
  return start_program("pupc-agent", "agent", words,
                       "Usage: pupc agent [options]\n\nAsks a Puppet server for this machine's catalog and applies it.");
}

int ssl_command(std::span<const std::string_view> words) {
  return start_program("pupc-agent", "ssl", words,
                       "Usage: pupc ssl ACTION [options]\n\nMakes, asks for and checks this machine's certificate.");
}

} // namespace pupc::cli
