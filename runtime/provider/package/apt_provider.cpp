// The package providers apt and dpkg.
#include "runtime/provider/commands.h"
#include "runtime/provider/package/package_provider.h"

#include <cctype>
#include <fmt/format.h>

namespace pupc {
namespace {

const std::vector<std::pair<std::string, std::string>> apt_environment{
    {"DEBIAN_FRONTEND", "noninteractive"}, {"APT_LISTBUGS_FRONTEND", "none"}, {"APT_LISTCHANGES_FRONTEND", "none"}};

/// Rank of a character that is no digit: ~ comes before the end of the text, letters before other signs.
int rank(std::string_view s, size_t i) {
  if (i >= s.size()) return 0;
  const unsigned char c = static_cast<unsigned char>(s[i]);
  if (c == '~') return -1;
  if (isdigit(c)) return 0;
  return isalpha(c) ? c : c + 256;
}

int compare_part(std::string_view a, std::string_view b) {
  size_t i = 0, j = 0;
  auto digit = [](std::string_view s, size_t k) { return k < s.size() && isdigit(static_cast<unsigned char>(s[k])); };
  while (i < a.size() || j < b.size()) {
    while ((i < a.size() && !digit(a, i)) || (j < b.size() && !digit(b, j))) {
      const int x = rank(a, i), y = rank(b, j);
      if (x != y) return x < y ? -1 : 1;
      if (i < a.size()) ++i;
      if (j < b.size()) ++j;
    }
    while (i < a.size() && a[i] == '0') ++i;
    while (j < b.size() && b[j] == '0') ++j;
    int first = 0;
    while (digit(a, i) && digit(b, j)) {
      if (first == 0) first = a[i] - b[j];
      ++i;
      ++j;
    }
    if (digit(a, i)) return 1;
    if (digit(b, j)) return -1;
    if (first != 0) return first < 0 ? -1 : 1;
  }
  return 0;
}

struct Condition {
  std::string sign, version;
};

/// Parses a range like ">= 1.0 < 2" into its conditions; nothing when the text is a plain version.
std::optional<std::vector<Condition>> parse_range(const std::string& text) {
  std::vector<Condition> out;
  size_t at = 0;
  while ((at = text.find_first_not_of(' ', at)) != std::string::npos) {
    const size_t sign_end = text.find_first_not_of("<>=", at);
    if (sign_end == at || sign_end == std::string::npos) return std::nullopt;
    Condition c;
    c.sign = text.substr(at, sign_end - at);
    const size_t begin = text.find_first_not_of(' ', sign_end);
    if (begin == std::string::npos) return std::nullopt;
    const size_t end = std::min(text.find(' ', begin), text.size());
    c.version = text.substr(begin, end - begin);
    out.push_back(std::move(c));
    at = end;
  }
  if (out.empty()) return std::nullopt;
  return out;
}

bool satisfies(const std::string& version, const std::vector<Condition>& range) {
  for (const Condition& c : range) {
    const int order = compare_debian_versions(version, c.version);
    const bool ok = c.sign == "<"    ? order < 0
                    : c.sign == "<=" ? order <= 0
                    : c.sign == ">"  ? order > 0
                    : c.sign == ">=" ? order >= 0
                                     : order == 0;
    if (!ok) return false;
  }
  return true;
}

class AptProvider final : public PackageProvider {
public:
  explicit AptProvider(bool only_dpkg) : only_dpkg_(only_dpkg) {}
  std::string_view name() const override { return only_dpkg_ ? "dpkg" : "apt"; }
  bool suitable(RunContext& run) override { return run.system.stat(only_dpkg_ ? "/usr/bin/dpkg" : "/usr/bin/apt-get").has_value(); }
  bool purgeable() const override { return true; }
  bool holdable() const override { return true; }
  void forget() override { read_ = false; }

  PackageState query(const ManagedResource& r, RunContext& run) override {
    read_all(run);
    if (r.truth("allow_virtual", false)) {
      if (const std::string real = provided_by(r.name("name"), run); !real.empty() && !packages_.contains(r.name("name"))) {
        run.log(LogLevel::Info, fmt::format("Package {} is virtual, defaulting to {}", r.name("name"), real));
        return packages_[real];
      }
    }
    auto it = packages_.find(r.name("name"));
    if (it != packages_.end()) return it->second;
    PackageState state;
    state.missing = "purged";
    return state;
  }
  std::optional<std::map<std::string, PackageState>> all(RunContext& run) override {
    read_all(run);
    return packages_;
  }

