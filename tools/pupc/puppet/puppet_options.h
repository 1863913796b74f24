#pragma once
// Options of Puppet's faces (parser, epp, catalog, node, module).
#include "tools/pupc/settings/compile_settings.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::cli {

struct PuppetOptions {
  CompileOptions compile;
  std::vector<std::string_view> operands; // the words that are not options
  std::optional<std::string> code, render_as, format, out;
  std::string values = "{}"; // for epp render: a hash in the Puppet language
  bool pretty = false, continue_on_error = false, header = true, tasks = false, wants_facts = true;
};

/// Applies the options among the words to `given`. False when the words ask for help. Throws UsageError with Puppet's message.
bool parse_puppet_options(PuppetOptions& given, std::span<const std::string_view> words);

/// Says "Did you mean 'x'?" on standard error, with the nearest of the names; nothing when none is near.
void tell_nearest(std::string_view word, const std::vector<std::string_view>& names);

/// Handles the faces config, facts and describe, which map to commands of pupc. `run` runs the command. Returns the exit code.
int puppet_face_with_own_command(std::string_view face, std::span<const std::string_view> words,
                                 int (*run)(int (*command)(std::span<const std::string_view>), std::span<const std::string_view>, bool));

} // namespace pupc::cli
