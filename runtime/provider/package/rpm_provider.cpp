// The package providers dnf, yum and rpm.
#include "catalog/base/text.h"
#include "runtime/provider/commands.h"
#include "runtime/provider/package/package_provider.h"
#include "runtime/provider/package/version_range.h"

#include <cctype>
#include <fmt/format.h>

namespace pupc {
namespace {

class RpmProvider final : public PackageProvider {
public:
  explicit RpmProvider(std::string tool) : tool_(std::move(tool)) {}
  std::string_view name() const override { return tool_; }
  bool suitable(RunContext& run) override { return find_tool(run, "rpm") && find_tool(run, tool_); }
  bool purgeable() const override { return tool_ != "rpm"; }

  PackageState query(const ManagedResource& r, RunContext& run) override {
    static constexpr const char* format = "%{NAME} %|EPOCH?{%{EPOCH}}:{0}| %{VERSION} %{RELEASE} %{ARCH}\\n";
    PackageState s;
    CommandResult result = run_tool(run, {"rpm", "-q", r.name("name"), "--nosignature", "--nodigest", "--qf", format});
    if (result.status != 0 && r.truth("allow_virtual", true)) {
      // No package has this name: look for a package that provides it, and use that package's name.
      result = run_tool(run, {"rpm", "-q", "--whatprovides", r.name("name"), "--nosignature", "--nodigest", "--qf", format});
      if (const auto f = words_of(result.output); result.status == 0 && f.size() >= 5) {
        if (!real_names_.contains(r.name("name")))
          run.log(LogLevel::Info, fmt::format("Package {} is virtual, defaulting to {}", r.name("name"), f[0]));
        real_names_[r.name("name")] = f[0];
      }
    }
    s.missing = tool_ == "rpm" ? "absent" : "purged";
    if (result.status != 0) return s;
    for (const std::string& line : text_lines(result.output)) {
      const auto f = words_of(line);
      if (f.size() < 5) continue;
      s.versions.push_back((f[1] == "0" ? "" : f[1] + ":") + f[2] + "-" + f[3]);
    }
    return s;
  }

  std::optional<std::string> latest(const ManagedResource& r, RunContext& run) override {
    if (tool_ == "rpm") {
      const std::string source = r.text("source");
      if (source.empty()) throw ResourceError("RPMs must specify a package source");
      return std::string(trimmed(run_tool_checked(run, {"rpm", "-q", "--qf", "%{VERSION}-%{RELEASE}", "-p", source})));
    }
    // Status 100 means that updates exist, in lines "name.arch version repository".
    ToolOptions options;
    options.merge_output = false;
    const CommandResult updates = run_tool(run, {tool_, "-d", "0", "-e", "0", "check-update", r.name("name")}, options);
    for (const std::string& line : text_lines(updates.output)) {
      const auto f = words_of(line);
      if (f.size() == 3 && f[0].substr(0, f[0].rfind('.')) == r.name("name"))
        return f[1].find(':') == std::string::npos ? "0:" + f[1] : f[1];
    }
    const PackageState now = query(r, run);
    if (!now.versions.empty()) return now.versions.back();
    return std::nullopt;
  }

  void install(const ManagedResource& r, const PackageState& state, const std::string& version, RunContext& run) override {
    const std::string source = r.text("source");
    std::vector<std::string> argv;
    if (tool_ == "rpm") {
      if (source.empty()) throw ResourceError("RPMs must specify a package source");
      argv = {"rpm", state.versions.empty() ? "-i" : "-U"};
      if (!state.versions.empty()) argv.emplace_back("--oldpackage");
      for (std::string& o : option_words(r, "install_options")) argv.push_back(std::move(o));
      argv.push_back(source);
    } else {
      argv = {tool_, "-d", "0", "-e", tool_ == "yum" ? "0" : "1", "-y"};
      for (std::string& o : option_words(r, "install_options")) argv.push_back(std::move(o));
      // Upgrade or downgrade an installed package; install only a missing one.
      const bool newest = r.text("ensure") == "latest";
      std::string operation = "install";
      if (!state.versions.empty()) {
        const int order = newest || (r.truth("install_only", false) && !version.empty()) ? 1
                          : version.empty()                                              ? 0
                                            : compare_rpm_versions(version, state.versions.back());
        if (order > 0) operation = tool_ == "dnf" ? "upgrade" : "update";
        if (order < 0) operation = "downgrade";
      }
      argv.push_back(operation);
      argv.push_back(!source.empty() ? source : version.empty() ? r.name("name") : r.name("name") + "-" + version);
    }
    run_tool_checked(run, std::move(argv));
  }

  void uninstall(const ManagedResource& r, const PackageState&, bool purge, RunContext& run) override {
    if (purge && tool_ != "rpm") return static_cast<void>(run_tool_checked(run, {tool_, "-y", "erase", real_name(r)}));
    std::vector<std::string> argv{"rpm", "-e"};
    for (std::string& o : option_words(r, "uninstall_options")) argv.push_back(std::move(o));
    argv.push_back(real_name(r));
    run_tool_checked(run, std::move(argv));
  }

private:
  std::string real_name(const ManagedResource& r) const {
    auto it = real_names_.find(r.name("name"));
    return it == real_names_.end() ? r.name("name") : it->second;
  }

  std::string tool_;
  std::map<std::string, std::string> real_names_; // for names that only other packages provide
};

} // namespace

std::unique_ptr<PackageProvider> make_dnf_provider(std::string tool) { return std::make_unique<RpmProvider>(std::move(tool)); }

} // namespace pupc