  std::optional<std::string> latest(const ManagedResource& r, RunContext& run) override {
    if (only_dpkg_) {
      const std::string source = r.text("source");
      if (source.empty()) throw ResourceError("Could not update: You cannot install dpkg packages without a source");
      const auto fields = split_text(trimmed(run_tool_checked(run, {"/usr/bin/dpkg-deb", "--show", source})), '\t');
      if (fields.size() < 2) return std::nullopt;
      return fields[1];
    }
    const std::string output = run_tool_checked(run, {"/usr/bin/apt-cache", "policy", r.name("name")});
    for (const std::string& line : text_lines(output)) {
      const std::string_view text = trimmed(line);
      if (text.starts_with("Candidate:")) return std::string(trimmed(text.substr(10)));
    }
    run.log(LogLevel::Err, r, "Could not find latest version");
    return std::nullopt;
  }

  void install(const ManagedResource& r, const PackageState& state, const std::string& wanted, RunContext& run) override {
    preseed(r, run);
    const bool keep = r.text("configfiles", "keep") == "keep";
    const std::string source = r.text("source");
    std::vector<std::string> argv;
    if (only_dpkg_) {
      if (source.empty())
        throw ResourceError(fmt::format("Could not set 'present' on ensure: You cannot install dpkg packages without a source{}",
                                        r.line == 0 ? "" : fmt::format(" (file: {}, line: {})", r.file, r.line)));
      argv = {"/usr/bin/dpkg", keep ? "--force-confold" : "--force-confnew", "-i", source};
    } else {
      std::string version = wanted;
      if (auto range = parse_range(wanted)) version = best_version(r, *range, wanted, run);
      refuse_cdrom(r, run);
      argv = {"/usr/bin/apt-get", "-q", "-y", "-o", std::string("DPkg::Options::=--force-conf") + (keep ? "old" : "new")};
      if (!version.empty()) argv.insert(argv.end(), {"--allow-downgrades", "--allow-change-held-packages"});
      for (std::string& o : option_words(r, "install_options")) argv.push_back(std::move(o));
      argv.emplace_back("install");
      argv.push_back(!source.empty() ? source : version.empty() ? r.name("name") : r.name("name") + "=" + version);
    }
    if (state.held) hold(r, false, run);
    // As Puppet, set the wanted hold even when the installation fails.
    const bool hold_after = r.text("mark") == "hold";
    try {
      call(run, std::move(argv));
    } catch (const ResourceError&) {
      if (hold_after) hold(r, true, run);
      throw;
    }
    if (hold_after) hold(r, true, run);
    mark_manual(r, run);
  }

  void uninstall(const ManagedResource& r, const PackageState& state, bool purge, RunContext& run) override {
    preseed(r, run);
    if (!only_dpkg_) {
      std::vector<std::string> argv{"/usr/bin/apt-get", "-y", "-q"};
      if (state.held) argv.emplace_back("--allow-change-held-packages");
      argv.emplace_back("remove");
      if (purge) argv.emplace_back("--purge");
      argv.push_back(r.name("name"));
      call(run, std::move(argv));
    } else if (!purge) {
      call(run, {"/usr/bin/dpkg", "-r", r.name("name")});
    }
    if (purge) call(run, {"/usr/bin/dpkg", "--purge", r.name("name")});
  }

  void hold(const ManagedResource& r, bool held, RunContext& run) override {
    ToolOptions options;
    options.input = r.name("name") + (held ? " hold\n" : " install\n");
    run_tool(run, {"/usr/bin/dpkg", "--set-selections"}, options);
    read_ = false;
  }

  /// Marks a package that a resource wants as manually installed, so that apt never removes it as unneeded.
  void mark_manual(const ManagedResource& r, RunContext& run) override {
    if (!only_dpkg_ && run.system.stat("/usr/bin/apt-mark")) call(run, {"/usr/bin/apt-mark", "manual", r.name("name")});
  }

  std::optional<bool> in_range(const std::string& version, const std::string& range) const override {
    const auto conditions = parse_range(range);
    if (!conditions) return std::nullopt;
    return satisfies(version, *conditions);
  }

private:
  void call(RunContext& run, std::vector<std::string> argv) {
    read_ = false;
    ToolOptions options;
    options.environment = apt_environment;
    run_tool_checked(run, std::move(argv), options);
  }

  /// The installed package that provides a virtual one; empty when there is none.
  static std::string provided_by(const std::string& name, RunContext& run) {
    for (const std::string& line : text_lines(
             run_tool_checked(run, {"/usr/bin/dpkg-query", "-W", "--showformat", "${Status} ${Package} ${Version} [${Provides}]\\n"}))) {
      const size_t list = line.find('[');
      const auto f = words_of(std::string_view(line).substr(0, list));
      if (list == std::string::npos || f.size() < 5 || f[2] != "installed") continue;
      for (const std::string& one : split_text(std::string_view(line).substr(list + 1, line.rfind(']') - list - 1), ','))
        if (trimmed(std::string_view(one).substr(0, one.find('('))) == name) return f[3];
    }
    return {};
  }

