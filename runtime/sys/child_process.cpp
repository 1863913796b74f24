// A child is forked with all signals blocked, so that it never runs this process's handlers.
#include "runtime/sys/child_process.h"

#include "catalog/base/descriptor.h"
#include "catalog/base/interruption.h"
#include "runtime/sys/posix_system.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

extern char** environ;

namespace pupc::runtime {
namespace {

int64_t monotonic() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

/// The exit status of a child that has ended, as waitpid tells it.
int wait_for_end(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  return status;
}

/// While it lives, no signal is delivered. The child must set its mask itself.
class BlockedSignals {
public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { restore(); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  void restore() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }

private:
  sigset_t before_;
};

std::vector<std::string> environment_of(const Command& command) {
  std::vector<std::string> out;
  auto set = [&](std::string_view name, std::string_view value) {
    std::string entry = fmt::format("{}={}", name, value);
    for (std::string& have : out)
      if (have.size() > name.size() && have[name.size()] == '=' && std::string_view(have).substr(0, name.size()) == name) {
        have = std::move(entry);
        return;
      }
    out.push_back(std::move(entry));
  };
  if (!command.clear_environment)
    for (char** e = environ; e != nullptr && *e != nullptr; ++e) {
      std::string_view entry = *e;
      if (std::find(command.unset.begin(), command.unset.end(), entry.substr(0, entry.find('='))) == command.unset.end())
        out.emplace_back(entry);
    }
  if (command.path) set("PATH", fmt::format("{}", fmt::join(*command.path, ":")));
  for (const auto& [name, value] : command.environment) set(name, value);
  return out;
}

/// What the child needs. The parent prepares it before the fork, because the child may only make async-signal-safe calls.
struct Prepared {
  Prepared(const Command& command, std::string file)
      : program(std::move(file)), texts(command.argv), environment_texts(environment_of(command)) {
    if (!command.shell.empty()) texts = {program, "-c", command.shell};
    for (std::string& t : texts) argv.push_back(t.data());
    argv.push_back(nullptr);
    for (std::string& t : environment_texts) environment.push_back(t.data());
    environment.push_back(nullptr);
  }
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  std::string program;
  std::vector<std::string> texts;
  std::vector<char*> argv;
  std::vector<std::string> environment_texts;
  std::vector<char*> environment;
};

/// The step at which the child failed.
enum class Step : int { Start, Identity, Directory };
struct ChildFailure {
  int error = 0;
  Step step = Step::Start;
};

/// Runs in the child and never returns. A failure before the program starts goes to `report` as a ChildFailure.
[[noreturn]] void start(const Command& command, const Prepared& prepared, const Identity& identity, int in, int out, int err, int report) {
  auto give_up = [&](Step step = Step::Start) {
    const ChildFailure failure{errno, step};
    (void)!::write(report, &failure, sizeof failure);
    ::_exit(127);
  };
  ::setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int s : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD, SIGQUIT}) ::signal(s, SIG_DFL);
  if (::dup2(in, 0) < 0 || ::dup2(out, 1) < 0 || ::dup2(err, 2) < 0) give_up();
  if (command.umask) ::umask(*command.umask);
  if (become(identity) != BecomeStep::None) give_up(Step::Identity);
  if (!command.directory.empty() && ::chdir(command.directory.c_str()) != 0) give_up(Step::Directory);
  ::execve(prepared.program.c_str(), prepared.argv.data(), prepared.environment.data());
  if (errno == ENOEXEC) { // a script without #!: run it with sh, as a shell would
    std::vector<char*> shell{const_cast<char*>("/bin/sh"), const_cast<char*>(prepared.program.c_str())};
    shell.insert(shell.end(), prepared.argv.begin() + 1, prepared.argv.end());
    ::execve("/bin/sh", shell.data(), prepared.environment.data());
  }
  give_up();
  ::_exit(127);
}

struct Pipe {
  Descriptor read, write;
  bool open() {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0) return false;
    read.reset(fds[0]);
    write.reset(fds[1]);
    return true;
  }
};

/// Limits a command's output: keeps its beginning and its end.
class KeptOutput {
public:
  KeptOutput(std::string& into, size_t most) : into_(into), most_(most) {}
  /// Call after appending: cuts the middle out once there is more than twice the limit.
  void trim() {
    if (most_ != 0 && into_.size() > 2 * most_) cut();
  }
  /// Call when the command has ended: cuts to the limit and notes how much is left out.
  void finish() {
    if (most_ != 0 && into_.size() > most_) cut();
    if (left_out_ != 0) into_.insert(most_ / 2, fmt::format("\n[{} bytes are left out]\n", left_out_));
  }

private:
  void cut() {
    const size_t too_many = into_.size() - most_;
    into_.erase(most_ / 2, too_many);
    left_out_ += too_many;
  }
  std::string& into_;
  size_t most_, left_out_ = 0;
};

