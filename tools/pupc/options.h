#pragma once
// Command-line options: `--name VALUE`, `--name=VALUE`, `-e VALUE`, flags and `--no-flag`; in long names `_` and `-` are the same.
#include "compiler/load/settings.h"

#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

/// Wrong usage: exit code 2 with this text.
struct UsageError {
  std::string message;
};

struct Option {
  std::string_view names;    // "--node --certname"; a flag that may be negated is written "--[no-]strict-variables"
  std::string_view argument; // "NAME", empty = flag
  std::string_view help;
  std::function<void(std::string_view value)> set; // of a flag: "true" or "false"
};

class Options {
public:
  /// `settings` (may be null) gets every setting of Puppet that the words give, whether the table has it or not.
  Options(std::string_view usage, std::vector<Option> options, PuppetSettings* settings = nullptr)
      : usage_(usage), options_(std::move(options)), settings_(settings) {}

  /// Sets what the words give and returns the words that are no options. `--` ends options. True in `help` when the usage was asked for
  /// (and printed). Throws UsageError.
  std::vector<std::string_view> parse(std::span<const std::string_view> words, bool& help) const;

private:
  const Option* find(std::string_view name, bool& negated) const;
  /// Takes the setting at words[i] and its value; false when it is none.
  bool take_setting(std::span<const std::string_view> words, size_t& i) const;
  void give_setting(const Option& option, std::string_view name, std::string_view value) const;
  void print_help() const;
  /// "; did you mean '--x'?" with the nearest name; "" when none is near.
  std::string near_option(std::string_view name) const;
  std::string usage_;
  std::vector<Option> options_;
  PuppetSettings* settings_;
};

/// The value as a number of at least 1. Throws UsageError naming the option.
unsigned positive_number(std::string_view option, std::string_view value);

} // namespace pupc
