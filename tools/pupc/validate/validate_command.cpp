// pupc validate: syntax and static checks of manifests and templates, and the checks over a whole environment.
#include "catalog/base/paths.h"
#include "catalog/json/json_reader.h"
#include "catalog/json/json_writer.h"
#include "compiler/analysis/analysis.h"
#include "compiler/build/builtin_functions.h"
#include "compiler/discovery/repository.h"
#include "compiler/function/run_command.h"
#include "compiler/ruby/syntax/ruby_static.h"
#include "runtime/sys/posix_system.h"
#include "tools/pupc/cache_file.h"
#include "tools/pupc/command.h"
#include "tools/pupc/git.h"
#include "tools/pupc/options.h"
#include "tools/pupc/render.h"
#include "tools/pupc/settings/compile_settings.h"
#include "tools/pupc/validate/erb_syntax.h"
#include "tools/pupc/validate/finding_cache.h"
#include "tools/pupc/validate/finding_output.h"
#include "tools/pupc/validate/source_files.h"
#include "tools/pupc/validate/validation.h"
#include "tools/pupc/workers.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace pupc::cli {
namespace {

namespace fs = std::filesystem;

struct ValidateSettings {
  ValidateOptions validate;
  FindingFormat format = FindingFormat::Human;
  Severity tolerated = Severity::Warning; // findings above this make the exit code 1
  bool tolerate_none = false;
  bool hints = false;
  bool syntax_only = false;
  bool summary = false;
  std::string baseline, write_baseline;
  std::string cache = default_cache_directory(); // empty = none
  std::string changed_since;                     // a revision of git; empty = all files
  ColorMode color = ColorMode::Auto;
  unsigned jobs = default_jobs();
  std::string batch;
  std::optional<std::string> code;
  bool style = false, fix = false;
  bool directories = false; // some path is one
  bool whole = false;       // files are held against each other
  bool all = false;         // check what the Puppetfile installed, too
  std::optional<std::set<std::string>> top_scope;
  std::string style_config, only_style;
};

/// Writes an error of a batch answer.
void write_finding(JsonWriter& w, const Diagnostic& d) {
  const Finding f = make_finding(d);
  w.begin_object();
  w.member("message", d.message);
  w.place_member("line", f.from.line);
  w.place_member("column", f.from.column);
  w.end_object();
}

/// Appends what people are shown of the findings in a file.
void append_human(std::string& out, const Validation& v, const RenderStyle& style) {
  for (const LogEntry& m : v.embedded) out += fmt::format("{}: {}\n", m.level == LogLevel::Err ? "Error" : "Warning", m.message);
  for (const std::vector<Diagnostic>* list : {&v.findings, &v.checks})
    for (const Diagnostic& d : *list) out += style.excerpt ? render(d, style) + '\n' : finding_line(make_finding(d));
}

/// Says which manifests could not be held against the others, and what that means for these.
void tell_unjudged(const std::vector<Validation>& validations) {
  constexpr size_t most = 3;
  size_t count = 0;
  std::string names;
  for (const Validation& v : validations) {
    const auto of_the_text = [](const Diagnostic& d) { return d.severity == Severity::Error && static_cast<unsigned>(d.code) < 3000; };
    if (std::none_of(v.findings.begin(), v.findings.end(), of_the_text)) continue;
    const std::string name = make_finding(v.findings.front()).file;
    if (name.empty() || ++count > most) continue;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
  }
  if (count == 0) return;
  fmt::print(stderr, "Not judged, because of {} own errors: {}{}. What only {} may define, declare or set counts as unknown.\n",
             count == 1 ? "its" : "their", names, count > most ? fmt::format(" and {} more", count - most) : "",
             count == 1 ? "it" : "they");
}

int rank(Severity s) { return s == Severity::Error ? 3 : s == Severity::Hint ? 1 : 2; }

/// The numbers for the summary.
struct Totals {
  size_t files = 0;
  double seconds = 0;
  bool paths = false;     // named on the command line
  bool directory = false; // one of them is a directory
  bool kept = false;      // from the cache of an earlier run
};

int report(std::vector<Validation>& validations, const std::vector<std::string>& files, const ValidateSettings& settings,
           const Totals& totals) {
  std::vector<Finding> findings;
  for (Validation& v : validations) {
    if (!settings.hints) std::erase_if(v.checks, [](const Diagnostic& d) { return d.severity == Severity::Hint; });
    for (std::vector<Diagnostic>* list : {&v.findings, &v.checks})
      for (Diagnostic& d : *list) make_printable(d);
    for (const Diagnostic& d : v.findings) findings.push_back(make_finding(d));
    for (const Diagnostic& d : v.checks) findings.push_back(make_finding(d));
  }
  // People are not shown the fingerprints.
  if (settings.format != FindingFormat::Human || !settings.baseline.empty() || !settings.write_baseline.empty()) add_fingerprints(findings);
  if (!settings.write_baseline.empty()) {
    if (!write_baseline(settings.write_baseline, findings)) {
      fmt::print(stderr, "pupc: cannot write {}\n", settings.write_baseline);
      return exit_failure;
    }
    fmt::print(stderr, "{} findings are the baseline {}\n", findings.size(), settings.write_baseline);
    return exit_success;
  }
  size_t known = 0;
  if (!settings.baseline.empty()) {
    std::multiset<std::string> baseline = read_baseline(settings.baseline);
    std::set<const Diagnostic*> old;
    for (const Finding& f : findings)
      if (auto at = baseline.find(f.fingerprint); at != baseline.end()) {
        baseline.erase(at);
        old.insert(f.diagnostic);
      }
    known = old.size();
    std::erase_if(findings, [&](const Finding& f) { return old.contains(f.diagnostic); });
    for (Validation& v : validations) { // only clear messages here: erasing would move the diagnostics that `old` points to
      for (std::vector<Diagnostic>* list : {&v.findings, &v.checks})
        for (size_t i = list->size(); i-- > 0;)
          if (old.contains(&(*list)[i])) (*list)[i].message.clear();
    }
  }
  int worst = 0;
  size_t errors = 0, hints = 0;
  for (const Finding& f : findings) {
    worst = std::max(worst, rank(f.diagnostic->severity));
    errors += f.diagnostic->severity == Severity::Error ? 1 : 0;
    hints += f.diagnostic->severity == Severity::Hint ? 1 : 0;
  }
  const size_t warnings = findings.size() - errors - hints;
  if (settings.format != FindingFormat::Human) {
    const std::string out = write_findings(settings.format, findings, files);
    if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size() || std::fflush(stdout) != 0) return exit_failure;
  } else {
    if (known != 0)
      for (Validation& v : validations)
        for (std::vector<Diagnostic>* list : {&v.findings, &v.checks})
          std::erase_if(*list, [](const Diagnostic& d) { return d.message.empty(); });
    const RenderStyle style = render_style(stdout, settings.color);
    std::string out;
    for (const Validation& v : validations) append_human(out, v, style);
    if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size() || std::fflush(stdout) != 0) return exit_failure;
    if (settings.whole) tell_unjudged(validations);
    auto count = [](size_t n, std::string_view what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); };
    if (totals.paths && totals.files == 0)
      fmt::print(stderr, "Nothing was checked: the paths hold no manifests, templates, data or metadata\n");
    else if (totals.directory || (style.excerpt && (!findings.empty() || totals.paths)) || settings.summary)
      fmt::print(stderr, "{}, {}{}{} in {}, {:.2f} s{}\n", count(errors, "error"), count(warnings, "warning"),
                 settings.hints ? ", " + count(hints, "hint") : "", known != 0 ? fmt::format(", {} of the baseline", known) : "",
                 count(totals.files, "file"), totals.seconds, totals.kept ? " (as found before: no file has changed)" : "");
  }
  return worst > (settings.tolerate_none ? 0 : rank(settings.tolerated)) ? exit_failure : exit_success;
}

