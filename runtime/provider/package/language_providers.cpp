// The package providers of programming languages: pip, gem and npm.
#include "catalog/base/split_text.h"
#include "catalog/base/text.h"
#include "catalog/json/json_reader.h"
#include "runtime/provider/foreign_types.h"
#include "runtime/provider/other_systems.h"
#include "runtime/provider/package/package_provider.h"
#include "runtime/provider/package/version_range.h"
#include "runtime/provider/system_tools.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

/// The tool to run: the resource's `command`, else the usual one.
std::string tool_of(const ManagedResource& r, const std::string& usual) {
  const std::string given = r.text("command");
  return given.empty() || given == "default" ? usual : given;
}

/// The same for providers whose tool is looked for only when it is needed (Puppet's Targetable). `usual`: its full path, or empty. Throws
/// ResourceError when it is not there.
std::string checked_tool(const ManagedResource& r, std::string_view provider, const std::string& usual, RunContext& run) {
  const std::string tool = tool_of(r, usual);
  if (tool.empty()) throw ResourceError(fmt::format("Provider {} package command is not functional on this host", provider));
  const auto status = run.system.stat(tool);
  if (!status || status->type != FileType::File)
    throw ResourceError(fmt::format("Provider {} package command '{}' does not exist on this host", provider, tool));
  return tool;
}

bool equal_without_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) { return tolower(x) == tolower(y); });
}

class PipProvider final : public PackageProvider {
public:
  explicit PipProvider(std::string tool) : tool_(std::move(tool)) {}
  std::string_view name() const override { return tool_; }
  bool suitable(RunContext&) override { return true; }

  PackageState query(const ManagedResource& r, RunContext& run) override {
    for (auto& [name, state] : frozen(tool(r, run), run))
      if (equal_without_case(name, r.name("name"))) return std::move(state);
    return {};
  }
  std::optional<std::map<std::string, PackageState>> all(RunContext& run) override {
    const std::string found = usual(run);
    return found.empty() ? std::map<std::string, PackageState>() : frozen(found, run);
  }
  std::optional<std::string> latest(const ManagedResource& r, RunContext& run) override {
    const std::vector<std::string> versions = offered(r, run);
    for (auto it = versions.rbegin(); it != versions.rend(); ++it)
      if (it->find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos) return *it; // skip pre-releases
    return std::nullopt;
  }
  std::optional<bool> in_range(const ManagedResource&, const std::string& version, const std::string& range) const override {
    const auto wanted = VersionRange::parse(range, compare_pip_versions);
    if (!wanted) return std::nullopt;
    return wanted->includes(version);
  }
  void install(const ManagedResource& r, const PackageState& state, const std::string& version, RunContext& run) override {
    std::vector<std::string> argv{tool(r, run), "install", "-q"};
    for (std::string& o : option_words(r, "install_options")) argv.push_back(std::move(o));
    const std::string source = r.text("source");
    if (!source.empty()) {
      argv.push_back(version.empty() ? fmt::format("{}#egg={}", source, r.name("name"))
                                     : fmt::format("{}@{}#egg={}", source, version, r.name("name")));
    } else if (const auto range = VersionRange::parse(version, compare_pip_versions)) {
      const std::string best = range->best(offered(r, run));
      argv.push_back(best.empty() ? fmt::format("{} {}", r.name("name"), pip_range(version)) : r.name("name") + "==" + best);
    } else if (!version.empty()) {
      argv.push_back(r.name("name") + "==" + version);
    } else {
      if (r.text("ensure") == "latest" && !state.versions.empty()) argv.emplace_back("--upgrade");
      argv.push_back(r.name("name"));
    }
    run_tool_checked(run, std::move(argv));
  }
  void uninstall(const ManagedResource& r, const PackageState&, bool, RunContext& run) override {
    run_tool_checked(run, {tool(r, run), "uninstall", "-y", "-q", r.name("name")});
  }

private:
  /// The versions that pip could install, which it lists when asked for an impossible one.
  std::vector<std::string> offered(const ManagedResource& r, RunContext& run) {
    std::vector<std::string> argv{tool(r, run), "install", "--disable-pip-version-check", r.name("name") + "==9!0dev0+x"};
    for (std::string& o : option_words(r, "install_options")) argv.push_back(std::move(o));
    const std::string output = run_tool(run, std::move(argv)).output;
    const size_t at = output.find("from versions: ");
    if (at == std::string::npos) return {};
    const size_t begin = at + 15, end = output.find(')', begin);
    std::vector<std::string> versions;
    for (const std::string& v : catalog::split_text(std::string_view(output).substr(begin, end - begin), ','))
      versions.emplace_back(trimmed(v));
    return versions;
  }
  /// A range as pip takes it, with commas between its conditions.
  static std::string pip_range(const std::string& range) {
    std::vector<std::string> parts;
    for (const std::string& part : catalog::split_text(range, ' '))
      if (!part.empty()) parts.push_back(part);
    return join_text(parts, ",");
  }
  /// What pip lists: name==1.0, name===1.0 or name @ somewhere@1.0.
  static std::map<std::string, PackageState> frozen(const std::string& tool, RunContext& run) {
    std::map<std::string, PackageState> out;
    ToolOptions options;
    options.merge_output = false;
    for (const std::string& line : text_lines(run_tool_checked(run, {tool, "freeze", "--all"}, options))) {
      const size_t equals = line.find('='), at = line.rfind('@'), name_end = line.find(" @ ");
      if (equals != std::string::npos && equals > 0 && line[equals + 1] == '=') {
        const std::string_view version = std::string_view(line).substr(equals + (line[equals + 2] == '=' ? 3 : 2));
        if (!version.empty() && version.find('=') == std::string_view::npos) out[line.substr(0, equals)].versions = {std::string(version)};
      } else if (name_end != std::string::npos && line.find('@', name_end + 3) == at && at > name_end + 3) {
        out[line.substr(0, name_end)].versions = {line.substr(at + 1)};
      }
    }
    return out;
  }
  /// The full path of pip; empty when it is not installed.
  std::string usual(RunContext& run) const {
    static const std::vector<std::string> names{"pip", "pip-python", "pip2", "pip-2"};
    for (const std::string& name : tool_ == "pip" ? names : std::vector<std::string>{tool_})
      if (auto found = find_tool(run, name)) return *found;
    return {};
  }
  std::string tool(const ManagedResource& r, RunContext& run) const { return checked_tool(r, tool_, usual(run), run); }
  std::string tool_; // "pip" or "pip3"
};

