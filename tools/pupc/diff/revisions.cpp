#include "tools/pupc/diff/revisions.h"

#include "catalog/base/paths.h"
#include "compiler/discovery/checkout.h"
#include "compiler/discovery/repository.h"
#include "runtime/provider/system_tools.h"
#include "runtime/sys/posix_system.h"
#include "tools/pupc/command.h"
#include "tools/pupc/compile/all_nodes.h"
#include "tools/pupc/diff/kept_compiles.h"
#include "tools/pupc/diff/revision_change.h"
#include "tools/pupc/git.h"
#include "tools/pupc/node/configured_exports.h"
#include "tools/pupc/progress_line.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace pupc::cli {
namespace {

namespace fs = std::filesystem;

// A signal handler can reach only globals.
std::atomic<int> signal_pipe{-1};

void tell_signal(int number) {
  const char byte = static_cast<char>(number);
  [[maybe_unused]] const ssize_t n = ::write(signal_pipe.load(), &byte, 1);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
}

/// The commit that a branch, tag or the like stands for.
std::string commit_named(const std::string& repository, const std::string& revision) {
  try {
    return git_line("diff", repository, {"rev-parse", "--verify", "--end-of-options", revision + "^{commit}"});
  } catch (const UsageError&) {
    std::string branches = git_line("diff", repository,
                                    {"for-each-ref", "--format=%(refname:short)", "--count=10", "refs/heads", "refs/remotes"});
    replace_all(branches, "\n", ", ");
    throw UsageError{
        fmt::format("diff: there is no revision '{}' here{}{}", revision, branches.empty() ? "" : ", but the branches ", branches)};
  }
}

using Clock = std::chrono::steady_clock;

/// Calls `take` with each text of a list as git's option -z writes it.
template <class Take> void for_each_text(const std::string& list, const Take& take) {
  for (size_t begin = 0; begin < list.size();) {
    const size_t end = std::min(list.find('\0', begin), list.size());
    take(list.substr(begin, end - begin));
    begin = end + 1;
  }
}

/// "nodes before the change, 812 a second, 3 s left"
std::string progress_text(const std::string& side, size_t done, size_t of, Clock::time_point started) {
  const double seconds = std::chrono::duration<double>(Clock::now() - started).count();
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  std::string out = fmt::format("nodes {} the change, {:.{}f} a second", side, rate, rate < 10 ? 1 : 0);
  if (rate > 0 && done < of) out += fmt::format(", {:.0f} s left", static_cast<double>(of - done) / rate);
  return out;
}

bool is_environment(const std::string& path) {
  return !path.empty() &&
         (is_directory(path + "/manifests") || fs::exists(path + "/environment.conf") || is_directory(path + "/environments"));
}

} // namespace

/// Removes a directory when a signal ends the program: catalogs hold secrets in clear text.
class RemovedBySignal {
public:
  explicit RemovedBySignal(std::string path) : path_(std::move(path)) {
    if (::pipe2(pipe_, O_CLOEXEC) != 0) return;
    signal_pipe = pipe_[1];
    waiter_ = std::thread([this] {
      char number = 0;
      if (::read(pipe_[0], &number, 1) != 1 || number == 0) return;
      // Try more than once: other threads may still write files into the directory.
      std::error_code ignored;
      for (int tries = 0; tries < 3 && fs::exists(path_, ignored); ++tries) fs::remove_all(path_, ignored);
      std::signal(number, SIG_DFL);
      std::raise(number);
    });
    for (int s : signals)
      if ((previous_[s] = std::signal(s, tell_signal)) == SIG_IGN) std::signal(s, SIG_IGN); // keep ignoring a signal that nohup ignores
  }
  ~RemovedBySignal() {
    if (!waiter_.joinable()) return;
    for (const auto& [s, handler] : previous_) std::signal(s, handler);
    const char none = 0;
    [[maybe_unused]] const ssize_t n = ::write(pipe_[1], &none, 1);
    waiter_.join();
    ::close(pipe_[0]);
    ::close(pipe_[1]);
  }
  RemovedBySignal(const RemovedBySignal&) = delete;
  RemovedBySignal& operator=(const RemovedBySignal&) = delete;

private:
  static constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};
  std::string path_;
  int pipe_[2] = {-1, -1};
  std::thread waiter_;
  std::map<int, void (*)(int)> previous_;
};

