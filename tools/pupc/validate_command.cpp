// pupc validate: syntax and static checks of manifests and templates.
#include "catalog/json/json_reader.h"
#include "catalog/json/json_writer.h"
#include "tools/pupc/command.h"
#include "tools/pupc/compile_settings.h"
#include "tools/pupc/options.h"
#include "tools/pupc/render.h"
#include "tools/pupc/validation.h"
#include "tools/pupc/workers.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <unistd.h>

namespace pupc {
namespace {

namespace fs = std::filesystem;

// Where the output is a log, findings are told as the reference does: at most this many of a kind.
constexpr size_t reference_max_messages = 10;

enum class Format : uint8_t { Human, Json };

struct Settings {
  ValidateOptions validate;
  Format format = Format::Human;
  ColorMode color = ColorMode::Auto;
  unsigned jobs = default_jobs();
  std::string batch;
  std::optional<std::string> code;
};

bool is_source(const fs::path& path) { return path.extension() == ".pp" || path.extension() == ".epp"; }

/// The files that a path stands for: itself, or all manifests and templates below a directory in order of their names.
void add_files(std::vector<std::string>& files, std::string_view path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    files.emplace_back(path);
    return;
  }
  const size_t before = files.size();
  for (auto it = fs::recursive_directory_iterator(path, fs::directory_options::skip_permission_denied, error); !error && it != fs::end(it);
       it.increment(error)) {
    if (it->path().filename() == ".git" && it->is_directory(error)) {
      it.disable_recursion_pending();
    } else if (is_source(it->path()) && it->is_regular_file(error)) {
      files.push_back(it->path().string());
    }
  }
  std::sort(files.begin() + static_cast<ptrdiff_t>(before), files.end());
}

void write_finding(JsonWriter& w, const Diagnostic& d, bool full) {
  const LineColumn at = d.style == PositionStyle::None || d.style == PositionStyle::File ? LineColumn{} : d.position();
  auto number = [&](std::string_view key, uint32_t n) {
    w.key(key);
    if (n == 0)
      w.null();
    else
      w.integer(n);
  };
  w.begin_object();
  if (full) w.member("file", d.file_name());
  if (!full) w.member("message", d.message);
  number("line", at.line);
  number("column", d.style == PositionStyle::Line ? 0 : at.column);
  if (full) {
    w.member("severity", d.severity == Severity::Error ? "error" : "warning");
    w.key("code");
    w.integer(static_cast<int64_t>(d.code));
    w.member("message", d.message);
    if (!d.suggestion.empty()) w.member("suggestion", d.suggestion);
  }
  w.end_object();
}

/// As the reference's log: of warnings, deprecations and errors at most so many each, errors last, and how many there were; of syntax
/// errors the first.
std::vector<Diagnostic> as_logged(const Validation& v) {
  const std::vector<Diagnostic>& findings = v.findings;
  std::vector<Diagnostic> out;
  size_t errors = 0, warnings = 0, deprecations = 0;
  for (const Diagnostic& d : findings) {
    if (d.severity == Severity::Error) continue;
    size_t& count = d.severity == Severity::Deprecation ? deprecations : warnings;
    if (count++ < reference_max_messages) out.push_back(d);
  }
  for (const Diagnostic& d : findings)
    if (d.severity == Severity::Error && (v.syntax_error ? errors++ == 0 : errors++ < reference_max_messages)) out.push_back(d);
  if (errors > 1 && !v.syntax_error) {
    const size_t others = warnings + deprecations;
    Diagnostic d;
    d.style = PositionStyle::File;
    d.message = fmt::format("Language validation logged {} errors{}. Giving up", errors,
                            others ? fmt::format(", and {} warnings", others) : std::string());
    d.file = findings.front().file_name();
    out.push_back(std::move(d));
  }
  return out;
}

void print_human(const Validation& v, const RenderStyle& style) {
  std::string out;
  for (const LogEntry& m : v.embedded) out += fmt::format("{}: {}\n", m.level == LogLevel::Err ? "Error" : "Warning", m.message);
  if (style.excerpt) {
    for (const Diagnostic& d : v.findings) out += render(d, style) + '\n';
  } else {
    for (const Diagnostic& d : as_logged(v)) out += render(d, style);
  }
  std::fwrite(out.data(), 1, out.size(), stderr);
}

int report(const std::vector<Validation>& validations, const Settings& settings) {
  size_t errors = 0, warnings = 0;
  for (const Validation& v : validations) {
    errors += v.errors();
    warnings += v.findings.size() - v.errors();
  }
  if (settings.format == Format::Json) {
    std::string out = "[";
    for (const Validation& v : validations)
      for (const Diagnostic& d : v.findings) {
        out += out.size() == 1 ? "\n" : ",\n";
        JsonWriter w(out);
        write_finding(w, d, true);
      }
    out += out.size() == 1 ? "]\n" : "\n]\n";
    if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size() || std::fflush(stdout) != 0) return exit_failure;
  } else {
    const RenderStyle style = render_style(stderr, settings.color);
    for (const Validation& v : validations) print_human(v, style);
    if (style.excerpt && (errors != 0 || warnings != 0 || validations.size() > 1)) {
      auto count = [](size_t n, std::string_view what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); };
      fmt::print(stderr, "{}, {} in {}\n", count(errors, "error"), count(warnings, "warning"), count(validations.size(), "file"));
    }
  }
  return errors == 0 ? exit_success : exit_failure;
}

