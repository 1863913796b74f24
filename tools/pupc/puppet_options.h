#pragma once
// Options of Puppet's faces (parser, epp, catalog, node, module).
#include "tools/pupc/compile_settings.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

struct PuppetOptions {
  CompileOptions compile;
  std::vector<std::string_view> operands; // the words that are no options
  std::optional<std::string> code, render_as, format;
  std::string values = "{}"; // of epp render: a hash in the language
  bool pretty = false, continue_on_error = false, header = true, tasks = false, wants_facts = true;
};

/// Sets what the words say. False when help was asked for. Throws UsageError in Puppet's words.
bool parse_puppet_options(PuppetOptions& given, std::span<const std::string_view> words);

/// config, facts and describe: faces whose work a command of pupc does. `run` calls it.
int puppet_face_with_own_command(std::string_view face, std::span<const std::string_view> words,
                                 int (*run)(int (*command)(std::span<const std::string_view>), std::span<const std::string_view>, bool));

} // namespace pupc