/// Reads all available data. False at the end of the stream.
bool drain(int fd, std::string& into, KeptOutput& kept) {
  char buffer[65536];
  while (true) {
    ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n > 0) {
      into.append(buffer, static_cast<size_t>(n));
      kept.trim();
      if (static_cast<size_t>(n) < sizeof buffer) return true;
      continue;
    }
    if (n == 0) return false;
    if (errno == EINTR) continue;
    return errno == EAGAIN || errno == EWOULDBLOCK;
  }
}

/// One command from its start to its end.
class RunningProgram {
public:
  RunningProgram(const Command& command, CommandResult& result)
      : command_(command), result_(result), kept_(result.output, command.most_output),
        kept_errors_(result.error_output, command.most_output) {}

  /// False when the program was not started: the result says why.
  bool start(const Prepared& prepared, const Identity& identity) {
    Pipe report;
    if (!out_.open() || !report.open() || (!command_.merge_output && !err_.open()) || (!command_.input.empty() && !in_.open()))
      return not_started(errno);
    Descriptor null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (command_.timeout.count() > 0) deadline_ = monotonic() + std::chrono::nanoseconds(command_.timeout).count();
    {
      const BlockedSignals blocked;
      pid_ = ::fork();
      if (pid_ == 0)
        pupc::runtime::start(command_, prepared, identity, command_.input.empty() ? null.get() : in_.read.get(), out_.write.get(),
                             command_.merge_output ? out_.write.get() : err_.write.get(), report.write.get());
      if (pid_ < 0) return not_started(errno);
    }
    ::setpgid(pid_, pid_);
    in_.read.reset();
    out_.write.reset();
    err_.write.reset();
    report.write.reset();
    return has_started(report.read);
  }

