#pragma once
// Where facts are read from: files below a root, the kernel, and small helpers over their text.
#include "runtime/facts/machine_probe.h"
#include "runtime/sys/system.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

class FactSources {
public:
  /// `root` goes before every path ("" = this machine; a directory of fixtures in tests).
  FactSources(System& machine, MachineProbe& machine_probe, std::string root = {})
      : system(machine), probe(machine_probe), root_(std::move(root)) {}

  System& system;
  MachineProbe& probe;

  /// The whole file; nothing when it cannot be read.
  std::optional<std::string> read(const std::string& path) const;
  /// The file without white space at its ends; nothing when it cannot be read or is empty.
  std::optional<std::string> read_stripped(const std::string& path) const;
  std::vector<std::string> lines(const std::string& path) const;
  std::vector<std::string> entries(const std::string& path) const; // empty when it is no readable directory
  bool exists(const std::string& path) const;
  bool is_directory(const std::string& path) const;

private:
  std::string root_;
};

std::string_view strip(std::string_view text);
std::vector<std::string> split_words(std::string_view text);
std::vector<std::string> split_on(std::string_view text, char separator);
/// What follows `prefix` up to the end of its line, anywhere in `text`.
std::optional<std::string> after(std::string_view text, std::string_view prefix);
/// The leading digits of a text as Ruby's to_i takes them.
int64_t leading_integer(std::string_view text);

/// "23.54 GiB", as Puppet prints sizes.
std::string human_bytes(uint64_t bytes);
/// "2.45 GHz"
std::string human_hertz(uint64_t hertz);
/// used of total as "4.20%", "100%" and "0%" at the ends.
std::string mount_capacity(uint64_t used, uint64_t total);

} // namespace pupc
