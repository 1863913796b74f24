#pragma once
// Subcommands of Puppet that pupc lacks, and what to use in their place.
#include <string>
#include <string_view>
#include <vector>

namespace pupc::cli {

/// What to use in the place of a subcommand, or of one action of it ("module", "install"). Empty when pupc does not know it.
std::string_view replacement_of(std::string_view subcommand, std::string_view action = {});

/// The names of the subcommands that pupc lacks as a whole.
std::vector<std::string_view> missing_subcommands();

/// The names of the actions of a subcommand that pupc lacks.
std::vector<std::string_view> missing_actions(std::string_view subcommand);

} // namespace pupc::cli
