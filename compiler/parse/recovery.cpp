// Decides where parsing continues after a syntax error. The user should see later mistakes, but not the consequences of the first.
#include "compiler/parse/ast_builder.h"

namespace pupc::compiler {
namespace {

bool opens(Tok k) {
  return k == Tok::LBrace || k == Tok::SelBrace || k == Tok::LParen || k == Tok::WsLParen || k == Tok::LBrack || k == Tok::ListStart;
}
bool closes(Tok k) { return k == Tok::RBrace || k == Tok::RParen || k == Tok::RBrack; }
bool starts_definition(Tok k) { return k == Tok::Class || k == Tok::Define || k == Tok::Node || k == Tok::Function || k == Tok::Type; }
bool starts_statement(Tok k) {
  return k == Tok::Variable || k == Tok::Name || k == Tok::ClassRef || k == Tok::Case || k == Tok::If || k == Tok::Unless || k == Tok::At ||
         k == Tok::AtAt || starts_definition(k);
}

/// Whether this token, after a closing brace, shows that the statement continues.
bool goes_on(Tok k) {
  return k == Tok::Else || k == Tok::Elsif || k == Tok::InEdge || k == Tok::InEdgeSub || k == Tok::OutEdge || k == Tok::OutEdgeSub ||
         k == Tok::Dot || k == Tok::Comma || closes(k);
}

/// Counts the open brackets of each kind.
struct Nesting {
  int braces = 0, others = 0;

  void pass(Tok k) {
    int& count = k == Tok::LBrace || k == Tok::SelBrace || k == Tok::RBrace ? braces : others;
    if (opens(k)) ++count;
    if (closes(k) && count > 0) --count;
  }
  bool none() const { return braces == 0 && others == 0; }
};

} // namespace

/// The column of a token that is the first on its line, otherwise npos.
size_t AstBuilder::indentation(uint32_t index) const {
  std::string_view text = file_->source->text();
  size_t at = std::min<size_t>(tokens_[index].offset, text.size()), p = at;
  while (p > 0 && (text[p - 1] == ' ' || text[p - 1] == '\t')) --p;
  return p == 0 || text[p - 1] == '\n' ? at - p : std::string_view::npos;
}

/// The bracket that is open where the token is: one whose end stands on a line that is indented less than its own, as that end was meant
/// for another bracket; else the innermost one. Null when there is none.
const RawToken* AstBuilder::unclosed_before(uint32_t index) const {
  const std::string_view text = file_->source->text();
  const auto indentation_of_line = [&](uint32_t offset) {
    const size_t begin = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;
    return text.find_first_not_of(" \t", begin) - begin;
  };
  std::vector<uint32_t> open;
  for (uint32_t i = 0; i < index; ++i) {
    if (opens(tokens_[i].kind)) open.push_back(i);
    if (!closes(tokens_[i].kind) || open.empty()) continue;
    const size_t column = indentation(i);
    if (column != std::string_view::npos && column < indentation_of_line(tokens_[open.back()].offset)) break;
    open.pop_back();
  }
  return open.empty() ? nullptr : &tokens_[open.back()];
}

/// Removes the closing brace of the body of a class, define or node that opens at `brace`. The parser then reads the statements of the
/// body as if they stood in place of the definition.
void AstBuilder::open_up_body(uint32_t brace) {
  Nesting nesting;
  for (uint32_t i = brace; tokens_[i].kind != Tok::End; ++i) {
    nesting.pass(tokens_[i].kind);
    if (tokens_[i].kind != Tok::RBrace || nesting.braces > 0) continue;
    list_->tokens.erase_at(i);
    tokens_ = list_->tokens.data();
    --token_count_;
    return;
  }
}

/// The index of the token at which parsing continues after the failed statement that began at `start`: the next statement, or the end
/// of the enclosing block. Counts brackets; if they do not pair, the statement ends before a line that is indented no deeper than its
/// first line.
uint32_t AstBuilder::after_failed_statement(uint32_t start) {
  uint32_t i = start;
  while (i > 0 && indentation(i) == std::string_view::npos) --i; // the first token of its line
  const size_t own = indentation(i) == std::string_view::npos ? 0 : indentation(i);
  Nesting around, nesting;
  for (i = 0; i < start; ++i) around.pass(tokens_[i].kind);
  for (; i < cursor.next; ++i) nesting.pass(tokens_[i].kind);
  const Tok first = tokens_[start].kind;
  const bool definition = (first == Tok::Class && tokens_[start + 1].kind != Tok::LBrace) || first == Tok::Define || first == Tok::Node;
  bool header = definition && nesting.braces == 0; // still before the body
  if (i == start && tokens_[i].kind != Tok::End && tokens_[i].kind != Tok::RBrace) nesting.pass(tokens_[i++].kind);
  for (; tokens_[i].kind != Tok::End; ++i) {
    const Tok k = tokens_[i].kind;
    const size_t column = indentation(i);
    const bool outside = i > start && column != std::string_view::npos && column <= own;
    if (outside && starts_definition(k) && column == 0) return i;
    if (outside && closes(k)) {
      nesting.others = 0;
      if (k != Tok::RBrace) continue;
      const bool around_ends = column < own || (own == 0 && nesting.braces == 0 && !header);
      if (around_ends && around.braces > 0) return i;
      if (!goes_on(tokens_[i + 1].kind)) return i + 1;
      nesting = {};
      continue;
    }
    if (outside && nesting.others == 0 && starts_statement(k) && !header) return i;
    if (k == Tok::RBrace && nesting.none() && around.braces > 0) return i;
    if (header && k == Tok::LBrace && nesting.none()) {
      open_up_body(i);
      return i + 1;
    }
    nesting.pass(k);
  }
  return i;
}

} // namespace pupc::compiler
