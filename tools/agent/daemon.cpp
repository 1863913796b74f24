#include "tools/agent/daemon.h"

#include "catalog/base/paths.h"
#include "catalog/base/version.h"
#include "runtime/state/run_state.h"
#include "runtime/sys/posix_system.h"
#include "tools/agent/agent_run.h"
#include "tools/agent/run_files.h"
#include "tools/pupc/apply/systemd.h"
#include "tools/pupc/command.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <malloc.h>
#include <span>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pupc::cli::agent {
namespace {

constexpr int watched[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD};

sigset_t watched_set() {
  sigset_t out;
  sigemptyset(&out);
  for (const int signal : watched) sigaddset(&out, signal);
  return out;
}

int64_t now() {
  timespec t{};
  ::clock_gettime(CLOCK_BOOTTIME, &t); // goes on while the machine sleeps
  return t.tv_sec;
}

/// Lets go of the pages of code that the last step has touched: a process that sleeps for half an hour needs none of them, and reads them
/// anew from the file. What was written to stays, as do the heap's pages in use.
void forget_code() {
  ::malloc_trim(0);
  ::dl_iterate_phdr(
      [](dl_phdr_info* object, size_t, void*) {
        const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
        for (const ElfW(Phdr) & part : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
          if (part.p_type != PT_LOAD || (part.p_flags & PF_W) != 0) continue;
          const uintptr_t begin = (object->dlpi_addr + part.p_vaddr) / page * page, end = object->dlpi_addr + part.p_vaddr + part.p_memsz;
          // The kernel's own pages refuse, which is as well.
          ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
        }
        return 0;
      },
      nullptr);
}

/// A child that makes one run, with the signals as any program has them.
pid_t start_run(const std::function<int()>& run) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  const sigset_t all = watched_set();
  ::sigprocmask(SIG_UNBLOCK, &all, nullptr);
  ::unsetenv("NOTIFY_SOCKET");
  int code = exit_failure;
  try {
    code = run();
  } catch (...) {} // it has said why
  std::fflush(nullptr);
  ::_exit(code);
}

[[noreturn]] void start_anew(const AgentOptions& options) {
  std::vector<std::string> texts{"pupc-agent", "agent"};
  texts.insert(texts.end(), options.words.begin(), options.words.end());
  std::vector<char*> argv;
  for (std::string& text : texts) argv.push_back(text.data());
  argv.push_back(nullptr);
  const sigset_t all = watched_set();
  ::sigprocmask(SIG_UNBLOCK, &all, nullptr);
  ::execv("/proc/self/exe", argv.data());
  ::_exit(exit_failure);
}

} // namespace

void go_into_background() {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error(fmt::format("Could not go into the background: {}", std::strerror(errno)));
  if (child > 0) ::_exit(exit_success);
  ::setsid();
  if (::chdir("/") != 0) throw std::runtime_error("Could not enter /");
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {0, 1, 2}) ::dup2(null, stream);
  if (null > 2) ::close(null);
}

int run_daemon(AgentOptions& options, const std::function<int()>& run) {
  AgentRun log(options);
  if (!log.open_logs()) return exit_failure;
  const auto system = make_posix_system();
  const std::string pid_file = options.settings().value("pidfile");
  RunLock only;
  std::string holder;
  if (held_by_puppet(pid_file) || !lock_file(*system, only, pid_file, holder)) {
    log.say(LogLevel::Err, fmt::format("Could not create PID file: {}", pid_file));
    return exit_failure;
  }
  const sigset_t all = watched_set();
  ::sigprocmask(SIG_BLOCK, &all, nullptr);
  const ProcessName name("puppet-agent");
  log.say(LogLevel::Notice, fmt::format("Starting Puppet client version {}", puppet_version));
  tell_systemd("READY=1");
  int64_t next = now();
  if (options.settings().truth("splay")) next += random_below(options.settings().integer_of("splaylimit"));
  pid_t child = 0;
  bool stop = false, anew = false;
  while (!(child == 0 && (stop || anew))) {
    const int64_t rest = next - now();
    if (child == 0 && rest <= 0) {
      next = now() + std::max<int64_t>(options.settings().integer_of("runinterval"), 1);
      child = std::max(start_run(run), 0);
      continue;
    }
    if (child == 0) forget_code();
    siginfo_t info{};
    timespec most{rest, 0};
    // Nothing wakes this process before the next run but a signal.
    const int signal = child != 0 ? ::sigwaitinfo(&all, &info) : ::sigtimedwait(&all, &info, &most);
    switch (signal) {
    case SIGTERM:
    case SIGINT:
      log.say(LogLevel::Notice, fmt::format("Caught {}; exiting", signal == SIGTERM ? "TERM" : "INT"));
      tell_systemd("STOPPING=1");
      if (child != 0) ::kill(child, SIGTERM);
      stop = true;
      break;
    case SIGHUP:
      log.say(LogLevel::Notice, "Caught HUP; storing restart");
      anew = true;
      break;
    case SIGUSR1:
      log.say(LogLevel::Notice, "Caught USR1; storing reload");
      next = now();
      break;
    case SIGUSR2:
      log.say(LogLevel::Notice, "Caught USR2; storing reopen_logs");
      log.open_logs();
      break;
    case SIGCHLD:
      if (int status = 0; child != 0 && ::waitpid(child, &status, WNOHANG) == child) child = 0;
      break;
    default: break; // time for a run
    }
  }
  if (stop) return exit_success;
  log.say(LogLevel::Notice, "Restarting");
  start_anew(options);
}

} // namespace pupc::cli::agent
