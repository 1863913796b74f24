// The package providers dnf, yum and rpm.
#include "catalog/base/split_text.h"
#include "catalog/base/text.h"
#include "runtime/provider/package/package_provider.h"
#include "runtime/provider/package/version_range.h"
#include "runtime/provider/system_tools.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

constexpr const char* package_format = "%{NAME} %|EPOCH?{%{EPOCH}}:{0}| %{VERSION} %{RELEASE} %{ARCH}\\n";
/// Between the versions of a package that is installed more than once, as kernels are.
constexpr std::string_view between_versions = "; ";
/// A package as rpm tells it. `versions` has all installed versions, "epoch:version-release" without an epoch of 0.
struct RpmPackage {
  std::string name, version, release, arch, versions;
};

/// The package that lines in `package_format` tell of. Lines of the same name add their versions; a version that is part of the text
/// so far adds nothing, as in Puppet.
std::optional<RpmPackage> parse_packages(const std::string& output) {
  std::optional<RpmPackage> found;
  for (const std::string& line : text_lines(output)) {
    const auto f = catalog::words_of(line);
    if (f.size() != 5) continue;
    const std::string version = (f[1] == "0" ? "" : f[1] + ":") + f[2] + "-" + f[3];
    if (!found)
      found = RpmPackage{f[0], f[2], f[3], f[4], version};
    else if (found->name == f[0] && found->versions.find(version) == std::string::npos)
      found->versions += std::string(between_versions) + version;
  }
  return found;
}

/// "name.arch-version" is "name-version.arch" for yum and dnf.
std::string with_arch_last(std::string text) {
  size_t at = std::string::npos;
  std::string_view found;
  for (std::string_view arch : rpm_architectures) {
    const size_t place = text.rfind(arch);
    if (place == std::string::npos || place == 0 || place + arch.size() >= text.size()) continue;
    if (at != std::string::npos && place <= at) continue; // ".ppc" is also the start of ".ppc64": the first of the list counts
    at = place;
    found = arch;
  }
  if (at == std::string::npos) return text;
  return text.substr(0, at) + text.substr(at + found.size()) + std::string(found);
}

class RpmProvider final : public PackageProvider {
public:
  explicit RpmProvider(std::string tool) : tool_(std::move(tool)) {}
  std::string_view name() const override { return tool_; }
  bool suitable(RunContext& run) override { return find_tool(run, "rpm") && find_tool(run, tool_); }
  std::string_view source() const override { return "rpm"; }
  bool purgeable() const override { return tool_ != "rpm"; }

  std::optional<std::map<std::string, PackageState>> all(RunContext& run) override {
    Words lines = text_lines(run_tool_checked(run, {"rpm", "-qa", "--nosignature", "--nodigest", "--qf", package_format}));
    std::sort(lines.begin(), lines.end());
    std::map<std::string, std::string> by_name;
    for (const std::string& line : lines) by_name[line.substr(0, line.find(' '))] += line + "\n";
    std::map<std::string, PackageState> out;
    for (const auto& [name, of_name] : by_name)
      if (const auto found = parse_packages(of_name)) out[name].versions = {found->versions};
    return out;
  }

  PackageState query(const ManagedResource& r, RunContext& run) override {
    PackageState s;
    s.missing = purgeable() ? "purged" : "absent";
    if (const auto found = installed(r, run)) s.versions.push_back(found->versions);
    return s;
  }

  std::optional<std::string> latest(const ManagedResource& r, RunContext& run) override {
    if (tool_ == "rpm") {
      const std::string source = r.text("source");
      if (source.empty()) throw ResourceError("RPMs must specify a package source");
      const auto found = parse_packages(run_tool_checked(run, {"rpm", "-q", "--qf", package_format, "-p", source}));
      return found ? std::optional(found->versions) : std::nullopt;
    }
    const auto& updates = offered_updates(repository_options(r), run);
    if (const auto found = updates.find(r.name("name")); found != updates.end()) return found->second;
    const PackageState now = query(r, run);
    if (!now.versions.empty()) return now.versions.back();
    return std::nullopt;
  }

  std::optional<bool> in_range(const ManagedResource& r, const std::string& versions, const std::string& wanted) const override {
    if (versions.find(between_versions) != std::string::npos && !r.truth("install_only", false)) return false;
    const auto range = tool_ == "rpm" ? std::nullopt : VersionRange::parse(wanted, compare_rpm_versions);
    for (const std::string& version : split_at(versions, between_versions))
      if (range ? range->includes(version) : compare_with_installed_rpm(wanted, version) == 0) return true;
    return false;
  }