class GemProvider final : public PackageProvider {
public:
  explicit GemProvider(std::string name) : name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  /// puppet_gem is for the Ruby that Puppet's own packages bring.
  bool suitable(RunContext& run) override { return name_ == "gem" || !run.fact("aio_agent_version").is_undef(); }

  PackageState query(const ManagedResource& r, RunContext& run) override {
    PackageState s;
    s.versions = versions(r, "--local", run);
    return s;
  }
  std::optional<std::map<std::string, PackageState>> all(RunContext& run) override {
    std::map<std::string, PackageState> out;
    const auto tool = find_tool(run, "gem");
    if (!tool) return out;
    ToolOptions options = gem_options(run);
    options.merge_output = false;
    for (const std::string& line : text_lines(run_tool_checked(run, {*tool, "list", "--local"}, options)))
      if (const size_t at = line.find(" ("); at != std::string::npos && at > 0 && line.find(' ') == at && line.ends_with(')'))
        out[line.substr(0, at)].versions = versions_in(std::string_view(line).substr(at + 2, line.size() - at - 3));
    return out;
  }
  std::optional<std::string> latest(const ManagedResource& r, RunContext& run) override {
    const auto found = versions(r, "--remote", run);
    if (found.empty()) return std::nullopt;
    return found.front();
  }
  std::optional<bool> in_range(const ManagedResource&, const std::string& version, const std::string& range) const override {
    const auto wanted = VersionRange::parse_requirement(range);
    if (!wanted) return std::nullopt;
    return wanted->includes(version);
  }
  void install(const ManagedResource& r, const PackageState&, const std::string& version, RunContext& run) override {
    std::vector<std::string> argv{tool(r, run), "install"};
    for (std::string& o : option_words(r, "install_options")) argv.push_back(std::move(o));
    if (!version.empty()) argv.insert(argv.end(), {"-v", gem_requirement(version)});
    const std::string source = r.text("source");
    if (source.find("://") != std::string::npos)
      argv.insert(argv.end(), {"--source", source, "--no-document", r.name("name")});
    else
      argv.insert(argv.end(), {"--no-document", source.empty() ? r.name("name") : source});
    run_tool_checked(run, std::move(argv), gem_options(run));
  }
  void uninstall(const ManagedResource& r, const PackageState&, bool, RunContext& run) override {
    std::vector<std::string> argv{tool(r, run), "uninstall", "--executables", "--all", r.name("name")};
    for (std::string& o : option_words(r, "uninstall_options")) argv.push_back(std::move(o));
    run_tool_checked(run, std::move(argv), gem_options(run));
  }

private:
  std::string tool(const ManagedResource& r, RunContext& run) const {
    return checked_tool(r, name_, find_tool(run, "gem").value_or(""), run);
  }
  /// gem finds its settings in the home directory.
  static ToolOptions gem_options(RunContext& run) {
    ToolOptions options;
    if (const auto home = run.system.environment("HOME")) options.environment.emplace_back("HOME", *home);
    return options;
  }
  /// A range as gem's option -v takes it, with commas between its conditions.
  static std::string gem_requirement(const std::string& version) {
    if (version.find(',') != std::string::npos || !VersionRange::parse_requirement(version)) return version;
    std::string out;
    for (const std::string& part : catalog::split_text(version, ' '))
      out += (out.empty() || part.empty() || std::string_view("<>=!~").find(out.back()) != std::string_view::npos ? "" : ", ") + part;
    return out;
  }
  /// The versions in the output of `gem list`, in lines like "json (2.6.1, default: 2.6.0)".
  std::vector<std::string> versions(const ManagedResource& r, const char* where, RunContext& run) const {
    std::vector<std::string> out;
    const std::string name = r.name("name");
    ToolOptions options = gem_options(run);
    options.merge_output = false;
    for (const std::string& line : text_lines(run_tool_checked(run, {tool(r, run), "list", where, "^" + name + "$"}, options))) {
      if (!line.starts_with(name + " (")) continue;
      const size_t begin = name.size() + 2, end = line.rfind(')');
      for (std::string& version : versions_in(std::string_view(line).substr(begin, end - begin))) out.push_back(std::move(version));
    }
    return out;
  }
  /// The versions of "2.6.1, default: 2.6.0 java".
  static std::vector<std::string> versions_in(std::string_view list) {
    std::vector<std::string> out;
    for (const std::string& part : catalog::split_text(list, ',')) {
      std::string_view v = trimmed(part);
      if (v.starts_with("default: ")) v.remove_prefix(9);
      out.emplace_back(v.substr(0, v.find(' ')));
    }
    return out;
  }

