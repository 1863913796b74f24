#include "tools/pupc/node/program_output.h"

#include "catalog/base/limits.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace pupc::cli {
namespace {

constexpr size_t most_output = size_t(64) << 20;

struct Ends {
  int read = -1, write = -1;
  bool open() {
    int both[2];
    if (::pipe2(both, O_CLOEXEC) != 0) return false;
    read = both[0];
    write = both[1];
    return true;
  }
  void close_write() {
    if (write >= 0) ::close(std::exchange(write, -1));
  }
  ~Ends() {
    close_write();
    if (read >= 0) ::close(read);
  }
};

/// Starts the program in a process group of its own, so that its children can be ended with it; -1 with errno when it cannot be started.
pid_t start(const std::vector<char*>& argv, const Ends& ends) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDWR, 0);
  posix_spawn_file_actions_adddup2(&actions, ends.write, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, usual;
  sigemptyset(&none);
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t child = -1;
  const int error = ::posix_spawn(&child, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  errno = error;
  return error == 0 ? child : -1;
}

/// Reads to the end; null, or what was wrong.
const char* read_all(int fd, std::string& text, std::chrono::milliseconds limit) {
  using Clock = std::chrono::steady_clock;
  auto left = std::chrono::nanoseconds(limit.count() > 0 ? std::chrono::nanoseconds(limit) : std::chrono::hours(24));
  if (const auto of_work = time_left()) left = std::min(left, *of_work);
  const Clock::time_point end = Clock::now() + left;
  char chunk[16384];
  for (;;) {
    const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (rest <= 0) return "took too long";
    pollfd wait{fd, POLLIN, 0};
    const int ready = ::poll(&wait, 1, static_cast<int>(std::min<int64_t>(rest, 60000)));
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t n = ::read(fd, chunk, sizeof chunk);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return nullptr;
    if (text.size() + static_cast<size_t>(n) > most_output) return "gave more than 64 MB";
    text.append(chunk, static_cast<size_t>(n));
  }
}

} // namespace

ProgramOutput program_output(std::vector<std::string> words, std::chrono::milliseconds limit) {
  ProgramOutput out;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  Ends ends;
  const pid_t child = ends.open() ? start(argv, ends) : -1;
  if (child < 0) {
    out.error = errno;
    return out;
  }
  ends.close_write();
  out.problem = read_all(ends.read, out.text, limit);
  if (out.problem != nullptr) ::kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  out.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return out;
}

} // namespace pupc::cli