  void install(const ManagedResource& r, const PackageState& state, const std::string& version, RunContext& run) override {
    if (tool_ == "rpm") return install_file(r, state, version, run);
    const std::string name = r.name("name"), source = r.text("source");
    if (!r.truth("allow_virtual", true)) call(r, {"list", name}, run);
    const bool newest = r.text("ensure") == "latest";
    const std::string update = tool_ == "dnf" ? "upgrade" : "update";
    std::string operation = "install", wanted = source.empty() || newest ? name : source, should = version;
    if (newest) {
      if (installed(r, run)) operation = update;
    } else if (!version.empty()) {
      if (source.empty()) {
        should = best_version(r, version, run);
        wanted = with_arch_last(name + "-" + should);
      }
      if (const auto now = installed(r, run)) {
        const int order = r.truth("install_only", false) ? 1 : compare_with_installed_rpm(should, now->versions);
        if (order != 0) operation = order > 0 ? update : "downgrade";
      }
    }
    const std::string output = call(r, {operation, wanted}, run);
    for (const std::string& line : text_lines(output))
      if (line == "No package " + wanted + " available.") throw ResourceError("Could not find package " + wanted);
    if (should.empty()) return;
    // The tool may have installed another version without an error.
    const auto now = installed(r, run);
    if (!now) throw ResourceError("Could not find package " + name);
    if (!in_range(r, now->versions, r.text("ensure")).value_or(false))
      throw ResourceError(fmt::format("Failed to update to version {}, got version {} instead", should, now->versions));
  }

  void uninstall(const ManagedResource& r, const PackageState&, bool purge, RunContext& run) override {
    const std::string given = r.name("name");
    if (purge && tool_ != "rpm") return static_cast<void>(run_tool_checked(run, {tool_, "-y", "erase", given}));
    std::vector<std::string> argv{"rpm", "-e"};
    for (std::string& o : option_words(r, "uninstall_options")) argv.push_back(std::move(o));
    const RpmPackage now = installed(r, run).value_or(RpmPackage{given, "", "", "", ""});
    const std::string arch = given.ends_with("." + now.arch) ? "." + now.arch : "";
    const std::string with_version = now.name + "-" + now.version;
    // A resource may name the version that it means; several versions go only where that is asked for.
    if (given.starts_with(with_version + "-" + now.release))
      argv.push_back(with_version + "-" + now.release + arch);
    else if (given.starts_with(with_version))
      argv.push_back(with_version + arch);
    else if (r.truth("install_only", false))
      for (const std::string& version : split_at(now.versions, between_versions)) argv.push_back(now.name + "-" + version);
    else
      argv.push_back(now.name + arch);
    run_tool_checked(run, std::move(argv));
  }

private:
  using Words = std::vector<std::string>;

  static Words split_at(std::string_view text, std::string_view separator) {
    Words out;
    for (size_t end; (end = text.find(separator)) != std::string_view::npos; text.remove_prefix(end + separator.size()))
      out.emplace_back(text.substr(0, end));
    out.emplace_back(text);
    return out;
  }

  /// The installed package of that name, else the one that provides the name; nothing when there is none.
  static std::optional<RpmPackage> installed(const ManagedResource& r, RunContext& run) {
    Words argv{"rpm", "-q", r.name("name"), "--nosignature", "--nodigest", "--qf", package_format};
    CommandResult result = run_tool(run, argv);
    if (result.status != 0 && r.truth("allow_virtual", true)) {
      argv.emplace_back("--whatprovides");
      result = run_tool(run, argv);
    }
    return result.status == 0 ? parse_packages(result.output) : std::nullopt;
  }

  /// Runs yum or dnf without questions; returns what it printed.
  std::string call(const ManagedResource& r, const Words& words, RunContext& run) const {
    Words argv{tool_, "-d", "0", "-e", tool_ == "yum" ? "0" : "1", "-y"};
    for (std::string& o : option_words(r, "install_options")) argv.push_back(std::move(o));
    argv.insert(argv.end(), words.begin(), words.end());
    return run_tool_checked(run, std::move(argv));
  }

  static void install_file(const ManagedResource& r, const PackageState& state, const std::string& version, RunContext& run) {
    const std::string source = r.text("source");
    if (source.empty()) throw ResourceError("RPMs must specify a package source");
    if (!state.versions.empty() && state.versions.front() == version) return;
    Words argv{"rpm", state.versions.empty() ? "-i" : "-U"};
    if (!state.versions.empty()) argv.emplace_back("--oldpackage");
    for (std::string& o : option_words(r, "install_options")) argv.push_back(std::move(o));
    argv.push_back(source);
    run_tool_checked(run, std::move(argv));
  }

