#pragma once
// The two commands of pupc-agent. They get their words without their own names and return the exit code.
#include <span>
#include <string_view>

namespace pupc::cli::agent {

int agent_main(std::span<const std::string_view> words);
int ssl_main(std::span<const std::string_view> words);

} // namespace pupc::cli::agent
