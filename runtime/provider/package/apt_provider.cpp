// The package providers apt and dpkg.
#include "catalog/base/interruption.h"
#include "catalog/base/split_text.h"
#include "catalog/base/text.h"
#include "runtime/provider/package/package_provider.h"
#include "runtime/provider/package/version_range.h"
#include "runtime/provider/system_tools.h"
#include "runtime/sys/process_environment.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace pupc::runtime {

namespace {

const std::vector<std::pair<std::string, std::string>> apt_environment{
    {"DEBIAN_FRONTEND", "noninteractive"}, {"APT_LISTBUGS_FRONTEND", "none"}, {"APT_LISTCHANGES_FRONTEND", "none"}};

class AptProvider final : public PackageProvider {
public:
  explicit AptProvider(bool only_dpkg) : only_dpkg_(only_dpkg) {}
  std::string_view name() const override { return only_dpkg_ ? "dpkg" : "apt"; }
  std::string_view source() const override { return "dpkg"; }
  bool suitable(RunContext& run) override { return run.system.stat(only_dpkg_ ? "/usr/bin/dpkg" : "/usr/bin/apt-get").has_value(); }
  bool purgeable() const override { return true; }
  bool holdable() const override { return true; }
  void forget(const ManagedResource& r) override {
    read_ = false;
    if (first_) first_->erase(r.name("name"));
  }

  /// As in Puppet, a package that the first resource's turn found in dpkg's list stays as it was then until its own resource changes it,
  /// even where another package's change removes it; one that was not in the list is asked for at its turn.
  PackageState query(const ManagedResource& r, RunContext& run) override {
    read_all(run);
    if (!first_) {
      first_.emplace();
      for (const auto& [name, state] : packages_)
        if (name.find(':') == std::string::npos) first_->emplace(name, state);
    }
    if (const auto then = first_->find(r.name("name")); then != first_->end()) return then->second;
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
      const auto fields = catalog::split_text(trimmed(run_tool_checked(run, {"/usr/bin/dpkg-deb", "--show", source})), '\t');
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
      if (source.empty()) throw ValueError(r, "present", "ensure", "You cannot install dpkg packages without a source");
      argv = {"/usr/bin/dpkg", keep ? "--force-confold" : "--force-confnew", "-i", source};
    } else {
      std::string version = wanted;
      if (auto range = VersionRange::parse(wanted, compare_debian_versions)) version = best_version(r, *range, wanted, run);
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
    wait_for_lock(r, run);
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
    wait_for_lock(r, run);
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
    if (catalog::words_of(r.name("name")) != std::vector<std::string>{r.name("name")})
      throw ResourceError(fmt::format("'{}' is no name of a package", r.name("name"))); // dpkg reads a package from each line
    ToolOptions options;
    options.input = r.name("name") + (held ? " hold\n" : " install\n");
    run_tool(run, {"/usr/bin/dpkg", "--set-selections"}, options);
    read_ = false;
  }

  /// Marks a package that a resource wants as manually installed, so that apt never removes it as unneeded.
  void mark_manual(const ManagedResource& r, RunContext& run) override {
    if (!only_dpkg_ && run.system.stat("/usr/bin/apt-mark")) call(run, {"/usr/bin/apt-mark", "manual", r.name("name")});
  }