struct CompiledRevisions::Work {
  std::unique_ptr<System> system = make_posix_system();
  PrivateDirectory directory{*system, temporary_directory(*system)};
  RemovedBySignal removed{directory.path()};
  std::string top;                              // of the checkout, or the second directory
  std::string folder;                           // of the environment, or of `environments`, in the repository; empty = its top
  bool directories = false;                     // both sides are directories, not revisions
  std::optional<std::set<std::string>> sampled; // the nodes of --sample
  std::map<std::string, std::string> roles;
  Arena known_values;                          // of `known`
  std::optional<std::vector<KnownNode>> known; // the nodes, when request.facts keeps some
  std::set<std::string> left_out;              // by the first side: the second leaves them out too
  std::unique_ptr<RevisionChange> change;      // null: compile all nodes on both sides
  LookedAt looked_at;                          // what is known of the first side, then what the second side's nodes look at
  std::set<std::string> unreached, compiled;   // nodes; `compiled` of one side
  std::vector<std::string> beside;             // directories of modules that are in no revision
  std::mutex mutex;

  /// Finds the environment that the caller stands in, where no option names one. Throws UsageError when there is none: what is compiled
  /// without code is always equal.
  void find_environment(const CompileOptions& options) {
    if (directories || !options.environmentpath.empty() || !options.environment.manifest.empty() || options.environment.code) return;
    std::error_code problem;
    const std::string here = fs::current_path(problem).string();
    const auto found = problem ? std::nullopt : checkout_around(here);
    if (!found && !is_directory(top + "/manifests") && options.environment.modulepath.empty() && options.classifier.empty())
      throw UsageError{fmt::format("there is no environment in '{}': stand in its folder, or give --environmentpath, or --modulepath and "
                                   "--manifest",
                                   top)};
    if (!found) return;
    const std::string base = found->environment.empty() ? fs::path(found->environmentpath).parent_path().string() : found->environment;
    if (is_below(base, top)) folder = base.substr(top.size() + 1);
  }

  /// The environment's folder, or that of `environments`, in a revision whose files are in `root`.
  std::string base_of(const std::string& root) const {
    const std::string base = folder.empty() ? root : root + "/" + folder;
    return is_directory(base) ? base : root;
  }

  /// Writes the files of a revision below `side`/NAME. Returns that directory.
  std::string check_out(const std::string& revision, const std::string& side, const std::string& name) const {
    const std::string where = directory.path() + "/" + side;
    const std::string root = where + "/" + name;
    fs::create_directory(where);
    if (revision.empty() || directories) {
      fs::create_directory_symlink(revision.empty() ? top : absolute_path(revision), root);
      return root;
    }
    write_files(top, commit_named(top, revision), root, where + ".index");
    return root;
  }

  /// Writes the files of a commit, and those of its submodules as far as the checkout has these.
  static void write_files(const std::string& repository, const std::string& commit, const std::string& root, const std::string& index) {
    std::error_code ignored;
    fs::remove(index, ignored);
    fs::create_directories(root);
    const std::string git_directory = git_line("diff", repository, {"rev-parse", "--absolute-git-dir"});
    const std::vector<std::string> here = {"--git-dir=" + git_directory, "--work-tree=" + root};
    auto run = [&](std::vector<std::string> words) {
      words.insert(words.begin(), here.begin(), here.end());
      git("diff", root, words, {"GIT_INDEX_FILE=" + index});
    };
    run({"read-tree", commit});
    run({"checkout-index", "--all", "--quiet"});
    if (!fs::exists(root + "/.gitmodules", ignored)) return;
    for_each_text(git("diff", repository, {"ls-tree", "-r", "-z", commit}), [&](const std::string& entry) { // MODE commit SHA<tab>PATH
      const size_t tab = entry.find('\t');
      if (!entry.starts_with("160000 commit ") || tab == std::string::npos) return;
      const std::string path = entry.substr(tab + 1), module = repository + "/" + path;
      if (!fs::exists(module + "/.git", ignored)) return;
      try {
        write_files(module, entry.substr(14, tab - 14), root + "/" + path, index);
      } catch (const UsageError&) { // not fetched
        fmt::print(stderr, "Warning: the submodule {} lacks the commit {}: `git submodule update` gets it\n", path,
                   entry.substr(14, tab - 14));
      }
    });
  }

