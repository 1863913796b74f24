#pragma once
// Command-line options: `--name VALUE`, `--name=VALUE`, `-e VALUE`, flags and `--no-flag`. In long names `_` equals `-`.
#include "compiler/load/settings.h"

#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::cli {

/// Thrown for wrong usage: the program prints the message and exits with code 2.
struct UsageError {
  std::string message;
};

struct Option {
  std::string_view names;    // "--node --certname"; a flag that may be negated is written "--[no-]strict-variables"
  std::string_view argument; // "NAME", empty = flag
  std::string_view help;
  std::function<void(std::string_view value)> set; // a flag passes "true" or "false"
};

class Options {
public:
  /// `settings` (may be null) receives every Puppet setting on the command line, whether or not the table has it.
  Options(std::string_view usage, std::vector<Option> options, PuppetSettings* settings = nullptr)
      : usage_(usage), options_(std::move(options)), settings_(settings) {}

  /// Applies the options among the words and returns the other words. `--` ends the options. If the words ask for help, it prints the usage
  /// and sets `help` to true. Throws UsageError.
  std::vector<std::string_view> parse(std::span<const std::string_view> words, bool& help) const;

private:
  const Option* find(std::string_view name, bool& negated) const;
  /// Takes the Puppet setting at words[i] with its value; false when the word names no setting.
  bool take_setting(std::span<const std::string_view> words, size_t& i) const;
  void give_setting(const Option& option, std::string_view name, std::string_view value) const;
  void print_help() const;
  /// "; did you mean '--x'?" with the nearest name; "" when none is near.
  std::string near_option(std::string_view name) const;
  std::string usage_;
  std::vector<Option> options_;
  PuppetSettings* settings_;
};

/// The value as a number of at least 1. Throws UsageError that names the option.
unsigned positive_number(std::string_view option, std::string_view value);

} // namespace pupc::cli