  /// Feeds the program and keeps its output until it ends or its time is over.
  void wait() {
    for (int fd : {out_.read.get(), err_.read.get(), in_.write.get()})
      if (fd >= 0) ::fcntl(fd, F_SETFL, O_NONBLOCK);
    const Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    input_ = command_.input;
    err_open_ = !command_.merge_output;
    int status = 0;
    // Wait for the process, not for the end of its output: a background process may keep the pipe open for ever.
    for (bool ended = false; !ended;) {
      if (!wait_for_events(process)) {
        result_.timed_out = true;
        ::kill(-pid_, SIGKILL);
        ::kill(pid_, SIGKILL);
        status = wait_for_end(pid_);
        break;
      }
      if (interrupted_twice()) end_interrupted();
      read_output();
      if (!input_.empty()) write_input();
      const pid_t done = ::waitpid(pid_, &status, WNOHANG);
      ended = done == pid_ || (done < 0 && errno == ECHILD);
    }
    read_output();
    kept_.finish();
    kept_errors_.finish();
    result_.status = WIFEXITED(status) ? WEXITSTATUS(status) : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : 0;
  }

private:
  /// Ends the program and what it has started: asks first, and does not wait for ever.
  [[noreturn]] void end_interrupted() {
    signal_tree(pid_, SIGTERM);
    for (int i = 0; i < 500; ++i) {
      if (::waitpid(pid_, nullptr, WNOHANG) == pid_) throw Interrupted();
      ::usleep(10'000);
    }
    signal_tree(pid_, SIGKILL);
    wait_for_end(pid_);
    throw Interrupted();
  }

  bool not_started(int error) {
    result_.not_started = true;
    result_.error = error;
    result_.status = 127;
    return false;
  }

  /// Whether the child got as far as the program; it closes the pipe then, without a word.
  bool has_started(const Descriptor& report) {
    ChildFailure failure;
    ssize_t got = 0;
    while ((got = ::read(report.get(), &failure, sizeof failure)) < 0 && errno == EINTR) {}
    if (got != sizeof failure) return true;
    wait_for_end(pid_);
    if (failure.step == Step::Directory)
      result_.not_prepared = SystemError(failure.error, command_.directory, "dir_s_chdir").what();
    else if (failure.step != Step::Start)
      result_.not_prepared = system_error_text(failure.error);
    return not_started(failure.error);
  }

  /// Waits for output, for room for input or for the end. False when the time is over.
  bool wait_for_events(const Descriptor& process) {
    pollfd waits[4];
    nfds_t count = 0;
    auto wait_for = [&](int fd, short events) { waits[count++] = {fd, events, 0}; };
    wait_for(process.get(), POLLIN);
    if (out_open_) wait_for(out_.read.get(), POLLIN);
    if (err_open_) wait_for(err_.read.get(), POLLIN);
    if (!input_.empty()) wait_for(in_.write.get(), POLLOUT);
    int milliseconds = process.get() < 0 ? 10 : 1000; // an old kernel does not tell of the end; a signal may come just before poll()
    if (deadline_ != 0) {
      const int64_t rest = (deadline_ - monotonic() + 999'999) / 1'000'000;
      if (rest <= 0) return false;
      milliseconds = static_cast<int>(std::min<int64_t>(rest, milliseconds));
    }
    ::poll(waits, count, milliseconds);
    return true;
  }

  void read_output() {
    if (out_open_) out_open_ = drain(out_.read.get(), result_.output, kept_);
    if (err_open_) err_open_ = drain(err_.read.get(), result_.error_output, kept_errors_);
  }

  void write_input() {
    // Pipes have no counterpart to MSG_NOSIGNAL, so pupc ignores SIGPIPE during a run.
    const ssize_t n = ::write(in_.write.get(), input_.data(), input_.size());
    if (n > 0)
      input_.remove_prefix(static_cast<size_t>(n));
    else if (n < 0 && errno != EAGAIN && errno != EINTR)
      input_ = {};
    if (input_.empty()) in_.write.reset();
  }

  const Command& command_;
  CommandResult& result_;
  Pipe in_, out_, err_;
  KeptOutput kept_, kept_errors_;
  int64_t deadline_ = 0; // 0: none
  pid_t pid_ = -1;
  std::string_view input_; // what the program has not taken yet
  bool out_open_ = true, err_open_ = false;
};

/// How the work of a child ended. It is the first byte that the child writes to the pipe; the rest is the result or the error.
enum class WorkEnd : char { Result = 'r', SystemFailure = 's', OtherFailure = 'o' };

std::string message_of_failure(const SystemError& e) {
  return static_cast<char>(WorkEnd::SystemFailure) + fmt::format("{}{}{}{}{}", e.error, '\0', e.path, '\0', e.what());
}

/// Does the work and returns the message that tells how it ended.
std::string message_of_work(const std::function<std::string()>& work) {
  try {
    return static_cast<char>(WorkEnd::Result) + work();
  } catch (const SystemError& e) { return message_of_failure(e); } catch (const std::exception& e) {
    return static_cast<char>(WorkEnd::OtherFailure) + std::string(e.what());
  }
}

/// What the message of a child stands for: its result, or the error, which is thrown.
std::string result_in_message(const std::string& message) {
  const std::string text = message.substr(1);
  switch (static_cast<WorkEnd>(message[0])) {
  case WorkEnd::Result: return text;
  case WorkEnd::SystemFailure: {
    const size_t path = text.find('\0') + 1, what = text.find('\0', path) + 1;
    throw SystemError::with_text(std::atoi(text.c_str()), text.substr(path, what - 1 - path), text.substr(what));
  }
  case WorkEnd::OtherFailure: break;
  }
  throw std::runtime_error(text);
}

} // namespace

CommandResult run_program(const Command& command, const std::string& program, const Identity& identity) {
  CommandResult result;
  RunningProgram running(command, result);
  if (running.start(Prepared(command, program), identity)) running.wait();
  return result;
}

std::string run_in_child(const Identity& identity, const std::string& who, const std::function<std::string()>& work,
                         std::chrono::milliseconds patience) {
  const int64_t deadline = monotonic() + std::chrono::nanoseconds(patience).count();
  Pipe answer;
  if (!answer.open()) throw SystemError(errno, who);
  pid_t pid = -1;
  {
    const BlockedSignals blocked;
    pid = ::fork();
    if (pid < 0) throw SystemError(errno, who);
    if (pid == 0) {
      for (int s : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::signal(s, SIG_DFL);
      blocked.restore();
      const std::string message = become(identity) == BecomeStep::None ? message_of_work(work)
                                                                       : message_of_failure(SystemError(errno, who));
      for (std::string_view rest = message; !rest.empty();) {
        const ssize_t n = ::write(answer.write.get(), rest.data(), rest.size());
        if (n < 0 && errno != EINTR) ::_exit(1);
        if (n > 0) rest.remove_prefix(static_cast<size_t>(n));
      }
      ::_exit(0);
    }
  }
  answer.write.reset();
  std::string message;
  char buffer[65536];
  // The pipe closes when the child ends. Its user can stop it, or let it wait for a file system of their own.
  for (;;) {
    const int64_t rest = deadline - monotonic();
    if (interrupted_twice()) {
      signal_tree(pid, SIGKILL);
      wait_for_end(pid);
      throw Interrupted();
    }
    pollfd wait{answer.read.get(), POLLIN, 0};
    if (rest <= 0 || ::poll(&wait, 1, static_cast<int>(std::min<int64_t>(rest / 1'000'000 + 1, 1 << 30))) == 0) {
      ::kill(pid, SIGKILL);
      wait_for_end(pid);
      throw SystemError(ETIMEDOUT, who);
    }
    if ((wait.revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
    const ssize_t n = ::read(answer.read.get(), buffer, sizeof buffer);
    if (n > 0) message.append(buffer, static_cast<size_t>(n));
    if (n == 0 || (n < 0 && errno != EINTR)) break;
  }
  const int status = wait_for_end(pid);
  // The user may kill the child at any time: it runs under their uid.
  if (message.empty() || !WIFEXITED(status) || WEXITSTATUS(status) != 0) throw SystemError(ECHILD, who);
  return result_in_message(message);
}

} // namespace pupc::runtime
