#include "tools/pupc/modules/module_installer.h"

#include "catalog/base/descriptor.h"
#include "catalog/base/paths.h"
#include "catalog/base/text.h"
#include "catalog/json/json_reader.h"
#include "catalog/json/json_writer.h"
#include "catalog/value/semver_range.h"
#include "compiler/load/load_error.h"
#include "runtime/provider/system_tools.h"
#include "runtime/sys/safe_path.h"
#include "tools/pupc/workers.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pupc::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view work_prefix = ".pupc-work-";

bool is_there(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

/// The parts of a module's metadata.json that count here.
struct Metadata {
  std::string name, version; // name: with author
  std::vector<ModuleRequest> dependencies;
};

std::optional<Metadata> read_metadata(const std::string& directory) {
  const auto text = read_whole_file(directory + "/metadata.json");
  if (!text) return std::nullopt;
  Arena arena;
  Value root;
  JsonError error;
  if (!parse_json(*text, arena, root, error) || !root.is_hash()) return std::nullopt;
  Metadata out;
  auto member = [&](std::string_view name) {
    const Value* v = root.hash->find(name);
    return v != nullptr && v->is_string() ? std::string(v->str()) : std::string();
  };
  std::string author, name;
  if (split_module_name(member("name"), author, name)) out.name = author.empty() ? name : author + "-" + name;
  out.version = member("version");
  try {
    out.dependencies = metadata_dependencies(*text, "");
  } catch (const CompileError&) { /* `validate` tells of it */
  }
  return out;
}

/// Whether a version fits a range; a range that cannot be read fits nothing.
bool fits(const std::string& version, const std::string& range) {
  if (range.empty() || range == "latest") return true;
  Arena arena;
  const auto parsed = parse_semver(version);
  const SemVerRange* accepted = parse_semver_range(arena, range);
  return parsed && accepted != nullptr && includes(*accepted, *parsed);
}

bool is_exact(const std::string& version) { return parse_semver(version).has_value(); }

/// Whether two directories hold the same files and links.
bool have_same_files(const fs::path& a, const fs::path& b) {
  const auto files_of = [](const fs::path& root) {
    std::map<std::string, std::string> out; // by their paths
    std::error_code problem;
    for (auto at = fs::recursive_directory_iterator(root, problem); at != fs::recursive_directory_iterator(); at.increment(problem)) {
      const std::string path = at->path().string();
      out[path.substr(root.string().size())] = at->is_symlink()        ? "-> " + fs::read_symlink(path, problem).string()
                                               : at->is_regular_file() ? read_whole_file(path).value_or(std::string())
                                                                       : std::string();
    }
    return out;
  };
  return a == b || files_of(a) == files_of(b);
}

std::string git_directory_commit(const std::string& directory) {
  const auto head = read_whole_file(directory + "/.git/HEAD");
  if (!head) return {};
  std::string text(trimmed(*head));
  constexpr std::string_view reference = "ref: ";
  if (text.starts_with(reference) && stays_below(text.substr(reference.size())))
    text = trimmed(read_whole_file(directory + "/.git/" + text.substr(reference.size())).value_or(std::string()));
  return text;
}

} // namespace

std::string asked_text(const ModuleRequest& m) {
  if (m.source == ModuleSource::Local) return "local";
  if (m.source == ModuleSource::Directory) return "directory " + m.path;
  if (m.source == ModuleSource::Forge) return fmt::format("forge {} {}", m.full_name(), m.version.empty() ? "any" : m.version);
  std::string out = "git " + without_password(m.url);
  auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) out += fmt::format(" {}={}", name, value);
  };
  add("ref", m.ref);
  add("tag", m.tag);
  add("branch", m.branch);
  add("commit", m.commit);
  if (m.control_branch) out += " branch=:control_branch";
  add("default_branch", m.default_branch);
  add("default_branch_override", m.default_branch_override);
  add("path", m.path);
  if (m.exclude_spec) out += " exclude_spec";
  return out;
}

