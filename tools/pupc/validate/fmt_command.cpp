// pupc fmt: formats manifests as Puppet's style guide asks.
#include "catalog/base/paths.h"
#include "catalog/diff/unified_text.h"
#include "compiler/discovery/repository.h"
#include "compiler/format/format.h"
#include "runtime/sys/posix_system.h"
#include "tools/pupc/command.h"
#include "tools/pupc/options.h"
#include "tools/pupc/render.h"
#include "tools/pupc/settings/compile_settings.h"
#include "tools/pupc/validate/source_files.h"
#include "tools/pupc/workers.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace pupc::cli {
namespace {

struct FmtSettings {
  FormatOptions format;
  bool check = false, diff = false;
  ColorMode color = ColorMode::Auto;
  unsigned jobs = default_jobs();
};

/// One file before and after formatting.
struct Formatted {
  std::string before;
  FormatResult result;
  std::string problem; // with reading or writing the file, not with its syntax
  bool changed() const { return result.ok && result.text != before; }
};

FormatOptions parse_lines(std::string_view value, FormatOptions options) {
  const size_t colon = value.find(':');
  auto number = [&](std::string_view text) {
    uint32_t n = 0;
    const auto r = std::from_chars(text.data(), text.data() + text.size(), n);
    if (r.ec != std::errc() || r.ptr != text.data() + text.size() || n == 0)
      throw UsageError{fmt::format("--lines is FIRST:LAST, two numbers of lines from 1, not '{}'", value)};
    return n;
  };
  options.first_line = number(value.substr(0, colon));
  options.last_line = colon == std::string_view::npos ? options.first_line : number(value.substr(colon + 1));
  if (options.last_line < options.first_line) throw UsageError{fmt::format("--lines {}: the last line comes before the first", value)};
  return options;
}

Formatted format_file(const RepositoryFile& file, const FmtSettings& settings) {
  Formatted f;
  auto text = read_whole_file(file.path);
  if (!text) {
    f.problem = file_problem(errno);
    return f;
  }
  f.before = std::move(*text);
  f.result = format_manifest(file.shown, f.before, settings.format);
  return f;
}

void print(std::FILE* to, const std::string& text) { std::fwrite(text.data(), 1, text.size(), to); }

/// Reports why a file was not formatted. False when it was.
bool tell_problem(const Formatted& f, const std::string& shown, const RenderStyle& style) {
  if (!f.problem.empty()) fmt::print(stderr, "Error: {}: {}\n", shown, f.problem);
  for (const Diagnostic& d : f.result.diagnostics) {
    if (d.severity != Severity::Error) continue;
    print(stderr, render(d, style) + (style.excerpt ? "\n" : ""));
  }
  return !f.problem.empty() || !f.result.ok;
}

/// The changes in the format of `diff -u`, which patch accepts.
std::string patch(const Formatted& f, const std::string& name) {
  std::string out = fmt::format("--- {0}\n+++ {0}\n", name);
  for (const DiffHunk& hunk : unified_diff(f.before, f.result.text)) {
    out += hunk.head() + '\n';
    for (const DiffLine& line : hunk.lines) {
      out += line.sign;
      if (line.sign == '\\') out += ' ';
      out += line.text;
      out += '\n';
    }
  }
  return out;
}

int format_input(const FmtSettings& settings) {
  Formatted f;
  f.before = read_standard_input();
  f.result = format_manifest("", f.before, settings.format);
  if (tell_problem(f, "standard input", render_style(stderr, settings.color))) return exit_failure;
  if (settings.diff && f.changed())
    print(stdout, patch(f, "-"));
  else if (!settings.diff && !settings.check)
    print(stdout, f.result.text);
  return settings.check && f.changed() ? exit_failure : exit_success;
}

constexpr std::string_view fmt_usage = R"(Usage: pupc fmt [options] PATH...

Rewrites manifests (.pp) in the form of Puppet's style guide: indents of two spaces, one attribute a line, aligned arrows, a comma after the
last element of a list. Comments, blank lines between groups, texts of strings, and the columns of aligned parameters and assignments stay.
PATH is a file, a directory with all manifests in it (but those that .gitignore names), or - to format standard input to standard output.
Each result is parsed again: when it has not the same tree and the same comments, the file stays as it is.)";

} // namespace

int fmt_command(std::span<const std::string_view> words) {
  FmtSettings settings;
  std::vector<Option> table = {
      {"--check", "", "change nothing, name the files that would change", [&](std::string_view) { settings.check = true; }},
      {"--diff", "", "change nothing, print what would change as diff -u does", [&](std::string_view) { settings.diff = true; }},
      {"--columns", "WHICH", "of aligned parameters and assignments: keep (default) where they are, or tight",
       [&](std::string_view v) {
         if (v != "keep" && v != "tight") throw UsageError{fmt::format("--columns is keep or tight, not '{}'", v)};
         settings.format.keep_columns = v == "keep";
       }},
      {"--lines", "A:B", "format only what is on these lines",
       [&](std::string_view v) { settings.format = parse_lines(v, settings.format); }},
      {"--jobs", "N", "files at the same time", [&](std::string_view v) { settings.jobs = positive_number("--jobs", v); }},
      {"--color", "WHEN", "auto, always or never", [&](std::string_view v) { settings.color = parse_color(v); }},
  };
  bool help = false;
  const auto paths = Options(fmt_usage, std::move(table)).parse(words, help);
  if (help) return exit_success;
  const bool dash = std::find(paths.begin(), paths.end(), "-") != paths.end();
  if (dash || (paths.empty() && isatty(STDIN_FILENO) == 0)) {
    if (paths.size() > 1) throw UsageError{"- is given alone"};
    return format_input(settings);
  }
  if (paths.empty()) throw UsageError{"nothing to format: give files, directories or -"};
  std::vector<RepositoryFile> files = discover_files({paths.begin(), paths.end()});
  bool others = false; // named on the command line
  std::erase_if(files, [&](const RepositoryFile& f) {
    if (f.kind == FileKind::Manifest) return false;
    if (std::find(paths.begin(), paths.end(), f.shown) != paths.end()) {
      fmt::print(stderr, "Error: {}: {} not formatted, only manifests (.pp) are\n", f.shown,
                 f.kind == FileKind::Epp || f.kind == FileKind::Erb ? "templates are" : "this file is");
      others = true;
    }
    return true;
  });
  if (others && files.empty()) return exit_failure;
  if (files.empty()) fmt::print(stderr, "Nothing was formatted: the paths hold no manifests\n");
  if (settings.format.first_line != 0 && files.size() > 1) throw UsageError{"--lines is for one file"};

  std::vector<Formatted> done(files.size());
  for_each_index(files.size(), settings.jobs, [&](size_t i) { done[i] = format_file(files[i], settings); });
  const auto system = make_posix_system();
  const RenderStyle style = render_style(stderr, settings.color);
  size_t failed = 0, changed = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    Formatted& f = done[i];
    const std::string& shown = files[i].shown;
    if (tell_problem(f, shown, style)) {
      ++failed;
      continue;
    }
    if (!f.changed()) continue;
    ++changed;
    if (settings.diff) print(stdout, patch(f, shown));
    if (settings.check && !settings.diff) fmt::print("{}\n", shown);
    if (settings.check || settings.diff) continue;
    try {
      replace_source(*system, files[i].path, f.result.text);
    } catch (const SystemError& error) {
      fmt::print(stderr, "Error: {}: {}\n", shown, error.what());
      ++failed;
    }
  }
  return failed != 0 || others || (settings.check && changed != 0) ? exit_failure : exit_success;
}

} // namespace pupc::cli
