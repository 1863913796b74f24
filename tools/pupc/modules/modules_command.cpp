// pupc modules: gets the modules that a Puppetfile or a metadata.json asks for.
#include "catalog/base/paths.h"
#include "catalog/base/text.h"
#include "compiler/load/load_error.h"
#include "runtime/sys/posix_system.h"
#include "tools/pupc/cache_file.h"
#include "tools/pupc/command.h"
#include "tools/pupc/modules/module_installer.h"
#include "tools/pupc/settings/compile_settings.h"
#include "tools/pupc/settings/trusted_directory.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

namespace pupc::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view modules_usage =
    R"(Usage: pupc modules install [NAME...] [options]
       pupc modules check [NAME...] [options]

Installs the modules that the Puppetfile here names, from a Forge and from git; without a Puppetfile, the dependencies in metadata.json.
`install` gets what is missing or different, removes what it once installed and nothing names any more, and leaves the rest as it is.
`check` only shows the differences, and uses the network only with --newer. The Puppetfile is read without Ruby.)";

/// The directory of the Puppetfile or metadata.json, from here up to the top of the git repository; "" when there is none.
std::string modules_base() {
  std::error_code problem;
  std::string here = fs::current_path(problem).string();
  auto has = [&](const char* name) { return fs::is_regular_file(here + "/" + name, problem); };
  while (here.size() > 1) {
    if (has("Puppetfile") || has("metadata.json")) return here;
    if (fs::exists(here + "/.git", problem)) break;
    here.resize(here.rfind('/'));
  }
  return {};
}

/// A version as it is, the name of a commit in short.
std::string shown(const std::string& version) {
  return version.size() >= 40 && version.find_first_not_of("0123456789abcdef") == std::string::npos ? version.substr(0, 10) : version;
}

/// What is asked for, in a few words.
std::string wanted(const ModuleRequest& m) {
  if (m.source == ModuleSource::Local) return "what this repository has itself";
  if (m.source == ModuleSource::Directory) return "the directory " + m.path;
  if (m.source == ModuleSource::Forge) return m.version.empty() ? "any version" : m.version;
  if (!m.tag.empty()) return "tag " + m.tag;
  if (!m.branch.empty()) return "branch " + m.branch;
  if (m.control_branch) return "the control repository's branch";
  if (!m.commit.empty()) return "commit " + shown(m.commit);
  return m.ref.empty() ? "branch " + (m.default_branch.empty() ? "HEAD" : m.default_branch) : "revision " + shown(m.ref);
}

void print_problem(const ModulesOptions& options, const ModuleState& s) {
  const std::string place = s.request.line == 0 ? "" : fmt::format(" (file: {}, line: {})", options.shown, s.request.line);
  fmt::print(stderr, "Error: {}: {}{}\n", s.request.full_name(), s.problem, place);
}

/// Prints what both commands tell at their end. Returns whether all is well.
bool print_rest(const ModulesReport& report) {
  for (const std::string& failure : report.failures) fmt::print(stderr, "Error: {}\n", failure);
  return report.failures.empty();
}

size_t count(const ModulesReport& report, ModuleState::Kind kind) {
  return static_cast<size_t>(std::count_if(report.modules.begin(), report.modules.end(), [&](const auto& s) { return s.kind == kind; }));
}

std::string number_of_modules(size_t n) { return fmt::format("{} module{}", n, n == 1 ? "" : "s"); }

int check_modules(ModuleInstaller& installer, bool newer) {
  using Kind = ModuleState::Kind;
  const ModulesReport report = installer.check(newer);
  size_t later = 0;
  for (const ModuleState& s : report.modules) {
    const std::string name = s.request.full_name();
    if (s.kind == Kind::Missing) fmt::print("{} is missing, asked for is {}\n", name, wanted(s.request));
    if (s.kind == Kind::Other)
      fmt::print("{} is {}, asked for is {}\n", name, s.before.empty() ? "from elsewhere" : shown(s.before), wanted(s.request));
    if (s.newer.empty()) continue;
    ++later;
    fmt::print("{} has a newer {}{}\n", name, shown(s.newer), s.before.empty() ? "" : " than " + shown(s.before));
  }
  for (const std::string& directory : report.removed) fmt::print("{} is no longer named\n", directory);
  for (const std::string& directory : report.foreign) fmt::print("{} is there and not named\n", directory);
  for (const std::string& sentence : report.unmet) fmt::print(stderr, "Warning: {}\n", sentence);
  const size_t absent = count(report, Kind::Missing), other = count(report, Kind::Other);
  fmt::print("{}: {} right, {} missing, {} different{}\n", number_of_modules(report.modules.size()), count(report, Kind::Right), absent,
             other, newer ? fmt::format(", {} with a newer version", later) : "");
  const bool well = print_rest(report);
  return well && absent + other + report.removed.size() == 0 ? exit_success : exit_failure;
}