/// Adds the manifests of the environment that nobody asked about: they may declare, include and set what the checked files use. Findings in
/// them are dropped, because they belong to no file asked about.
void add_others(std::vector<AnalysedFile>& files, ParsedManifests& parsed, const Repository& repository, const Environment& environment,
                const ValidateSettings& settings, Unknown& unknown) {
  ValidateOptions options = settings.validate;
  options.keep_trees = true;
  options.style = nullptr;
  std::vector<std::string> modules;
  for (const Module& module : environment.modules()) modules.push_back(module.path);
  const std::vector<std::string> others = other_manifests(repository, modules);
  std::vector<std::shared_ptr<const ParsedFile>> trees(others.size());
  const auto read = [&](size_t i) { trees[i] = validate_file(others[i], options).parsed; };
  if (others.size() < 8)
    for (size_t i = 0; i < others.size(); ++i) read(i);
  else
    for_each_index(others.size(), settings.jobs, read);
  for (size_t i = 0; i < others.size(); ++i) {
    if (!trees[i]) {
      if (const auto text = read_whole_file(others[i])) unknown.add_broken(*text);
      continue;
    }
    parsed.add(trees[i]->source->path(), trees[i]);
    files.push_back({trees[i]->source->path(), trees[i], false, false});
  }
  if (!others.empty()) // the order of a check of all files
    std::stable_sort(files.begin(), files.end(), [](const AnalysedFile& a, const AnalysedFile& b) { return a.path < b.path; });
}