ModuleInstaller::ModuleInstaller(System& system, ModulesOptions options) : system_(system), options_(std::move(options)) {
  std::string usual = "modules";
  if (!options_.puppetfile.empty()) {
    const auto text = read_whole_file(options_.puppetfile);
    if (!text) throw_load_error(fmt::format("Could not read it: {}", file_problem(errno)), options_.shown);
    asked_ = parse_puppetfile(*text, options_.shown);
  } else {
    asked_.metadata = true;
    usual = "spec/fixtures/modules"; // where the tests of a module look
  }
  directory_ = !options_.directory.empty() ? options_.directory
                                           : absolute_path(asked_.directory.empty() ? usual : asked_.directory, options_.base);
  const std::string forge = !options_.forge.empty() ? options_.forge : asked_.forge.empty() ? options_.default_forge : asked_.forge;
  forge_.emplace(forge, options_.token);
  for (ModuleRequest& m : asked_.modules)
    if (m.default_branch_override.empty() && m.source == ModuleSource::Git) m.default_branch_override = options_.default_branch_override;
  for (const std::string& name : options_.only)
    if (std::none_of(asked_.modules.begin(), asked_.modules.end(), [&](const auto& m) { return m.name == name || m.full_name() == name; }))
      throw_load_error(fmt::format("It names no module '{}'", name), options_.shown);
  read_known();
  if (!options_.update || !options_.only.empty()) read_lock();
}

std::string ModuleInstaller::directory_of(const ModuleRequest& m) const {
  const std::string path = path_of(m);
  return is_below(path, options_.base) ? path.substr(options_.base.size() + 1) : path;
}

std::string ModuleInstaller::path_of(const ModuleRequest& m) const {
  return (m.install_path.empty() ? directory_ : absolute_path(m.install_path, options_.base)) + "/" + m.name;
}

bool ModuleInstaller::wanted(const ModuleRequest& m) const {
  const auto& only = options_.only;
  return only.empty() || std::find(only.begin(), only.end(), m.name) != only.end() ||
         std::find(only.begin(), only.end(), m.full_name()) != only.end();
}

// ---------------------------------------------------------------------------------------------------------------------
// what is known: of the last run, and locked

namespace {

/// Calls `take(directory, member)` for each module in one of pupc's own files; `member` gives a text of it. A file that is not of this form
/// says nothing.
template <class Take> bool read_own_file(const std::string& file, Take take) {
  const auto text = read_whole_file(file);
  if (!text) return true;
  Arena arena;
  Value root;
  JsonError error;
  const bool good = parse_json(*text, arena, root, error) && root.is_hash();
  const Value* modules = good ? root.hash->find("modules") : nullptr;
  if (modules == nullptr || !modules->is_hash()) return false;
  for (const HashEntry& e : modules->hash->entries()) {
    if (!e.key.is_string() || !e.value.is_hash()) return false;
    take(std::string(e.key.str()), [&](std::string_view name) {
      const Value* v = e.value.hash->find(name);
      return v != nullptr && v->is_string() ? std::string(v->str()) : std::string();
    });
  }
  return true;
}

} // namespace

void ModuleInstaller::read_known() {
  read_own_file(known_file(), [&](const std::string& directory, auto member) {
    known_[directory] = {member("asked"), member("got"), member("of") == "tag"};
  });
}

void ModuleInstaller::write_known() {
  std::string out;
  JsonWriter json(out, true);
  json.begin_object();
  json.member("about", "What `pupc modules install` has put here.");
  json.key("modules");
  json.begin_object();
  for (const auto& [directory, known] : known_) {
    json.key(directory);
    json.begin_object();
    json.member("asked", known.asked);
    json.member("got", known.got);
    if (known.tag) json.member("of", "tag");
    json.end_object();
  }
  json.end_object();
  json.end_object();
  out += '\n';
  if (read_whole_file(known_file()) == out) return;
  system_.write_file(known_file(), out, 0644, std::nullopt, std::nullopt, false);
}

void ModuleInstaller::read_lock() {
  if (!read_own_file(lock_file(), [&](const std::string& directory, auto member) {
        locks_[directory] = {member("asked"), member("got"), member("sha256")};
      }))
    throw_load_error("It is no lock of `pupc modules`: remove it, or restore it from version control", lock_file());
}

