#pragma once
// The orders of versions of packaging systems, and ranges such as ">=1.0 <2.0" in them.
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::runtime {

/// Compares two versions; returns a negative number, 0 or a positive number.
using VersionOrder = int (*)(std::string_view, std::string_view);

int compare_debian_versions(std::string_view a, std::string_view b);
/// The epoch counts first, 0 when there is none; the release counts only when `a` has one.
int compare_rpm_versions(std::string_view a, std::string_view b);
/// Compares a version that a user wrote with an installed one: what `wanted` leaves out, epoch or release, does not count.
int compare_with_installed_rpm(std::string_view wanted, std::string_view installed);
/// The order of PEP 440: pre-releases and development versions come before their release, post-releases after it.
int compare_pip_versions(std::string_view a, std::string_view b);
/// RubyGems' order: a part with a letter makes a pre-release.
int compare_gem_versions(std::string_view a, std::string_view b);
/// The order of a name: "debian", "rpm", "rpm_installed", "pip" or "gem"; null for any other.
VersionOrder version_order(std::string_view name);

/// Ends of names and versions of rpm packages that are an architecture. Of two that fit, the first counts.
inline constexpr std::array<std::string_view, 20> rpm_architectures{
    ".noarch",    ".i386",   ".i686",   ".ppc",      ".ppc64", ".armv3l", ".armv4b", ".armv4l", ".armv4tl", ".armv5tel",
    ".armv5tejl", ".armv6l", ".armv7l", ".m68kmint", ".s390",  ".s390x",  ".ia64",   ".x86_64", ".sh3",     ".sh4"};

class VersionRange {
public:
  /// Parses a range like ">=1.0 <2"; nothing when the text is a plain version, or has a blank behind a sign as no range of Puppet has.
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

} // namespace pupc::runtime
