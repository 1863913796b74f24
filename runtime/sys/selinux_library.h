#pragma once
// libselinux, loaded when the machine has SELinux: runs elsewhere neither need nor pay for it.
#include <cstdint>
#include <optional>
#include <string>

namespace pupc {

/// The functions of libselinux that are used, or why there are none. Files are looked at without following links, as Puppet does.
class SelinuxLibrary {
public:
  /// Whether the library is on this machine and says that SELinux is on. Asked once for the process.
  static bool enabled();

  // -- only where it is enabled
  /// "user:role:type:range" of a file; nothing when it has none.
  static std::optional<std::string> label(const std::string& path);
  /// Whether the label was accepted.
  static bool set_label(const std::string& path, const std::string& label);
  /// What the policy wants for a path. `mode` has the bits of the file's type; 0 stands for any type.
  static std::optional<std::string> default_label(const std::string& path, uint32_t mode);
  /// The file with names of ranges ("s0=SystemLow").
  static std::string translations();
};

} // namespace pupc
