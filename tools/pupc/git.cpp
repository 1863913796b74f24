#include "tools/pupc/git.h"

#include "compiler/function/run_command.h"
#include "tools/pupc/options.h"

#include <fmt/format.h>

namespace pupc::cli {

std::string git(std::string_view who, const std::string& directory, const std::vector<std::string>& words,
                const std::vector<std::string>& assignments) {
  std::vector<std::string> command = {"/usr/bin/env"};
  command.insert(command.end(), assignments.begin(), assignments.end());
  command.insert(command.end(), {"git", "-C", directory});
  command.insert(command.end(), words.begin(), words.end());
  std::string out;
  int status = 0;
  if (!run_command(command, out, status, ".")) throw UsageError{fmt::format("{} needs git", who)};
  if (status != 0) throw UsageError{fmt::format("{}: {}", who, out.substr(0, out.find('\n')))};
  return out;
}

std::string git_line(std::string_view who, const std::string& directory, const std::vector<std::string>& words) {
  std::string line = git(who, directory, words);
  while (line.ends_with('\n')) line.pop_back();
  return line;
}

} // namespace pupc::cli
