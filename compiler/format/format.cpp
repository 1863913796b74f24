#include "compiler/format/format.h"

#include "compiler/ast/printer.h"
#include "compiler/format/layout.h"
#include "compiler/parse/parser.h"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

namespace pupc::compiler {
namespace {

/// Keeps alive everything that a result's diagnostics point into.
struct Kept {
  RegexCache regexes;
  std::shared_ptr<ParsedFile> file;
  std::shared_ptr<SourceFile> source;
};

std::string tree_text(const ParsedFile& file) {
  PrintOptions options;
  options.positions = options.slots = false;
  return print_ast(file, options);
}

/// The comments of a text, one after another on separate lines, to compare two texts.
std::string comments_of(const SourceFile& source) {
  Arena arena;
  RegexCache regexes;
  TokenList list;
  lex(source, false, arena, regexes, list);
  std::string out;
  for (const SourceToken& t : source_tokens(source.text(), list))
    if (t.is_comment()) {
      out += source.text().substr(t.offset, t.length);
      out += '\n';
    }
  return out;
}

uint32_t offset_of_line(std::string_view text, uint32_t line) {
  size_t at = 0;
  for (uint32_t i = 1; i < line; ++i) {
    const size_t nl = text.find('\n', at);
    if (nl == std::string_view::npos) return static_cast<uint32_t>(text.size());
    at = nl + 1;
  }
  return static_cast<uint32_t>(at);
}

/// The source with only a range of lines formatted. The replaced part begins and ends where a line starts with the same token in the source
/// and in the formatted text.
std::string only_lines(std::string_view source, const std::string& formatted, const std::vector<std::pair<uint32_t, uint32_t>>& starts,
                       const FormatOptions& options) {
  const uint32_t from = offset_of_line(source, options.first_line), to = offset_of_line(source, options.last_line + 1);
  auto line_start = [&](uint32_t offset) { // where the token's line begins, if the token is the first on its line
    uint32_t at = offset;
    while (at > 0 && (source[at - 1] == ' ' || source[at - 1] == '\t')) --at;
    return at == 0 || source[at - 1] == '\n' ? at : UINT32_MAX;
  };
  uint32_t source_begin = 0, out_begin = 0;
  uint32_t source_end = static_cast<uint32_t>(source.size()), out_end = static_cast<uint32_t>(formatted.size());
  for (const auto& [offset, out] : starts) {
    const uint32_t line = line_start(offset);
    if (line == UINT32_MAX) continue;
    if (line <= from) {
      source_begin = line;
      out_begin = out;
    } else if (line >= to) {
      source_end = line;
      out_end = out;
      break;
    }
  }
  std::string text(source.substr(0, source_begin));
  text += std::string_view(formatted).substr(out_begin, out_end - out_begin);
  text += source.substr(source_end);
  return text;
}

void refuse(FormatResult& result, const std::string& path, std::string what) {
  Diagnostic d;
  d.code = ErrorCode::internal_error;
  d.style = PositionStyle::File;
  d.file = path;
  d.message = std::move(what);
  result.diagnostics.push_back(std::move(d));
}

} // namespace

FormatResult format_manifest(const std::string& path, const std::string& text, const FormatOptions& options) {
  FormatResult result;
  auto kept = std::make_shared<Kept>();
  result.keep = kept;
  ParseOptions how;
  how.tasks = is_plan_path(path);
  ParseResult parsed = parse(path, text, kept->regexes, how);
  kept->file = parsed.file;
  kept->source = parsed.source;
  if (!parsed.file) {
    result.diagnostics = std::move(parsed.diagnostics);
    return result;
  }
  const SourceFile& source = *parsed.file->source;
  Arena arena;
  TokenList list;
  lex(source, false, arena, kept->regexes, list, how.tasks);
  std::vector<std::pair<uint32_t, uint32_t>> starts;
  try {
    const Layout layout(source.text(), list, *parsed.file, options.keep_columns);
    result.text = write_layout(layout, starts);
  } catch (const std::logic_error& error) {
    refuse(result, path, fmt::format("The formatter does not understand the file, which stays as it is: {}", error.what()));
    return result;
  }
  if (options.first_line != 0) result.text = only_lines(source.text(), result.text, starts, options);
  if (result.text == text) {
    result.ok = true;
    return result;
  }
  const ParseResult again = parse(path, result.text, kept->regexes, how);
  if (!again.file || tree_text(*again.file) != tree_text(*parsed.file))
    refuse(result, path, "Formatting would change what the file means, so it stays as it is");
  else if (comments_of(*again.file->source) != comments_of(source))
    refuse(result, path, "Formatting would change a comment, so the file stays as it is");
  else
    result.ok = true;
  return result;
}

} // namespace pupc::compiler
