// pupc ssl: keys, requests and certificates of this machine.
#include "catalog/base/diagnostic.h"
#include "runtime/sys/posix_system.h"
#include "tools/agent/agent_commands.h"
#include "tools/agent/agent_options.h"
#include "tools/agent/certificates.h"
#include "tools/pupc/command.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

namespace pupc::cli::agent {
namespace {

constexpr std::string_view ssl_usage =
    "Usage: pupc ssl ACTION [options]\n\nbootstrap: all that an agent needs, waiting for the CA's signature. submit_request, "
    "generate_request, "
    "download_cert: its steps.\nverify, show: the certificate that is there. clean: remove key and certificate (--localca: the CA's, too).";

int act(AgentOptions& options, bool authority) {
  const auto system = make_posix_system();
  const bool bootstrap = options.operands[0] == "bootstrap";
  const LogLevel least = bootstrap ? std::min(options.run.compile.log_level, LogLevel::Info) : options.run.compile.log_level;
  ConsoleLog console(least, false, true);
  Certificates certificates(options.settings(), *system, [&](LogLevel level, const std::string& text) { console.log({level, "", text}); });
  const std::string& action = options.operands[0];
  const std::string name = options.certname();
  if (action != "clean" && options.operands.size() > 1) throw std::runtime_error(fmt::format("Unknown action '{}'", options.operands[1]));
  if (bootstrap) {
    const int64_t wait = options.waitforcert.value_or(options.settings().integer_of("waitforcert"));
    if (!certificates.ensure(wait, [] { return false; })) return exit_failure;
    console.log({LogLevel::Notice, "", "Completed SSL initialization"});
  } else if (action == "submit_request") {
    certificates.submit_request();
    if (!certificates.download()) console.log({LogLevel::Info, "", fmt::format("The certificate for '{}' has not yet been signed", name)});
  } else if (action == "download_cert") {
    certificates.ensure_authority();
    if (!certificates.download()) throw std::runtime_error(fmt::format("The certificate for '{}' has not yet been signed", name));
    console.log({LogLevel::Notice, "",
                 fmt::format("Downloaded certificate '{}' with fingerprint {}", name, certificates.fingerprint("SHA256").value_or(""))});
  } else if (action == "generate_request") {
    certificates.generate_request();
  } else if (action == "verify") {
    certificates.verify();
  } else if (action == "clean") {
    if (options.operands.size() > 1)
      throw std::runtime_error(
          fmt::format("Extra arguments detected: {}\nDid you mean to run:\n  puppetserver ca clean --certname <name>\nOr:\n  "
                      "puppet ssl clean --target <name>\n",
                      options.operands[1]));
    certificates.clean(authority);
  } else if (action == "show") {
    const std::string text = certificates.shown();
    std::fwrite(text.data(), 1, text.size(), stdout);
  } else {
    throw std::runtime_error(fmt::format("Unknown action '{}'", action));
  }
  return exit_success;
}

int start_ssl(std::span<const std::string_view> words) {
  std::vector<std::string_view> rest(words.begin(), words.end());
  const bool authority = std::erase(rest, std::string_view("--localca")) > 0;
  AgentOptions options;
  read_agent_options(options, rest, ssl_usage);
  if (options.help) return exit_success;
  if (options.operands.empty()) throw std::runtime_error("An action must be specified.");
  return act(options, authority);
}

} // namespace

int ssl_main(std::span<const std::string_view> words) {
  try {
    return start_ssl(words);
  } catch (const CompileError& e) { fmt::print(stderr, "Error: {}\n", e.diagnostic.puppet_text()); } catch (const UsageError& e) {
    fmt::print(stderr, "pupc: {}\n", e.message);
  } catch (const std::exception& e) { fmt::print(stderr, "Error: Could not run: {}\n", e.what()); }
  return exit_failure;
}

} // namespace pupc::cli::agent
