#pragma once
// Base class of the generated parser. It replaces the parts of ANTLR's runtime that the generated code calls most, to save time and
// memory. Rule contexts live on a stack and die with their rule; the runtime keeps all of them, half a gigabyte for a manifest of 10
// MB. No virtual call is needed per token. There is no parse tree, no listener and no recovery machinery.
#include "compiler/parse/antlr4-runtime.h"
#include "compiler/parse/ast_builder.h"

#include <array>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

namespace pupc::compiler {

/// The next token as ANTLR's runtime sees it. Only its type matters.
class ParserToken final : public antlr4::Token {
public:
  void read(AstBuilder& b) { b_ = &b; }
  size_t getType() const override;
  std::string getText() const override;
  size_t getLine() const override { return 0; }
  size_t getCharPositionInLine() const override { return 0; }
  size_t getChannel() const override { return 0; }
  size_t getTokenIndex() const override { return b_->next(); }
  size_t getStartIndex() const override { return b_->tokens()[b_->next()].offset; }
  size_t getStopIndex() const override { return getStartIndex() + b_->tokens()[b_->next()].length; }
  antlr4::TokenSource* getTokenSource() const override { return nullptr; }
  antlr4::CharStream* getInputStream() const override { return nullptr; }
  std::string toString() const override { return getText(); }

private:
  AstBuilder* b_ = nullptr;
};

/// Computes the type of the next token, on its first use, because it depends on the actions that ran before it.
[[gnu::noinline]] size_t find_type(AstBuilder& b);

inline size_t type_of_next(AstBuilder& b) {
  const size_t type = b.cursor.type;
  return type != 0 ? type : find_type(b);
}

/// Goes on to the next token. There must be one.
inline void pass_token(AstBuilder& b) {
  Cursor& c = b.cursor;
  const RawToken* t = c.at++;
  ++c.next;
  c.expect = traits_of(t[0]).ends ? Cursor::Expect::Operator : Cursor::Expect::Operand;
  c.keys = Cursor::Keys::No;
  c.type = traits_of(t[1]).type;
}

/// The RawTokens, with ambiguous ones classified (see grammar/PuppetParser.g4).
class ParserTokens final : public antlr4::TokenStream {
public:
  void read(AstBuilder& b) {
    b_ = &b;
    token_.read(b);
  }
  size_t LA(ssize_t) override { return type_of_next(*b_); }
  void consume() override {
    if (b_->cursor.at->kind != Tok::End) pass_token(*b_);
  }
  antlr4::Token* LT(ssize_t k) override { return k == 1 ? &token_ : nullptr; }
  antlr4::Token* get(size_t) const override { return nullptr; }
  antlr4::TokenSource* getTokenSource() const override { return nullptr; }
  std::string getText(const antlr4::misc::Interval&) override { return {}; }
  std::string getText() override { return {}; }
  std::string getText(antlr4::RuleContext*) override { return {}; }
  std::string getText(antlr4::Token*, antlr4::Token*) override { return {}; }
  ssize_t mark() override { return 0; }
  void release(ssize_t) override {}
  size_t index() override { return b_->next(); }
  void seek(size_t) override {}
  size_t size() override { return b_->token_count(); }
  std::string getSourceName() const override { return {}; }

private:
  AstBuilder* b_ = nullptr;
  ParserToken token_;
};

/// The base of the generated contexts, instead of the runtime's ParserRuleContext (the build renames it in the generated code). It
/// links the active rules; only error messages follow this chain. It owns nothing, so contexts need no destructor.
class RuleFrame {
public:
  RuleFrame(RuleFrame* outer, size_t state) : parent(outer), invokingState(state) {}
  virtual size_t getRuleIndex() const { return 0; }

  RuleFrame* parent;
  size_t invokingState;
  struct NoException {
    NoException& operator=(const std::exception_ptr&) { return *this; }
  } exception; // the generated code stores the exception that it hands on to ErrorStrategy::recover

protected:
  // The generated parse tree accessors call these. Nobody calls the accessors, because there is no tree.
  ~RuleFrame() = default;
  antlr4::tree::TerminalNode* getToken(size_t, size_t) const { return nullptr; }
  std::vector<antlr4::tree::TerminalNode*> getTokens(size_t) const { return {}; }
  template <class T> T* getRuleContext(size_t) const { return nullptr; }
  template <class T> std::vector<T*> getRuleContexts() const { return {}; }
};

/// Memory for rule contexts, last in first out.
class ContextStack {
public:
  template <class T> T* createInstance(RuleFrame* parent, size_t state) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (allocate(sizeof(T))) T(parent, state);
  }
  /// Frees the newest context.
  void pop(RuleFrame* context) {
    top_ = reinterpret_cast<char*>(context);
    if (top_ == bottom_ && current_ > 0) [[unlikely]]
      last_chunk();
  }

private:
  static constexpr size_t chunk_size = 32 * 1024;
  void* allocate(size_t size) {
    size = (size + 15) & ~size_t(15);
    if (static_cast<size_t>(end_ - top_) < size) next_chunk();
    char* p = top_;
    top_ += size;
    return p;
  }
  // A parser enters and leaves half a million rules for a thousand manifests; these two run for few of them.
  [[gnu::noinline]] void last_chunk() { // back to the end of the chunk before
    --current_;
    bottom_ = chunks_[current_].get();
    end_ = bottom_ + chunk_size;
    top_ = end_ - unused_[current_];
  }
  [[gnu::noinline]] void next_chunk() {
    if (!chunks_.empty()) {
      unused_[current_] = static_cast<size_t>(end_ - top_);
      ++current_;
    }
    if (current_ == chunks_.size()) {
      chunks_.emplace_back(new char[chunk_size]);
      unused_.push_back(0);
    }
    bottom_ = top_ = chunks_[current_].get();
    end_ = top_ + chunk_size;
  }

