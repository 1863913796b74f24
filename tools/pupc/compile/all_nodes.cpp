#include "tools/pupc/compile/all_nodes.h"

#include "catalog/base/paths.h"
#include "catalog/json/catalog_writer.h"
#include "catalog/store/store.h"
#include "compiler/load/facts_file.h"
#include "runtime/sys/posix_system.h"
#include "runtime/sys/safe_path.h"
#include "tools/pupc/command.h"
#include "tools/pupc/node/node_setup.h"
#include "tools/pupc/private_files.h"
#include "tools/pupc/workers.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <fmt/format.h>
#include <mutex>
#include <set>
#include <unistd.h>
#include <unordered_map>

namespace pupc::cli {
namespace {

namespace fs = std::filesystem;

/// Forwards the queries of collectors to a store and remembers what they asked for.
class AskingSource final : public ExportSource {
public:
  explicit AskingSource(ExportSource& source) : source_(source) {}
  std::vector<ExportedResource> find(std::string_view type, const ExportQuery* query, std::string_view asking, Arena& into) override {
    types.emplace(type);
    return source_.find(type, query, asking, into);
  }
  Value query(const Value& text, Arena& into) override {
    anything = true;
    return source_.query(text, into);
  }
  std::set<std::string> types; // collected
  bool anything = false;       // the answer hangs on whatever there is

private:
  ExportSource& source_;
};

/// The compile of one node, from reading its facts file to printing its log.
struct NodeRun {
  std::string file;
  std::string name;
  const KnownNode* known = nullptr; // instead of the file
  LogCollector log;
  std::string shown;            // the source line of its error, on terminals
  bool named_otherwise = false; // its name differs from that of its facts file
  bool waits = false;           // its result is only known after the first round: it asked for exported resources
  bool anything = false;        // as in AskingSource
  std::set<std::string> types;  // as in AskingSource
  bool done = false;
  bool ok = false;
};

/// Whether the name can serve as a file name in the output directory.
bool file_name(std::string_view name) {
  return !name.empty() && name.size() < 250 && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos;
}

class AllNodes {
public:
  AllNodes(const CompileOptions& options, const AllNodesOptions& all)
      : options_(options), all_(all), style_(render_style(stderr, all.color)), console_(options.log_level, style_.color),
        terminal_(isatty(STDERR_FILENO) != 0) {
    style_.below = options.shown_below;
    console_.show_paths_below(options.shown_below);
  }

  int run() {
    std::vector<std::string> files;
    const std::vector<KnownNode>* known = all_.known;
    if (keeps_nodes(all_.facts_directory)) {
      if (known == nullptr) {
        try {
          known = &known_.emplace(known_nodes(options_, all_.facts_directory, facts_));
        } catch (const CompileError& e) {
          console_.log({LogLevel::Err, "", e.diagnostic.puppet_text()});
          return exit_failure;
        }
      }
    } else {
      files = facts_files(all_.facts_directory);
    }
    try {
      make_private_directories(*make_posix_system(), absolute_path(all_.output));
    } catch (const SystemError&) { /* the next line tells */
    }
    if (!fs::is_directory(all_.output)) throw UsageError{fmt::format("--output: cannot make the directory '{}'", all_.output)};
    auto started = std::chrono::steady_clock::now();
    try {
      // Without a classifier all nodes share one environment: open it first, so that its errors appear once.
      if (options_.classifier.empty()) environments_.open("", &console_);
      if (!options_.store.empty()) {
        // Two connections: one reads the state at the start of a round while the other writes.
        collected_ = open_sqlite_store(options_.store);
        stored_ = open_sqlite_store(options_.store);
        collected_->begin_snapshot();
      }
    } catch (const CompileError& e) {
      console_.log({LogLevel::Err, "", e.diagnostic.puppet_text()});
      const std::string place = render_place(e.diagnostic, style_);
      std::fwrite(place.data(), 1, place.size(), stderr);
      return exit_failure;
    }
    runs_.resize(files.size());
    for (size_t i = 0; i < files.size(); ++i) runs_[i].file = std::move(files[i]);
    if (known != nullptr) {
      runs_.resize(known->size());
      for (size_t i = 0; i < known->size(); ++i) runs_[i].known = &(*known)[i];
    }
    // When two facts files give the same node name, the file of that name wins, else the first one. So take the files whose names match
    // first, and all others later.
    std::vector<NodeRun*> now;
    for (NodeRun& run : runs_) run.log.least = options_.log_level;
    for (NodeRun& run : runs_) {
      run.name = run.known != nullptr ? run.known->name : fs::path(run.file).stem().string();
      if (names_.insert(run.name).second)
        now.push_back(&run);
      else
        refuse_second(run);
    }
    compile_nodes(now);
    now.clear();
    for (NodeRun& run : runs_) {
      if (!run.named_otherwise) continue;
      if (names_.insert(run.name).second)
        now.push_back(&run);
      else
        refuse_second(run);
    }
    compile_nodes(now);
    if (collected_) {
      collected_->end_snapshot();
      last_round_ = true;
      now.clear();
      for (NodeRun& run : runs_) {
        if (!run.waits) continue;
        if (outdated(run)) {
          run.log.entries.clear();
          run.shown.clear();
          now.push_back(&run);
        } else {
          finished(run);
        }
      }
      collected_->begin_snapshot();
      compile_nodes(now);
      collected_->end_snapshot();
    }
    if (all_.failed) return std::all_of(runs_.begin(), runs_.end(), [](const NodeRun& r) { return r.ok; }) ? exit_success : exit_failure;
    tell_problems();
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    size_t failed = static_cast<size_t>(std::count_if(runs_.begin(), runs_.end(), [](const NodeRun& r) { return !r.ok; }));
    fmt::print(stderr, "{} node{} compiled, {} failed, {:.2f} s\n", runs_.size() - failed, runs_.size() - failed == 1 ? "" : "s", failed,
               seconds);
    if (failed > 0) {
      std::string names;
      for (const NodeRun& r : runs_)
        if (!r.ok) names += " " + r.name;
      fmt::print(stderr, "Failed:{}\n", names);
    }
    return failed == 0 ? exit_success : exit_failure;
  }

private:
  std::string target(const std::string& name) const { return all_.output + "/" + name + ".json"; }

