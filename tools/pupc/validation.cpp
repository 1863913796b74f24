#include "tools/pupc/validation.h"

#include "compiler/check/phases.h"
#include "compiler/load/parsed_files.h"
#include "compiler/parse/parser.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace pupc {
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
  check_options.embedded_code = embedded_code_check(kept->regexes, options.strict, [&](const LogEntry& message) { v.embedded.push_back(message); });
  if (!path.empty() && !options.modulepath.empty()) {
    std::error_code ignored;
    set_place(check_options, std::filesystem::absolute(path, ignored).lexically_normal().string(), options.modulepath, {});
  }
  ParseOptions parse_options;
  parse_options.epp = epp;
  ParseResult parsed = parse(std::move(path), std::move(text), kept->regexes, parse_options);
  kept->file = parsed.file;
  kept->source = parsed.source;
  v.findings = std::move(parsed.diagnostics);
  v.syntax_error = !parsed.file;
  if (v.syntax_error) return v;
  for (Diagnostic& d : check(*parsed.file, check_options)) v.findings.push_back(std::move(d));
  if (v.errors() == 0 && !epp)
    if (auto clash = find_duplicate({parsed.file.get()}, {})) {
      if (clash->file_name().empty()) { // the reference names no place; ours tells machines at least the file
        clash->file = parsed.file->source->path();
        clash->style = PositionStyle::None;
      }
      v.findings.push_back(std::move(*clash));
    }
  if (v.errors() == 0)
    for (Diagnostic& d : check_phases(*parsed.file)) v.findings.push_back(std::move(d));
  return v;
}

Validation validate_file(const std::string& path, const ValidateOptions& options) {
  std::FILE* f = std::fopen(path.c_str(), "rb");
  if (f == nullptr) return unreadable(path, std::strerror(errno));
  std::string text;
  char buffer[65536];
  errno = 0;
  for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, f)) > 0;) text.append(buffer, n);
  const int failure = std::ferror(f) != 0 ? errno : 0;
  std::fclose(f);
  if (failure != 0) return unreadable(path, std::strerror(failure));
  return validate_text(path, std::move(text), path.ends_with(".epp"), options);
}

} // namespace pupc