  /// The options of install_options that change which repositories count, as the words of a command that only asks.
  static Words repository_options(const ManagedResource& r) {
    Words out;
    const Words given = option_words(r, "install_options");
    for (std::string_view option : {"--disablerepo=", "--enablerepo=", "--disableexcludes="})
      for (const std::string& word : given) {
        const std::string_view text = trimmed(word);
        if (text.starts_with(option) && std::find(out.begin(), out.end(), text) == out.end()) out.emplace_back(text);
      }
    return out;
  }

  /// The newest versions, "epoch:version-release", of installed packages that have updates, by "name" and "name.arch". Asked once a run
  /// for each choice of repositories.
  const std::map<std::string, std::string>& offered_updates(const Words& repositories, RunContext& run) {
    const auto [known, added] = updates_.try_emplace(repositories);
    if (!added) return known->second;
    Words argv{tool_, "check-update"};
    argv.insert(argv.end(), repositories.begin(), repositories.end());
    ToolOptions options;
    options.merge_output = false;
    const CommandResult result = run_tool(run, argv, options);
    if (result.status == 100)
      known->second = parse_updates(result.output);
    else if (result.status != 0)
      run.log_from(LogLevel::Warning, tool_ == "yum" ? "Puppet::Type::Package::ProviderYum" : "Puppet::Type::Package::ProviderDnf",
                   fmt::format("Could not check for updates, '{} check-update' exited with {}", find_tool(run, tool_).value_or(tool_),
                               result.status),
                   nullptr);
    return known->second;
  }

  /// Reads paragraphs of "name.arch version repository", whose words may be spread over lines, up to the first heading.
  static std::map<std::string, std::string> parse_updates(const std::string& output) {
    std::map<std::string, std::string> out;
    Words paragraph;
    auto finish = [&] {
      for (size_t i = 0; i + 1 < paragraph.size(); i += 3) {
        const std::string &package = paragraph[i], &version = paragraph[i + 1];
        const size_t dot = package.rfind('.');
        if (dot == std::string::npos || dot == 0 || version.find('-') == std::string::npos) continue;
        const std::string full = version.find(':') == std::string::npos ? "0:" + version : version;
        out.try_emplace(package.substr(0, dot), full);
        out.try_emplace(package, full);
      }
      paragraph.clear();
    };
    for (const std::string& line : text_lines(output)) {
      if (line.starts_with("Obsoleting") || line.starts_with("Security:") || line.starts_with("Update")) break;
      const Words words = catalog::words_of(line);
      if (words.empty()) finish();
      paragraph.insert(paragraph.end(), words.begin(), words.end());
    }
    finish();
    return out;
  }

  /// The newest offered version in a range, without its epoch; the text itself when it is no range or no version is in it.
  std::string best_version(const ManagedResource& r, const std::string& text, RunContext& run) const {
    const auto range = VersionRange::parse(text, compare_rpm_versions);
    if (!range) return text;
    Words argv{tool_, "list", r.name("name"), "--showduplicates"}, versions;
    for (std::string& word : repository_options(r)) argv.push_back(std::move(word));
    ToolOptions options;
    options.merge_output = false;
    // What follows the heading is offered; the tools print something before it, and as in Puppet the first line is never the heading.
    const Words lines = text_lines(run_tool(run, argv, options).output);
    const auto heading = std::find_if(lines.begin() + (lines.empty() ? 0 : 1), lines.end(),
                                      [](const std::string& line) { return line.find("Available Packages") != std::string::npos; });
    for (auto line = heading; line != lines.end(); ++line)
      if (const Words words = catalog::words_of(*line); line != heading && words.size() > 1) versions.push_back(words[1]);
    std::string best = range->best(versions);
    const size_t colon = best.find(':');
    if (colon != std::string::npos && colon > 0 && all_digits(best.substr(0, colon))) best.erase(0, colon + 1);
    return best.empty() ? text : best;
  }

  std::string tool_;
  std::map<Words, std::map<std::string, std::string>> updates_; // by the words that choose repositories
};

} // namespace

std::unique_ptr<PackageProvider> make_dnf_provider(std::string tool) { return std::make_unique<RpmProvider>(std::move(tool)); }

} // namespace pupc::runtime