/// Sorts findings of a file by their places. Each place is counted once, as that takes a look at the whole file.
void sort_by_place(std::vector<Diagnostic>& findings) {
  if (findings.size() < 2) return;
  std::vector<std::tuple<uint32_t, uint32_t, size_t>> order;
  for (const Diagnostic& d : findings) {
    const auto place = d.position();
    order.emplace_back(place.line, place.column, order.size());
  }
  std::sort(order.begin(), order.end());
  std::vector<Diagnostic> sorted;
  sorted.reserve(findings.size());
  for (const auto& [line, column, i] : order) sorted.push_back(std::move(findings[i]));
  findings = std::move(sorted);
}

/// Takes out findings that stand there already, such as those of a value that YAML repeats.
void leave_out_repeated(std::vector<Diagnostic>& findings) {
  if (findings.size() < 2) return;
  std::set<std::tuple<ErrorCode, uint32_t, uint32_t, std::string_view>> seen;
  std::vector<bool> again;
  for (const Diagnostic& d : findings) {
    const auto place = d.position();
    again.push_back(!seen.emplace(d.code, place.line, place.column, d.message).second);
  }
  size_t number = 0;
  if (std::find(again.begin(), again.end(), true) != again.end())
    std::erase_if(findings, [&](const Diagnostic&) { return again[number++]; });
}

/// A data file may have several names: what is told of it is told under its own, and not of links to it, too.
void leave_out_links(std::vector<Validation>& validations, const std::vector<RepositoryFile>& files) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  std::map<fs::path, size_t> own; // by their real paths
  const auto told = [&](size_t i) { return files[i].hiera_data && !validations[i].checks.empty(); };
  for (size_t link = 0; link < files.size(); ++link) {
    if (!told(link) || !fs::is_symlink(files[link].path, ignored)) continue;
    if (own.empty())
      for (size_t i = 0; i < files.size(); ++i)
        if (told(i) && !fs::is_symlink(files[i].path, ignored)) own.emplace(fs::canonical(files[i].path, ignored), i);
    const auto real = own.find(fs::canonical(files[link].path, ignored));
    if (real == own.end()) continue;
    const std::vector<Diagnostic>& there = validations[real->second].checks;
    std::erase_if(validations[link].checks, [&](const Diagnostic& d) {
      const uint32_t line = d.position().line;
      return std::any_of(there.begin(), there.end(),
                         [&](const Diagnostic& t) { return t.code == d.code && t.position().line == line && t.message == d.message; });
    });
  }
}

/// Finds the numbers of files by the paths that findings show. A run has thousands of files, few findings, and its files mostly in order.
class FilesByName {
public:
  explicit FilesByName(const std::vector<RepositoryFile>& files) : files_(files), order_(files.size()) {
    std::iota(order_.begin(), order_.end(), 0U);
    const auto before = [&](uint32_t a, uint32_t b) { return files_[a].shown < files_[b].shown; };
    if (!std::is_sorted(order_.begin(), order_.end(), before)) std::stable_sort(order_.begin(), order_.end(), before);
  }
  /// Of several files with the name it is the first.
  std::optional<size_t> find(std::string_view name) const {
    const auto at = std::lower_bound(order_.begin(), order_.end(), name,
                                     [&](uint32_t file, std::string_view wanted) { return files_[file].shown < wanted; });
    return at != order_.end() && files_[*at].shown == name ? std::optional<size_t>(*at) : std::nullopt;
  }

private:
  const std::vector<RepositoryFile>& files_;
  std::vector<uint32_t> order_;
};

