#pragma once
// libselinux, loaded only when the machine has SELinux.
#include <cstdint>
#include <optional>
#include <string>

namespace pupc::runtime {

/// The functions of libselinux that pupc uses. A file is given by a descriptor (O_PATH will do, also of a link), so that nobody can put
/// another one in its place.
class SelinuxLibrary {
public:
  /// Whether the library is installed and reports that SELinux is on. The answer is cached for the whole process.
  static bool enabled();

  /// The label "user:role:type:range" of a file; nothing when it has none or the library is not loaded.
  static std::optional<std::string> label(int file);
  /// Sets a file's label. False when SELinux refuses it or the library is not loaded.
  static bool set_label(int file, const std::string& label);

  // -- call these only when enabled() is true
  /// The label that the policy wants for a path. `mode` has the bits of the file's type; 0 stands for any type.
  static std::optional<std::string> default_label(const std::string& path, uint32_t mode);
  /// The path of the file that translates ranges ("s0=SystemLow").
  static std::string translations();
};

} // namespace pupc::runtime