  std::string name_;
};

class NpmProvider final : public PackageProvider {
public:
  std::string_view name() const override { return "npm"; }
  bool suitable(RunContext& run) override { return find_tool(run, "npm").has_value(); }

  PackageState query(const ManagedResource& r, RunContext& run) override {
    PackageState s;
    ToolOptions options;
    options.merge_output = false;
    const CommandResult result = run_tool(run, {tool_of(r, "npm"), "list", "--json", "--global", "--depth=0"}, options);
    const auto found = installed(result.output, run);
    if (const auto one = found.find(r.name("name")); one != found.end()) s = one->second;
    return s;
  }
  /// Only for lists where a module brings the provider: Puppet has none itself.
  std::optional<std::map<std::string, PackageState>> all(RunContext& run) override {
    if (run.settings.foreign_types == nullptr || !run.settings.foreign_types->has_provider("package", "npm")) return std::nullopt;
    ToolOptions options;
    options.merge_output = false;
    return installed(run_tool(run, {"npm", "list", "--json", "--global"}, options).output, run);
  }
  std::optional<std::string> latest(const ManagedResource& r, RunContext& run) override {
    return std::string(trimmed(run_tool_checked(run, {tool_of(r, "npm"), "view", r.name("name"), "version"})));
  }
  void install(const ManagedResource& r, const PackageState&, const std::string& version, RunContext& run) override {
    std::vector<std::string> argv{tool_of(r, "npm"), "install", "--global"};
    for (std::string& o : option_words(r, "install_options")) argv.push_back(std::move(o));
    const std::string source = r.text("source");
    argv.push_back(!source.empty() ? source : version.empty() ? r.name("name") : r.name("name") + "@" + version);
    run_tool_checked(run, std::move(argv));
  }
  void uninstall(const ManagedResource& r, const PackageState&, bool, RunContext& run) override {
    run_tool_checked(run, {tool_of(r, "npm"), "uninstall", "--global", r.name("name")});
  }

private:
  /// The packages that npm's JSON names with a version.
  static std::map<std::string, PackageState> installed(const std::string& json, RunContext& run) {
    std::map<std::string, PackageState> out;
    Value document;
    JsonError error;
    if (!parse_json(json, run.arena, document, error) || !document.is_hash()) return out;
    const Value* all = document.hash->find("dependencies");
    if (all == nullptr || !all->is_hash()) return out;
    for (const HashEntry& e : all->hash->entries())
      if (const Value* version = e.value.is_hash() ? e.value.hash->find("version") : nullptr; version != nullptr)
        out[value_text(e.key)].versions = {value_text(*version)};
    return out;
  }
};

/// A provider of Puppet that cannot work here.
class OtherSystemsProvider final : public PackageProvider {
public:
  explicit OtherSystemsProvider(std::string name) : name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  bool suitable(RunContext& run) override { return other_system_problem("package", name_, run).empty(); }
  PackageState query(const ManagedResource&, RunContext&) override { refuse(); }
  std::optional<std::string> latest(const ManagedResource&, RunContext&) override { refuse(); }
  void install(const ManagedResource&, const PackageState&, const std::string&, RunContext&) override { refuse(); }
  void uninstall(const ManagedResource&, const PackageState&, bool, RunContext&) override { refuse(); }

private:
  [[noreturn]] void refuse() const { throw ResourceError(fmt::format("Provider {} is not functional on this host", name_)); }
  std::string name_;
};

} // namespace

std::unique_ptr<PackageProvider> make_pip_provider(std::string tool) { return std::make_unique<PipProvider>(std::move(tool)); }
std::unique_ptr<PackageProvider> make_gem_provider(std::string name) { return std::make_unique<GemProvider>(std::move(name)); }
std::unique_ptr<PackageProvider> make_npm_provider() { return std::make_unique<NpmProvider>(); }
std::unique_ptr<PackageProvider> make_other_systems_provider(std::string name) {
  return std::make_unique<OtherSystemsProvider>(std::move(name));
}

} // namespace pupc::runtime
