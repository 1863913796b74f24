#pragma once
// The lexer: turns source text into RawTokens. It is hand-written because Puppet's lexer depends on context (regex or division,
// interpolation, heredocs, templates) and because a generated one is four times slower. Lexical specification: grammar/PuppetLexer.g4.
#include "catalog/base/arena.h"
#include "catalog/base/diagnostic.h"
#include "catalog/value/regex.h"
#include "compiler/parse/raw_token.h"

#include <vector>

namespace pupc {

/// The lines of a heredoc's text, including its end line.
struct HeredocLines {
  uint32_t head; // offset of its @(…)
  uint32_t begin, end;
};

/// The result of lexing one text. The last token is always Tok::End.
struct TokenList {
  std::vector<RawToken> tokens;
  std::vector<Diagnostic> errors;     // Error tokens point into it
  std::vector<Diagnostic> warnings;   // unrecognised escapes
  std::vector<Diagnostic> late;       // errors that count only if the rest of the text has no syntax error
  std::vector<HeredocLines> heredocs; // in the order of their @(…); not those inside another
  bool truncated = false;             // lexing stopped at an error (e.g. unclosed quote): Tok::End is not the end of the text

  void clear() {
    tokens.clear();
    errors.clear();
    warnings.clear();
    late.clear();
    heredocs.clear();
    truncated = false;
  }
};

/// Lexes the whole text of `source` into `out`. `tasks`: with the keywords of plans. Token texts are views of the source or live in
/// `arena`. `regexes` compiles and keeps the regex literals already here, because Puppet reports invalid ones while lexing. Never throws.
void lex(const SourceFile& source, bool epp, Arena& arena, RegexCache& regexes, TokenList& out, bool tasks = false);

} // namespace pupc
