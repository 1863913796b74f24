#pragma once
// The interface of packaging systems, one class for each system. The handler decides what to do.
#include "runtime/provider/provider.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pupc::runtime {

/// The state of a package: its versions, or "absent", or "purged" (not even configuration files are left).
struct PackageState {
  std::vector<std::string> versions; // several where the system can install them side by side (gem)
  std::string missing = "absent";    // "absent" or "purged" when there is no version
  bool held = false;
};

class PackageProvider {
public:
  virtual ~PackageProvider() = default;
  virtual std::string_view name() const = 0;
  /// Whether the system's tools are installed.
  virtual bool suitable(RunContext& run) = 0;
  virtual PackageState query(const ManagedResource& resource, RunContext& run) = 0;
  /// The version that `ensure => latest` stands for; nothing when the system knows none.
  virtual std::optional<std::string> latest(const ManagedResource& resource, RunContext& run) = 0;
  /// Installs or upgrades. An empty version means any version, or the newest for `ensure => latest`.
  virtual void install(const ManagedResource& resource, const PackageState& state, const std::string& version, RunContext& run) = 0;
  virtual void uninstall(const ManagedResource& resource, const PackageState& state, bool purge, RunContext& run) = 0;
  virtual bool purgeable() const { return false; }
  virtual bool holdable() const { return false; }
  virtual void hold(const ManagedResource&, bool, RunContext&) {}
  /// Marks the package as manually installed, not as a mere dependency.
  virtual void mark_manual(const ManagedResource&, RunContext&) {}
  /// Whether an installed version that is not exactly the wanted one will do: "1.0-1" for "1.0" of rpm, "1.5" for ">= 1.0 < 2". Nothing
  /// where the system has no opinion.
  virtual std::optional<bool> in_range(const ManagedResource&, const std::string& /*installed*/, const std::string& /*wanted*/) const {
    return std::nullopt;
  }
  /// Drops cached answers of earlier queries, after a change of this package.
  virtual void forget(const ManagedResource&) {}
  /// Systems that list the same packages have the same source.
  virtual std::string_view source() const { return name(); }
  /// All installed packages by name, for lists and purging; nothing when the system cannot list them.
  virtual std::optional<std::map<std::string, PackageState>> all(RunContext&) { return std::nullopt; }
};

std::unique_ptr<PackageProvider> make_apt_provider(bool only_dpkg);
std::unique_ptr<PackageProvider> make_dnf_provider(std::string tool); // "dnf", "yum" or "rpm"
std::unique_ptr<PackageProvider> make_pip_provider(std::string tool);
std::unique_ptr<PackageProvider> make_gem_provider(std::string name); // "gem" or "puppet_gem"
std::unique_ptr<PackageProvider> make_npm_provider();
/// A provider that Puppet has for other systems (other_systems.h): never suitable.
std::unique_ptr<PackageProvider> make_other_systems_provider(std::string name);

/// install_options or uninstall_options as command-line words: texts as they are, hashes as key=value.
std::vector<std::string> option_words(const ManagedResource& resource, std::string_view attribute);

} // namespace pupc::runtime
