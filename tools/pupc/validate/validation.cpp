#include "tools/pupc/validate/validation.h"

#include "catalog/base/paths.h"
#include "catalog/base/text.h"
#include "compiler/build/builtin_functions.h"
#include "compiler/check/plan_check.h"
#include "compiler/load/parsed_files.h"
#include "compiler/parse/parser.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace pupc::cli {
namespace {

Validation unreadable(const std::string& path, const char* why) {
  Validation v;
  Diagnostic d;
  d.code = ErrorCode::load_error;
  d.style = PositionStyle::File;
  d.message = fmt::format("Could not read the file: {}", why);
  d.file = path;
  v.findings.push_back(std::move(d));
  return v;
}

/// "module/x.epp" for ".../module/templates/x.epp", else the path itself.
std::string template_name(const std::string& path) {
  const size_t at = path.rfind("/templates/");
  if (at == std::string::npos) return path;
  const size_t before = at == 0 ? std::string::npos : path.rfind('/', at - 1);
  return path.substr(before == std::string::npos ? 0 : before + 1, at - (before == std::string::npos ? 0 : before + 1)) + "/" +
         path.substr(at + 11);
}

/// The module file that contains what a summary names ("class a::b", "template a/x.epp"); empty when no module has it.
std::string module_file(std::string_view used, const std::vector<std::string>& modulepath) {
  const size_t blank = used.find(' ');
  const std::string_view kind = used.substr(0, blank);
  std::string name(used.substr(blank + 1)), module, rest;
  if (kind == "template") {
    const size_t slash = name.find('/');
    if (slash == std::string::npos) return {};
    module = name.substr(0, slash);
    rest = "templates/" + name.substr(slash + 1);
  } else {
    const size_t colons = name.find("::");
    module = name.substr(0, colons);
    rest = colons == std::string::npos ? "init" : name.substr(colons + 2);
    if (kind == "function" && colons == std::string::npos) return {}; // belongs to no module
    rest = (kind == "function" ? "functions/" : "manifests/") + with_replaced(rest, "::", "/") + ".pp";
  }
  if (module.empty() || module.find('/') != std::string::npos || rest.find("..") != std::string::npos) return {};
  for (const std::string& directory : modulepath) {
    std::error_code ignored;
    const std::string path = directory + "/" + module + "/" + rest;
    if (std::filesystem::is_regular_file(path, ignored)) return path;
    if (std::filesystem::is_directory(directory + "/" + module, ignored)) return {}; // only the first module counts
  }
  return {};
}

bool reads_files(std::string_view function) {
  const FunctionEntry* entry = builtin_functions().find(function);
  return entry != nullptr && entry->has(FunctionTrait::ReadsFiles);
}

/// The style findings of a manifest, in order of their places.
std::vector<Diagnostic> style_findings(const ParsedFile& file, RegexCache& regexes, const StyleOptions& options) {
  Arena arena;
  TokenList list;
  lex(*file.source, false, arena, regexes, list);
  Findings findings;
  check_style(*file.source, list, options, findings);
  std::vector<Diagnostic> found = findings.take();
  std::stable_sort(found.begin(), found.end(), [](const Diagnostic& a, const Diagnostic& b) { return a.loc.offset < b.loc.offset; });
  return found;
}

} // namespace

size_t Validation::errors() const {
  size_t n = 0;
  for (const Diagnostic& d : findings) n += d.severity == Severity::Error ? 1 : 0;
  return n;
}