  std::vector<std::unique_ptr<char[]>> chunks_;
  std::vector<size_t> unused_; // bytes left unused at the end of each chunk when the next one began
  size_t current_ = 0;
  char* bottom_ = nullptr; // of the current chunk
  char* top_ = nullptr;
  char* end_ = nullptr;
};

class ParserBase;

/// Abandons the statement at the first error. For the message it notes the parser's state at the first look at each token, from which it
/// computes the expected tokens.
class ErrorStrategy {
public:
  void sync(ParserBase* parser) { note(parser); }
  [[noreturn]] void recoverInline(ParserBase* parser);
  [[noreturn]] void reportError(ParserBase* parser, const antlr4::RecognitionException&) { recoverInline(parser); }
  [[noreturn]] void recover(ParserBase*, RuleFrame::NoException) { throw SyntaxFailure{}; }
  void reportMatch(ParserBase*) {}

  void start() {
    seen_ = UINT32_MAX;
    entered_ = 0;
    left_.clear();
    selector_pending_ = false;
  }

  void entered(uint32_t next) {
    if (next == seen_) ++entered_;
  }
  void left(uint32_t next, size_t invoking_state) {
    if (next == seen_) note_left(invoking_state);
  }

private:
  void note(ParserBase* parser);
  [[gnu::noinline]] void note_left(size_t invoking_state) {
    if (entered_ > 0)
      --entered_;
    else
      left_.push_back(invoking_state);
  }
  antlr4::misc::IntervalSet expected_tokens(ParserBase* parser) const;
  std::string suggestion(const antlr4::misc::IntervalSet& set) const;

  uint32_t seen_ = UINT32_MAX; // index of the token whose first state is remembered
  size_t state_ = 0;
  uint32_t entered_ = 0;     // rules entered since then and still active
  std::vector<size_t> left_; // invoking states of the rules left since then
  bool selector_pending_ = false;
};

class ParserBase : public antlr4::Parser {
public:
  explicit ParserBase(antlr4::TokenStream* input) : antlr4::Parser(input), _input(static_cast<ParserTokens*>(input)) {}

  AstBuilder* b = nullptr;

  /// Starts on the tokens of a builder, perhaps after those of another.
  void read(AstBuilder& builder) {
    b = &builder;
    _input->read(builder);
    strategy_.start();
    state_ = antlr4::atn::ATNState::INVALID_STATE_NUMBER;
  }

  size_t getState() const final { return state_; }
  void setState(size_t state) { state_ = state; }

  // The generated code calls the following functions. Two of them have other parameters than ANTLR's.
  using Parser::enterOuterAlt;
  using Parser::enterRule;
  void enterRule(RuleFrame* context, size_t state, size_t) {
    state_ = state;
    _ctx = context;
    strategy_.entered(b->next());
  }
  void exitRule() {
    RuleFrame* context = _ctx;
    state_ = context->invokingState;
    strategy_.left(b->next(), state_);
    _ctx = context->parent;
    _tracker.pop(context);
  }
  void enterOuterAlt(RuleFrame*, size_t) {}
  const RuleFrame* active_rules() const { return _ctx; }
  antlr4::Token* match(size_t type) final {
    if (_input->LA(1) != type) strategy_.recoverInline(this);
    _input->consume();
    return nullptr;
  }
  antlr4::Token* consume() final {
    _input->consume();
    return nullptr;
  }

protected:
  template <class F> class Finally {
  public:
    explicit Finally(F f) : f_(f) {}
    Finally(const Finally&) = delete;
    Finally& operator=(const Finally&) = delete;
    ~Finally() { f_(); }

  private:
    F f_;
  };
  template <class F> static Finally<F> finally(F f) { return Finally<F>(f); } // the runtime's takes a std::function

  ParserTokens* _input;
  RuleFrame* _ctx = nullptr;
  ContextStack _tracker;
  ErrorStrategy strategy_;
  ErrorStrategy* _errHandler = &strategy_;

private:
  size_t state_ = antlr4::atn::ATNState::INVALID_STATE_NUMBER;
};

inline void ErrorStrategy::note(ParserBase* parser) {
  AstBuilder& b = *parser->b;
  if (b.next() == seen_) return;
  seen_ = b.next();
  state_ = parser->getState();
  entered_ = 0;
  left_.clear();
  if (b.tokens()[seen_].kind == Tok::Error) b.syntax_error();
}

} // namespace pupc::compiler

// The generated code names these without a namespace.
using pupc::compiler::ParserBase;
using pupc::compiler::RuleFrame;
