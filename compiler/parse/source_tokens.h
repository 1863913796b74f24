#pragma once
// A text as its author sees it: tokens, comments and line ends. For tools that show or change source (formatter, style checks). The
// parser does not use it.
#include "compiler/parse/token_source.h"

namespace pupc::compiler {

struct SourceToken {
  enum class Comment : uint8_t { None, Line, Block };
  Tok kind = Tok::End;
  Comment comment = Comment::None;
  bool spaced = false;    // white space or a comment stands before it
  uint32_t offset = 0;    // a string with interpolations is one token (DqPre), and so is the @(…) of a heredoc
  uint32_t length = 0;    // of a line comment: without trailing blanks
  uint32_t line_ends = 0; // line ends since the previous token, without the lines of heredoc texts

  uint32_t end() const { return offset + length; }
  bool is_comment() const { return comment != Comment::None; }
};

/// Tokens and comments of a manifest without syntax errors, in order. The last one is Tok::End. Texts of heredocs are in
/// `list.heredocs`.
std::vector<SourceToken> source_tokens(std::string_view text, const TokenList& list);

} // namespace pupc::compiler