int install_modules(ModuleInstaller& installer, const ModulesOptions& options) {
  using Kind = ModuleState::Kind;
  const auto begin = std::chrono::steady_clock::now();
  const ModulesReport report = installer.install([&](const ModuleState& s) {
    if (s.kind == Kind::Failed) return print_problem(options, s);
    fmt::print("{} {}{}\n", s.request.full_name(), shown(s.now), s.before.empty() ? "" : ", was " + shown(s.before));
    std::fflush(stdout);
  });
  for (const std::string& directory : report.removed) fmt::print("{} removed\n", directory);
  for (const std::string& directory : report.foreign)
    fmt::print(stderr, "Warning: {} is there and not named; --purge removes it\n", directory);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const size_t failed = count(report, Kind::Failed);
  fmt::print("{}: {} installed, {} right already, {} removed{}, {:.2f} s\n", number_of_modules(report.modules.size()),
             count(report, Kind::Changed), count(report, Kind::Right), report.removed.size(),
             failed == 0 ? "" : fmt::format(", {} failed", failed), seconds);
  // Version bounds in metadata are often older than what works: installing only counts them.
  if (!report.unmet.empty())
    fmt::print(stderr, "Warning: {} of the modules' dependencies {} not met: `pupc modules check` lists them\n", report.unmet.size(),
               report.unmet.size() == 1 ? "is" : "are");
  return print_rest(report) && failed == 0 ? exit_success : exit_failure;
}

std::string read_token(const std::string& file) {
  if (file.empty()) {
    const char* given = std::getenv("PUPC_FORGE_TOKEN");
    return given == nullptr ? "" : std::string(trimmed(given));
  }
  const auto text = read_whole_file(file, FileKinds::Pipes);
  if (!text) throw UsageError{fmt::format("--forge-token-file: could not read {}: {}", file, file_problem(errno))};
  return std::string(trimmed(*text));
}

} // namespace

int modules_command(std::span<const std::string_view> words) {
  ModulesOptions options;
  std::string token_file;
  bool newer = false, help = false;
  PuppetSettings settings(RunMode::User);
  options.default_forge = settings.value("module_repository");
  options.cache = default_cache_directory();
  auto flag = [](bool& into) { return [&into](std::string_view) { into = true; }; };
  const std::vector<std::string_view> rest =
      Options(modules_usage,
              {{"--puppetfile", "FILE", "another one than the Puppetfile here",
                [&](std::string_view v) {
                  options.puppetfile = absolute_path(v);
                  options.shown = v;
                }},
               {"--moduledir", "DIR", "where modules go (the Puppetfile's moduledir, modules; of metadata.json spec/fixtures/modules)",
                [&](std::string_view v) { options.directory = absolute_path(v); }},
               {"--forge", "URL", "the Forge (the Puppetfile's)", [&](std::string_view v) { options.forge = v; }},
               {"--forge-token-file", "FILE", "the token for it (PUPC_FORGE_TOKEN)", [&](std::string_view v) { token_file = v; }},
               {"--cache", "DIR", "copies of git repositories that all checkouts share (~/.cache/pupc)",
                [&](std::string_view v) { options.cache = absolute_path(v); }},
               {"--lock", "", "write versions to Puppetfile.lock.json; later installs take the same", flag(options.write_lock)},
               {"--update", "", "look beyond the lock and what is there, for what the Puppetfile allows", flag(options.update)},
               {"--purge", "", "remove also directories that nobody named", flag(options.purge)},
               {"--force", "", "replace also directories that were changed or come from elsewhere", flag(options.force)},
               {"--newer", "", "with check: ask for newer versions", flag(newer)},
               {"--control-branch", "NAME", "what :control_branch stands for (the branch of this repository)",
                [&](std::string_view v) { options.control_branch = v; }},
               {"--default-branch-override", "NAME", "the branch of modules of git that lack the one asked for",
                [&](std::string_view v) { options.default_branch_override = v; }},
               {"--jobs", "N", "modules at the same time (8)", [&](std::string_view v) { options.jobs = positive_number("--jobs", v); }}})
          .parse(words, help);
  if (help) return exit_success;
  if (rest.empty() || (rest[0] != "install" && rest[0] != "check")) throw UsageError{"modules: say install or check"};
  const bool install = rest[0] == "install";
  if (install && newer) throw UsageError{"--newer belongs to check; install --update gets what is newer"};
  if (!install && (options.write_lock || options.purge || options.force || options.update))
    throw UsageError{"check changes nothing: --lock, --update, --purge and --force belong to install"};
  for (size_t i = 1; i < rest.size(); ++i) options.only.emplace_back(rest[i]);
  options.token = read_token(token_file);
  if (options.cache.empty()) throw UsageError{"there is no home of this user for a cache: --cache DIR"};
  if (options.puppetfile.empty()) {
    options.base = modules_base();
    if (options.base.empty()) throw UsageError{"there is no Puppetfile and no metadata.json here"};
    if (!belongs_to_caller(options.base))
      throw UsageError{fmt::format("another user can change '{}': --puppetfile FILE says that its Puppetfile is meant", options.base)};
    if (fs::exists(options.base + "/Puppetfile")) options.puppetfile = options.base + "/Puppetfile";
    std::error_code problem;
    options.shown = fs::current_path(problem) == options.base ? "Puppetfile" : options.puppetfile;
  } else {
    options.base = fs::path(options.puppetfile).parent_path().string();
  }
  try {
    const auto system = make_posix_system();
    ModuleInstaller installer(*system, options);
    return install ? install_modules(installer, options) : check_modules(installer, newer);
  } catch (const CompileError& e) { fmt::print(stderr, "Error: {}\n", e.diagnostic.puppet_text()); } catch (const std::exception& e) {
    fmt::print(stderr, "Error: {}\n", e.what());
  }
  return exit_failure;
}

} // namespace pupc::cli
