#include "tools/pupc/revisions.h"

#include "catalog/base/paths.h"
#include "compiler/discovery/checkout.h"
#include "compiler/discovery/repository.h"
#include "runtime/provider/system_tools.h"
#include "runtime/sys/posix_system.h"
#include "tools/pupc/all_nodes.h"
#include "tools/pupc/command.h"
#include "tools/pupc/git.h"
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

using Clock = std::chrono::steady_clock;

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
  bool directories = false;                     // both sides are directories, not revisions
  std::optional<std::set<std::string>> sampled; // the nodes of --sample
  std::map<std::string, std::string> roles;
  std::set<std::string> left_out; // by the first side: the second leaves them out too

  /// Writes the files of a revision below `side`/NAME. Returns that directory.
  std::string check_out(const std::string& revision, const std::string& side, const std::string& name) const {
    const std::string where = directory.path() + "/" + side;
    const std::string root = where + "/" + name;
    fs::create_directory(where);
    if (revision.empty() || directories) {
      fs::create_directory_symlink(revision.empty() ? top : absolute_path(revision), root);
      return root;
    }
    const std::string commit = git_line("diff", top, {"rev-parse", "--verify", "--end-of-options", revision + "^{commit}"});
    const std::string git_directory = git_line("diff", top, {"rev-parse", "--absolute-git-dir"});
    const std::string index = "GIT_INDEX_FILE=" + where + ".index";
    fs::create_directory(root);
    const std::vector<std::string> here = {"--git-dir=" + git_directory, "--work-tree=" + root};
    auto run = [&](std::vector<std::string> words) {
      words.insert(words.begin(), here.begin(), here.end());
      git("diff", root, words, {index});
    };
    run({"read-tree", commit});
    run({"checkout-index", "--all", "--quiet"});
    return root;
  }

  /// Links into a checked out revision the modules that another tool installs: git has them in no revision, so those of the checkout are
  /// meant. They are directories of the modulepath in which git has nothing, and what it ignores in the others.
  void add_installed_modules(const std::string& revision, const std::string& root, const std::string& environment) const {
    if (revision.empty() || directories) return;
    const std::string own = is_directory(root + "/environments/" + environment) ? root + "/environments/" + environment : root;
    std::vector<std::string> modulepath;
    try {
      modulepath = environment_of_checkout(own, {}, nullptr).modulepath;
    } catch (const CompileError&) { return; } // the compile tells of a broken environment.conf
    if (const auto text = read_whole_file(own + "/Puppetfile")) modulepath.push_back(absolute_path(read_puppetfile(*text).directory, own));
    std::error_code ignored;
    for (const std::string& modules : modulepath) {
      if (!is_below(modules, root)) continue;
      const std::string relative = modules.substr(root.size() + 1);
      if (!is_directory(top + "/" + relative)) continue;
      // What git has in the checkout, and the revision has not, is no other tool's: that is the difference to be told.
      if (!fs::exists(modules, ignored) && git("diff", top, {"ls-files", "--", relative}).empty()) {
        fs::create_directories(fs::path(modules).parent_path(), ignored);
        fs::create_directory_symlink(top + "/" + relative, modules, ignored);
        continue;
      }
      const std::string list = git("diff", top,
                                   {"ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory", "--", relative});
      for (size_t begin = 0; begin < list.size();) {
        const size_t end = std::min(list.find('\0', begin), list.size());
        std::string entry = list.substr(begin, end - begin);
        begin = end + 1;
        if (!entry.ends_with('/')) continue; // a file is no module
        entry.pop_back();
        fs::create_directories(modules, ignored);
        const bool module = is_below(entry, relative) && entry.find('/', relative.size() + 1) == std::string::npos;
        if (module && !fs::exists(root + "/" + entry, ignored))
          fs::create_directory_symlink(top + "/" + entry, root + "/" + entry, ignored);
      }
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
      const std::string several = root + "/environments";
      if (is_directory(several + "/" + out.environment.name))
        out.environmentpath = several;
      else
        out.checkout = root;
    }
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
    all.output = out.directory = directory.path() + "/" + side + ".catalogs";
    std::mutex mutex;
    all.wanted = [&](const std::string& node, const Value& facts) {
      if (sampled ? !sampled->contains(node) : !fits_one(request.nodes, node)) return false;
      const std::lock_guard lock(mutex);
      if (std::string role = fact_text(facts, request.role); !role.empty()) roles[node] = std::move(role);
      if (Clock::now() < deadline && !left_out.contains(node)) return true;
      out.left_out.insert(node);
      return false;
    };
    bool any = false;
    all.failed = [&](const std::string& node, const std::string& error) {
      any = true;
      std::string text = error;
      replace_all(text, root + "/", "");
      out.errors[node] = text.empty() ? "unknown error" : text;
    };
    ProgressLine line;
    const auto started = Clock::now();
    if (line.shown()) all.progress = [&](size_t done, size_t of) { line.show(done, of, progress_text(side, done, of, started)); };
    if (compile_all_nodes(own, all) != exit_success && !any) throw UsageError{fmt::format("nothing could be compiled {} the change", side)};
    for (const auto& entry : fs::directory_iterator(out.directory)) {
      auto text = read_whole_file(entry.path().string());
      if (!text) continue;
      replace_all(*text, root, top);
      if (const std::string failure = write_failure(entry.path().string(), *text); !failure.empty())
        throw UsageError{fmt::format("{} cannot be written: {}", entry.path().string(), failure)};
    }
  }
};

CompiledRevisions::CompiledRevisions(const CompileOptions& options, const RevisionsRequest& request) : work_(std::make_unique<Work>()) {
  work_->directories = is_environment(request.before) && is_environment(request.after);
  std::error_code ignored;
  root = work_->directories ? fs::weakly_canonical(request.after, ignored).string()
                            : git_line("diff", request.repository, {"rev-parse", "--show-toplevel"});
  work_->top = root;
  // Check out both revisions before any compile, so that an unknown revision fails early.
  const std::string old_root = work_->check_out(request.before, "before", options.environment.name);
  const std::string new_root = work_->check_out(request.after, "after", options.environment.name);
  work_->add_installed_modules(request.before, old_root, options.environment.name);
  work_->add_installed_modules(request.after, new_root, options.environment.name);
  if (request.sample.count != 0) work_->sampled = sampled_nodes(request.facts, request.sample, request.nodes);
  // Each side gets half of the time.
  const auto half = std::chrono::milliseconds(500 * static_cast<int64_t>(request.seconds));
  const auto deadline = [&] { return request.seconds == 0 ? Clock::time_point::max() : Clock::now() + half; };
  work_->compile(options, request, "before", old_root, deadline(), before);
  work_->left_out = before.left_out;
  work_->compile(options, request, "after", new_root, deadline(), after);
  roles = std::move(work_->roles);
}

CompiledRevisions::~CompiledRevisions() = default;

} // namespace pupc::cli
