// pupc-server: serves Puppet's agents.
#include "catalog/base/diagnostic.h"
#include "catalog/base/overdue.h"
#include "tools/http/server.h"
#include "tools/pupc/apply/systemd.h"
#include "tools/pupc/command.h"
#include "tools/pupc/options.h"
#include "tools/pupc/workers.h"
#include "tools/server/application.h"
#include "tools/server/served_certificates.h"
#include "tools/server/visible_names.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <malloc.h>
#include <memory>
#include <pthread.h>
#include <span>
#include <string_view>
#include <unistd.h>

namespace pupc::server {
namespace {

/// The server, as the signals and the clock change it. What is wrong with files leaves everything as it was.
struct Running {
  std::span<const std::string_view> words; // of the command line
  ServerLog& log;
  LogFile& access;
  ServedCertificates& certificates;
  Application& application;
  http::Server& server;

  void reopen_logs() const {
    log.reopen();
    access.reopen();
  }

  void reload() const {
    reopen_logs();
    try {
      bool help = false;
      take(std::make_shared<Core>(read_settings(words, help), log, application.core().get()));
      log.notice("Settings, certificates and rules were read again");
    } catch (const UsageError& e) { log.error("Not read again: " + e.message); } catch (const CompileError& e) {
      log.error("Not read again: " + e.diagnostic.puppet_text());
    } catch (const std::exception& e) { log.error(fmt::format("Not read again: {}", e.what())); }
  }

  /// Every few seconds.
  void look_at_certificates() const {
    if (certificates.renewed()) {
      const std::shared_ptr<Core> before = application.core();
      try {
        take(std::make_shared<Core>(before->settings, log, before.get(), true));
        log.notice("Certificates or revocation lists have changed, and were read again");
      } catch (const std::exception& e) { log.error(fmt::format("Changed certificates or revocation lists are not used: {}", e.what())); }
    }
    certificates.tell_ends();
  }

private:
  void take(std::shared_ptr<Core> core) const {
    certificates.read(core->settings.tls);
    server.set_tls(certificates.context());
    application.use(std::move(core));
  }
};

/// What a compile frees is taken by the next one. Given back to the kernel each time, it costs as many page faults.
void keep_freed_memory() {
  // No more heaps than threads can run at once: where each thread has one, each grows to the most that its thread ever needed.
  ::mallopt(M_ARENA_MAX, static_cast<int>(cli::default_jobs()));
  ::mallopt(M_TRIM_THRESHOLD, 2 << 20);
  ::mallopt(M_MMAP_THRESHOLD, 4 << 20);
}

/// Those of Puppet's daemons: USR1 is a reload there, USR2 opens the logs anew.
sigset_t awaited_signals() {
  sigset_t out;
  sigemptyset(&out);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2}) sigaddset(&out, signal);
  return out;
}

int serve(std::span<const std::string_view> words) {
  bool help = false;
  Settings settings = read_settings(words, help);
  if (help) return exit_success;
  if (::geteuid() == 0)
    fmt::print(stderr, "Warning: pupc-server runs as root, which it never needs: run it as the user who owns the certificates\n");
  keep_freed_memory();
  catalog::let_overdue_work_run(); // it costs its own request, not the server
  ServerLog log(settings.log, settings.compile.log_level);
  LogFile access(settings.access_log);
  const http::ServerOptions listen = settings.listen;
  ServedCertificates certificates(settings.tls, log);
  const std::vector<std::string> notes = settings.notes;
  Application application(std::make_shared<Core>(std::move(settings), log), log, access);
  http::Server server(listen, certificates.context(), application);
  application.measure_by([&server] { return server.counts(); }, [&certificates] { return certificates.metrics(); });

  // Signals come to this thread alone.
  const sigset_t signals = awaited_signals();
  server.start();
  for (const std::string& note : notes) log.log(LogLevel::Info, "", note);
  log.notice(fmt::format("pupc-server {} listens on {} port {}", PUPC_VERSION, listen.address, server.port()));
  tell_systemd("READY=1");
  const Running running{words, log, access, certificates, application, server};
  for (;;) {
    running.look_at_certificates();
    const timespec pause{3, 0};
    const int signal = ::sigtimedwait(&signals, nullptr, &pause);
    if (signal == SIGTERM || signal == SIGINT) break;
    if (signal == SIGUSR2) running.reopen_logs();
    if (signal != SIGHUP && signal != SIGUSR1) continue;
    tell_systemd("RELOADING=1");
    running.reload();
    tell_systemd("READY=1");
  }
  tell_systemd("STOPPING=1");
  log.notice("Stops: the status says so, requests under way get their answers");
  application.say_stopping();
  const bool all = server.drain(std::chrono::seconds(30));
  log.notice(all ? "Stopped" : "Stopped, though some connections were still open");
  server.stop();
  const std::shared_ptr<Core> core = application.core();
  const bool sent = core->puppetdb == nullptr || core->puppetdb->stop(std::chrono::seconds(3));
  if (application.stop() && sent) return exit_success;
  std::fflush(nullptr);
  std::_Exit(exit_success); // some work never ends, and uses what would go now
}

} // namespace
} // namespace pupc::server

int main(int argc, char** argv) {
  // A client that goes away is an error of write, not the end of the server. Threads inherit what is blocked here.
  ::signal(SIGPIPE, SIG_IGN);
  const sigset_t signals = pupc::server::awaited_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // Programs that are started here get both as usual.
  ::pthread_atfork(nullptr, nullptr, [] {
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
  });
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  try {
    return pupc::server::serve(words);
  } catch (const pupc::cli::UsageError& e) {
    fmt::print(stderr, "pupc-server: {}\n", e.message);
    return pupc::cli::exit_usage;
  } catch (const pupc::catalog::CompileError& e) {
    fmt::print(stderr, "Error: {}\n", e.diagnostic.puppet_text());
    return pupc::cli::exit_failure;
  } catch (const std::exception& e) {
    fmt::print(stderr, "Error: {}\n", e.what());
    return pupc::cli::exit_failure;
  }
}
