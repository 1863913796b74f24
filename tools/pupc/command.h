#pragma once
// Commands of the program, one file each. A command gets its words without the command's own name and returns the exit code.
#include <span>
#include <string>
#include <string_view>

namespace pupc::cli {

struct Subcommand {
  std::string_view name;
  std::string_view summary;
  int (*run)(std::span<const std::string_view> words);
  // For --help: two command lines, and the meaning of the exit codes.
  std::string_view examples;
  std::string_view exit_codes;
};

// One line for each command; the functions are in <name>_command.cpp.
/// Starts pupc-agent, as ssl_command does.
int agent_command(std::span<const std::string_view> words);
int apply_command(std::span<const std::string_view> words);
int ast_command(std::span<const std::string_view> words);
int config_command(std::span<const std::string_view> words);
int compile_command(std::span<const std::string_view> words);
int diff_command(std::span<const std::string_view> words);
int doc_command(std::span<const std::string_view> words);
/// `puppet describe`: resource types and their attributes.
int describe_command(std::span<const std::string_view> words);
int explain_command(std::span<const std::string_view> words);
int facts_command(std::span<const std::string_view> words);
int fmt_command(std::span<const std::string_view> words);
int puppet_command(std::span<const std::string_view> words);
/// Whether a name is one of Puppet's subcommands: `pupc puppet NAME` does it, or says what to use instead.
bool is_puppet_subcommand(std::string_view name);
int resource_command(std::span<const std::string_view> words);
int server_command(std::span<const std::string_view> words);
int ssl_command(std::span<const std::string_view> words);
int store_command(std::span<const std::string_view> words);
int node_command(std::span<const std::string_view> words);
int lookup_command(std::span<const std::string_view> words);
int modules_command(std::span<const std::string_view> words);
int why_command(std::span<const std::string_view> words);
int validate_command(std::span<const std::string_view> words);

/// Like apply_command, but throws UsageError for wrong usage.
int run_apply(std::span<const std::string_view> words);

/// Exit codes: success, failure of the work itself, wrong usage.
inline constexpr int exit_success = 0, exit_failure = 1, exit_usage = 2;

} // namespace pupc::cli
