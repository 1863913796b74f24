#pragma once
// A text as its author sees it: tokens, comments and line ends. For what shows or changes source (formatter, style checks); the parser
// needs none of it.
#include "compiler/parse/token_source.h"

namespace pupc {

struct SourceToken {
  enum class Comment : uint8_t { None, Line, Block };
  Tok kind = Tok::End;
  Comment comment = Comment::None;
  bool spaced = false;    // something stands between it and the token before: white space or a comment
  uint32_t offset = 0;    // a string with interpolations is one token (DqPre), and so is the @(…) of a heredoc
  uint32_t length = 0;    // of a line comment without the blanks at its end
  uint32_t line_ends = 0; // since the token before; lines of heredoc texts are not counted

  uint32_t end() const { return offset + length; }
  bool is_comment() const { return comment != Comment::None; }
};

/// Tokens and comments of a manifest that can be parsed, in order. The last one is Tok::End. Texts of heredocs are in `list.heredocs`.
std::vector<SourceToken> source_tokens(std::string_view text, const TokenList& list);

} // namespace pupc