/// The main manifests as a whole are wrong: two of them define one name. Each by itself has told what is wrong with it.
void add_main_error(Diagnostic error, const FilesByName& by_name, std::vector<Validation>& validations) {
  const std::string here = absolute_path(".") + "/";
  std::string name = error.file_name();
  auto file = by_name.find(name);
  if (!file && name.starts_with(here)) file = by_name.find(name.substr(here.size()));
  if (!file && name.starts_with(here)) file = by_name.find("./" + name.substr(here.size()));
  if (file && validations[*file].errors() == 0) validations[*file].findings.push_back(std::move(error));
}

/// Runs the checks over all files and adds the findings to the validations of their files, hints only when they are wanted.
void check_whole(std::vector<Validation>& validations, const Repository& repository, const ValidateSettings& settings) {
  const bool hints = settings.hints;
  const auto parsed = std::make_shared<ParsedManifests>();
  std::vector<AnalysedFile> files;
  Unknown unknown{repository.missing, repository.old_stdlib && repository.missing.contains("stdlib"), {}, settings.top_scope};
  const auto has_tree = [](const Validation& v) { return v.parsed != nullptr; };
  const auto trees = static_cast<size_t>(std::count_if(validations.begin(), validations.end(), has_tree));
  parsed->reserve(trees);
  files.reserve(trees);
  for (size_t i = 0; i < repository.files.size(); ++i) {
    const RepositoryFile& f = repository.files[i];
    if (validations[i].plan) {
      files.push_back({f.path, validations[i].plan});
      files.back().plan = true;
      continue;
    }
    if (!has_tree(validations[i])) {
      if (f.kind == FileKind::Manifest)
        if (const auto text = read_whole_file(f.path)) unknown.add_broken(*text);
      continue;
    }
    parsed->add(f.path, validations[i].parsed);
    files.push_back({f.path, validations[i].parsed, f.kind == FileKind::Epp});
  }
  EnvironmentExtras extras = repository.extras;
  extras.incomplete_modules = true;
  extras.ruby = std::make_shared<RubyFiles>();
  extras.parsed = parsed;
  try {
    auto environment = open_environment(repository.environment, extras);
    std::optional<Diagnostic> main_error;
    std::vector<std::shared_ptr<const Environment>> kept;
    try {
      environment->main_manifests(nullptr);
    } catch (const CompileError& error) { // all other files are still worth checking
      main_error = error.diagnostic;
      kept.push_back(environment); // its error may stand in a text of its own
      extras.usable_main_only = true;
      environment = open_environment(repository.environment, extras);
    }
    if (repository.whole) add_others(files, *parsed, repository, *environment, settings, unknown);
    auto program = std::make_shared<CheckedCodebase>(environment, builtin_functions(), std::move(files), repository.whole,
                                                     std::move(unknown));
    Analysis analysis = analyse(std::move(program), repository.files, hints, extras.ruby);
    std::vector<Diagnostic>& found = analysis.findings;
    Findings templates(hints);
    check_erb_syntax(repository.files, *environment, analysis.unreadable_ruby, templates);
    for (Diagnostic& d : templates.take()) found.push_back(std::move(d));
    const FilesByName by_name(repository.files);
    if (main_error) add_main_error(std::move(*main_error), by_name, validations);
    for (Diagnostic& d : found)
      if (const auto i = by_name.find(d.file_name())) validations[*i].checks.push_back(std::move(d));
    if (!validations.empty()) validations.front().keep_program = std::move(analysis.learnt);
  } catch (const CompileError& error) {
    if (!validations.empty()) validations.front().findings.push_back(error.diagnostic);
  }
  for (Validation& v : validations) {
    sort_by_place(v.checks);
    leave_out_repeated(v.checks);
  }
  leave_out_links(validations, repository.files);
}

/// The options of the style checks: from puppet-lint's files in their usual places, or from the file named on the command line.
StyleOptions style_options(const ValidateSettings& settings) {
  StyleOptions options = default_style();
  std::vector<std::string> files = {"/etc/puppet-lint.rc"};
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') files.push_back(std::string(home) + "/.puppet-lint.rc");
  files.emplace_back(".puppet-lint.rc");
  if (!settings.style_config.empty()) files = {settings.style_config};
  for (const std::string& file : files) {
    const auto text = read_whole_file(file);
    if (!text && settings.style_config.empty()) continue;
    if (!text) throw UsageError{fmt::format("{}: {}", file, file_problem(errno))};
    for (const std::string& problem : read_style_file(*text, options)) fmt::print(stderr, "Warning: {}:{}\n", file, problem);
  }
  if (!settings.only_style.empty())
    if (const std::string unknown = only_style_checks(settings.only_style, options); !unknown.empty())
      throw UsageError{fmt::format("--only-checks: '{}' is no check of style; pupc doc checks lists them", unknown)};
  return options;
}

