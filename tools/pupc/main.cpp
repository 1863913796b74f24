// pupc: finds the command and runs it.
#include "tools/pupc/command.h"
#include "tools/pupc/options.h"

#include <cstdio>
#include <exception>

namespace pupc {
namespace {

constexpr Subcommand commands[] = {
    {"compile", "compile manifests to a JSON catalog", compile_command},
    {"apply", "converge this machine", apply_command},
    {"validate", "check manifests and templates", validate_command},
    {"facts", "print the facts of this machine", facts_command},
    {"lookup", "look up keys in the data of a node", lookup_command},
    {"diff", "show what differs between two catalogs", diff_command},
    {"store", "list and forget nodes of a store of exported resources", store_command},
    {"ast", "print what the parser understood", ast_command},
    {"doc", "print the manual of functions, types or errors", doc_command},
    {"explain", "explain a numbered error", explain_command},
};

void print_usage(std::FILE* to) {
  fmt::print(to, "Usage: pupc COMMAND [options]\n\nCommands:\n");
  for (const Subcommand& c : commands) fmt::print(to, "  {:<10} {}\n", c.name, c.summary);
  fmt::print(to, "\n`pupc COMMAND --help` describes a command's options.\n");
}

int run(std::span<const std::string_view> words) {
  if (words.empty()) {
    print_usage(stderr);
    return exit_usage;
  }
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    print_usage(stdout);
    return exit_success;
  }
  if (words[0] == "--version" || words[0] == "version") {
    fmt::print("pupc {}\n", PUPC_VERSION);
    return exit_success;
  }
  for (const Subcommand& c : commands)
    if (c.name == words[0]) return c.run(words.subspan(1));
  fmt::print(stderr, "pupc: '{}' is not a command\n", words[0]);
  print_usage(stderr);
  return exit_usage;
}

} // namespace
} // namespace pupc

int main(int argc, char** argv) {
  std::vector<std::string_view> words(argv + 1, argv + argc);
  try {
    return pupc::run(words);
  } catch (const pupc::UsageError& e) {
    fmt::print(stderr, "pupc: {}\n", e.message);
    return pupc::exit_usage;
  } catch (const std::exception& e) {
    fmt::print(stderr, "Error: {}\n", e.what());
    return pupc::exit_failure;
  }
}
