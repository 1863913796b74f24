#pragma once
// The lexer: turns source text into RawTokens. It is hand-written because Puppet's lexer depends on context (regex or division,
// interpolation, heredocs, templates) and because a generated one is four times slower. Lexical specification: grammar/PuppetLexer.g4.
#include "catalog/base/arena.h"
#include "catalog/base/diagnostic.h"
#include "catalog/value/regex.h"
#include "compiler/parse/raw_token.h"

#include <cstring>
#include <memory>
#include <vector>

namespace pupc::compiler {

/// The tokens of a text in order. Like a vector, but to add a token takes a few instructions wherever that happens: the compiler does not
/// inline a vector's push_back, and the call costs more than the token.
class TokenBuffer {
public:
  const RawToken* data() const { return begin_; }
  const RawToken* begin() const { return begin_; }
  const RawToken* end() const { return end_; }
  size_t size() const { return static_cast<size_t>(end_ - begin_); }
  size_t capacity() const { return static_cast<size_t>(limit_ - begin_); }
  bool empty() const { return begin_ == end_; }
  RawToken& operator[](size_t i) { return begin_[i]; }
  const RawToken& operator[](size_t i) const { return begin_[i]; }
  RawToken& back() { return end_[-1]; }
  const RawToken& back() const { return end_[-1]; }

  void reserve(size_t size) {
    if (size > capacity()) grow(size);
  }
  [[gnu::always_inline]] void push_back(const RawToken& t) {
    if (end_ == limit_) [[unlikely]]
      grow(2 * size() + 16);
    *end_++ = t;
  }
  void pop_back() { --end_; }
  /// Drops all but the first `size` tokens.
  void shrink(size_t size) { end_ = begin_ + size; }
  void erase_at(size_t i) {
    std::memmove(begin_ + i, begin_ + i + 1, (size() - i - 1) * sizeof(RawToken));
    --end_;
  }
  void clear() { end_ = begin_; }

private:
  static_assert(std::is_trivially_copyable_v<RawToken>);
  [[gnu::noinline]] void grow(size_t capacity) {
    std::unique_ptr<std::byte[]> larger(new std::byte[capacity * sizeof(RawToken)]);
    const size_t used = size();
    if (used != 0) std::memcpy(larger.get(), begin_, used * sizeof(RawToken));
    memory_ = std::move(larger);
    begin_ = reinterpret_cast<RawToken*>(memory_.get());
    end_ = begin_ + used;
    limit_ = begin_ + capacity;
  }

  std::unique_ptr<std::byte[]> memory_;
  RawToken* begin_ = nullptr;
  RawToken* end_ = nullptr;
  RawToken* limit_ = nullptr;
};

/// The lines of a heredoc's text, including its end line.
struct HeredocLines {
  uint32_t head; // offset of its @(…)
  uint32_t begin, end;
};

/// The result of lexing one text. The last token is always Tok::End.
struct TokenList {
  TokenBuffer tokens;
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

} // namespace pupc::compiler