/// Fixes style findings in the manifests where edits can. False when a file could not be written.
bool fix_files(const std::vector<RepositoryFile>& files, const StyleOptions& options) {
  const auto system = make_posix_system();
  size_t edits = 0, mended = 0;
  bool good = true;
  for (const RepositoryFile& file : files) {
    if (file.kind != FileKind::Manifest) continue;
    const auto text = read_whole_file(file.path);
    if (!text) continue; // the check reports it later
    const StyleFix fix = fix_style(file.shown, *text, options);
    if (fix.refused) fmt::print(stderr, "Warning: {}: mending its style would change what it means, so it stays as it is\n", file.shown);
    if (fix.edits == 0) continue;
    try {
      replace_source(*system, file.path, fix.text);
      edits += fix.edits;
      ++mended;
    } catch (const SystemError& error) {
      fmt::print(stderr, "Error: {}: {}\n", file.shown, error.what());
      good = false;
    }
  }
  fmt::print(stderr, "{} edit{} in {} file{}\n", edits, edits == 1 ? "" : "s", mended, mended == 1 ? "" : "s");
  return good;
}

/// Answers one line of a batch: {"id","file"|"code","epp"} -> {"id","ok","errors":[{"message","line","column"}]}.
std::string answer(const std::string& line, const ValidateSettings& settings, bool& readable) {
  Arena arena;
  Value request;
  JsonError error;
  readable = parse_json(line, arena, request, error) && request.is_hash();
  auto field = [&](const char* name) {
    const Value* v = readable ? request.hash->find(name) : nullptr;
    return v != nullptr ? *v : Value::undef();
  };
  const Value id = field("id"), file = field("file"), code = field("code");
  readable = readable && (file.is_string() || code.is_string());
  ValidateOptions options = settings.validate;
  options.summaries = true;
  Validation v;
  if (!readable) {
    v.findings.emplace_back();
    v.findings.back().message = fmt::format("the request is no JSON object with a file or code: {}{}", error.message,
                                            error.message.empty() ? "" : fmt::format(" (column {})", error.column));
  } else if (file.is_string()) {
    v = validate_file(std::string(file.str()), options);
  } else {
    v = validate_text("", std::string(code.str()), field("epp").truthy(), options);
  }
  std::vector<Validation> alone;
  alone.push_back(std::move(v));
  options.modulepath.clear(); // a request is one text
  check_program(alone, options);
  v = std::move(alone.front());
  std::string out;
  JsonWriter w(out);
  w.begin_object();
  w.key("id");
  if (id.is_string())
    w.string(id.str());
  else if (id.is_int())
    w.integer(id.i);
  else
    w.null();
  w.key("ok");
  w.boolean(v.errors() == 0);
  w.key("errors");
  w.begin_array();
  for (const Diagnostic& d : v.findings)
    if (d.severity == Severity::Error) write_finding(w, d);
  w.end_array();
  w.end_object();
  return out;
}

/// The absolute paths of files in a repository that differ from a revision, including new files.
std::set<std::string> changed_files(const std::string& directory, const std::string& revision) {
  const std::string top = git_line("--changed-since", directory, {"rev-parse", "--show-toplevel"});
  const std::string lists = git("--changed-since", top, {"diff", "--no-ext-diff", "--name-only", "-z", "--diff-filter=d", revision, "--"}) +
                            git("--changed-since", top, {"ls-files", "--others", "--exclude-standard", "-z"});
  std::set<std::string> out;
  for (size_t begin = 0; begin < lists.size();) {
    const size_t end = std::min(lists.find('\0', begin), lists.size());
    out.insert(fs::weakly_canonical(top + "/" + lists.substr(begin, end - begin)).string());
    begin = end + 1;
  }
  return out;
}

/// Whether to use the cache for these paths. Checking a few files is faster than comparing all files around them with the cache.
bool cacheable(const std::vector<std::string>& given, const ValidateSettings& settings) {
  return !settings.cache.empty() && !settings.code && std::find(given.begin(), given.end(), "-") == given.end() && settings.directories;
}

