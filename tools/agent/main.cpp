// pupc-agent: what `pupc agent` and `pupc ssl` start.
#include "tools/agent/agent_commands.h"

#include <span>
#include <string_view>
#include <vector>

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  const std::span<const std::string_view> all(words);
  if (!all.empty() && all[0] == "ssl") return pupc::cli::agent::ssl_main(all.subspan(1));
  if (!all.empty() && all[0] == "agent") return pupc::cli::agent::agent_main(all.subspan(1));
  return pupc::cli::agent::agent_main(all);
}
