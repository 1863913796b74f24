// The generated parser once more, compiled on a base without notes. All that the generated code does for error messages comes down to
// nothing here: rules have no contexts and no states, and what remains is nearly the recursive descent that one writes by hand: half of the
// instructions. The grammar stays the only place that says what the syntax is.
#include "compiler/parse/fast_parser.h"

namespace pupc::compiler {

class SilentParser : public antlr4::Parser {
public:
  explicit SilentParser(antlr4::TokenStream* input) : antlr4::Parser(input) {}

  void read(AstBuilder& builder) { b = &builder; }

  // What the generated code calls. All but the last three do nothing.
  size_t getState() const final { return 0; }
  static void setState(size_t) {}
  static void enterRule(LeanContext*, size_t, size_t) {}
  static void enterOuterAlt(LeanContext*, size_t) {}
  static void exitRule() {}
  size_t LA(int) { return type_of_next(*b); }
  antlr4::Token* match(size_t type) final {
    if (LA(1) != type) [[unlikely]]
      throw NotesNeeded{};
    if (type != antlr4::Token::EOF) pass_token(*b);
    return nullptr;
  }
  antlr4::Token* consume() final {
    pass_token(*b);
    return nullptr;
  }

protected:
  /// Makes a VALUE of the next token, which begins an assignment or expression, if it is all of it.
  void meet_value() { meet(GoesOn::No, value_type); }
  /// The same of one side of an assignment or relationship: a SIDE.
  void meet_side() { meet(GoesOn::Assignment, side_type); }
  void meet(GoesOn most, size_t type) {
    Cursor& c = b->cursor;
    const TokenTraits& traits = traits_of(*c.at);
    if (traits.value && c.type == traits.type && traits_of(c.at[1]).goes_on <= most && b->may_nest()) c.type = type;
  }

  AstBuilder* b = nullptr;

  struct NoContexts {
    template <class T> T* createInstance(LeanContext*, size_t) const { return nullptr; }
  };
  static constexpr NoContexts _tracker{};
  static constexpr LeanContext* _ctx = nullptr;

  struct NoMessages {
    static void sync(SilentParser*) {}
    static void reportMatch(SilentParser*) {}
    [[noreturn]] static void recoverInline(SilentParser*) { throw NotesNeeded{}; }
    [[noreturn]] static void reportError(SilentParser*, const antlr4::RecognitionException&) { throw NotesNeeded{}; }
    static void recover(SilentParser*, LeanContext::NoException) {}
    const NoMessages* operator->() const { return this; }
  };
  static constexpr NoMessages _errHandler{};

  template <class F> static int finally(F) { return 0; }
};

} // namespace pupc::compiler

using pupc::compiler::SilentParser;
#define PuppetParser SilentPuppetParser
#define LeanParser SilentParser
#define _input this // its LA is the parser's
#include "PuppetParser.cpp"
#undef _input
#undef LeanParser
#undef PuppetParser

namespace pupc::compiler {

struct FastParser::Parts {
  ParserTokens stream; // for the runtime alone: the generated code reads the builder's cursor
  SilentPuppetParser parser{&stream};

  Parts() { parser.removeErrorListeners(); }
};

FastParser::FastParser() : parts_(std::make_unique<Parts>()) {}
FastParser::~FastParser() = default;

void FastParser::run(AstBuilder& builder) {
  parts_->stream.read(builder);
  parts_->parser.read(builder);
  parts_->parser.program();
}

} // namespace pupc::compiler
