#pragma once
// libselinux, loaded only when the machine has SELinux.
#include <cstdint>
#include <optional>
#include <string>

namespace pupc {

/// The functions of libselinux that pupc uses. They do not follow links, as in Puppet.
class SelinuxLibrary {
public:
  /// Whether the library is installed and reports that SELinux is on. The answer is cached for the whole process.
  static bool enabled();

  // -- call these only when enabled() is true
  /// The label "user:role:type:range" of a file; nothing when it has none.
  static std::optional<std::string> label(const std::string& path);
  /// Sets a file's label. False when SELinux refuses it.
  static bool set_label(const std::string& path, const std::string& label);
  /// The label that the policy wants for a path. `mode` has the bits of the file's type; 0 stands for any type.
  static std::optional<std::string> default_label(const std::string& path, uint32_t mode);
  /// The path of the file that translates ranges ("s0=SystemLow").
  static std::string translations();
};

} // namespace pupc
