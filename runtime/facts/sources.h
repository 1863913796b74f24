#pragma once
// The sources of facts: files below a root and the kernel. Also small helpers for their texts.
#include "runtime/facts/machine_probe.h"
#include "runtime/sys/system.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::runtime {

class FactSources {
public:
  /// `root` is put before every path: "" for this machine, a directory of fixtures in tests.
  FactSources(System& machine, MachineProbe& machine_probe, std::string root = {})
      : system(machine), probe(machine_probe), root_(std::move(root)) {}

  System& system;
  MachineProbe& probe;

  /// The content of a file; nothing when it cannot be read.
  std::optional<std::string> read(const std::string& path) const;
  /// The content of a file without white space at either end; nothing when the file is empty or cannot be read.
  std::optional<std::string> read_stripped(const std::string& path) const;
  std::vector<std::string> lines(const std::string& path) const;
  std::vector<std::string> entries(const std::string& path) const; // empty when this is no readable directory
  bool exists(const std::string& path) const;
  bool is_directory(const std::string& path) const;

private:
  std::string root_;
};

/// The text between `prefix`, anywhere in `text`, and the end of that line.
std::optional<std::string> after(std::string_view text, std::string_view prefix);
/// The number at the beginning of a text, as Ruby's to_i reads it.
int64_t leading_integer(std::string_view text);

/// A size as Puppet prints it: "23.54 GiB".
std::string human_bytes(uint64_t bytes);
/// A frequency as Puppet prints it: "2.45 GHz".
std::string human_hertz(uint64_t hertz);
/// `used` as a percentage of `total`: "4.20%", but "100%" and "0%" without decimals.
std::string mount_capacity(uint64_t used, uint64_t total);

} // namespace pupc::runtime