/// Everything except files that the findings depend on; see FindingCache.
std::string cache_key(const std::vector<std::string>& given, const ValidateSettings& settings) {
  std::string out = fmt::format("pupc {}\n", PUPC_VERSION);
  struct stat info {};
  for (const char* program : {"/proc/self/exe", "/usr/bin/ruby"})
    if (::stat(program, &info) == 0)
      out += fmt::format("{} {} {}.{:09}\n", info.st_size, info.st_ino, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
  const char* path = std::getenv("PATH");
  if (settings.top_scope) out += fmt::format("top scope {}\n", fmt::join(*settings.top_scope, ","));
  if (settings.all) out += "all\n";
  out += fmt::format("{}\n{}\n{} {} {}\n{}\n", path == nullptr ? "" : path, absolute_path("."), settings.syntax_only, settings.hints,
                     static_cast<int>(settings.validate.strict), fmt::join(settings.validate.modulepath, ":"));
  if (const StyleOptions* style = settings.validate.style; style != nullptr) {
    out += fmt::format("style {} {}\n", style->relative, fmt::join(style->ignore_paths, "\n"));
    for (const CheckCode code : style->off) out += fmt::format("{} ", static_cast<unsigned>(code));
    out += '\n';
  }
  for (const std::string& g : given) out += g + "\n";
  return out;
}

/// Checks the files of a repository, by themselves and against each other. Adds them and their findings to `run`, and findings in files
/// that nobody asked about to `others`. `texts`: what was given besides files and checked already; it may be used by the files.
void check_repository(Repository& repository, const ValidateSettings& settings, bool whole, std::vector<Validation> texts, CachedRun& run,
                      std::vector<Validation>& others) {
  const auto& files = repository.files;
  std::vector<Validation> validations(files.size());
  std::move(texts.begin(), texts.end(), std::back_inserter(validations));
  auto one = [&](size_t i) {
    if (files[i].kind != FileKind::Manifest && files[i].kind != FileKind::Epp) return;
    validations[i] = files[i].shown == "-" ? validate_text("", read_standard_input(), false, settings.validate)
                                           : validate_file(files[i].shown, settings.validate);
    // Free the data of files without findings.
    const Validation& v = validations[i];
    if (v.findings.empty() && v.checks.empty() && (!v.phases || (v.phases->reads.empty() && v.phases->file_reads.empty())))
      validations[i].keep.reset();
  };
  if (files.size() == 1)
    one(0);
  else if (!files.empty())
    for_each_index(files.size(), settings.jobs, one);
  if (!files.empty()) run_workers(1, [&] { add_summaries(validations, files); });
  if (whole && !files.empty()) run_workers(1, [&] { check_whole(validations, repository, settings); });
  check_program(validations, settings.validate);
  const auto end = validations.begin() + static_cast<ptrdiff_t>(files.size());
  std::move(end, validations.end(), std::back_inserter(others));
  validations.erase(end, validations.end());
  if (run.validations.empty()) // of one repository, as mostly: thousands need not move
    run.validations = std::move(validations);
  else
    std::move(validations.begin(), validations.end(), std::back_inserter(run.validations));
  run.files.reserve(run.files.size() + files.size());
  for (RepositoryFile& f : repository.files) run.files.push_back(std::move(f.shown));
}

/// Checks the files that the command line names, or returns the cached result of an earlier run.
CachedRun check_paths(const std::vector<std::string>& given, ValidateSettings& settings) {
  const auto start = std::chrono::system_clock::now();
  std::optional<FindingCache> cache;
  if (cacheable(given, settings)) {
    std::vector<std::string> places;
    for (const std::string& path : given) places.push_back(absolute_path(path));
    cache.emplace(settings.cache, cache_key(given, settings), std::move(places));
    if (auto known = cache->load(settings.jobs)) return std::move(*known);
  }
  const bool dash = std::find(given.begin(), given.end(), "-") != given.end();
  settings.whole = !settings.syntax_only && !dash;
  std::vector<Repository> repositories = discover(given, settings.validate.modulepath, settings.all, !settings.syntax_only);
  settings.validate.keep_trees = !settings.syntax_only && !dash;
  // Make the phase summaries now: modules may read what the files define, and standard input cannot be read twice.
  settings.validate.summaries = !settings.validate.modulepath.empty() || dash || settings.code;
  CachedRun run;
  std::vector<Validation> texts, others;
  if (settings.code) texts.push_back(validate_text("", *settings.code, false, settings.validate));
  for (Repository& repository : repositories)
    check_repository(repository, settings, !settings.syntax_only && !dash, std::exchange(texts, {}), run, others);
  std::move(others.begin(), others.end(), std::back_inserter(run.validations));
  if (cache) cache->store(run, repositories, start);
  return run;
}

constexpr std::string_view validate_usage = R"(Usage: pupc validate [options] [PATH...]

Finds errors in manifests, templates (EPP, ERB), Hiera data, metadata and the Puppetfile without compiling a node. PATH is a file, a
directory with all that is in it (by default the current one), or - for a manifest on standard input. Files of an environment or a module are
checked against each other and the modules that they use, a manifest that lies alone against itself: names, parameters, types, variables,
resources. `pupc doc checks` lists the checks. Findings go to standard output, in a pipe one a line:
FILE:LINE:COLUMN: SEVERITY[NUMBER CHECK]: what is wrong, and what to do.)";

} // namespace

