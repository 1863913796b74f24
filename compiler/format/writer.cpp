// Writes the text of a layout: indentation, comments, the texts of heredocs.
#include "compiler/format/layout.h"

#include <algorithm>

namespace pupc::compiler {
namespace {

constexpr uint32_t step = 2;

class Writer {
public:
  explicit Writer(const Layout& layout)
      : l_(layout), levels_(layout.places.size()), line_indent_(layout.places.size(), 0),
        line_end_(l_.text.substr(0, l_.text.find('\n')).ends_with('\r') ? "\r\n" : "\n") {}

  std::string run(std::vector<std::pair<uint32_t, uint32_t>>& starts) {
    const uint32_t end = static_cast<uint32_t>(l_.places.size()) - 1;
    for (uint32_t i = 0; i < end; ++i) token(i);
    align_comments();
    return join(starts);
  }

private:
  struct Line {
    std::string code;
    uint32_t first;
    uint32_t comment = Layout::none; // the comment at the line's end, or alone below such a comment
    uint32_t column = 0;             // of the comment
  };
  /// Indentation of the contents of a bracket.
  struct Levels {
    uint32_t base = 0;
    uint32_t attributes = 0;  // for a resource: level of the attributes of the current body
    bool after_title = false; // for a resource: inside of a body, after its title
  };

  void token(uint32_t i) {
    const Layout::Place& p = l_.places[i];
    const bool starts_line = i == 0 || p.breaks != 0;
    const bool ends_line = i + 2 == l_.places.size() || l_.places[i + 1].breaks != 0;
    if (starts_line) {
      const uint32_t indent = indentation(i);
      if (continues_comment(i, indent)) {
        lines_.push_back({{}, i, i});
        return;
      }
      indent_ = indent;
      lines_.push_back({std::string(indent, ' '), i});
    }
    Line& line = lines_.back();
    line_indent_[i] = indent_;
    const std::string_view text = l_.text_of(i);
    if (p.token.is_comment()) {
      if (!starts_line && ends_line && text.find('\n') == std::string_view::npos) {
        line.comment = i;
        return;
      }
    } else {
      note_levels(i, starts_line);
    }
    if (!starts_line) line.code.append(p.spaces, ' ');
    line.code += text;
    if (p.comma_after) line.code += ',';
  }

  void note_levels(uint32_t i, bool starts_line) {
    const Layout::Place& p = l_.places[i];
    if (p.opens) {
      Levels& v = levels_[i];
      v.base = p.anchor != Layout::none && p.anchor < i ? line_indent_[p.anchor] : indent_;
      v.attributes = v.base + step;
    }
    if (p.parent == Layout::none || l_.places[p.parent].role != BracketRole::Resource || p.closes) return;
    Levels& around = levels_[p.parent];
    if (p.title_end)
      around.after_title = true;
    else if (p.token.kind == Tok::Semicolon)
      around.after_title = false;
    else if (p.starts && !around.after_title)
      around.attributes = starts_line ? indent_ + step : around.base + step;
  }

  uint32_t level_in(uint32_t open) const {
    if (open == Layout::none) return 0;
    const Levels& v = levels_[open];
    return l_.places[open].role == BracketRole::Resource && v.after_title ? v.attributes : v.base + step;
  }

  uint32_t indentation(uint32_t i) const {
    const Layout::Place& p = l_.places[i];
    if (p.token.is_comment()) {
      const uint32_t next = l_.code_after(i);
      if (l_.places[next].closes) return level_in(l_.places[next].partner);
      return l_.kind(next) == Tok::End ? 0 : indentation(next);
    }
    if (p.closes) return levels_[p.partner].base;
    const uint32_t level = level_in(p.parent);
    if (p.starts) return level;
    if (p.opens && p.role != BracketRole::Other && p.role != BracketRole::List && p.role != BracketRole::Hash) return level;
    if (p.token.kind == Tok::Semicolon || l_.is_relationship(i)) return level;
    const uint32_t before = l_.code_before(i);
    if (before != Layout::none && l_.is_relationship(before)) return level;
    // When the contents begin on the line of the opening parenthesis, the following lines are indented already.
    const bool set_off = p.parent != Layout::none && l_.places[p.parent].role == BracketRole::Other && l_.places[p.parent + 1].breaks == 0;
    return set_off ? level : level + step;
  }

  /// Whether a comment on a line of its own continues the comment at the end of the previous line, below it.
  bool continues_comment(uint32_t i, uint32_t indent) const {
    if (!l_.is_comment(i) || lines_.empty() || lines_.back().comment == Layout::none || l_.places[i].breaks != 1) return false;
    const uint32_t column = l_.source_column(i);
    return column == l_.source_column(lines_.back().comment) && column != indent;
  }

  static uint32_t width(const std::string& code) {
    const size_t nl = code.rfind('\n');
    return count_characters(std::string_view(code).substr(nl == std::string::npos ? 0 : nl + 1));
  }

  /// Places comments at the ends of lines one blank behind the code. Comments that the author aligned stay aligned.
  void align_comments() {
    for (size_t begin = 0; begin < lines_.size();) {
      if (lines_[begin].comment == Layout::none) {
        ++begin;
        continue;
      }
      const uint32_t column = l_.source_column(lines_[begin].comment);
      uint32_t widest = width(lines_[begin].code);
      size_t end = begin + 1;
      for (; end < lines_.size() && lines_[end].comment != Layout::none && l_.places[lines_[end].first].breaks == 1 &&
             l_.source_column(lines_[end].comment) == column;
           ++end)
        widest = std::max(widest, width(lines_[end].code));
      for (; begin < end; ++begin) lines_[begin].column = widest + 1;
    }
  }

  std::string join(std::vector<std::pair<uint32_t, uint32_t>>& starts) const {
    std::string out;
    out.reserve(l_.text.size() + l_.text.size() / 8);
    size_t heredoc = 0;
    const auto& heredocs = l_.list.heredocs;
    for (size_t i = 0; i < lines_.size(); ++i) {
      const Line& line = lines_[i];
      if (i != 0 && l_.places[line.first].breaks > 1) out += line_end_;
      starts.emplace_back(l_.places[line.first].token.offset, static_cast<uint32_t>(out.size()));
      out += line.code;
      if (line.comment != Layout::none) {
        out.append(line.column - width(line.code), ' ');
        out += l_.text_of(line.comment);
      }
      out += line_end_;
      // The texts of the heredocs that begin on the line.
      const uint32_t next = i + 1 < lines_.size() ? l_.places[lines_[i + 1].first].token.offset : static_cast<uint32_t>(l_.text.size());
      for (; heredoc < heredocs.size() && heredocs[heredoc].head < next; ++heredoc) {
        const std::string_view lines = l_.text.substr(heredocs[heredoc].begin, heredocs[heredoc].end - heredocs[heredoc].begin);
        out += lines;
        if (!lines.ends_with('\n')) out += line_end_;
      }
    }
    return out;
  }

  const Layout& l_;
  std::vector<Levels> levels_;
  std::vector<uint32_t> line_indent_;
  std::string_view line_end_;
  std::vector<Line> lines_;
  uint32_t indent_ = 0;
};

} // namespace

std::string write_layout(const Layout& layout, std::vector<std::pair<uint32_t, uint32_t>>& lines) { return Writer(layout).run(lines); }

} // namespace pupc::compiler
