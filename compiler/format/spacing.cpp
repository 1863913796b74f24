// Sets the blanks between the tokens of a line, and aligns the columns of arrows, parameters and assignments.
#include "compiler/format/layout.h"

#include <algorithm>
#include <map>

namespace pupc::compiler {
namespace {

/// Whether an operand may end with this token. A bracket that follows may then index or call that operand.
bool ends_operand(Tok kind) {
  switch (kind) {
  case Tok::Variable:
  case Tok::Name:
  case Tok::Word:
  case Tok::ClassRef:
  case Tok::Number:
  case Tok::String:
  case Tok::DqPre: // stands for a whole interpolated string here
  case Tok::Heredoc:
  case Tok::Regex:
  case Tok::Boolean:
  case Tok::Default:
  case Tok::Undef:
  case Tok::Type:
  case Tok::Function:
  case Tok::Attr:
  case Tok::Private:
  case Tok::RBrack:
  case Tok::RBrace:
  case Tok::RParen:
  case Tok::RCollect:
  case Tok::RRCollect: return true;
  default: return false;
  }
}

} // namespace

void Layout::find_spaces() {
  for (uint32_t i = 1; i < places.size(); ++i) places[i].spaces = spaces_before(i);
  align_arrows();
  keep_columns();
}

uint32_t Layout::spaces_before(uint32_t i) const {
  const Place& p = places[i];
  if (p.token.is_comment()) return 1;
  const Tok k = p.token.kind;
  const uint32_t as_written = p.token.spaced ? 1 : 0;
  // Keep a bracket right behind a comment: it belongs to the operand before the comment. After a blank it would begin a list.
  if (is_comment(i - 1)) return k == Tok::Comma || k == Tok::Semicolon || k == Tok::LBrack ? 0 : 1;
  const Place& before = places[i - 1];
  const Tok last = before.token.kind;
  if (before.opens) {
    const bool wide = last == Tok::LBrace || last == Tok::SelBrace || last == Tok::LCollect || last == Tok::LLCollect;
    const bool empty_braces = before.partner == i && last != Tok::LCollect && last != Tok::LLCollect;
    return wide && !empty_braces ? 1 : 0;
  }
  if (k == Tok::FatArrow) return 1;
  if (before.prefix) return 0;
  if (p.closes) return k == Tok::RParen || k == Tok::RBrack || k == Tok::Pipe ? 0 : 1;
  switch (k) {
  case Tok::Comma:
  case Tok::Semicolon:
  case Tok::Colon: return 0;
  case Tok::Dot: return last == Tok::Number ? as_written : 0;
  case Tok::LParen:
  case Tok::WsLParen:
    if (p.role == BracketRole::Parameters || p.anchor != none) {
      const uint32_t name = code_before(i);
      const uint32_t keyword = name == none ? none : code_before(name);
      return kind(keyword) == Tok::Function || kind(keyword) == Tok::Plan || last == Tok::Apply ? 0 : 1;
    }
    if (last == Tok::Name || last == Tok::Type || last == Tok::Apply)
      return kind(code_before(i - 1)) == Tok::Class || kind(code_before(i - 1)) == Tok::Define ? 1 : 0;
    return ends_operand(last) ? as_written : 1;
  case Tok::LBrack:
  case Tok::ListStart: return ends_operand(last) ? as_written : 1;
  case Tok::Tilde:
  case Tok::Other: return as_written;
  default: break;
  }
  if (last == Tok::Dot) return k == Tok::Number ? as_written : 0;
  if (last == Tok::Tilde || last == Tok::Other) return as_written;
  return 1;
}

// ---- columns -----------------------------------------------------------------------------------------------------------------

/// Aligns the arrows of a hash, a selector or one resource where each entry has a line of its own.
void Layout::align_arrows() {
  std::vector<uint32_t> arrows;
  for (uint32_t open = 0; open < places.size(); ++open) {
    if (!places[open].opens) continue;
    switch (places[open].role) {
    case BracketRole::Resource:
    case BracketRole::Attributes:
    case BracketRole::Hash:
    case BracketRole::Selector: break;
    default: continue;
    }
    const uint32_t close = places[open].partner;
    arrows.clear();
    for (uint32_t i = open + 1; i < close; ++i) {
      const Tok k = places[i].token.kind;
      if (!is_comment(i) && (k == Tok::FatArrow || k == Tok::PlusArrow)) arrows.push_back(i);
      if (!is_comment(i) && k == Tok::Semicolon) {
        align_group(arrows);
        arrows.clear();
      }
      if (places[i].opens) i = places[i].partner;
    }
    align_group(arrows);
  }
}

void Layout::align_group(const std::vector<uint32_t>& arrows) {
  uint32_t widest = 0;
  std::vector<std::pair<uint32_t, uint32_t>> widths;
  for (const uint32_t arrow : arrows) {
    // Find the start of the entry.
    uint32_t first = arrow;
    do {
      first = places[first - 1].closes ? places[first - 1].partner : first - 1;
    } while (!places[first].starts && first > 0 && !(places[first].opens && places[first].partner > arrow));
    if (places[first].breaks == 0) continue; // not the first of its line
    if (!on_one_line(first, arrow)) return;
    const uint32_t w = width(first, arrow - 1);
    widest = std::max(widest, w);
    widths.emplace_back(arrow, w);
  }
  for (const auto& [arrow, w] : widths) places[arrow].spaces = 1 + widest - w;
}

/// Keeps the columns into which the author aligned assignments and parameters: tokens that stood below each other still do.
void Layout::keep_columns() {
  std::vector<std::pair<uint32_t, uint32_t>> group;
  for (uint32_t i = 0; i < places.size(); ++i) {
    const Place& p = places[i];
    if (p.opens && (p.role == BracketRole::Parameters || p.role == BracketRole::Pipes)) keep_columns_of_parameters(i);
    if (p.opens && p.role == BracketRole::Resource) keep_columns_of_titles(i);
    if (i != 0 && p.breaks == 0) continue;
    // The first of a line. Comments between do not end a group.
    if (p.token.is_comment() && p.breaks == 1) continue;
    const bool assignment = p.starts && !p.token.is_comment() && p.token.kind == Tok::Variable && kind(i + 1) == Tok::Equals &&
                            places[i + 1].breaks == 0 && !is_comment(i + 1) &&
                            (p.parent == none || places[p.parent].role == BracketRole::Block);
    if (assignment && p.breaks == 1 && !group.empty() && places[group.back().first].parent == p.parent &&
        source_column(group.back().second) == source_column(i + 1)) {
      group.emplace_back(i, i + 1);
      continue;
    }
    keep_column(group);
    group.clear();
    if (assignment) group.emplace_back(i, i + 1);
  }
  keep_column(group);
}

void Layout::keep_columns_of_parameters(uint32_t open) {
  const uint32_t close = places[open].partner;
  struct Entry {
    uint32_t first, variable = none, equals = none;
  };
  std::vector<Entry> entries;
  for (uint32_t i = open + 1; i < close; ++i) {
    const Place& p = places[i];
    if (p.token.is_comment()) continue;
    if (p.starts) entries.push_back({i});
    if (!entries.empty()) {
      Entry& e = entries.back();
      if (e.variable == none && p.token.kind == Tok::Variable) e.variable = i;
      if (e.equals == none && p.token.kind == Tok::Equals) e.equals = i;
    }
    if (p.opens) i = p.partner;
  }
  auto keep = [&](uint32_t Entry::*member) {
    std::vector<std::pair<uint32_t, uint32_t>> tokens;
    for (const Entry& e : entries)
      if (e.*member != none && e.*member != e.first) tokens.emplace_back(e.first, e.*member);
    keep_column_by_place(tokens);
  };
  keep(&Entry::variable);
  keep(&Entry::equals);
}

/// Keeps the columns behind the titles of resource bodies that take one line each.
void Layout::keep_columns_of_titles(uint32_t open) {
  std::vector<std::pair<uint32_t, uint32_t>> tokens;
  uint32_t title = none;
  for (uint32_t i = open + 1; i < places[open].partner; ++i) {
    if (is_comment(i)) continue;
    if (places[i].starts && title == none) title = i;
    // A semicolon right behind the colon has no column: no blank stands before it.
    if (places[i].title_end && title != none && places[i + 1].starts && kind(i + 1) != Tok::Semicolon) tokens.emplace_back(title, i + 1);
    if (kind(i) == Tok::Semicolon) title = none;
    if (places[i].opens) i = places[i].partner;
  }
  keep_column_by_place(tokens);
}

/// Groups tokens (each paired with the first token of its line) by their column in the source and keeps each group aligned.
void Layout::keep_column_by_place(const std::vector<std::pair<uint32_t, uint32_t>>& tokens) {
  std::map<uint32_t, std::vector<std::pair<uint32_t, uint32_t>>> groups;
  for (const auto& [first, token] : tokens)
    if (places[first].breaks != 0 && on_one_line(first, token)) groups[source_column(token)].emplace_back(first, token);
  for (const auto& [column, group] : groups) keep_column(group);
}

void Layout::keep_column(const std::vector<std::pair<uint32_t, uint32_t>>& group) {
  if (group.size() < 2) return;
  uint32_t widest = 0;
  for (const auto& [first, token] : group) widest = std::max(widest, width(first, token - 1));
  uint32_t column = 1 + widest;
  if (keep_wide_) column = std::max(column, authors_column(group));
  for (const auto& [first, token] : group) places[token].spaces = column - width(first, token - 1);
}

/// How far behind the beginning of its line the author put the tokens of a group; 0 when that differs, or tabs hide it.
uint32_t Layout::authors_column(const std::vector<std::pair<uint32_t, uint32_t>>& group) const {
  uint32_t column = 0;
  for (const auto& [first, token] : group) {
    const uint32_t begin = places[first].token.offset, end = places[token].token.offset;
    const uint32_t own = source_column(token) - source_column(first);
    if (text.substr(begin, end - begin).find_first_of("\t\n") != std::string_view::npos || (column != 0 && own != column)) return 0;
    column = own;
  }
  return column;
}

} // namespace pupc::compiler