  void refuse_second(NodeRun& run) {
    run.named_otherwise = false;
    run.log.log({LogLevel::Err, "", fmt::format("{}: another facts file is for the node '{}' too", run.file, run.name)});
    finished(run);
  }

  void compile_nodes(const std::vector<NodeRun*>& runs) {
    for_each_index(runs.size(), options_.jobs == 0 ? default_jobs() : options_.jobs, [&](size_t i) {
      NodeRun& run = *runs[i];
      const bool named_before = run.named_otherwise;
      run.waits = false;
      try {
        const LimitedWork work(options_.limits);
        compile_node(run);
      } catch (const CompileError& e) { // from the store
        run.ok = false;
        run.log.log({LogLevel::Err, "", e.diagnostic.puppet_text()});
      } catch (const std::exception& e) { // for example, out of memory
        run.ok = false;
        run.log.log({LogLevel::Err, "", e.what()});
      }
      if (!run.waits && (named_before || !run.named_otherwise)) finished(run);
    });
  }

  void compile_node(NodeRun& run) {
    NodeData node;
    Value facts;
    try {
      std::string stored;
      facts = run.known != nullptr ? run.known->facts : read_facts_file(*node.arena, run.file, &stored);
      if (!stored.empty() && stored != run.name) {
        run.name = stored;
        run.named_otherwise = true;
        return;
      }
    } catch (const CompileError& e) {
      run.log.log({LogLevel::Err, "", e.diagnostic.puppet_text()});
      return;
    }
    if (all_.wanted && !all_.wanted(run.name, facts)) {
      run.ok = true;
      return;
    }
    if (!file_name(run.name)) {
      run.log.log({LogLevel::Err, "",
                   fmt::format("{}: the node's name '{}' cannot be the name of a file",
                               run.known != nullptr ? all_.facts_directory : run.file, run.name)});
      return;
    }
    std::shared_ptr<const Environment> environment;
    try {
      const Value trusted = run.known != nullptr ? run.known->trusted : Value::undef();
      environment = set_up_node(options_, environments_, node, run.name, facts, &run.log, trusted);
    } catch (const CompileError& e) {
      run.ok = false;
      run.log.log({LogLevel::Err, "", e.diagnostic.puppet_text()});
      run.shown = render_place(e.diagnostic, style_);
      std::error_code ignored;
      fs::remove(target(run.name), ignored);
      return;
    }
    std::optional<AskingSource> exports;
    if (collected_) node.exports = &exports.emplace(*collected_);
    Dependencies looked_at; // outlives the catalog, which keeps the environment
    if (all_.looked_at) environment = recording_environment(environment, looked_at, all_.root);
    CompileResult result = compile(environment, node, options_.settings, run.log, &ruby_);
    if (result.ok() && stored_) {
      const std::set<std::string> changed = stored_->replace(stored_node(*result.catalog, facts, all_.store_catalogs));
      const std::lock_guard lock(changed_mutex_);
      changed_.insert(changed.begin(), changed.end());
    }
    if (exports && !last_round_) {
      run.types = std::move(exports->types);
      run.anything = exports->anything;
      run.waits = run.anything || !run.types.empty();
      if (run.waits && outdated(run)) return;
    }
    if (!result.ok()) {
      run.shown = render_place(*result.error, style_);
      std::error_code ignored;
      fs::remove(target(run.name), ignored); // a catalog from an earlier run is out of date
      return;
    }
    if (all_.looked_at && !all_.looked_at(run.name, std::move(looked_at))) {
      run.ok = true;
      return;
    }
    std::string text;
    CatalogWriteOptions write;
    write.pretty = all_.pretty;
    write_catalog(*result.catalog, text, write);
    text += '\n';
    if (all_.rewrite) all_.rewrite(text);
    const std::string failure = write_failure(target(run.name), text);
    run.ok = failure.empty();
    if (!run.ok) run.log.log({LogLevel::Err, "", fmt::format("Could not write {}: {}", target(run.name), failure)});
  }

