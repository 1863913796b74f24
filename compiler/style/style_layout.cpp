// Style checks: white space, comments, arrows.
#include "compiler/style/style_checks.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

using Form = StyleToken::Form;

uint32_t characters(std::string_view text) {
  return static_cast<uint32_t>(std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }));
}

} // namespace

void StyleChecks::white_space() {
  for (uint32_t i = 0; i < t_.size(); ++i) {
    const StyleToken& t = t_[i];
    if (!t.is(Form::Whitespace) && !t.is(Form::Indent)) continue;
    const bool trailing = i + 1 == t_.size() || t_[i + 1].is(Form::Newline);
    if (trailing) mend(CheckCode::trailing_whitespace, t, "White space at the end of the line", {{t.offset, t.length, ""}});
    if (t.value.find('\t') != std::string_view::npos) {
      std::string blanks;
      for (const char c : t.value) blanks += c == '\t' ? std::string("  ") : std::string(1, c);
      // At the end of a line the trailing_whitespace check removes the tab anyway.
      mend(CheckCode::hard_tabs, t, "A tab where blanks should be",
           {{t.offset, t.length, trailing && on(CheckCode::trailing_whitespace) ? "" : blanks}});
    }
    if (t.is(Form::Indent) && characters(t.value) % 2 != 0)
      report(CheckCode::_2sp_soft_tabs, t, "The indentation is not a multiple of two blanks");
  }
}

void StyleChecks::line_length(CheckCode code, uint32_t most) {
  if (!on(code)) return;
  const std::string_view text = t_.source.text();
  uint32_t line = 1;
  for (size_t begin = 0; begin < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view content = text.substr(begin, end - begin);
    if (content.size() > most && characters(content) > most && content.find("://") == std::string_view::npos &&
        content.find("template(") == std::string_view::npos) {
      size_t at = begin; // offset of the last allowed character
      for (uint32_t n = 1; n < most; ++n) do
          ++at;
        while ((static_cast<uint8_t>(text[at]) & 0xC0) == 0x80);
      report(code, static_cast<uint32_t>(at), static_cast<uint32_t>(end - at), line,
             fmt::format("The line has more than {} characters", most));
    }
    begin = end + 1;
  }
}

void StyleChecks::comments() {
  const std::string_view text = t_.source.text();
  for (uint32_t i = 0; i < t_.size(); ++i) {
    const StyleToken& t = t_[i];
    if (!t.is(Form::BlockComment)) continue;
    // Lines with # can replace the comment only if no code shares its lines.
    const bool first = i == 0 || t_[i - 1].is(Form::Newline) || t_[i - 1].is(Form::Indent);
    const bool last = i + 1 == t_.size() || t_[i + 1].is(Form::Newline);
    if (!first || !last) {
      report(CheckCode::star_comments, t, "A comment in /* */ instead of #");
      continue;
    }
    const std::string indent(i != 0 && t_[i - 1].is(Form::Indent) ? t_[i - 1].value : "");
    std::string lines;
    std::string_view rest = text.substr(t.offset + 2, t.length - 4);
    for (bool more = true; more;) {
      const size_t nl = rest.find('\n');
      more = nl != std::string_view::npos;
      std::string_view line = rest.substr(0, nl);
      const bool carriage = line.ends_with('\r');
      auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
      while (!line.empty() && blank(line.back())) line.remove_suffix(1);
      if (!lines.empty()) { // from the second line on: drop the decorative leading star
        size_t skip = 0;
        while (skip < line.size() && blank(line[skip])) ++skip;
        if (skip < line.size() && line[skip] == '*')
          line.remove_prefix(skip + 1);
        else if (line.starts_with(indent))
          line.remove_prefix(indent.size());
        lines += indent;
      } else {
        while (line.starts_with('*')) line.remove_prefix(1);
      }
      lines += line.empty() || blank(line.front()) ? "#" : "# ";
      lines += line;
      if (more) lines += carriage ? "\r\n" : "\n";
      if (more) rest.remove_prefix(nl + 1);
    }
    mend(CheckCode::star_comments, t, "A comment in /* */ instead of #", {{t.offset, t.length, lines}});
  }
}

