#include "catalog/ruby/ruby_worker.h"

#include "catalog/base/interruption.h"
#include "catalog/base/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace pupc::catalog {
namespace {

constexpr int worker_fd = 3;
constexpr int source_fd = 4;
// The worker reads its source from a file in memory. So it needs no file at run time, the source may be longer than an argument, and who
// starts a worker does not wait until it reads.
constexpr const char* bootstrap = "s=IO.for_fd(3,'r+b');s.sync=true;s.close_on_exec=true;f=IO.for_fd(4,'rb');c=f.read;f.close;eval(c.force_"
                                  "encoding('UTF-8'),nil,'pupc:worker.rb');PupcWorker.run(s)";

constexpr std::chrono::seconds receive_patience{1};

// A frame from the worker starts with its size and then the size xor this number. This check detects other data that a module's code
// writes to the worker's descriptor.
constexpr size_t head_size = 8;
constexpr uint32_t size_check = 0x70757063;

using Clock = std::chrono::steady_clock;

/// A file in memory with this text, to be read from its beginning; -1 with errno when there can be none.
int memory_file(std::string_view text) {
  const int made = ::memfd_create("pupc-worker", MFD_CLOEXEC);
  if (made < 0) return -1;
  const int file = ::fcntl(made, F_DUPFD_CLOEXEC, 10); // above the descriptors that the worker gets
  ::close(made);
  while (file >= 0 && !text.empty()) {
    const ssize_t n = ::write(file, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return ::close(file), -1;
    text.remove_prefix(static_cast<size_t>(n));
  }
  if (file >= 0) ::lseek(file, 0, SEEK_SET);
  return file;
}

} // namespace

RubyWorker::RubyWorker(const std::string& program, std::string key, std::string_view source, size_t memory) : key_(std::move(key)) {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    throw RubyWorkerLost{fmt::format("could not be started: {}", std::strerror(errno))};
  const int file = memory_file(source);
  if (file < 0) {
    const int why = errno;
    ::close(pair[0]);
    ::close(pair[1]);
    throw RubyWorkerLost{fmt::format("could not be started: {}", std::strerror(why))};
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, 2, 1); // stdout goes to stderr: output of user code must not get into the catalog document
  posix_spawn_file_actions_adddup2(&actions, pair[1], worker_fd);
  posix_spawn_file_actions_adddup2(&actions, file, source_fd);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t all, none;
  sigemptyset(&none);
  sigemptyset(&all);
  sigaddset(&all, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::string name = program;
  char disable_gems[] = "--disable-gems", utf8[] = "-EUTF-8:", execute[] = "-e";
  std::string code = bootstrap;
  char* arguments[] = {name.data(), disable_gems, utf8, execute, code.data(), nullptr};
  pid_t pid = -1;
  int error = ::posix_spawnp(&pid, program.c_str(), &actions, &attributes, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  ::close(pair[1]);
  ::close(file);
  if (error != 0) {
    ::close(pair[0]);
    throw RubyWorkerLost{fmt::format("could not be started: {} '{}'{}", std::strerror(error), program,
                                     error == ENOENT ? "; install the package ruby, or name another with --ruby-program" : "")};
  }
  pid_ = pid;
  socket_ = pair[0];
  timeval wait{receive_patience.count(), 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  if (memory > 0) {
    const rlimit most{memory, memory};
    ::prlimit(pid, RLIMIT_DATA, &most, nullptr);
  }
}

RubyWorker::~RubyWorker() {
  close_socket(); // the worker ends when its socket closes
  if (pid_ <= 0) return;
  for (int i = 0; i < 20; ++i) {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) != 0) return;
    ::usleep(500);
  }
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void RubyWorker::close_socket() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

void RubyWorker::end_process() {
  if (pid_ > 0) {
    signal_tree(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  close_socket();
}

void RubyWorker::end_interrupted() {
  end_process();
  throw Interrupted();
}

void RubyWorker::lost(bool late, std::chrono::nanoseconds waited) {
  if (pid_ <= 0) throw RubyWorkerLost{"is gone"};
  if (late) signal_tree(pid_, SIGKILL);
  close_socket();
  int status = 0;
  // Also end a worker that has closed its socket but still runs.
  for (int i = 0; !late && i < 200 && ::waitpid(pid_, &status, WNOHANG) == 0; ++i) {
    if (i == 199) ::kill(pid_, SIGKILL);
    ::usleep(1000);
  }
  if (late || ::kill(pid_, 0) == 0) ::waitpid(pid_, &status, 0);
  pid_ = -1;
  if (late)
    throw RubyWorkerLost{fmt::format("did not answer within {:.3g} s and was ended", std::chrono::duration<double>(waited).count())};
  if (WIFSIGNALED(status)) throw RubyWorkerLost{fmt::format("was killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))};
  throw RubyWorkerLost{fmt::format("ended with exit status {}", WEXITSTATUS(status))};
}

/// Waits until the socket is ready, but no longer than `patience` or the time limit of the whole work.
void RubyWorker::wait(short events, std::chrono::nanoseconds& patience, std::chrono::nanoseconds all) {
  const auto start = Clock::now();
  auto most = patience;
  if (auto left = time_left()) most = std::min(most, *left);
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(most).count();
  pollfd waiting{socket_, events, 0};
  const int ready = ::poll(&waiting, 1, static_cast<int>(std::clamp<int64_t>(milliseconds, 0, 1 << 30)) + 1);
  patience -= Clock::now() - start;
  if (ready != 0) return;
  if (auto left = time_left(); left && left->count() == 0) {
    end_process();
    check_time_now();
  }
  if (patience.count() <= 0) lost(true, all);
}

bool RubyWorker::wait_readable(std::chrono::milliseconds limit) const {
  if (buffer_.size() > begin_ || !alive()) return true;
  pollfd waiting{socket_, POLLIN, 0};
  return ::poll(&waiting, 1, static_cast<int>(limit.count())) > 0;
}

void RubyWorker::send(std::string_view payload, std::chrono::nanoseconds limit) {
  if (!alive()) lost(false);
  std::string frame(4, '\0');
  auto size = static_cast<uint32_t>(payload.size());
  std::memcpy(frame.data(), &size, 4);
  frame += payload;
  auto patience = limit;
  for (size_t sent = 0; sent < frame.size();) {
    ssize_t n = ::send(socket_, frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0)
      sent += static_cast<size_t>(n);
    else if (errno == EAGAIN || errno == EWOULDBLOCK)
      wait(POLLOUT, patience, limit);
    else if (errno != EINTR)
      lost(false);
  }
}

bool RubyWorker::fill(size_t needed, std::chrono::nanoseconds& patience, std::chrono::nanoseconds all) {
  while (buffer_.size() - begin_ < needed) {
    auto start = Clock::now();
    // recv() itself waits up to receive_patience, which saves a call of poll(). Only for a shorter patience call wait() first.
    const auto left = time_left();
    if (patience < receive_patience || (left && *left < receive_patience)) {
      wait(POLLIN, patience, all);
      start = Clock::now();
    }
    if (begin_ > 0) {
      buffer_.erase(0, begin_);
      begin_ = 0;
    }
    char chunk[65536];
    ssize_t n = ::recv(socket_, chunk, sizeof chunk, 0);
    int error = n < 0 ? errno : 0;
    patience -= Clock::now() - start;
    if (n > 0)
      buffer_.append(chunk, static_cast<size_t>(n));
    else if (n == 0 || (error != EINTR && error != EAGAIN && error != EWOULDBLOCK))
      return false;
    else if (interrupted_twice())
      end_interrupted();
    else if (patience.count() <= 0)
      lost(true, all);
  }
  return true;
}

std::string RubyWorker::receive(std::chrono::nanoseconds& patience, std::chrono::nanoseconds limit) {
  if (!alive()) lost(false);
  if (!fill(head_size, patience, limit)) lost(false);
  uint32_t size = 0, check = 0;
  std::memcpy(&size, buffer_.data() + begin_, 4);
  std::memcpy(&check, buffer_.data() + begin_ + 4, 4);
  if ((size ^ size_check) != check) {
    end_process();
    throw RubyWorkerLost{"sent something that is no answer (does code of a module write to its file descriptors?) and was ended"};
  }
  if (!fill(head_size + size, patience, limit)) lost(false);
  std::string payload = buffer_.substr(begin_ + head_size, size);
  begin_ += head_size + size;
  fresh_ = false;
  if (begin_ == buffer_.size()) {
    buffer_.clear();
    begin_ = 0;
  }
  return payload;
}

} // namespace pupc::catalog