  /// Whether the store has changed since the node asked it.
  bool outdated(const NodeRun& run) {
    const std::lock_guard lock(changed_mutex_);
    return run.anything || std::ranges::any_of(run.types, [&](const std::string& type) { return changed_.contains(type); });
  }

  /// Prints the logs of the finished nodes as far as their order allows, then the state.
  void finished(NodeRun& run) {
    std::lock_guard lock(mutex_);
    run.done = true;
    ++done_;
    if (all_.failed) {
      if (!run.ok) all_.failed(run.name, run.log.entries.empty() ? "" : run.log.entries.back().message);
      run.log.entries = {};
      if (all_.progress) all_.progress(done_, runs_.size());
      return;
    }
    if (terminal_) fmt::print(stderr, "\r\033[K");
    for (; printed_ < runs_.size() && runs_[printed_].done; ++printed_) {
      NodeRun& r = runs_[printed_];
      for (LogEntry& e : r.log.entries)
        if (e.level >= LogLevel::Warning && !all_.by_node)
          note_problem(std::move(e), r, &e == &r.log.entries.back() ? r.shown : std::string());
        else
          tell(std::move(e), r.name);
      if (all_.by_node) std::fwrite(r.shown.data(), 1, r.shown.size(), stderr);
      r.log.entries = {};
      r.shown.clear();
    }
    if (!run.ok) ++failed_;
    if (terminal_ && done_ < runs_.size())
      fmt::print(stderr, "{} of {} nodes{}", done_, runs_.size(), failed_ == 0 ? "" : fmt::format(", {} failed", failed_));
    std::fflush(stderr);
  }

  void tell(LogEntry entry, const std::string& about) {
    entry.source = entry.source.empty() ? about : about + ": " + entry.source;
    console_.log(std::move(entry));
  }

  /// Nodes of one role give the same warnings and errors, but for the node's name at the end of an error.
  void note_problem(LogEntry entry, const NodeRun& run, const std::string& shown) {
    std::string same = entry.source + '\0' + entry.message;
    if (const std::string end = " on node " + run.name; same.ends_with(end)) same.resize(same.size() - end.size());
    const auto [place, fresh] = place_of_problem_.try_emplace(std::move(same), problems_.size());
    if (fresh) problems_.push_back({std::move(entry), shown, run.name, run.name});
    Problem& problem = problems_[place->second];
    if (!fresh && problem.last == run.name) return;
    ++problem.nodes;
    problem.last = run.name;
  }

  /// Each warning and error once, with the number of its nodes.
  void tell_problems() {
    for (Problem& p : problems_) {
      tell(std::move(p.entry), p.nodes == 1 ? p.first : fmt::format("{} and {} more", p.first, p.nodes - 1));
      std::fwrite(p.shown.data(), 1, p.shown.size(), stderr);
    }
  }

  struct Problem {
    LogEntry entry;
    std::string shown;       // the source line of an error, on terminals
    std::string first, last; // of its nodes
    size_t nodes = 0;
  };
  std::vector<Problem> problems_; // in the order in which they were met
  std::unordered_map<std::string, size_t> place_of_problem_;
  const CompileOptions& options_;
  const AllNodesOptions& all_;
  RenderStyle style_;
  ConsoleLog console_;
  bool terminal_;
  Environments environments_{options_};
  Arena facts_; // of known nodes
  std::optional<std::vector<KnownNode>> known_;
  std::deque<NodeRun> runs_;
  std::unique_ptr<ExportStore> collected_, stored_;
  bool last_round_ = false;
  std::mutex changed_mutex_;
  std::set<std::string> changed_; // types whose exports are others than before the first round
  std::mutex mutex_;
  std::set<std::string> names_;
  size_t printed_ = 0; // number of runs whose logs are printed
  size_t done_ = 0, failed_ = 0;
  RubyPool ruby_{options_.ruby};
};

} // namespace

std::vector<std::string> facts_files(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code error;
  if (fs::is_regular_file(directory, error)) return {directory};
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    std::string extension = entry.path().extension().string();
    if (extension == ".json" || extension == ".yaml" || extension == ".yml") files.push_back(entry.path().string());
  }
  if (error) throw UsageError{fmt::format("--all-nodes: cannot read the directory '{}': {}", directory, error.message())};
  std::sort(files.begin(), files.end());
  return files;
}

int compile_all_nodes(const CompileOptions& options, const AllNodesOptions& all) { return AllNodes(options, all).run(); }

std::string write_failure(const std::string& path, const std::string& text) {
  try {
    write_private_file(*make_posix_system(), path, text);
    return {};
  } catch (const UntrustedLink& e) { return e.what(); } catch (const SystemError& e) {
    return system_error_text(e.error);
  }
}

} // namespace pupc::cli
