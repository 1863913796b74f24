// dnf, yum and rpm.
#include "runtime/provider/commands.h"
#include "runtime/provider/package/package_provider.h"

namespace pupc {
namespace {

class RpmProvider final : public PackageProvider {
public:
  explicit RpmProvider(std::string tool) : tool_(std::move(tool)) {}
  std::string_view name() const override { return tool_; }
  bool suitable(RunContext& run) override { return find_tool(run, "rpm") && find_tool(run, tool_); }
  bool purgeable() const override { return tool_ != "rpm"; }

  PackageState query(const ManagedResource& r, RunContext& run) override {
    PackageState s;
    const CommandResult result = run_tool(run, {"rpm", "-q", r.name("name"), "--nosignature", "--nodigest", "--qf", "%{NAME} %|EPOCH?{%{EPOCH}}:{0}| %{VERSION} %{RELEASE} %{ARCH}\\n"});
    s.missing = "purged";
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
    // Status 100 means that there are updates: lines "name.arch version repository".
    ToolOptions options;
    options.merge_output = false;
    const CommandResult updates = run_tool(run, {tool_, "-d", "0", "-e", "0", "check-update", r.name("name")}, options);
    for (const std::string& line : text_lines(updates.output)) {
      const auto f = words_of(line);
      if (f.size() == 3 && f[0].substr(0, f[0].rfind('.')) == r.name("name")) return f[1].starts_with("0:") ? f[1].substr(2) : f[1];
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
      argv = {"rpm"};
      for (std::string& o : option_words(r, "install_options")) argv.push_back(std::move(o));
      argv.insert(argv.end(), {state.versions.empty() ? "-i" : "-U", source});
      if (!state.versions.empty()) argv.insert(argv.end() - 1, "--oldpackage");
    } else {
      argv = {tool_, "-d", "0", "-e", "1", "-y"};
      for (std::string& o : option_words(r, "install_options")) argv.push_back(std::move(o));
      const bool newest = r.text("ensure") == "latest" && !state.versions.empty();
      argv.push_back(newest ? tool_ == "dnf" ? "upgrade" : "update" : "install");
      argv.push_back(!source.empty() ? source : version.empty() ? r.name("name") : r.name("name") + "-" + version);
    }
    run_tool_checked(run, std::move(argv));
  }

  void uninstall(const ManagedResource& r, const PackageState&, bool purge, RunContext& run) override {
    if (purge && tool_ != "rpm")
      run_tool_checked(run, {tool_, "-y", "remove", r.name("name")});
    else
      run_tool_checked(run, {"rpm", "-e", r.name("name")});
  }

private:
  std::string tool_;
};

} // namespace

std::unique_ptr<PackageProvider> make_dnf_provider(std::string tool) { return std::make_unique<RpmProvider>(std::move(tool)); }

} // namespace pupc
