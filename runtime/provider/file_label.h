#pragma once
// Labels of SELinux ("user:role:type:range"): what a file has, and what the machine's policy wants for it. Where there is no SELinux
// nothing has labels.
#include "runtime/provider/provider.h"

#include <array>

namespace pupc {

inline constexpr std::array<std::string_view, 4> label_attributes{"seluser", "selrole", "seltype", "selrange"};

/// The parts of a label; the last is missing where the policy has no ranges.
struct FileLabel {
  std::array<std::optional<std::string>, 4> parts;

  std::string text() const;
};

/// Reads a label. Throws ResourceError in Puppet's words for what is none. Nothing for "unlabeled".
std::optional<FileLabel> read_label(std::string_view text);

/// Whether files at this path can have labels: SELinux is on and the path is on one of the file systems that Puppet trusts with
/// them.
bool has_labels(System& system, const std::string& path);

/// What the policy wants for a path. A file that is missing is taken for what `ensure` ("file", "present", "directory", "link") says, any
/// type for another. Nothing when there is none or has_labels is false.
std::optional<FileLabel> default_label(System& system, const std::string& path, std::string_view ensure);

/// A part of a range in the kernel's form: "SystemLow" -> "s0". What the machine has no translation for stays.
std::string range_level(System& system, const std::string& range);

/// Gives a file the label that the policy wants, as Puppet does after it has written a file of its own accord.
void restore_label(System& system, const std::string& path);

} // namespace pupc
