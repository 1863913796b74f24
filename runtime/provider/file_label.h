#pragma once
// SELinux labels ("user:role:type:range"): the one a file has and the one the machine's policy wants for it. Without SELinux no file has
// a label.
#include "runtime/provider/provider.h"

#include <array>

namespace pupc::runtime {

inline constexpr std::array<std::string_view, 4> label_attributes{"seluser", "selrole", "seltype", "selrange"};

/// The four parts of a label. The last one is missing when the policy has no ranges.
struct FileLabel {
  std::array<std::optional<std::string>, 4> parts;

  std::string text() const;
};

/// Parses a label; nothing for "unlabeled". Throws ResourceError with Puppet's message for a text that is no label.
std::optional<FileLabel> read_label(std::string_view text);

/// Whether files at this path can have labels: SELinux is on, and Puppet sets labels on this type of file system.
bool has_labels(System& system, const std::string& path);

/// The label that the policy wants for a path. For a missing file, `ensure` ("file", "present", "directory", "link") gives the type;
/// any other value matches all types. Nothing when the policy has no label for it or has_labels is false.
std::optional<FileLabel> default_label(System& system, const std::string& path, std::string_view ensure);

/// Translates a range to the kernel's form: "SystemLow" -> "s0". A range without a translation on this machine stays as it is.
std::string range_level(System& system, const std::string& range);

/// Sets the label that the policy wants. Puppet does so after it has written a file that is no file resource, such as authorized_keys.
void restore_label(System& system, const std::string& path);

} // namespace pupc::runtime
