#include "tools/pupc/render.h"

#include "catalog/base/excerpt.h"
#include "catalog/base/paths.h"
#include "compiler/analysis/codebase/check_registry.h"
#include "tools/pupc/options.h"

#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

namespace pupc::cli {
namespace {

// Of longer lines only the part around the column is shown.
constexpr size_t shown_width = 160;

constexpr const char* bold_red = "\033[1;31m";
constexpr const char* bold_yellow = "\033[1;33m";
constexpr const char* blue = "\033[34m";
constexpr const char* bold = "\033[1m";
constexpr const char* reset = "\033[0m";

class Paint {
public:
  Paint(std::string& out, bool color) : out_(out), color_(color) {}
  void operator()(const char* code, std::string_view text) {
    if (color_) out_ += code;
    out_ += text;
    if (color_) out_ += reset;
  }

private:
  std::string& out_;
  bool color_;
};

/// Replaces control characters, which must not reach a terminal: source text may contain anything.
std::string printable(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\t')
      out += ' ';
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += "\xEF\xBF\xBD"; // U+FFFD
    else
      out += c;
  }
  return out;
}

/// The same for a message, but keeps its line ends.
std::string printable_lines(std::string_view text) {
  std::string out;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    if (begin != 0) out += '\n';
    out += printable(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

std::vector<std::string_view> code_points(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t i = 0; i < text.size();) {
    size_t n = 1;
    while (i + n < text.size() && (static_cast<unsigned char>(text[i + n]) & 0xC0) == 0x80) ++n;
    out.push_back(text.substr(i, n));
    i += n;
  }
  return out;
}

void excerpt(std::string& out, Paint& paint, const Loc& loc, const LineColumn& at, const char* accent) {
  const std::string number = std::to_string(at.line);
  const std::string margin(number.size() + 1, ' ');
  const std::string line = printable(loc.file->line_text(at.line));
  std::vector<std::string_view> characters = code_points(line);
  size_t column = std::min<size_t>(at.column == 0 ? 0 : at.column - 1, characters.size());
  size_t first = 0;
  if (characters.size() > shown_width && column > shown_width / 2) first = column - shown_width / 2;
  const size_t last = std::min(characters.size(), first + shown_width);

  // The carets mark only the part of the node that is on this line.
  std::string_view marked = loc.file->text().substr(std::min<size_t>(loc.offset, loc.file->text().size()), loc.length);
  marked = marked.substr(0, marked.find('\n'));
  size_t width = std::max<size_t>(1, code_points(marked).size());
  width = std::min(width, std::max<size_t>(1, last > column ? last - column : 1));

  paint(blue, margin + "|\n");
  paint(blue, number + " | ");
  if (first > 0) out += "…";
  for (size_t i = first; i < last; ++i) out += characters[i];
  if (last < characters.size()) out += "…";
  out += '\n';
  paint(blue, margin + "| ");
  out.append(column - first + (first > 0 ? 1 : 0), ' ');
  paint(accent, std::string(width, '^'));
  out += '\n';
}

std::string path_below(const std::string& path, const std::string& directory) {
  return !directory.empty() && is_below(path, directory) ? path.substr(directory.size() + 1) : path;
}

} // namespace

ColorMode parse_color(std::string_view word) {
  if (word == "auto") return ColorMode::Auto;
  if (word == "always") return ColorMode::Always;
  if (word == "never") return ColorMode::Never;
  // Puppet's values of --color. Puppet colours even into a pipe; pupc colours only terminals.
  if (word == "false") return ColorMode::Never;
  if (word == "ansi" || word == "console" || word == "true") return ColorMode::Auto;
  throw UsageError{fmt::format("--color is auto, always or never, not '{}'", word)};
}

RenderStyle render_style(std::FILE* stream, ColorMode color) {
  const bool terminal = isatty(fileno(stream)) != 0;
  const char* term = std::getenv("TERM");
  const bool plain = std::getenv("NO_COLOR") != nullptr || (term != nullptr && std::string_view(term) == "dumb");
  return {terminal, color == ColorMode::Always || (color == ColorMode::Auto && terminal && !plain), {}};
}

std::string render(const Diagnostic& d, const RenderStyle& style) {
  std::string out;
  Paint paint(out, style.color);
  const bool error = d.severity == Severity::Error, hint = d.severity == Severity::Hint;
  const char* accent = error ? bold_red : bold_yellow;
  if (!style.excerpt) {
    paint(accent, fmt::format("{}: {}", error ? "Error" : hint ? "Hint" : "Warning", d.puppet_text()));
    return out += '\n';
  }
  paint(accent, fmt::format("{}[{}]", error ? "error" : hint ? "hint" : "warning", static_cast<unsigned>(d.code)));
  paint(bold, ": " + printable_lines(d.message));
  out += '\n';
  return out += render_place(d, style);
}

std::string render_place(const Diagnostic& d, const RenderStyle& style) {
  std::string out;
  if (!style.excerpt)
    return (d.code == ErrorCode::ruby_error || d.code == ErrorCode::lookup_error) && !d.suggestion.empty()
               ? "  " + printable_lines(d.suggestion) + "\n"
               : out;
  Paint paint(out, style.color);
  const char* accent = d.severity == Severity::Error ? bold_red : bold_yellow;
  const Loc cause = cause_of(d), loc = cause ? cause : d.loc;
  const bool placed = cause || (d.style != PositionStyle::None && d.style != PositionStyle::File);
  const LineColumn at = !placed ? LineColumn{} : cause ? cause.position() : d.position();
  const std::string file = cause ? cause.file->path() : d.file_name();
  const std::string margin(at.line == 0 ? 1 : std::to_string(at.line).size(), ' ');
  if (!file.empty() || at.line != 0) {
    std::string place = file.empty() ? "(code)" : path_below(file, style.below);
    if (at.line != 0) place += fmt::format(":{}", at.line);
    if (at.column != 0) place += fmt::format(":{}", at.column);
    out += margin;
    paint(blue, "--> ");
    out += place;
    out += '\n';
  }
  if (loc && at.line != 0) excerpt(out, paint, loc, at, accent);
  auto note = [&](const std::string& text) {
    out += margin;
    paint(blue, " = ");
    out += printable_lines(text);
    out += '\n';
  };
  for (const TraceEntry& entry : d.trace) {
    if (entry.what.empty()) continue; // the cause
    LineColumn from = entry.loc.position();
    const std::string place = position_suffix(entry.loc ? entry.loc.file->path() : std::string(), from.line, from.column);
    note(with_paths_below(fmt::format("in {}{}", entry.what, place), style.below));
  }
  if (!d.suggestion.empty()) note(d.suggestion);
  return out;
}

std::string indented(std::string_view code) {
  std::string out;
  for (size_t begin = 0; begin < code.size();) {
    const size_t end = std::min(code.find('\n', begin), code.size());
    out += end == begin ? "\n" : fmt::format("    {}\n", code.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

} // namespace pupc::cli