  /// Links into a checked out revision the modules that another tool installs: git has them in no revision, so those of the checkout are
  /// meant. They are directories of the modulepath in which git has nothing, and what it ignores in the others.
  /// A directory beside the repository (`../modules`) is that beside the checkout.
  void add_installed_modules(const std::string& revision, const std::string& root, const std::string& environment) {
    if (directories) return;
    const auto link = [&](const std::string& from, const std::string& to) {
      std::error_code ignored;
      fs::create_directory_symlink(from, to, ignored);
      beside.push_back(from);
    };
    const std::string base = base_of(root), several = base + "/environments/" + environment;
    const std::string own = is_directory(several) ? several : base;
    std::vector<std::string> modulepath;
    try {
      modulepath = environment_of_checkout(own, {}, nullptr).modulepath;
    } catch (const CompileError&) { return; } // the compile tells of a broken environment.conf
    if (const auto text = read_whole_file(own + "/Puppetfile")) modulepath.push_back(absolute_path(read_puppetfile(*text).directory, own));
    std::error_code ignored;
    for (const std::string& modules : modulepath) {
      if (!is_below(modules, root)) {
        const std::string beside_top = absolute_path(fs::path(modules).lexically_relative(root).string(), top);
        if (!is_below(modules, directory.path()) || !is_directory(beside_top)) continue;
        fs::create_directories(fs::path(modules).parent_path(), ignored);
        link(beside_top, modules);
        continue;
      }
      if (revision.empty()) continue;
      const std::string relative = modules.substr(root.size() + 1);
      if (!is_directory(top + "/" + relative)) continue;
      // What git has in the checkout, and the revision has not, is no other tool's: that is the difference to be told.
      if (!fs::exists(modules, ignored) && git("diff", top, {"ls-files", "--", relative}).empty()) {
        fs::create_directories(fs::path(modules).parent_path(), ignored);
        link(top + "/" + relative, modules);
        continue;
      }
      const std::string list = git("diff", top,
                                   {"ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory", "--", relative});
      for_each_text(list, [&](std::string entry) {
        if (!entry.ends_with('/')) return; // a file is no module
        entry.pop_back();
        fs::create_directories(modules, ignored);
        const bool module = is_below(entry, relative) && entry.find('/', relative.size() + 1) == std::string::npos;
        if (module && !fs::exists(root + "/" + entry, ignored)) link(top + "/" + entry, root + "/" + entry);
      });
    }
  }

  /// Translates a path of the options into the revision whose files are in `root`.
  std::string in_revision(const std::string& path, const std::string& root) const {
    std::error_code ignored;
    const std::string full = fs::weakly_canonical(path, ignored).string();
    if (ignored || path.empty()) return path;
    if (full == top) return root;
    if (!full.starts_with(top + "/")) return path;
    std::string there = root + full.substr(top.size());
    return fs::exists(there, ignored) ? there : path;
  }

  CompileOptions options_for(const CompileOptions& options, const std::string& root) const {
    CompileOptions out = options;
    auto move = [&](std::string& path) {
      if (!path.empty()) path = in_revision(path, root);
    };
    move(out.environment.manifest);
    move(out.environment.hiera_config);
    for (auto& path : out.environment.modulepath) move(path);
    for (auto& path : out.basemodulepath) move(path);
    std::error_code ignored;
    if (fs::exists(out.classifier, ignored)) move(out.classifier);
    if (!out.environmentpath.empty()) {
      move(out.environmentpath);
    } else if (options.environment.manifest.empty() && !options.environment.code) {
      const std::string base = base_of(root), several = base + "/environments";
      if (is_directory(several + "/" + out.environment.name))
        out.environmentpath = several;
      else
        out.checkout = base;
    }
    return out;
  }

  /// The files that differ between the two sides.
  std::vector<ChangedFile> changed_files(const RevisionsRequest& request, const std::string& old_root, const std::string& new_root) const {
    const std::string old_commit = commit_of(request, request.before), new_commit = commit_of(request, request.after);
    std::vector<std::string> words = {new_commit.empty() ? "diff-index" : "diff-tree", "--raw", "-z", "--no-renames", old_commit};
    if (!new_commit.empty()) words.insert(words.end(), {"-r", new_commit});
    std::vector<ChangedFile> out;
    for_each_text(git("diff", top, words), [&](const std::string& text) {
      // ":100644 100644 <object> <object> M", then the path; mode 000000 where there is no file.
      if (!text.starts_with(':') || text.size() < 15) {
        if (!out.empty()) out.back().path = text;
        return;
      }
      ChangedFile file;
      for (const auto& [mode, there] : {std::pair(text.substr(1, 6), &file.existed), std::pair(text.substr(8, 6), &file.exists)}) {
        *there = mode != "000000";
        file.plain &= !*there || mode.starts_with("100");
      }
      out.push_back(std::move(file));
    });
    if (!new_commit.empty()) return out;
    // What git does not know, the checkout alone has, but for modules that both sides share.
    for_each_text(git("diff", top, {"ls-files", "-z", "--others"}), [&](const std::string& path) {
      std::error_code ignored;
      const std::string here = new_root + "/" + path, there = old_root + "/" + path;
      if (fs::exists(there, ignored) && fs::equivalent(here, there, ignored)) return;
      out.push_back({path, false, true, fs::is_regular_file(fs::symlink_status(here, ignored))});
    });
    return out;
  }