  void read_all(RunContext& run) {
    if (read_) return;
    packages_.clear();
    const std::string output = run_tool_checked(
        run, {"/usr/bin/dpkg-query", "-W", "--showformat", "${Status} ${Package} ${Version} ${Architecture}\\n"});
    for (const std::string& line : text_lines(output)) {
      const auto f = words_of(line); // install ok installed NAME [VERSION] ARCHITECTURE
      if (f.size() < 4) continue;
      PackageState s;
      s.held = f[0] == "hold";
      if (f[2] == "not-installed")
        s.missing = "purged";
      else if (f[2] != "config-files" && f[2] != "half-installed" && f[2] != "unpacked" && f[2] != "half-configured" && f.size() > 4)
        s.versions = {f[4]};
      // When the list has several architectures of a package, an installed one counts.
      for (const std::string& known : {f[3], f.size() > 5 ? f[3] + ":" + f[5] : f[3]}) {
        auto [it, added] = packages_.try_emplace(known, s);
        if (!added && it->second.versions.empty()) it->second = s;
      }
    }
    read_ = true;
  }

  static std::string best_version(const ManagedResource& r, const std::vector<Condition>& range, const std::string& text, RunContext& run) {
    std::string best;
    for (const std::string& line : text_lines(run_tool_checked(run, {"/usr/bin/apt-cache", "madison", r.name("name")}))) {
      const auto fields = split_text(line, '|');
      if (fields.size() < 2) continue;
      const std::string version(trimmed(fields[1]));
      if (satisfies(version, range) && (best.empty() || compare_debian_versions(version, best) > 0)) best = version;
    }
    return best.empty() ? text : best;
  }

  static void refuse_cdrom(const ManagedResource& r, RunContext& run) {
    if (r.truth("allowcdrom", false)) return;
    for (const std::string& line : text_lines(read_if_there(run, "/etc/apt/sources.list").value_or(""))) {
      const size_t cdrom = line.find("cdrom:");
      if (cdrom != std::string::npos && line.find('#') > cdrom)
        throw ResourceError("/etc/apt/sources.list contains a cdrom source; not installing.  Use 'allowcdrom' to override this failure.");
    }
  }

  static void preseed(const ManagedResource& r, RunContext& run) {
    if (!r.has("responsefile")) return;
    const std::string file = r.text("responsefile");
    if (!run.system.stat(file)) {
      run.log(LogLevel::Info, r, "No responsefile specified or non existent, not preseeding anything");
      return;
    }
    run.log(LogLevel::Info, r, fmt::format("Preseeding {} to debconf-set-selections", file));
    run_tool_checked(run, {"/usr/bin/debconf-set-selections", file});
  }

  bool only_dpkg_;
  bool read_ = false;
  std::map<std::string, PackageState> packages_;
};

} // namespace

int compare_debian_versions(std::string_view a, std::string_view b) {
  auto epoch = [](std::string_view& v) {
    const size_t colon = v.find(':');
    if (colon == std::string_view::npos) return 0L;
    const long e = strtol(std::string(v.substr(0, colon)).c_str(), nullptr, 10);
    v.remove_prefix(colon + 1);
    return e;
  };
  const long x = epoch(a), y = epoch(b);
  if (x != y) return x < y ? -1 : 1;
  auto revision = [](std::string_view& v) {
    const size_t dash = v.rfind('-');
    if (dash == std::string_view::npos) return std::string_view("0");
    const std::string_view r = v.substr(dash + 1);
    v = v.substr(0, dash);
    return r;
  };
  const std::string_view r = revision(a), s = revision(b);
  if (const int order = compare_part(a, b)) return order;
  return compare_part(r, s);
}

std::vector<std::string> option_words(const ManagedResource& resource, std::string_view attribute) {
  std::vector<std::string> out;
  auto add = [&](auto& self, const Value& v) -> void {
    if (v.is_list())
      for (const Value& i : v.items()) self(self, i);
    else if (v.is_hash())
      for (const HashEntry& e : v.hash->entries()) out.push_back(value_text(e.key) + "=" + value_text(e.value));
    else if (!v.is_undef())
      out.push_back(value_text(v));
  };
  add(add, resource.get(attribute));
  return out;
}

std::unique_ptr<PackageProvider> make_apt_provider(bool only_dpkg) { return std::make_unique<AptProvider>(only_dpkg); }

} // namespace pupc
