// pupc: finds the command and runs it.
#include "catalog/base/diagnostic.h"
#include "tools/pupc/command.h"
#include "tools/pupc/options.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fmt/format.h>

namespace pupc::cli {
namespace {

constexpr std::string_view usual_exits = "0 done, 1 failed, 2 wrong usage";

constexpr Subcommand commands[] = {
    {"compile", "compile manifests to a JSON catalog", compile_command,
     "pupc compile --modulepath modules --facts web1.json --node web1 -e 'include ntp'\n  pupc compile --environmentpath environments "
     "--all-nodes facts --output catalogs",
     usual_exits},
    {"apply", "apply a manifest or catalog to this machine", apply_command,
     "pupc apply --noop site.pp\n  pupc apply --catalog web1.json --detailed-exitcodes",
     "0 done, 1 failed before anything was applied or wrong usage; with --detailed-exitcodes 2 changes, 4 failures, 6 both"},
    {"agent", "apply the catalog of a Puppet server to this machine", agent_command,
     "pupc agent --test --noop --server puppet.example.com\n  pupc agent --no-daemonize",
     "0 done, 1 no catalog or not applied; with --detailed-exitcodes or --test 2 changes, 4 failures, 6 both"},
    {"validate", "check manifests, templates, data and metadata", validate_command,
     "pupc validate modules/ntp\n  pupc validate --format json manifests", "0 clean or warnings only, 1 errors, 2 wrong usage"},
    {"fmt", "format manifests", fmt_command, "pupc fmt manifests\n  pupc fmt --check --diff modules/ntp",
     "0 done, 1 a file cannot be formatted, or would change with --check, 2 wrong usage"},
    {"ssl", "request and check this machine's certificate", ssl_command,
     "pupc ssl bootstrap --server puppet.example.com\n  pupc ssl verify", "0 done, 1 failed"},
    {"resource", "print resources as they are on this machine, or change one", resource_command,
     "pupc resource user root\n  pupc resource service cron ensure=running", usual_exits},
    {"facts", "print the facts of this machine", facts_command, "pupc facts os.family\n  pupc facts --yaml --timing", usual_exits},
    {"lookup", "look up keys in the data of a node", lookup_command,
     "pupc lookup ntp::servers --node web1 --facts web1.json\n  pupc lookup ntp::servers --explain --environmentpath environments",
     "0 found, 1 no value or failed, 2 wrong usage"},
    {"config", "show and change Puppet's settings", config_command,
     "pupc config print runinterval --section agent\n  pupc config set noop true --section user", usual_exits},
    {"puppet", "Puppet's own command line", puppet_command,
     "pupc puppet parser validate manifests\n  pupc puppet catalog compile web1 --facts_terminus yaml", "as Puppet's"},
    {"diff", "show what differs between catalogs or revisions", diff_command,
     "pupc diff old.json new.json\n  pupc diff main..feature --facts facts --format markdown",
     "0 equal, 1 different, 2 wrong usage, unreadable, a node that compiles in neither revision, or --time-limit left nodes out"},
    {"why", "explain where a resource and its attributes come from", why_command,
     "pupc why 'File[/etc/motd]' --environmentpath environments --facts web1.json\n  pupc why 'Package[ntp]' 'Service[ntp]' --manifest "
     "site.pp",
     "0 told, 1 failed or no such resource or chain, 2 wrong usage"},
    {"modules", "get the modules that a Puppetfile or metadata.json asks for", modules_command,
     "pupc modules install\n  pupc modules check --newer", "0 all there, 1 failed, or check found a difference, 2 wrong usage"},
    {"server", "serve Puppet's agents (needs the package pupc-server)", server_command,
     "pupc server --config /etc/puppet/puppet.conf --listen 8140\n  pupc server --environmentpath environments --log "
     "/var/log/pupc/server.log",
     "0 stopped, 1 failed, 2 wrong usage"},
    {"node", "deactivate nodes in PuppetDB, or tell what it knows of them", node_command,
     "pupc node deactivate old1.example.com\n  pupc node status web1.example.com", usual_exits},
    {"store", "list and forget nodes of a store of exported resources", store_command,
     "pupc store exported.sqlite\n  pupc store exported.sqlite --forget web1", usual_exits},
    {"ast", "print what the parser understood", ast_command, "pupc ast init.pp\n  pupc ast -e '1 + 2'", usual_exits},
    {"doc", "print the manual of functions, types, errors or checks", doc_command, "pupc doc functions sprintf\n  pupc doc types file",
     usual_exits},
    {"explain", "explain a numbered error or check", explain_command, "pupc explain 2004\n  pupc explain illegal_name", usual_exits},
};

/// "Did you mean 'x'?" with the nearest command, or Puppet's of that name; "" when none is near.
std::string nearest_command(std::string_view word) {
  if (is_puppet_subcommand(word)) return fmt::format("Puppet's is `pupc puppet {}`\n", word);
  std::vector<std::string_view> names;
  for (const Subcommand& c : commands) names.push_back(c.name);
  const auto near = similar_names(word, names, 1);
  return near.empty() ? std::string() : fmt::format("Did you mean '{}'?\n", near[0]);
}

void print_usage(std::FILE* to) {
  fmt::print(to, "Usage: pupc COMMAND [options]\n\nCommands:\n");
  for (const Subcommand& c : commands) fmt::print(to, "  {:<10} {}\n", c.name, c.summary);
  fmt::print(to, "\n`pupc COMMAND --help` and `pupc help COMMAND` describe a command's options.\n");
}

int run_subcommand(const Subcommand& command, std::span<const std::string_view> words) {
  const int code = command.run(words);
  const auto end = std::find(words.begin(), words.end(), "--");
  const bool help = std::find_if(words.begin(), end, [](auto w) { return w == "--help" || w == "-h"; }) != end;
  if (help && code == exit_success && command.name != "puppet")
    fmt::print("\nExamples:\n  {}\n\nExit codes: {}.\n", command.examples, command.exit_codes);
  return code;
}

int run(std::span<const std::string_view> words) {
  if (words.empty()) {
    print_usage(stderr);
    return exit_usage;
  }
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    // `pupc help compile` is `pupc compile --help`.
    static constexpr std::string_view help[] = {"--help"};
    if (words.size() > 1) {
      for (const Subcommand& c : commands)
        if (c.name == words[1]) return run_subcommand(c, help);
      fmt::print(stderr, "pupc: '{}' is not a command\n{}", words[1], nearest_command(words[1]));
      return exit_usage;
    }
    print_usage(stdout);
    return exit_success;
  }
  if (words[0] == "--version" || words[0] == "version") {
    fmt::print("pupc {}\n", PUPC_VERSION);
    return exit_success;
  }
  for (const Subcommand& c : commands)
    if (c.name == words[0]) return run_subcommand(c, words.subspan(1));
  fmt::print(stderr, "pupc: '{}' is not a command\n{}", words[0], nearest_command(words[0]));
  print_usage(stderr);
  return exit_usage;
}

} // namespace
} // namespace pupc::cli

int main(int argc, char** argv) {
  std::vector<std::string_view> words(argv + 1, argv + argc);
  try {
    // Started through a link named puppet: accept Puppet's own command line.
    const std::string_view called = argv[0] == nullptr ? "" : argv[0];
    if (called == "puppet" || called.ends_with("/puppet")) return pupc::cli::puppet_command(words);
    return pupc::cli::run(words);
  } catch (const pupc::cli::UsageError& e) {
    fmt::print(stderr, "pupc: {}\n", e.message);
    return pupc::cli::exit_usage;
  } catch (const std::exception& e) {
    fmt::print(stderr, "Error: {}\n", e.what());
    return pupc::cli::exit_failure;
  }
}