  /// Finds out what the difference between the two sides reaches. Whether it could: not where a compile may look at what nobody records.
  bool find_change(const CompileOptions& options, const RevisionsRequest& request, const std::string& old_root,
                   const std::string& new_root) {
    if (directories || request.every_node || request.exports || !options.store.empty() || !options.classifier.empty() ||
        uses_puppetdb(options))
      return false;
    try {
      const auto old_side = open_environment(options_for(options, old_root), nullptr);
      const auto new_side = open_environment(options_for(options, new_root), nullptr);
      change = std::make_unique<RevisionChange>(old_root, new_root, changed_files(request, old_root, new_root), *old_side, *new_side);
      return true;
    } catch (const CompileError&) { return false; } // the compile tells of it
  }

  /// The states of the files that count in the compiles and are in no revision; nothing when some cannot be known.
  std::optional<std::vector<std::string>> outside(const CompileOptions& options, const RevisionsRequest& request,
                                                  std::chrono::system_clock::time_point began) const {
    if (known && !request.facts.ends_with(".json")) return std::nullopt; // what PuppetDB or a store knows may change at any time
    std::set<std::string> paths(beside.begin(), beside.end());
    const auto add = [&](const std::string& path) {
      if (path.empty()) return;
      const std::string full = absolute_path(path);
      if (full != top && !is_below(full, top)) paths.insert(full);
    };
    paths.insert(absolute_path(request.facts));
    if (!options.configuration.file().empty()) paths.insert(options.configuration.file());
    for (const std::string& path : {options.environment.manifest, options.environment.hiera_config, options.environmentpath,
                                    options.server_facts_file, options.trusted_file})
      add(path);
    for (const auto* list : {&options.environment.modulepath, &options.basemodulepath})
      for (const std::string& path : *list) add(path);
    for (const auto& [node, now] : looked_at)
      for (const auto* set : {&now.files, &now.places, &now.data, &now.directories})
        for (const std::string& path : *set) {
          const std::string full = path.starts_with('/') ? path : top + "/" + path;
          const auto inside = [&](const std::string& modules) { return is_below(full, modules); };
          if (!path.starts_with('/') && std::ranges::none_of(beside, inside)) continue;
          if (set == &now.directories) return std::nullopt;
          paths.insert(full);
        }
    return file_states({paths.begin(), paths.end()}, began);
  }

  bool doubtful() const {
    return std::ranges::any_of(looked_at, [](const auto& node) { return !node.second.doubt.empty(); });
  }

  /// What is known for sure of the nodes of a side. `first`: also of those that this run did not compile.
  LookedAt trusted(bool first) const {
    LookedAt out;
    for (const auto& [node, now] : looked_at)
      if (now.doubt.empty() && (first || compiled.contains(node) || unreached.contains(node))) out.emplace(node, now);
    return out;
  }

