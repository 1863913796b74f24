#pragma once
// The orders of versions of packaging systems, and ranges such as ">=1.0 <2.0" in them.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

/// Compares two versions; returns a negative number, 0 or a positive number.
using VersionOrder = int (*)(std::string_view, std::string_view);

int compare_debian_versions(std::string_view a, std::string_view b);
/// The epoch counts first; the release counts only when both versions have one.
int compare_rpm_versions(std::string_view a, std::string_view b);
/// The order of PEP 440: pre-releases and development versions come before their release, post-releases after it.
int compare_pip_versions(std::string_view a, std::string_view b);
/// RubyGems' order: a part with a letter makes a pre-release.
int compare_gem_versions(std::string_view a, std::string_view b);
/// The order of a name: "debian", "rpm", "pip" or "gem"; null for any other.
VersionOrder version_order(std::string_view name);

class VersionRange {
public:
  /// Parses a range like ">= 1.0 < 2"; nothing when the text is a plain version.
  static std::optional<VersionRange> parse(std::string_view text, VersionOrder order);
  /// Parses a requirement of RubyGems, conditions with a comma between them: "~> 1.2, != 1.3". Nothing when the text is a plain version.
  static std::optional<VersionRange> parse_requirement(std::string_view text);

  bool includes(std::string_view version) const;
  /// The newest of `versions` in the range; empty when none is.
  std::string best(const std::vector<std::string>& versions) const;

private:
  struct Condition {
    std::string sign, version;
  };
  static bool add(std::vector<Condition>& out, std::string_view text, size_t& at);

  VersionOrder order_ = nullptr;
  std::vector<Condition> conditions_;
};

} // namespace pupc