  std::optional<bool> in_range(const ManagedResource&, const std::string& version, const std::string& range) const override {
    const auto wanted = VersionRange::parse(range, compare_debian_versions);
    if (!wanted) return std::nullopt;
    return wanted->includes(version);
  }

private:
  /// Waits, like apt for people, as long as another process has dpkg's lock: an unattended upgrade, or what a killed run had started. After
  /// two minutes the command itself fails, and names the process.
  static void wait_for_lock(const ManagedResource& r, RunContext& run) {
    constexpr int tries = 240;
    for (int i = 0; i < tries; ++i) {
      const std::string holder = lock_holder(run);
      if (holder.empty()) return;
      if (i == 0) run.log(LogLevel::Notice, r, fmt::format("Waiting for process {}, which has the lock of dpkg", holder));
      if (catalog::interrupted_twice()) throw catalog::Interrupted();
      run.system.sleep(std::chrono::milliseconds(500));
    }
  }
  /// The process that has dpkg's lock; empty when none has it, or nobody can tell.
  static std::string lock_holder(RunContext& run) {
    try {
      const auto lock = run.system.stat("/var/lib/dpkg/lock-frontend");
      if (!lock || !run.system.stat("/proc/locks")) return {};
      // "1: POSIX  ADVISORY  WRITE 547 fd:00:131 0 EOF"; the device of some file systems differs from the one that stat tells
      for (const std::string& line : text_lines(run.system.read_file("/proc/locks"))) {
        const std::vector<std::string> words = catalog::words_of(line);
        if (words.size() >= 6 && words[1] == "POSIX" && words[3] == "WRITE" && words[5].ends_with(fmt::format(":{}", lock->inode)))
          return words[4];
      }
    } catch (const SystemError&) {
      // The command will tell.
    }
    return {};
  }

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
      const auto f = catalog::words_of(std::string_view(line).substr(0, list));
      if (list == std::string::npos || f.size() < 5 || f[2] != "installed") continue;
      for (const std::string& one : catalog::split_text(std::string_view(line).substr(list + 1, line.rfind(']') - list - 1), ','))
        if (trimmed(std::string_view(one).substr(0, one.find('('))) == name) return f[3];
    }
    return {};
  }

  /// Reads dpkg's list, where it is not read or was written since, perhaps by an exec.
  void read_all(RunContext& run) {
    const auto file = run.system.stat("/var/lib/dpkg/status");
    const auto stamp = file ? std::pair(file->inode, file->changed) : std::pair<uint64_t, int64_t>();
    if (read_ && stamp == stamp_) return;
    stamp_ = stamp;
    packages_.clear();
    const std::string output = run_tool_checked(
        run, {"/usr/bin/dpkg-query", "-W", "--showformat", "${Status} ${Package} ${Version} ${Architecture}\\n"});
    for (const std::string& line : text_lines(output)) {
      const auto f = catalog::words_of(line); // install ok installed NAME [VERSION] ARCHITECTURE
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

  static std::string best_version(const ManagedResource& r, const VersionRange& range, const std::string& text, RunContext& run) {
    std::vector<std::string> offered;
    for (const std::string& line : text_lines(run_tool_checked(run, {"/usr/bin/apt-cache", "madison", r.name("name")})))
      if (const auto fields = catalog::split_text(line, '|'); fields.size() > 1) offered.emplace_back(trimmed(fields[1]));
    const std::string best = range.best(offered);
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
  std::pair<uint64_t, int64_t> stamp_;                       // of dpkg's list, when it was read
  std::optional<std::map<std::string, PackageState>> first_; // the packages when the first was asked for
  std::map<std::string, PackageState> packages_;
};

} // namespace

std::vector<std::string> option_words(const ManagedResource& resource, std::string_view attribute) {
  std::vector<std::string> out;
  auto add = [&](auto& self, const Value& v) -> void {
    if (v.is_list())
      for (const Value& i : v.items()) self(self, i);
    else if (v.is_hash()) {
      const size_t begin = out.size();
      for (const HashEntry& e : v.hash->entries()) out.push_back(value_text(e.key) + "=" + value_text(e.value));
      std::sort(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end());
    } else if (!v.is_undef())
      out.push_back(value_text(v));
  };
  add(add, resource.get(attribute));
  return out;
}

void leave_package_environment() {
  for (const char* name : {"INTERACTIVE", "UNAME"}) set_process_environment(name, std::nullopt);
  for (const auto& [name, value] : apt_environment) set_process_environment(name, value);
}

std::unique_ptr<PackageProvider> make_apt_provider(bool only_dpkg) { return std::make_unique<AptProvider>(only_dpkg); }

} // namespace pupc::runtime