  /// Compiles the nodes of one side into `out.directory`. Begins no node after `deadline`.
  void compile(const CompileOptions& options, const RevisionsRequest& request, const std::string& side, const std::string& root,
               Clock::time_point deadline, CompiledSide& out) {
    CompileOptions own = options_for(options, root);
    own.log_level = LogLevel::Err;
    if (request.exports) own.store = directory.path() + "/" + side + ".sqlite";
    AllNodesOptions all;
    all.facts_directory = request.facts;
    all.known = known ? &*known : nullptr;
    all.output = out.directory = directory.path() + "/" + side + ".catalogs";
    const bool second = side == "after";
    compiled.clear();
    all.wanted = [&](const std::string& node, const Value& facts) {
      if (sampled ? !sampled->contains(node) : !fits_one(request.nodes, node)) return false;
      const std::lock_guard lock(mutex);
      if (std::string role = fact_text(facts, request.role); !role.empty()) roles[node] = std::move(role);
      if (!second && change != nullptr)
        if (const auto before = looked_at.find(node); before != looked_at.end() && !change->reaches(before->second)) unreached.insert(node);
      if (unreached.contains(node)) return false;
      if (Clock::now() < deadline && !left_out.contains(node)) return true;
      out.left_out.insert(node);
      return false;
    };
    if (change != nullptr) {
      all.root = root;
      all.looked_at = [&](const std::string& node, Dependencies&& now) {
        const bool reached = second || change->reaches(now);
        const std::lock_guard lock(mutex);
        if (!reached) unreached.insert(node);
        looked_at[node] = std::move(now);
        compiled.insert(node);
        return reached;
      };
    }
    bool any = false;
    all.failed = [&](const std::string& node, const std::string& error) {
      any = true;
      std::string text = error;
      replace_all(text, root + "/", "");
      out.errors[node] = text.empty() ? "unknown error" : text;
    };
    all.rewrite = [&](std::string& text) { replace_all(text, root, top); };
    ProgressLine line;
    const auto started = Clock::now();
    if (line.shown()) all.progress = [&](size_t done, size_t of) { line.show(done, of, progress_text(side, done, of, started)); };
    if (compile_all_nodes(own, all) != exit_success && !any) throw UsageError{fmt::format("nothing could be compiled {} the change", side)};
  }
};

std::string commit_of(const RevisionsRequest& request, const std::string& revision) {
  if (revision.empty() || (is_environment(request.before) && is_environment(request.after))) return {};
  return commit_named(request.repository, revision);
}

CompiledRevisions::CompiledRevisions(const CompileOptions& options, const RevisionsRequest& request) : work_(std::make_unique<Work>()) {
  work_->directories = is_environment(request.before) && is_environment(request.after);
  std::error_code ignored;
  root = work_->directories ? fs::weakly_canonical(request.after, ignored).string()
                            : git_line("diff", request.repository, {"rev-parse", "--show-toplevel"});
  work_->top = root;
  work_->find_environment(options);
  // Check out both revisions before any compile, so that an unknown revision fails early.
  const std::string old_root = work_->check_out(request.before, "before", options.environment.name);
  const std::string new_root = work_->check_out(request.after, "after", options.environment.name);
  work_->add_installed_modules(request.before, old_root, options.environment.name);
  work_->add_installed_modules(request.after, new_root, options.environment.name);
  if (keeps_nodes(request.facts)) try {
      work_->known = known_nodes(options, request.facts, work_->known_values);
    } catch (const CompileError& e) { throw UsageError{e.diagnostic.puppet_text()}; }
  if (request.sample.count != 0)
    work_->sampled = sampled_nodes(request.facts, work_->known ? &*work_->known : nullptr, request.sample, request.nodes);
  // Each side gets half of the time.
  const auto half = std::chrono::milliseconds(500 * static_cast<int64_t>(request.seconds));
  const auto deadline = [&] { return request.seconds == 0 ? Clock::time_point::max() : Clock::now() + half; };
  const auto began = std::chrono::system_clock::now();
  const KeptCompiles kept(request.cache, request.key);
  const std::string old_commit = commit_of(request, request.before), new_commit = commit_of(request, request.after);
  if (work_->find_change(options, request, old_root, new_root)) work_->looked_at = kept.looked_at(old_commit);
  work_->compile(options, request, "before", old_root, deadline(), before);
  work_->left_out = before.left_out;
  auto beside = work_->change == nullptr ? std::nullopt : work_->outside(options, request, began);
  if (beside) kept.keep(old_commit, work_->trusted(true), *beside);
  work_->compile(options, request, "after", new_root, deadline(), after);
  before.unreached = after.unreached = std::move(work_->unreached);
  beside = beside ? work_->outside(options, request, began) : std::nullopt;
  if (beside) {
    LookedAt now = work_->trusted(false);
    now.merge(kept.looked_at(new_commit)); // of nodes that this run did not want
    kept.keep(new_commit, now, *beside);
  }
  if (before.errors.empty() && after.errors.empty() && after.left_out.empty() && !work_->doubtful()) states = std::move(beside);
  roles = std::move(work_->roles);
}

CompiledRevisions::~CompiledRevisions() = default;

} // namespace pupc::cli
