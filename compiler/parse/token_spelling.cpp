// How keywords and punctuation are written.
#include "compiler/parse/raw_token.h"

#include <bit>

namespace pupc::compiler {

namespace {

/// For each letter a bit for each keyword that begins with it.
constexpr std::array<uint32_t, 26> make_beginnings() {
  std::array<uint32_t, 26> bits{};
  for (size_t i = 0; i < std::size(keywords); ++i) bits[static_cast<size_t>(keywords[i].text[0] - 'a')] |= 1u << i;
  return bits;
}
constexpr auto beginnings = make_beginnings();

} // namespace

Tok keyword_kind_of(std::string_view word, bool tasks) {
  auto spelled = [&](std::string_view keyword) { // without a call: keywords are short
    if (keyword.size() != word.size()) return false;
    for (size_t i = 1; i < word.size(); ++i)
      if (keyword[i] != word[i]) return false;
    return true;
  };
  for (uint32_t left = beginnings[static_cast<size_t>(word[0] - 'a')]; left != 0; left &= left - 1)
    if (const Keyword& k = keywords[std::countr_zero(left)]; spelled(k.text))
      return tasks || (k.kind != Tok::Plan && k.kind != Tok::Apply) ? k.kind : Tok::Name;
  return Tok::Name;
}

std::string_view spelling(Tok kind) {
  switch (kind) {
  case Tok::LBrack:
  case Tok::ListStart: return "[";
  case Tok::RBrack: return "]";
  case Tok::LBrace:
  case Tok::SelBrace: return "{";
  case Tok::RBrace: return "}";
  case Tok::LParen:
  case Tok::WsLParen: return "(";
  case Tok::RParen: return ")";
  case Tok::Equals: return "=";
  case Tok::Appends: return "+=";
  case Tok::Deletes: return "-=";
  case Tok::IsEqual: return "==";
  case Tok::NotEqual: return "!=";
  case Tok::Match: return "=~";
  case Tok::NoMatch: return "!~";
  case Tok::GreaterEqual: return ">=";
  case Tok::Greater: return ">";
  case Tok::LessEqual: return "<=";
  case Tok::Less: return "<";
  case Tok::FatArrow: return "=>";
  case Tok::PlusArrow: return "+>";
  case Tok::LShift: return "<<";
  case Tok::RShift: return ">>";
  case Tok::Plus: return "+";
  case Tok::Minus: return "-";
  case Tok::Div: return "/";
  case Tok::Times: return "*";
  case Tok::Modulo: return "%";
  case Tok::Not: return "!";
  case Tok::Dot: return ".";
  case Tok::Pipe: return "|";
  case Tok::At: return "@";
  case Tok::AtAt: return "@@";
  case Tok::Colon: return ":";
  case Tok::Comma: return ",";
  case Tok::Semicolon: return ";";
  case Tok::Question: return "?";
  case Tok::Tilde: return "~";
  case Tok::LCollect: return "<|";
  case Tok::LLCollect: return "<<|";
  case Tok::RCollect: return "|>";
  case Tok::RRCollect: return "|>>";
  case Tok::InEdge: return "->";
  case Tok::InEdgeSub: return "~>";
  case Tok::OutEdge: return "<-";
  case Tok::OutEdgeSub: return "<~";
  case Tok::EppEnd: return "%>";
  case Tok::EppEndTrim: return "-%>";
  case Tok::Case:
  case Tok::Class:
  case Tok::Default:
  case Tok::Define:
  case Tok::If:
  case Tok::Elsif:
  case Tok::Else:
  case Tok::Inherits:
  case Tok::Node:
  case Tok::And:
  case Tok::Or:
  case Tok::Undef:
  case Tok::In:
  case Tok::Unless:
  case Tok::Function:
  case Tok::Type:
  case Tok::Attr:
  case Tok::Private:
  case Tok::Plan:
  case Tok::Apply:
    for (const Keyword& k : keywords)
      if (k.kind == kind) return k.text;
    return {};
  case Tok::End:
  case Tok::Error:
  case Tok::Variable:
  case Tok::Name:
  case Tok::Word:
  case Tok::ClassRef:
  case Tok::Number:
  case Tok::String:
  case Tok::DqPre:
  case Tok::DqMid:
  case Tok::DqPost:
  case Tok::Heredoc:
  case Tok::Regex:
  case Tok::Boolean:
  case Tok::EppStart:
  case Tok::RenderString:
  case Tok::RenderExpr:
  case Tok::Other:
  case Tok::count: break;
  }
  return {};
}

} // namespace pupc::compiler