int validate_command(std::span<const std::string_view> words) {
  ValidateSettings settings;
  ParserMemory memory;
  settings.validate.memory = &memory;
  std::vector<Option> table = {
      {"--format", "FORMAT", "human (default), json, sarif, junit, github, gitlab or checkstyle",
       [&](std::string_view v) { settings.format = parse_finding_format(v); }},
      {"--syntax-only", "", "syntax and static checks of each file by itself", [&](std::string_view) { settings.syntax_only = true; }},
      {"--hints", "", "also tell what may well be meant", [&](std::string_view) { settings.hints = true; }},
      {"--summary", "", "print the number of files and the time also when the output is no terminal",
       [&](std::string_view) { settings.summary = true; }},
      {"--max-severity", "LEVEL", "the worst that leaves exit code 0: none, hint, warning (default) or error",
       [&](std::string_view v) {
         settings.tolerate_none = v == "none";
         if (v == "hint" || v == "none")
           settings.tolerated = Severity::Hint;
         else if (v == "warning")
           settings.tolerated = Severity::Warning;
         else if (v == "error")
           settings.tolerated = Severity::Error;
         else
           throw UsageError{fmt::format("--max-severity is none, hint, warning or error, not '{}'", v)};
       }},
      {"--changed-since", "REV", "tell only of files that differ from this revision of git; all others are still read",
       [&](std::string_view v) {
         if (v.empty() || v.starts_with('-')) throw UsageError{fmt::format("--changed-since takes a revision, not '{}'", v)};
         settings.changed_since = v;
       }},
      {"--baseline", "FILE", "leave out the findings that this file lists", [&](std::string_view v) { settings.baseline = v; }},
      {"--write-baseline", "FILE", "make the findings of now the baseline", [&](std::string_view v) { settings.write_baseline = v; }},
      {"--cache", "DIR", "where findings are kept for the next run on the same files (default: pupc in the user's cache directory)",
       [&](std::string_view v) {
         if (v.empty()) throw UsageError{"--cache takes a directory"};
         settings.cache = absolute_path(v);
       }},
      {"--no-cache", "", "neither use nor keep findings of other runs", [&](std::string_view) { settings.cache.clear(); }},
      {"--strict", "LEVEL", "what to make of doubtful code: off, warning or error (default)",
       [&](std::string_view v) {
         if (v == "off")
           settings.validate.strict = Strict::Off;
         else if (v == "warning")
           settings.validate.strict = Strict::Warning;
         else if (v == "error")
           settings.validate.strict = Strict::Error;
         else
           throw UsageError{fmt::format("--strict is off, warning or error, not '{}'", v)};
       }},
      {"--modulepath", "A:B",
       "directories of modules: definitions in them must be in the files of their names, and what is used of them counts for phases",
       [&](std::string_view v) {
         settings.validate.modulepath.clear();
         while (!v.empty()) {
           const size_t end = std::min(v.find(':'), v.size());
           std::string path = fs::absolute(v.substr(0, end)).lexically_normal().string();
           while (path.size() > 1 && path.back() == '/') path.pop_back();
           if (end > 0) settings.validate.modulepath.push_back(std::move(path));
           v.remove_prefix(std::min(end + 1, v.size()));
         }
       }},
      {"--all", "", "also check the modules that the Puppetfile installed; else they are only read",
       [&](std::string_view) { settings.all = true; }},
      {"--top-scope-variables", "A,B",
       "all variables that a classifier and facts of the site set: what no manifest sets besides is an error, else a warning",
       [&](std::string_view v) {
         settings.top_scope.emplace();
         for (size_t begin = 0; begin < v.size();) {
           const size_t end = std::min(v.find(',', begin), v.size());
           settings.top_scope->emplace(v.substr(begin, end - begin));
           begin = end + 1;
         }
       }},
      {"--style", "", "also check the style of manifests, as puppet-lint does; its .puppet-lint.rc and lint:ignore comments count",
       [&](std::string_view) { settings.style = true; }},
      {"--fix", "", "mend what of style can be mended without changing any catalog, then check",
       [&](std::string_view) { settings.fix = true; }},
      {"--only-checks", "A,B", "of the checks of style only these", [&](std::string_view v) { settings.only_style = v; }},
      {"--style-config", "FILE", "options of style from this file instead of .puppet-lint.rc",
       [&](std::string_view v) { settings.style_config = v; }},
      {"-e --execute", "CODE", "check this code", [&](std::string_view v) { settings.code = std::string(v); }},
      {"--batch", "FILE.jsonl", "answer one request per line, {\"id\",\"file\"|\"code\",\"epp\"}; - reads standard input",
       [&](std::string_view v) { settings.batch = v; }},
      {"--jobs", "N", "files at the same time", [&](std::string_view v) { settings.jobs = positive_number("--jobs", v); }},
      {"--color", "WHEN", "auto, always or never", [&](std::string_view v) { settings.color = parse_color(v); }},
  };
  bool help = false;
  const auto paths = Options(validate_usage, std::move(table)).parse(words, help);
  if (help) return exit_success;
  if (!settings.batch.empty()) {
    if (!paths.empty() || settings.code) throw UsageError{"--batch takes no further sources"};
    return answer_lines(settings.batch, settings.jobs,
                        [&](const std::string& line, bool& readable) { return answer(line, settings, readable); });
  }

  const auto start = std::chrono::steady_clock::now();
  StyleOptions style;
  if (settings.style || settings.fix || !settings.only_style.empty() || !settings.style_config.empty()) {
    style = style_options(settings);
    settings.validate.style = &style;
    if (style.fail_on_warnings && settings.tolerated == Severity::Warning) settings.tolerated = Severity::Hint;
  }
  std::vector<std::string> given(paths.begin(), paths.end());
  if (given.empty() && !settings.code) given.emplace_back(".");
  if (settings.fix && (settings.code || std::find(given.begin(), given.end(), "-") != given.end())) throw UsageError{"--fix is for files"};
  // Thousands of files may be given; what has a file's name is not asked for more than that here.
  settings.directories = std::any_of(given.begin(), given.end(),
                                     [](const std::string& path) { return !kind_of_file(path) && is_directory(path); });
  const bool all_written = !settings.fix || fix_files(discover_files(given, settings.all), style);
  static CachedRun* kept = nullptr; // never destroyed: freeing thousands of trees would take longer than the end of the process
  kept = new CachedRun(check_paths(given, settings));
  CachedRun& checked = *kept;
  auto& files = checked.files;
  auto& validations = checked.validations;
  if (!settings.changed_since.empty()) {
    std::set<std::string> changed;
    for (const std::string& path : given) {
      const std::string from = fs::is_directory(path) ? path : fs::path(absolute_path(path)).parent_path().string();
      changed.merge(changed_files(from, settings.changed_since));
    }
    for (size_t i = files.size(); i-- > 0;)
      if (!changed.contains(fs::weakly_canonical(absolute_path(files[i])).string())) {
        validations.erase(validations.begin() + static_cast<ptrdiff_t>(i));
        files.erase(files.begin() + static_cast<ptrdiff_t>(i));
      }
  }
  Totals totals;
  totals.files = validations.size();
  totals.paths = !given.empty();
  totals.directory = settings.directories;
  totals.kept = checked.kept;
  totals.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const int code = report(validations, files, settings, totals);
  return all_written ? code : std::max<int>(code, exit_failure);
}

} // namespace pupc::cli