void ModuleInstaller::write_lock(const ModulesReport& report) {
  std::string out;
  JsonWriter json(out, true);
  json.begin_object();
  json.member("about", "What `pupc modules install --lock` got. `pupc modules install` gets the same again.");
  json.key("modules");
  json.begin_object();
  for (const ModuleState& s : report.modules) {
    if ((s.request.source != ModuleSource::Forge && s.request.source != ModuleSource::Git) || s.now.empty()) continue;
    const std::string directory = directory_of(s.request);
    json.key(directory);
    json.begin_object();
    json.member("asked", asked_text(s.request));
    json.member("got", s.now);
    std::string sum = sums_.contains(directory) ? sums_[directory] : std::string();
    if (const Lock* l = locked(s.request); sum.empty() && l != nullptr && l->got == s.now) sum = l->sha256;
    if (!sum.empty()) json.member("sha256", sum);
    json.end_object();
  }
  json.end_object();
  json.end_object();
  out += '\n';
  if (read_whole_file(lock_file()) == out) return;
  system_.write_file(lock_file(), out, 0644, std::nullopt, std::nullopt, false);
}

const ModuleInstaller::Lock* ModuleInstaller::locked(const ModuleRequest& m) const {
  if (options_.update && wanted(m)) return nullptr;
  const auto found = locks_.find(directory_of(m));
  return found != locks_.end() && found->second.asked == asked_text(m) ? &found->second : nullptr;
}

// ---------------------------------------------------------------------------------------------------------------------
// comparing

/// What is there, without asking any source. A branch counts as right when it was installed for the same request.
ModuleState ModuleInstaller::look(const ModuleRequest& m) const {
  using State = ModuleState::Kind;
  ModuleState s;
  s.request = m;
  const std::string path = path_of(m);
  const bool there = is_directory(path);
  if (!there && !is_there(path)) {
    s.kind = State::Missing;
    return s;
  }
  if (m.source == ModuleSource::Local) return s;
  s.kind = State::Other;
  if (!there) return s;
  if (m.source == ModuleSource::Directory) {
    if (have_same_files(absolute_path(m.path, options_.base), path)) s.kind = State::Right;
    return s;
  }
  const Lock* lock = locked(m);
  const auto known = known_.find(directory_of(m));
  const bool ours = known != known_.end();
  if (m.source == ModuleSource::Forge) {
    const auto metadata = read_metadata(path);
    s.before = metadata ? metadata->version : "";
    const bool same = metadata && metadata->name == m.full_name() && (!ours || known->second.asked.starts_with("forge "));
    const bool right = same && (lock != nullptr       ? s.before == lock->got
                                : is_exact(m.version) ? s.before == m.version
                                                      : fits(s.before, m.version));
    if (right) s.kind = State::Right;
  } else {
    const std::string checkout = git_directory_commit(path); // as r10k leaves it
    s.before = ours ? known->second.got : checkout;
    const bool same = ours && known->second.asked == asked_text(m);
    const std::string& commit = lock != nullptr ? lock->got : m.commit.empty() ? m.ref : m.commit;
    const bool named = lock != nullptr || commit.size() >= 40;
    if (named ? s.before == commit && (same || (!ours && m.path.empty())) : same) s.kind = State::Right;
    s.fixed = lock != nullptr || !m.tag.empty() || !m.commit.empty() || (same && known->second.tag);
  }
  if (s.kind == State::Right) s.now = s.before;
  return s;
}

void ModuleInstaller::find_newer(ModuleState& s) {
  const ModuleRequest& m = s.request;
  if (m.source == ModuleSource::Forge) {
    const std::vector<std::string> versions = forge_->versions(m);
    for (const std::string& v : versions) {
      if (!parse_semver(v)->prerelease.empty()) continue;
      const auto here = parse_semver(s.before);
      if (!here || compare(*parse_semver(v), *here) > 0) s.newer = v;
      return;
    }
  } else if (m.source == ModuleSource::Git) {
    GitRepository repository(system_, m.url, options_.cache);
    if (!m.tag.empty() || (!m.ref.empty() && parse_semver(m.ref.starts_with('v') ? m.ref.substr(1) : m.ref))) {
      const std::string& tag = m.tag.empty() ? m.ref : m.tag;
      const std::string newest = repository.newest_tag();
      const auto asked = parse_semver(tag.starts_with('v') ? std::string_view(tag).substr(1) : std::string_view(tag));
      const auto there = parse_semver(newest.starts_with('v') ? std::string_view(newest).substr(1) : std::string_view(newest));
      if (asked && there && compare(*there, *asked) > 0) s.newer = newest;
    } else if (const std::string commit = repository.resolve(m, control_branch()).commit; commit != s.before) {
      s.newer = commit;
    }
  }
}

