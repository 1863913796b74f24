#pragma once
// ANTLR's view of the tokens: a TokenStream over the RawTokens that splits the ambiguous ones (see grammar/PuppetParser.g4), and
// the error strategy. Included by parser.cpp and token_stream.cpp only.
#include "compiler/parse/ast_builder.h"

#include <memory>
#include <string>

namespace pupc {

class ParserToken final : public antlr4::Token {
public:
  explicit ParserToken(AstBuilder& b) : b_(b) {}
  size_t getType() const override;
  std::string getText() const override;
  size_t getLine() const override { return 0; }
  size_t getCharPositionInLine() const override { return 0; }
  size_t getChannel() const override { return 0; }
  size_t getTokenIndex() const override { return b_.next(); }
  size_t getStartIndex() const override { return b_.tokens()[b_.next()].offset; }
  size_t getStopIndex() const override { return getStartIndex() + b_.tokens()[b_.next()].length; }
  antlr4::TokenSource* getTokenSource() const override { return nullptr; }
  antlr4::CharStream* getInputStream() const override { return nullptr; }
  std::string toString() const override { return getText(); }

private:
  AstBuilder& b_;
};

/// The next token's type is found when it is first asked for, after the actions before it ran.
class ParserTokens final : public antlr4::TokenStream {
public:
  explicit ParserTokens(AstBuilder& b) : b_(b), token_(b) {}
  antlr4::Token* LT(ssize_t k) override { return k == 1 ? &token_ : nullptr; }
  size_t LA(ssize_t) override { return token_.getType(); }
  void consume() override;
  antlr4::Token* get(size_t) const override { return nullptr; }
  antlr4::TokenSource* getTokenSource() const override { return nullptr; }
  std::string getText(const antlr4::misc::Interval&) override { return {}; }
  std::string getText() override { return {}; }
  std::string getText(antlr4::RuleContext*) override { return {}; }
  std::string getText(antlr4::Token*, antlr4::Token*) override { return {}; }
  ssize_t mark() override { return 0; }
  void release(ssize_t) override {}
  size_t index() override { return b_.next(); }
  void seek(size_t) override {}
  size_t size() override { return b_.token_count(); }
  std::string getSourceName() const override { return {}; }

private:
  AstBuilder& b_;
  ParserToken token_;
};

/// Leaves the statement at the first error. Remembers the parser's state at the first look at each token, to tell what was expected.
class ErrorStrategy final : public antlr4::ANTLRErrorStrategy {
public:
  explicit ErrorStrategy(AstBuilder& b) : b_(b) {}
  void reset(antlr4::Parser*) override {}
  antlr4::Token* recoverInline(antlr4::Parser* parser) override;
  void recover(antlr4::Parser* parser, std::exception_ptr e) override;
  void sync(antlr4::Parser* parser) override;
  bool inErrorRecoveryMode(antlr4::Parser*) override { return false; }
  void reportMatch(antlr4::Parser*) override {}
  void reportError(antlr4::Parser* parser, const antlr4::RecognitionException& e) override;

private:
  [[noreturn]] void fail(antlr4::Parser* parser);
  antlr4::misc::IntervalSet expected_tokens(antlr4::Parser* parser);
  std::string expected(antlr4::Parser* parser);

  AstBuilder& b_;
  uint32_t seen_ = UINT32_MAX; // index of the token whose first state is remembered
  size_t state_ = 0;
  antlr4::ParserRuleContext* context_ = nullptr;
};

} // namespace pupc
