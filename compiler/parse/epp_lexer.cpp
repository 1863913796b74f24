// Templates: text with <% code %>, <%= expression %>, <%# comment %>, <%% and %%>, and the trimming of <%- and -%>.
#include "compiler/parse/lexer.h"

namespace pupc::compiler {
namespace {

void trim_blanks(std::string& s) {
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.pop_back();
}

} // namespace

/// Scans the text up to the next tag that starts code. Emits a RenderString for the text and, for <%=, a RenderExpr.
void Lexer::interpolate_epp(bool skip_leading) {
  const uint32_t before = pos_;
  std::string s;
  bool have_text = false;
  EppMode mode = EppMode::Text;
  bool done = pos_ >= size_;
  while (!done && pos_ < size_) {
    size_t tag = text_.find("<%", pos_);
    const bool at_tag = tag != std::string_view::npos;
    const uint32_t end = at_tag ? static_cast<uint32_t>(tag) : size_;
    std::string part(text_.substr(pos_, end - pos_));
    pos_ = at_tag ? end + 2 : end;
    if (skip_leading) {
      size_t i = 0;
      while (i < part.size() && (part[i] == ' ' || part[i] == '\t')) ++i;
      if (i < part.size() && part[i] == '\r') ++i;
      if (i < part.size() && part[i] == '\n') ++i;
      part.erase(0, i);
      skip_leading = false;
    }
    // A literal %> is written %%>. A % directly before a tag may not pair with it.
    for (size_t i = part.find("%%>"); i != std::string::npos; i = part.find("%%>", i + 2)) part.erase(i, 1);
    s += part;
    if (!at_tag) {
      have_text = true;
      break;
    }
    if (pos_ >= size_) {
      out_.truncated = true;
      fail("Unbalanced embedded expression - opening <% and reaching end of input", pos_);
    }
    switch (text_[pos_]) {
    case '-':
      ++pos_;
      trim_blanks(s);
      mode = EppMode::Code;
      done = true;
      break;
    case '%':
      ++pos_;
      s += "<%";
      break;
    case '=':
      ++pos_;
      mode = EppMode::Expr;
      done = true;
      break;
    case '#': {
      // the comment ends at the next %> that is not written %%>
      uint32_t p = pos_;
      size_t close = std::string_view::npos;
      while (p + 2 < size_) {
        size_t found = text_.find("%>", p + 1);
        if (found == std::string_view::npos) break;
        if (text_[found - 1] != '%') {
          close = found;
          break;
        }
        p = static_cast<uint32_t>(found);
      }
      if (close == std::string_view::npos) {
        out_.truncated = true;
        fail("Reaching end after opening <%# without seeing %>", pos_);
      }
      if (text_[pos_ + 1] == '-') trim_blanks(s);
      skip_leading = text_[close - 1] == '-';
      pos_ = static_cast<uint32_t>(close + 2);
      break;
    }
    default:
      mode = EppMode::Code;
      done = true;
      break;
    }
  }
  if (mode == EppMode::Text) {
    // Like Puppet, drop text that ends with a comment or an escaped tag at the end of the template.
    if (have_text) emit_text(Tok::RenderString, before, pos_ - before, arena_.copy(s));
    epp_open_ = false;
    return;
  }
  if (!s.empty()) emit_text(Tok::RenderString, before, pos_ - before, arena_.copy(s));
  if (mode == EppMode::Expr) emit(Tok::RenderExpr, before, 0);
  epp_ = mode;
  epp_open_ = true;
}

/// The tag `%>` or `-%>`, which ends the code of a template. What follows is text.
void Lexer::lex_epp_end() {
  const uint32_t before = pos_;
  const bool trim = text_[pos_] == '-';
  pos_ += trim ? 3 : 2;
  if (epp_ == EppMode::Expr) emit(trim ? Tok::EppEndTrim : Tok::EppEnd, before, pos_ - before);
  if (!trim) epp_ = EppMode::Text;
  interpolate_epp(trim);
}

} // namespace pupc::compiler
