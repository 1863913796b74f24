#pragma once
// The lexer: source text -> RawTokens. Hand-written because Puppet's lexer is context dependent (regex or division,
// interpolation, heredocs, templates) and because a generated one is four times slower. Lexical specification: grammar/PuppetLexer.g4.
#include "catalog/base/arena.h"
#include "catalog/base/diagnostic.h"
#include "catalog/value/regex.h"
#include "compiler/parse/raw_token.h"

#include <vector>

namespace pupc {

/// The lines of a heredoc's text, its end line included.
struct HeredocLines {
  uint32_t head; // where its @(…) stands
  uint32_t begin, end;
};

/// Everything lexed from one text. The last token is always Tok::End.
struct TokenList {
  std::vector<RawToken> tokens;
  std::vector<Diagnostic> errors;     // Error tokens point into it
  std::vector<Diagnostic> warnings;   // unrecognised escapes
  std::vector<Diagnostic> late;       // errors that count only when the whole text can be parsed
  std::vector<HeredocLines> heredocs; // in the order of their @(…); not those inside another
  bool truncated = false;             // lexing stopped at an error (unclosed quote, ...): the end of input says nothing
};

/// Lexes the whole text of `source`. Token texts are views of the source or live in `arena`. Regex literals are compiled
/// (and kept) by `regexes`, because Puppet reports invalid ones while lexing. Never throws.
void lex(const SourceFile& source, bool epp, Arena& arena, RegexCache& regexes, TokenList& out);

} // namespace pupc