ModulesReport ModuleInstaller::check(bool newer) {
  ModulesReport report;
  try {
    add_dependencies();
  } catch (const ModuleError& e) { report.failures.emplace_back(e.what()); }
  for (const ModuleRequest& m : asked_.modules)
    if (wanted(m)) report.modules.push_back(look(m));
  if (newer)
    for_each_index(report.modules.size(), options_.jobs, [&](size_t i) {
      try {
        find_newer(report.modules[i]);
      } catch (const std::exception& e) {
        const std::lock_guard lock(mutex_);
        report.failures.emplace_back(fmt::format("{}: {}", report.modules[i].request.full_name(), e.what()));
      }
    });
  if (options_.only.empty()) remove_unnamed(report, false);
  tell_unmet(report);
  return report;
}

void ModuleInstaller::tell_unmet(ModulesReport& report) const {
  std::map<std::string, std::string> versions; // by name without author
  std::set<std::string> named;
  for (const ModuleState& s : report.modules) {
    named.insert(s.request.name);
    if (const auto metadata = read_metadata(path_of(s.request))) versions[s.request.name] = metadata->version;
  }
  if (!options_.only.empty()) return; // the others are not known
  for (const ModuleState& s : report.modules) {
    const auto metadata = read_metadata(path_of(s.request));
    if (!metadata) continue;
    for (const ModuleRequest& d : metadata->dependencies) {
      if (std::find(asked_.excluded.begin(), asked_.excluded.end(), d.name) != asked_.excluded.end()) continue;
      const std::string needs = fmt::format("{} {} needs {}{}", s.request.full_name(), metadata->version, d.full_name(),
                                            d.version.empty() ? "" : " " + d.version);
      if (const auto found = versions.find(d.name); found == versions.end()) {
        if (!named.contains(d.name)) report.unmet.push_back(needs + ", which nothing names");
      } else if (!found->second.empty() && !fits(found->second, d.version)) {
        report.unmet.push_back(fmt::format("{}, which is there in version {}", needs, found->second));
      }
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// choosing

/// The newest version that fits all ranges. Of what is installed or locked, that one when it fits. Throws ModuleError.
std::string ModuleInstaller::choose_version(const ModuleRequest& m, const std::vector<std::string>& ranges) {
  auto all_fit = [&](const std::string& v) { return std::all_of(ranges.begin(), ranges.end(), [&](const auto& r) { return fits(v, r); }); };
  if (const auto found = locks_.find(directory_of(m)); !options_.update && found != locks_.end() && all_fit(found->second.got))
    return found->second.got;
  if (const auto here = read_metadata(path_of(m)); !options_.update && here && here->name == m.full_name() && all_fit(here->version))
    return here->version;
  for (const std::string& v : forge_->versions(m))
    if (parse_semver(v)->prerelease.empty() && all_fit(v)) return v;
  std::string list;
  for (const std::string& r : ranges) list += fmt::format("{}'{}'", list.empty() ? "" : " and ", r);
  throw ModuleError(fmt::format("{}: no release fits {}", m.full_name(), list));
}

/// Adds the dependencies of metadata.json, and theirs, as requests for exact versions. A range that comes later may choose another version
/// of a module, and then its dependencies are looked at again; earlier choices are not tried anew.
void ModuleInstaller::add_dependencies() {
  if (!asked_.metadata) return;
  const std::string file = options_.base + "/metadata.json";
  const auto text = read_whole_file(file);
  if (!text) throw_load_error(fmt::format("Could not read it: {}", file_problem(errno)), file);
  struct Choice {
    ModuleRequest request;
    std::map<std::string, std::string> ranges; // by who asks
    std::string version;
  };
  std::map<std::string, Choice> choices;
  std::vector<std::pair<std::string, ModuleRequest>> waiting; // who asks, for what
  for (ModuleRequest& m : metadata_dependencies(*text, file)) waiting.emplace_back("metadata.json", std::move(m));
  auto left_out = [&](const ModuleRequest& m) {
    return std::any_of(asked_.modules.begin(), asked_.modules.end(), [&](const auto& named) { return named.name == m.name; }) ||
           std::find(asked_.excluded.begin(), asked_.excluded.end(), m.name) != asked_.excluded.end();
  };
  for (int steps = 0; !waiting.empty(); ++steps) {
    if (steps > 10000) throw ModuleError("the dependencies cannot be chosen: their ranges change each other without end");
    auto [who, m] = std::move(waiting.back());
    waiting.pop_back();
    if (left_out(m)) continue;
    Choice& choice = choices[m.name];
    if (choice.request.name.empty()) choice.request = m;
    if (choice.request.author != m.author)
      throw ModuleError(fmt::format("{} needs {}, but another module needs {}", who, m.full_name(), choice.request.full_name()));
    choice.ranges[who] = m.version;
    std::vector<std::string> ranges;
    for (const auto& [asker, range] : choice.ranges)
      if (!range.empty()) ranges.push_back(range);
    if (!choice.version.empty() && std::all_of(ranges.begin(), ranges.end(), [&](const auto& r) { return fits(choice.version, r); }))
      continue;
    choice.version = choose_version(m, ranges);
    const auto here = read_metadata(path_of(m));
    const bool same = here && here->name == m.full_name() && here->version == choice.version;
    const std::vector<ModuleRequest> needed = same ? here->dependencies : forge_->release(m, choice.version).dependencies;
    for (const ModuleRequest& d : needed) waiting.emplace_back(m.full_name(), d);
  }
  for (auto& [name, choice] : choices) {
    choice.request.version = choice.version;
    asked_.modules.push_back(std::move(choice.request));
  }
  asked_.metadata = false;
}

std::string ModuleInstaller::control_branch() {
  if (!options_.control_branch.empty()) return options_.control_branch;
  const std::lock_guard lock(mutex_);
  if (!branch_) {
    Command c;
    c.argv = {"git", "-C", options_.base, "symbolic-ref", "--quiet", "--short", "HEAD"};
    c.merge_output = false;
    const CommandResult result = system_.run(c);
    branch_ = result.status == 0 && !result.not_started ? std::string(trimmed(result.output)) : std::string();
  }
  return *branch_;
}

// ---------------------------------------------------------------------------------------------------------------------
// installing

/// Throws ModuleError when a directory is in the way that a person may have made or changed.
void ModuleInstaller::refuse_foreign(const ModuleRequest& m) const {
  const std::string path = path_of(m);
  if (options_.force || !is_there(path) || known_.contains(directory_of(m))) return;
  const std::string advice = "--force replaces it, local: true leaves it";
  if (!is_directory(path) || fs::is_symlink(path)) throw ModuleError(fmt::format("{} is a file or a link: {}", directory_of(m), advice));
  if (is_there(path + "/.git")) {
    Command c;
    c.argv = {"git", "-C", path, "status", "--porcelain"};
    c.merge_output = false;
    const CommandResult result = system_.run(c);
    if (result.not_started || result.status != 0 || !result.output.empty())
      throw ModuleError(fmt::format("{} has changes that are not committed: {}", directory_of(m), advice));
    return;
  }
  const auto metadata = read_metadata(path);
  if (metadata && metadata->name == m.full_name() && m.source == ModuleSource::Forge) return;
  std::error_code problem;
  if (fs::is_empty(path, problem)) return;
  throw ModuleError(fmt::format("{} is not from here: {}", directory_of(m), advice));
}

void ModuleInstaller::put_in_place(const std::string& staged, const ModuleRequest& m, const std::string& work) {
  const std::string path = path_of(m);
  std::error_code problem;
  fs::create_directories(fs::path(path).parent_path(), problem);
  fs::permissions(staged, fs::perms(0755));
  const bool there = is_there(path);
  if (there) fs::rename(path, work + "/old");
  fs::rename(staged, path, problem);
  if (!problem) return;
  if (there) fs::rename(work + "/old", path);
  throw ModuleError(fmt::format("{} cannot be put in place: {}", directory_of(m), problem.message()));
}

void ModuleInstaller::install_one(ModuleState& s) {
  const ModuleRequest& m = s.request;
  using State = ModuleState::Kind;
  if (m.source == ModuleSource::Local) {
    if (s.kind == State::Missing) throw ModuleError(fmt::format("{} is missing; the Puppetfile says that it is local", directory_of(m)));
    return;
  }
  const Lock* lock = locked(m);
  std::string got;
  bool tag = false;
  std::optional<GitRepository> repository;
  if (m.source == ModuleSource::Directory) {
    if (s.kind == State::Right) return;
    got = m.path;
  } else if (m.source == ModuleSource::Git) {
    // A tag and a commit stay what they are; a branch may have moved.
    if (s.kind == State::Right && s.fixed && !options_.update) return;
    repository.emplace(system_, m.url, options_.cache);
    const GitRepository::Resolved found = lock != nullptr ? GitRepository::Resolved{lock->got} : repository->resolve(m, control_branch());
    got = found.commit;
    tag = found.tag;
    if (s.kind == State::Right && got == s.before) return;
  } else {
    const bool latest = m.version == "latest" || (options_.update && !is_exact(m.version));
    if (s.kind == State::Right && (lock != nullptr || !latest)) return;
    if (lock != nullptr)
      got = lock->got;
    else if (is_exact(m.version))
      got = m.version;
    else {
      for (const std::string& v : forge_->versions(m))
        if (got.empty() && parse_semver(v)->prerelease.empty() && fits(v, m.version)) got = v;
      if (got.empty()) throw ModuleError(fmt::format("no release fits '{}'", m.version));
    }
    if (s.kind == State::Right && got == s.before) return;
  }
  refuse_foreign(m);
  const std::string work = work_ + "/" + m.name + std::to_string(m.line), staged = work + "/new";
  fs::create_directory(work);
  std::string sum;
  if (m.source == ModuleSource::Directory) {
    const std::string from = absolute_path(m.path, options_.base);
    if (!is_directory(from)) throw ModuleError(fmt::format("there is no directory {}", m.path));
    fs::copy(from, staged, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  } else if (repository) {
    fs::create_directory(staged);
    repository->check_out(got, m.path, staged);
    repository.reset();
  } else {
    const ForgeRelease release = forge_->release(m, got);
    if (lock != nullptr && !lock->sha256.empty() && !release.sha256.empty() && lock->sha256 != release.sha256)
      throw ModuleError(fmt::format("the Forge has another file for {} than the lock: its SHA-256 is {}, expected {}", got, release.sha256,
                                    lock->sha256));
    unpack_release(system_, forge_->download(release), work, staged);
    const auto metadata = read_metadata(staged);
    if (!metadata || metadata->name != m.full_name() || metadata->version != got)
      throw ModuleError(fmt::format("the release is refused: its metadata.json is not that of {} {}", m.full_name(), got));
    sum = release.sha256;
  }
  check_module_tree(staged);
  if (m.exclude_spec) remove_tree(system_, staged + "/spec");
  put_in_place(staged, m, work);
  s.kind = State::Changed;
  s.now = got;
  const std::lock_guard guard(mutex_);
  known_[directory_of(m)] = {asked_text(m), got, tag};
  if (!sum.empty()) sums_[directory_of(m)] = sum;
}

/// Finds what pupc installed and nobody names any more, and removes it when asked to. Of the rest of the modules' directory `--purge`
/// decides.
void ModuleInstaller::remove_unnamed(ModulesReport& report, bool remove) {
  std::set<std::string> named, roots = {directory_};
  for (const ModuleRequest& m : asked_.modules) {
    named.insert(directory_of(m));
    roots.insert(fs::path(path_of(m)).parent_path().string());
  }
  auto drop = [&](const std::string& directory) {
    if (remove) {
      try {
        remove_tree(system_, absolute_path(directory, options_.base));
      } catch (const SystemError& e) {
        report.failures.emplace_back(e.what());
        return;
      }
    }
    report.removed.push_back(directory);
  };
  std::vector<std::string> old;
  for (const auto& [directory, known] : known_)
    if (!named.contains(directory)) old.push_back(directory);
  for (const std::string& directory : old) {
    std::string author, name;
    const std::string path = absolute_path(directory, options_.base);
    // Whoever can change the file that tells this shall not choose what is removed: only modules below the Puppetfile's directory.
    const bool module = split_module_name(fs::path(path).filename().string(), author, name) && author.empty();
    if (module && (roots.contains(fs::path(path).parent_path().string()) || (stays_below(directory) && is_below(path, options_.base))) &&
        is_there(path))
      drop(directory);
    known_.erase(directory);
  }
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(directory_, problem)) {
    const std::string name = entry.path().filename().string(), path = directory_ + "/" + name;
    const std::string directory = is_below(path, options_.base) ? path.substr(options_.base.size() + 1) : path;
    const bool told = std::find(report.removed.begin(), report.removed.end(), directory) != report.removed.end();
    if (name[0] == '.' || named.contains(directory) || told || !is_directory(path)) continue;
    if (options_.purge)
      drop(directory);
    else
      report.foreign.push_back(directory);
  }
  std::sort(report.foreign.begin(), report.foreign.end());
  std::sort(report.removed.begin(), report.removed.end());
}

ModulesReport ModuleInstaller::install(const std::function<void(const ModuleState&)>& told) {
  ModulesReport report;
  add_dependencies();
  std::error_code problem;
  fs::create_directories(directory_, problem);
  const Descriptor held(::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (held.get() < 0)
    throw ModuleError(fmt::format("{} cannot be made: {}", directory_, problem ? problem.message() : file_problem(errno)));
  while (::flock(held.get(), LOCK_EX) != 0 && errno == EINTR) continue; // one run at a time
  // Root writes only where nobody else can put a link in the way.
  if (::geteuid() == 0 && !is_trusted_place(held))
    throw ModuleError(fmt::format("{}: other users can change this directory or one above it, so root does not work in it", directory_));
  known_.clear();
  read_known();                                                         // another run may have ended since
  for (const auto& entry : fs::directory_iterator(directory_, problem)) // of a run that was killed
    if (entry.path().filename().string().starts_with(work_prefix)) remove_tree(system_, entry.path().string());
  for (const ModuleRequest& m : asked_.modules)
    if (wanted(m)) report.modules.push_back(look(m));
  work_ = directory_ + "/" + std::string(work_prefix) + "XXXXXX";
  if (::mkdtemp(work_.data()) == nullptr) throw ModuleError(fmt::format("{} cannot be written: {}", directory_, file_problem(errno)));
  for_each_index(report.modules.size(), options_.jobs, [&](size_t i) {
    ModuleState& s = report.modules[i];
    try {
      install_one(s);
    } catch (const std::exception& e) {
      s.kind = ModuleState::Kind::Failed;
      s.problem = e.what();
    }
    const std::lock_guard lock(mutex_);
    if (s.kind != ModuleState::Kind::Right) told(s);
  });
  remove_tree(system_, work_);
  if (options_.only.empty()) remove_unnamed(report, true);
  // What was right before was found by its own files: remember it, so that it goes when nobody names it any more.
  for (const ModuleState& s : report.modules)
    if (s.kind == ModuleState::Kind::Right && s.request.source == ModuleSource::Forge && !s.now.empty())
      known_[directory_of(s.request)] = {asked_text(s.request), s.now, false};
  write_known();
  const bool failed = std::any_of(report.modules.begin(), report.modules.end(),
                                  [](const ModuleState& s) { return s.kind == ModuleState::Kind::Failed; });
  const bool has_lock = is_there(lock_file());
  if (options_.only.empty() && !failed && (options_.write_lock || (options_.update && has_lock))) write_lock(report);
  tell_unmet(report);
  return report;
}

} // namespace pupc::cli
