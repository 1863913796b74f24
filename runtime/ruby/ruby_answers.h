#pragma once
// What the Ruby process may ask at any time, in the collection of facts and in a run: parts of its own source, settings, native types.
#include "catalog/json/json_writer.h"
#include "catalog/value/value.h"

#include <functional>
#include <span>
#include <string_view>

namespace pupc::runtime {

/// A setting of Puppet's as the namespace `settings` shows it.
struct SettingAnswer {
  bool known = false;
  Value value, fallback;
  bool given = false, given_on_command_line = false;
};
/// Reads a setting; `section` names the section of puppet.conf that counts, "" the usual one. The value lives in the arena.
using SettingReader = std::function<SettingAnswer(std::string_view name, std::string_view section, Arena& arena)>;

/// Writes the answer to a question that needs no run. False when it is another question.
bool answer_without_run(std::span<const Value> question, const SettingReader& setting, Arena& arena, JsonWriter& w);

} // namespace pupc::runtime