Validation validate_text(std::string path, std::string text, bool epp, const ValidateOptions& options) {
  struct Kept {
    RegexCache regexes;
    std::shared_ptr<ParsedFile> file;
    std::shared_ptr<SourceFile> source;
  };
  auto kept = std::make_shared<Kept>();
  Validation v;
  v.keep = kept;
  CheckOptions check_options;
  check_options.strict = options.strict;
  if (!path.empty() && !options.modulepath.empty()) {
    std::error_code ignored;
    set_place(check_options, std::filesystem::absolute(path, ignored).lexically_normal().string(), options.modulepath, {});
  }
  ParseOptions parse_options;
  parse_options.epp = epp;
  // Plans call what only Bolt has, so they are checked by themselves.
  const bool plan = !epp && is_plan_path(path);
  parse_options.tasks = plan;
  parse_options.memory = options.memory;
  ParseResult parsed = parse(std::move(path), std::move(text), kept->regexes, parse_options);
  kept->file = parsed.file;
  kept->source = parsed.source;
  v.findings = std::move(parsed.diagnostics);
  v.syntax_error = !parsed.file;
  if (v.syntax_error) return v;
  check_options.embedded_code = embedded_code_check(kept->regexes, check_options,
                                                    [&](const LogEntry& message) { v.embedded.push_back(message); });
  if (options.style != nullptr && !epp) v.checks = style_findings(*parsed.file, kept->regexes, *options.style);
  for (Diagnostic& d : plan ? check_plan(*parsed.file, check_options) : check(*parsed.file, check_options))
    v.findings.push_back(std::move(d));
  const ParsedFile* const own = parsed.file.get();
  const bool sound = v.errors() == 0; // what is defined twice is defined all the same
  if (sound && !epp)
    if (auto clash = find_duplicate({&own, 1}, {})) {
      if (clash->file_name().empty()) { // Puppet names no place, but machine-readable output needs at least the file
        clash->file = parsed.file->source->path();
        clash->style = PositionStyle::None;
      }
      v.findings.push_back(std::move(*clash));
    }
  if (sound && options.keep_trees) (plan ? v.plan : v.parsed) = std::shared_ptr<const ParsedFile>(kept, kept->file.get());
  if (v.errors() != 0 || plan) return v;
  v.phase_needs = phase_needs(*parsed.file, reads_files);
  if (options.summaries || (!options.keep_trees && v.phase_needs.any()))
    v.phases = std::make_unique<PhaseSummary>(
        summarize_phases(*parsed.file, reads_files, epp ? template_name(parsed.file->source->path()) : ""));
  return v;
}

Validation validate_file(const std::string& path, const ValidateOptions& options) {
  auto text = read_whole_file(path, FileKinds::Pipes);
  if (!text) return unreadable(path, file_problem(errno).c_str());
  return validate_text(path, std::move(*text), path.ends_with(".epp"), options);
}

void add_summaries(std::vector<Validation>& texts, const std::vector<RepositoryFile>& files) {
  bool attributes = false;
  std::set<std::string_view> read;
  for (const Validation& v : texts) {
    attributes = attributes || v.phase_needs.attributes;
    read.insert(v.phase_needs.reads.begin(), v.phase_needs.reads.end());
  }
  const bool managed_files = !read.empty() && std::any_of(texts.begin(), texts.end(), [&](const Validation& v) {
    return v.parsed && std::ranges::any_of(v.phase_needs.manages, [&](std::string_view path) { return read.contains(path); });
  });
  if (!attributes && !managed_files) return;
  for (size_t i = 0; i < files.size(); ++i)
    if (Validation& v = texts[i]; v.parsed && !v.phases)
      v.phases = std::make_unique<PhaseSummary>(
          summarize_phases(*v.parsed, reads_files, files[i].kind == FileKind::Epp ? template_name(files[i].shown) : "", attributes));
}

void check_program(std::vector<Validation>& texts, const ValidateOptions& options) {
  std::vector<Validation> others; // files of modules that nobody asked about
  if (!options.modulepath.empty()) {
    std::set<std::string> seen;
    std::vector<std::string> open;
    auto take = [&](const PhaseSummary& s) {
      for (const std::string& name : s.defines) seen.insert(name);
      for (const std::string& name : s.uses) open.push_back(name);
    };
    for (const Validation& v : texts)
      if (v.phases) take(*v.phases);
    while (!open.empty()) {
      const std::string name = std::move(open.back());
      open.pop_back();
      if (!seen.insert(name).second) continue;
      const std::string path = module_file(name, options.modulepath);
      if (path.empty()) continue;
      Validation other = validate_file(path, options);
      if (!other.phases) continue;
      take(*other.phases);
      others.push_back(std::move(other));
    }
  }
  std::vector<Validation*> with;
  std::vector<const PhaseSummary*> program;
  for (std::vector<Validation>* list : {&texts, &others})
    for (Validation& v : *list)
      if (v.phases) {
        with.push_back(&v);
        program.push_back(&*v.phases);
      }
  std::vector<std::vector<Diagnostic>> found = check_phases(program);
  std::set<const Validation*> added;
  for (size_t i = 0; i < with.size(); ++i) {
    if (!found[i].empty() && with[i] >= others.data() && with[i] < others.data() + others.size()) {
      with[i]->findings.clear(); // nobody asked for warnings of that file
      added.insert(with[i]);
    }
    for (Diagnostic& d : found[i]) with[i]->findings.push_back(std::move(d));
  }
  for (Validation& v : others)
    if (added.contains(&v)) texts.push_back(std::move(v));
}

} // namespace pupc::cli
