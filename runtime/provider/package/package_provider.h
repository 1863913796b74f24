#pragma once
// What a packaging system can do, one class each. The handler decides what is to be done.
#include "runtime/provider/provider.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pupc {

/// What there is of a package: its version, or "absent", "purged" (nothing left of it).
struct PackageState {
  std::vector<std::string> versions; // more than one where the system keeps several (gem)
  std::string missing = "absent";    // "absent" or "purged" when there is no version
  bool held = false;
};

class PackageProvider {
public:
  virtual ~PackageProvider() = default;
  virtual std::string_view name() const = 0;
  /// Whether the system's tools are there.
  virtual bool suitable(RunContext& run) = 0;
  virtual PackageState query(const ManagedResource& resource, RunContext& run) = 0;
  /// The version that `latest` means; nothing when none is known.
  virtual std::optional<std::string> latest(const ManagedResource& resource, RunContext& run) = 0;
  /// Installs or upgrades; empty version = any, for `latest` the newest.
  virtual void install(const ManagedResource& resource, const PackageState& state, const std::string& version, RunContext& run) = 0;
  virtual void uninstall(const ManagedResource& resource, const PackageState& state, bool purge, RunContext& run) = 0;
  virtual bool purgeable() const { return false; }
  virtual bool holdable() const { return false; }
  virtual void hold(const ManagedResource&, bool, RunContext&) {}
  /// Notes that the package is wanted for itself.
  virtual void mark_manual(const ManagedResource&, RunContext&) {}
  /// Whether a version satisfies a range like ">= 1.0 < 2"; nothing when `range` is none.
  virtual std::optional<bool> in_range(const std::string&, const std::string&) const { return std::nullopt; }
  /// What is kept of earlier queries no longer counts.
  virtual void forget() {}
  /// All packages by name, for purging; nothing when the system cannot list.
  virtual std::optional<std::map<std::string, PackageState>> all(RunContext&) { return std::nullopt; }
};

std::unique_ptr<PackageProvider> make_apt_provider(bool only_dpkg);
std::unique_ptr<PackageProvider> make_dnf_provider(std::string tool); // "dnf", "yum" or "rpm"
std::unique_ptr<PackageProvider> make_pip_provider(std::string tool);
std::unique_ptr<PackageProvider> make_gem_provider();
std::unique_ptr<PackageProvider> make_npm_provider();

/// -1, 0, 1 as Debian orders versions.
int compare_debian_versions(std::string_view a, std::string_view b);

/// install_options and uninstall_options as words: texts as they are, hashes as key=value.
std::vector<std::string> option_words(const ManagedResource& resource, std::string_view attribute);

} // namespace pupc