/// Checks that the arrows within each pair of braces of a resource stand below each other.
void StyleChecks::arrow_alignment(const StyleResource& r) {
  struct Level {
    std::vector<uint32_t> arrows;
    uint32_t column = 0, parameter_column = 0;
  };
  uint32_t first = StyleToken::none, last = 0;
  for (uint32_t i = r.first; i <= r.last; ++i)
    if (t_[i].is(Tok::FatArrow)) {
      if (first == StyleToken::none) first = i;
      last = i;
    }
  if (first == StyleToken::none || t_[first].line == t_[last].line) return;
  std::vector<Level> levels(1);
  for (uint32_t i = r.first; i <= r.last; ++i) {
    const StyleToken& t = t_[i];
    if (t.is(Tok::FatArrow)) {
      Level& level = levels.back();
      const StyleToken& end = t_.before(t);
      uint32_t begin = t.before;
      if (end.is(Tok::DqPost))
        while (begin > 0 && !t_[begin].is(Tok::DqPre)) --begin;
      const uint32_t length = characters(t_.source.text().substr(t_[begin].offset, end.end() - t_[begin].offset));
      if (level.parameter_column == 0) level.parameter_column = t_[begin].column;
      const bool shares_line = std::any_of(level.arrows.begin(), level.arrows.end(), [&](uint32_t a) { return t_[a].line == t.line; });
      const uint32_t wanted =
          (shares_line ? level.parameter_column : end.column - (end.is(Tok::DqPost) ? end.column - t_[begin].column : 0)) + length + 1;
      level.column = std::max(level.column, wanted);
      level.arrows.push_back(i);
    } else if (is_open_brace(t)) {
      levels.emplace_back();
    } else if (t.is(Tok::RBrace) || t.is(Tok::Semicolon)) {
      arrow_group(levels.back().arrows, levels.back().column);
      if (levels.size() == 1) break;
      levels.pop_back();
    }
  }
}

void StyleChecks::arrow_group(const std::vector<uint32_t>& arrows, uint32_t column) {
  std::set<uint32_t> lines;
  for (const uint32_t a : arrows) lines.insert(t_[a].line);
  if (lines.size() < 2) return;
  const bool one_each = lines.size() == arrows.size();
  for (const uint32_t a : arrows) {
    const StyleToken& t = t_[a];
    if (t.column == column) continue;
    std::string message = fmt::format("The arrow should be in column {}, not {}", column, t.column);
    const StyleToken& blank = t_[a - 1];
    const int64_t width = (blank.is(Form::Whitespace) ? int64_t{characters(blank.value)} : 0) + column - t.column;
    if (!one_each || width < 1 || t_.before(t).line != t.line || blank.is_comment())
      report(CheckCode::arrow_alignment, t, std::move(message));
    else if (blank.is(Form::Whitespace))
      mend(CheckCode::arrow_alignment, t, std::move(message), {{blank.offset, blank.length, std::string(static_cast<size_t>(width), ' ')}});
    else
      mend(CheckCode::arrow_alignment, t, std::move(message), {{t.offset, 0, std::string(static_cast<size_t>(width), ' ')}});
  }
}

/// Checks a resource with all arrows on one line: nothing to align, exactly one blank before each arrow.
void StyleChecks::single_arrow(const StyleResource& r) {
  std::vector<uint32_t> arrows;
  for (uint32_t i = r.first; i <= r.last; ++i)
    if (t_[i].is(Tok::FatArrow)) arrows.push_back(i);
  if (arrows.empty() || t_[arrows.front()].line != t_[arrows.back()].line) return;
  for (const uint32_t arrow : arrows) {
    const StyleToken& last = t_[arrow - 1];
    constexpr std::string_view message = "One blank should stand before the arrow";
    if (last.value == " ")
      continue;
    else if (last.is(Form::Whitespace))
      mend(CheckCode::space_before_arrow, last, std::string(message), {{last.offset, last.length, " "}});
    else if (last.is_formatting())
      report(CheckCode::space_before_arrow, last, std::string(message));
    else
      mend(CheckCode::space_before_arrow, last, std::string(message), {{t_[arrow].offset, 0, " "}});
  }
}

void StyleChecks::relationship_arrows() {
  for (uint32_t i = 0; i < t_.size(); ++i) {
    const StyleToken& t = t_[i];
    if (t.is(Tok::OutEdge)) report(CheckCode::right_to_left_relationship, t, "The relationship <- reads from right to left");
    if ((!t.is(Tok::InEdge) && !t.is(Tok::InEdgeSub)) || t_.after(t).line == t.line || t.after == StyleToken::none) continue;
    const StyleToken& right = t_.after(t);
    std::vector<StyleEdit> edits;
    const bool blank_before = i > 0 && t_[i - 1].is(Form::Whitespace);
    const bool line_ends = t_[i + 1].is(Form::Newline);
    const bool alone = i > 0 && (t_[i - 1].is(Form::Indent) || t_[i - 1].is(Form::Newline));
    if (line_ends && !alone) {
      const uint32_t from = blank_before ? t_[i - 1].offset : t.offset;
      edits = {{from, t.end() - from, ""}, {right.offset, 0, std::string(t_.text_of(t)) + " "}};
    }
    constexpr std::string_view message = "The arrow should stand on the line of what is on its right";
    if (edits.empty())
      report(CheckCode::arrow_on_right_operand_line, t, std::string(message));
    else
      mend(CheckCode::arrow_on_right_operand_line, t, std::string(message), std::move(edits));
  }
}

} // namespace pupc::compiler