/// One line of a batch: {"id","file"|"code","epp"} -> {"id","ok","errors":[{"message","line","column"}]}.
std::string answer(const std::string& line, const Settings& settings, bool& readable) {
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
  Validation v;
  if (!readable) {
    v.findings.emplace_back();
    v.findings.back().message = fmt::format("the request is no JSON object with a file or code: {}{}", error.message,
                                            error.message.empty() ? "" : fmt::format(" (column {})", error.column));
  } else if (file.is_string()) {
    v = validate_file(std::string(file.str()), settings.validate);
  } else {
    v = validate_text("", std::string(code.str()), field("epp").truthy(), settings.validate);
  }
  std::vector<Validation> alone;
  alone.push_back(std::move(v));
  ValidateOptions without_modules = settings.validate; // a request is one text
  without_modules.modulepath.clear();
  check_program(alone, without_modules);
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
    if (d.severity == Severity::Error) write_finding(w, d, false);
  w.end_array();
  w.end_object();
  return out;
}

constexpr std::string_view usage = R"(Usage: pupc validate [options] PATH...

Checks manifests (.pp) and templates (.epp): syntax, and what can be told to be wrong without evaluating them. A directory stands for all
such files below it, - for a manifest on standard input. Exit code 0: nothing wrong, or warnings only; 1: errors; 2: wrong usage.)";

} // namespace

int validate_command(std::span<const std::string_view> words) {
  Settings settings;
  std::vector<Option> table = {
      {"--format", "FORMAT", "human (default) or json: one array of findings",
       [&](std::string_view v) {
         if (v != "human" && v != "json") throw UsageError{fmt::format("--format is human or json, not '{}'", v)};
         settings.format = v == "json" ? Format::Json : Format::Human;
       }},
      {"--syntax-only", "", "syntax and static checks of each file by itself (all there is so far)", [](std::string_view) {}},
      {"--strict", "LEVEL", "what to make of doubtful code: off, warning or error (default)",
       [&](std::string_view v) {
         if (v == "off")
           settings.validate.strict = CheckOptions::Strict::Off;
         else if (v == "warning")
           settings.validate.strict = CheckOptions::Strict::Warning;
         else if (v == "error")
           settings.validate.strict = CheckOptions::Strict::Error;
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
      {"-e --execute", "CODE", "check this code", [&](std::string_view v) { settings.code = std::string(v); }},
      {"--batch", "FILE.jsonl", "answer one request per line, {\"id\",\"file\"|\"code\",\"epp\"}; - reads standard input",
       [&](std::string_view v) { settings.batch = v; }},
      {"--jobs", "N", "files at the same time", [&](std::string_view v) { settings.jobs = positive_number("--jobs", v); }},
      {"--color", "WHEN", "auto, always or never", [&](std::string_view v) { settings.color = parse_color(v); }},
  };
  bool help = false;
  const auto paths = Options(usage, std::move(table)).parse(words, help);
  if (help) return exit_success;
  if (!settings.batch.empty()) {
    if (!paths.empty() || settings.code) throw UsageError{"--batch takes no further sources"};
    return answer_lines(settings.batch, settings.jobs,
                        [&](const std::string& line, bool& readable) { return answer(line, settings, readable); });
  }
  std::vector<std::string> files;
  for (std::string_view path : paths) add_files(files, path);
  const bool from_stdin = paths.empty() && !settings.code && isatty(STDIN_FILENO) == 0;
  if (paths.empty() && !settings.code && !from_stdin) throw UsageError{"nothing to validate: give files, directories, - or -e CODE"};

  std::vector<Validation> validations(files.size());
  if (settings.code) validations.push_back(validate_text("", *settings.code, false, settings.validate));
  if (from_stdin) validations.push_back(validate_text("", read_standard_input(), false, settings.validate));
  auto one = [&](size_t i) {
    validations[i] = files[i] == "-" ? validate_text("", read_standard_input(), false, settings.validate)
                                     : validate_file(files[i], settings.validate);
    // Of a file without findings nothing needs to be kept.
    const Validation& v = validations[i];
    if (v.findings.empty() && (!v.phases || (v.phases->reads.empty() && v.phases->file_reads.empty()))) validations[i].keep.reset();
  };
  if (files.size() == 1)
    one(0);
  else if (!files.empty())
    for_each_index(files.size(), settings.jobs, one);
  check_program(validations, settings.validate);
  return report(validations, settings);
}

} // namespace pupc
