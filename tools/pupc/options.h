#pragma once
// Command-line options: `--name VALUE`, `--name=VALUE`, `-e VALUE`, flags and `--no-flag`.
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
  Options(std::string_view usage, std::vector<Option> options) : usage_(usage), options_(std::move(options)) {}

  /// Sets what the words give and returns the words that are no options. `--` ends options. True in `help` when the usage was asked for
  /// (and printed). Throws UsageError.
  std::vector<std::string_view> parse(std::span<const std::string_view> words, bool& help) const;

private:
  const Option* find(std::string_view name, bool& negated) const;
  void print_help() const;
  std::string usage_;
  std::vector<Option> options_;
};

/// The value as a number of at least 1. Throws UsageError naming the option.
unsigned positive_number(std::string_view option, std::string_view value);

} // namespace pupc
