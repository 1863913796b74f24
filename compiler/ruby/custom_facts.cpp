#include "compiler/ruby/custom_facts.h"

#include "catalog/formats/data_file.h"
#include "catalog/json/json_writer.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace pupc {
namespace {

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() {
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error(fmt::format("a pipe to Ruby: {}", std::strerror(errno)));
  }
  ~Pipe() {
    close(0);
    close(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close(int end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }
};

std::string request_text(const CustomFactsRequest& request) {
  std::string out;
  JsonWriter w(out, false);
  w.begin_object();
  auto list = [&](std::string_view name, const std::vector<std::string>& items) {
    w.key(name);
    w.begin_array();
    for (const std::string& item : items) w.string(item);
    w.end_array();
  };
  list("directories", request.directories);
  list("libraries", request.libraries);
  w.end_object();
  out.pop_back();
  return out + ",\"facts\":" + request.facts + ",\"external\":" + request.external + ",\"environment\":" + request.environment + "}";
}

/// Writes the input to the process and returns what it prints until it closes its output. Both happen at once, so that neither side blocks.
std::string exchange(int to, int from, std::string_view input, std::chrono::milliseconds timeout, Pipe& closing) {
  auto deadline = std::chrono::steady_clock::now() + timeout;
  std::string out;
  ::fcntl(to, F_SETFL, O_NONBLOCK);
  while (true) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    if (left <= 0) throw std::runtime_error(fmt::format("Ruby did not resolve the custom facts within {} s", timeout.count() / 1000));
    pollfd both[2] = {{from, POLLIN, 0}, {input.empty() ? -1 : to, POLLOUT, 0}};
    if (::poll(both, 2, static_cast<int>(left)) < 0 && errno != EINTR) throw std::runtime_error("poll fails");
    if (both[1].revents != 0) {
      ssize_t n = ::write(to, input.data(), input.size());
      if (n > 0)
        input.remove_prefix(static_cast<size_t>(n));
      else if (n < 0 && errno != EAGAIN && errno != EINTR)
        input = {};
      if (input.empty()) closing.close(1);
    }
    if (both[0].revents == 0) continue;
    char chunk[65536];
    ssize_t n = ::read(from, chunk, sizeof chunk);
    if (n > 0)
      out.append(chunk, static_cast<size_t>(n));
    else if (n == 0 || errno != EINTR)
      return out;
  }
}

} // namespace

bool has_custom_facts(const std::vector<std::string>& directories) {
  for (const std::string& directory : directories) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error))
      if (entry.path().extension() == ".rb") return true;
  }
  return false;
}

CustomFacts run_custom_facts(const CustomFactsRequest& request, Arena& arena) {
  Pipe to, from;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to.ends[0], 0);
  posix_spawn_file_actions_adddup2(&actions, from.ends[1], 1);
  std::string program = request.program, source(custom_facts_source());
  char disable_gems[] = "--disable-gems", utf8[] = "-EUTF-8:", execute[] = "-e";
  char* arguments[] = {program.data(), disable_gems, utf8, execute, source.data(), nullptr};
  pid_t pid = -1;
  int error = ::posix_spawnp(&pid, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw std::runtime_error(fmt::format("custom facts need Ruby, which could not be started: {} '{}'", std::strerror(error), program));
  to.close(0);
  from.close(1);
  std::string answer;
  int status = 0;
  struct sigaction ignore {
  }, before{};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &before);
  try {
    answer = exchange(to.ends[1], from.ends[0], request_text(request), request.timeout, to);
  } catch (...) {
    ::sigaction(SIGPIPE, &before, nullptr);
    ::kill(pid, SIGKILL);
    ::waitpid(pid, &status, 0);
    throw;
  }
  ::sigaction(SIGPIPE, &before, nullptr);
  ::waitpid(pid, &status, 0);
  Value read;
  if (read_json(answer, arena, read) || !read.is_hash())
    throw std::runtime_error(WIFSIGNALED(status)
                                 ? fmt::format("the Ruby process of the custom facts was killed by signal {}", WTERMSIG(status))
                                 : fmt::format("the Ruby process of the custom facts ended with exit status {}", WEXITSTATUS(status)));
  CustomFacts out;
  if (const Value* facts = read.hash->find("facts")) out.facts = *facts;
  if (const Value* log = read.hash->find("log"); log != nullptr && log->is_list())
    for (const Value& line : log->items()) out.log.emplace_back(line.items()[0].str(), line.items()[1].str());
  return out;
}

} // namespace pupc
