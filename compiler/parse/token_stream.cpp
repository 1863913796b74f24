// Classifies ambiguous tokens, and computes the expected tokens at an error.
#include "PuppetParser.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <set>

namespace pupc::compiler {
namespace {

using P = PuppetParser;
using Expect = Cursor::Expect;

constexpr std::array<uint16_t, static_cast<size_t>(Tok::count)> make_types() {
  std::array<uint16_t, static_cast<size_t>(Tok::count)> t{};
  auto set = [&](Tok k, size_t type) { t[static_cast<size_t>(k)] = static_cast<uint16_t>(type); };
  set(Tok::Error, P::LEX_ERROR);
  set(Tok::Variable, P::VARIABLE), set(Tok::Name, P::NAME), set(Tok::Word, P::WORD), set(Tok::ClassRef, P::CLASSREF);
  set(Tok::Number, P::NUMBER), set(Tok::String, P::STRING), set(Tok::DqPre, P::DQPRE), set(Tok::DqMid, P::DQMID);
  set(Tok::DqPost, P::DQPOST), set(Tok::Heredoc, P::HEREDOC), set(Tok::Regex, P::REGEX), set(Tok::Boolean, P::BOOLEAN);
  set(Tok::Case, P::CASE), set(Tok::Class, P::CLASS), set(Tok::Default, P::DEFAULT), set(Tok::Define, P::DEFINE);
  set(Tok::If, P::IF), set(Tok::Elsif, P::ELSIF), set(Tok::Else, P::ELSE), set(Tok::Inherits, P::INHERITS);
  set(Tok::Node, P::NODE), set(Tok::And, P::AND), set(Tok::Or, P::OR), set(Tok::Undef, P::UNDEF), set(Tok::In, P::IN);
  set(Tok::Unless, P::UNLESS), set(Tok::Function, P::FUNCTION), set(Tok::Type, P::TYPE), set(Tok::Attr, P::ATTR);
  set(Tok::Private, P::PRIVATE), set(Tok::Plan, P::PLAN), set(Tok::Apply, P::APPLY), set(Tok::LBrack, P::LBRACK),
      set(Tok::ListStart, P::LBRACK), set(Tok::RBrack, P::RBRACK);
  set(Tok::LBrace, P::LBRACE), set(Tok::SelBrace, P::SELBRACE), set(Tok::RBrace, P::RBRACE), set(Tok::LParen, P::LPAREN);
  set(Tok::WsLParen, P::LPAREN), set(Tok::RParen, P::RPAREN), set(Tok::Equals, P::EQUALS), set(Tok::Appends, P::APPENDS);
  set(Tok::Deletes, P::DELETES), set(Tok::IsEqual, P::ISEQUAL), set(Tok::NotEqual, P::NOTEQUAL), set(Tok::Match, P::MATCH);
  set(Tok::NoMatch, P::NOMATCH), set(Tok::GreaterEqual, P::GREATEREQUAL), set(Tok::Greater, P::GREATERTHAN);
  set(Tok::LessEqual, P::LESSEQUAL), set(Tok::Less, P::LESSTHAN), set(Tok::FatArrow, P::FARROW), set(Tok::PlusArrow, P::PARROW);
  set(Tok::LShift, P::LSHIFT), set(Tok::RShift, P::RSHIFT), set(Tok::Plus, P::PLUS), set(Tok::Minus, P::MINUS);
  set(Tok::Div, P::DIV), set(Tok::Times, P::TIMES), set(Tok::Modulo, P::MODULO), set(Tok::Not, P::NOT), set(Tok::Dot, P::DOT);
  set(Tok::Pipe, P::PIPE), set(Tok::At, P::AT), set(Tok::AtAt, P::ATAT), set(Tok::Colon, P::COLON), set(Tok::Comma, P::COMMA);
  set(Tok::Semicolon, P::SEMIC), set(Tok::Question, P::QMARK), set(Tok::Tilde, P::TILDE), set(Tok::LCollect, P::LCOLLECT);
  set(Tok::LLCollect, P::LLCOLLECT), set(Tok::RCollect, P::RCOLLECT), set(Tok::RRCollect, P::RRCOLLECT);
  set(Tok::InEdge, P::IN_EDGE), set(Tok::InEdgeSub, P::IN_EDGE_SUB), set(Tok::OutEdge, P::OUT_EDGE);
  set(Tok::OutEdgeSub, P::OUT_EDGE_SUB), set(Tok::EppStart, P::EPP_START), set(Tok::EppEnd, P::EPP_END);
  set(Tok::EppEndTrim, P::EPP_END_TRIM), set(Tok::RenderString, P::RENDER_STRING), set(Tok::RenderExpr, P::RENDER_EXPR);
  set(Tok::Other, P::OTHER);
  return t;
}
constexpr auto types = make_types();

constexpr std::array<TokenTraits, static_cast<size_t>(Tok::count)> make_traits() {
  std::array<TokenTraits, static_cast<size_t>(Tok::count)> traits{};
  for (size_t k = 0; k < traits.size(); ++k) traits[k] = {types[k], 0, false};
  // Those that split_type looks at. Names and most keywords are not among them, because the builder asks anew where they may be keys.
  for (Tok k : {Tok::Class, Tok::Type, Tok::Function, Tok::LBrack, Tok::LParen, Tok::LBrace, Tok::Minus, Tok::Times, Tok::Pipe,
                Tok::FatArrow, Tok::End})
    traits[static_cast<size_t>(k)].type = 0;
  // An expression may be complete after these.
  for (Tok k : {Tok::Variable, Tok::Name,    Tok::Word,     Tok::ClassRef,  Tok::Number,   Tok::String,     Tok::DqPost,      Tok::Regex,
                Tok::Boolean,  Tok::Default, Tok::Undef,    Tok::Type,      Tok::Function, Tok::Attr,       Tok::Private,     Tok::RBrack,
                Tok::RBrace,   Tok::RParen,  Tok::RCollect, Tok::RRCollect, Tok::EppEnd,   Tok::EppEndTrim, Tok::RenderString})
    traits[static_cast<size_t>(k)].ends = true;
  for (size_t k = 0; k < traits.size(); ++k)
    traits[k].other_type = k == static_cast<size_t>(Tok::Name) || is_keyword(static_cast<Tok>(k)) ? uint16_t(P::KEY) : traits[k].type;
  traits[static_cast<size_t>(Tok::FatArrow)].other_type = P::FARROW;
  return traits;
}

bool is_key(const AstBuilder& b, const RawToken& t) {
  if (b.cursor.keys == Cursor::Keys::Always) return true;
  if (b.cursor.keys == Cursor::Keys::No) return false;
  switch (t.kind) { // keywords that start no title can only be names
  case Tok::And:
  case Tok::Or:
  case Tok::In:
  case Tok::Else:
  case Tok::Elsif:
  case Tok::Inherits: return true;
  default: break;
  }
  Tok following = (&t)[1].kind;
  return following == Tok::FatArrow || following == Tok::PlusArrow;
}

size_t split_type(AstBuilder& b) {
  const Cursor& c = b.cursor;
  const RawToken& t = *c.at;
  const bool after = c.expect == Expect::Operator;
  const Tok before = c.next == 0 ? Tok::End : (&t)[-1].kind;
  switch (t.kind) {
  case Tok::Name:
    if (c.keys != Cursor::Keys::No && is_key(b, t)) return P::KEY;
    return P::NAME;
  case Tok::LBrack:
    if (!after) return P::LBRACK;
    return c.alias_at == c.next ? P::ALIAS_ACCESS : P::ACCESS;
  case Tok::LParen: return after ? P::CALL_PAREN : P::LPAREN;
  case Tok::LBrace:
    if (before == Tok::RenderExpr) return P::EPP_BRACE;
    if (c.alias_at == c.next && c.next != 0) return P::ALIAS_BODY;
    if (before == Tok::RCollect || before == Tok::RRCollect) return P::COLLECT_BODY;
    return c.expect == Expect::Operand ? P::LBRACE : P::BODY;
  case Tok::Minus: return after ? P::MINUS : P::NEGATE;
  case Tok::Times:
    if (after) return P::TIMES;
    if (c.keys == Cursor::Keys::Always || (c.keys == Cursor::Keys::Maybe && (&t)[1].kind == Tok::FatArrow)) return P::SPLAT_KEY;
    return P::SPLAT;
  case Tok::Pipe: return c.lambda_at == c.next && c.next != 0 ? P::LAMBDA_PIPE : P::PIPE;
  case Tok::FatArrow: return b.selector_pending() ? P::SEL_FARROW : P::FARROW;
  case Tok::Class:
    if (is_key(b, t)) return P::KEY;
    return (&t)[1].kind == Tok::LBrace ? P::CLASS_RES : P::CLASS;
  case Tok::Type:
    if (is_key(b, t)) return P::KEY;
    if (before == Tok::Dot) return P::TYPE;
    if ((&t)[1].kind == Tok::LParen) return P::TYPE_NAME;
    return (&t)[1].kind == Tok::ClassRef ? P::TYPE_DEF : P::TYPE;
  case Tok::Function: {
    if (is_key(b, t)) return P::KEY;
    Tok f = (&t)[1].kind;
    return f == Tok::Name || f == Tok::Word || f == Tok::ClassRef || f == Tok::Class || f == Tok::String ? P::FUNCTION_DEF : P::FUNCTION;
  }
  case Tok::End: return antlr4::Token::EOF;
  default:
    if (is_keyword(t.kind) && is_key(b, t)) return P::KEY;
    return types[static_cast<size_t>(t.kind)];
  }
}

} // namespace

const std::array<TokenTraits, static_cast<size_t>(Tok::count)> token_traits = make_traits();

size_t find_type(AstBuilder& b) { return b.cursor.type = split_type(b); }

size_t ParserToken::getType() const { return type_of_next(*b_); }

std::string ParserToken::getText() const {
  const RawToken& t = b_->tokens()[b_->next()];
  return std::string(t.text != nullptr ? t.value() : spelling(t.kind));
}

// ---- errors ------------------------------------------------------------------------------------------------------------------

namespace {

/// The name of a token in a list of expected tokens. Empty for tokens that the list leaves out.
std::string_view display_name(size_t type) {
  switch (type) {
  case P::RBRACK: return "']'";
  case P::RBRACE: return "'}'";
  case P::RPAREN: return "')'";
  case P::BODY:
  case P::COLLECT_BODY:
  case P::ALIAS_BODY:
  case P::LBRACE:
  case P::EPP_BRACE:
  case P::SELBRACE: return "'{'";
  case P::COMMA: return "','";
  case P::SEMIC: return "';'";
  case P::COLON: return "':'";
  case P::FARROW:
  case P::SEL_FARROW: return "'=>'";
  case P::PARROW: return "'+>'";
  case P::PIPE:
  case P::LAMBDA_PIPE: return "'|'";
  case P::RCOLLECT: return "'|>'";
  case P::RRCOLLECT: return "'|>>'";
  case P::EQUALS: return "'='";
  case P::CALL_PAREN:
  case P::LPAREN: return "'('";
  case P::EPP_END:
  case P::EPP_END_TRIM: return "'%>'";
  case P::KEY:
  case P::SPLAT_KEY: return "an attribute";
  case P::NAME:
  case P::WORD: return "a name";
  case P::CLASSREF: return "a type";
  case P::VARIABLE: return "a variable";
  case P::NUMBER: return "a number";
  case P::STRING:
  case P::DQPRE: return "a string";
  case P::DQMID:
  case P::DQPOST: return "'}'";
  case P::REGEX: return "a regular expression";
  case P::DEFAULT: return "'default'";
  case P::INHERITS: return "'inherits'";
  case P::ELSE: return "'else'";
  case P::ELSIF: return "'elsif'";
  case antlr4::Token::EOF: return "the end of input";
  default: return {};
  }
}

bool is_closer(size_t type) {
  switch (type) {
  case P::RBRACK:
  case P::RBRACE:
  case P::RPAREN:
  case P::COMMA:
  case P::SEMIC:
  case P::COLON:
  case P::FARROW:
  case P::SEL_FARROW:
  case P::PIPE:
  case P::RCOLLECT:
  case P::RRCOLLECT:
  case P::BODY:
  case P::EPP_END:
  case P::DQPOST: return true;
  default: return false;
  }
}

} // namespace

/// The tokens that the grammar allows in place of the next token. Starts at the state in which the parser first looked at that token
/// and follows the rules it has left since then and those still active.
antlr4::misc::IntervalSet ErrorStrategy::expected_tokens(ParserBase* parser) const {
  // The runtime caches the tokens of a state on first use, without a lock, so this function needs its own.
  static std::mutex once_asked;
  std::lock_guard lock(once_asked);
  PuppetParser::load_atn();
  const bool known = seen_ == parser->b->next();
  const antlr4::atn::ATN& atn = parser->getATN();
  size_t state = known ? state_ : parser->getState();
  antlr4::misc::IntervalSet expected;
  if (state == antlr4::atn::ATNState::INVALID_STATE_NUMBER) return expected;
  antlr4::misc::IntervalSet following = atn.nextTokens(atn.states[state]);
  expected.addAll(following);
  auto follow = [&](size_t invoking_state) { // returns false when the rule cannot end here
    if (!following.contains(antlr4::Token::EPSILON)) return false;
    auto* call = static_cast<antlr4::atn::RuleTransition*>(atn.states[invoking_state]->transitions[0]);
    following = atn.nextTokens(call->followState);
    expected.addAll(following);
    return true;
  };
  bool more = true;
  if (known)
    for (size_t i = 0; more && i < left_.size(); ++i) more = left_[i] != antlr4::atn::ATNState::INVALID_STATE_NUMBER && follow(left_[i]);
  uint32_t skip = known ? entered_ : 0;
  for (const RuleFrame* c = parser->active_rules(); more && c != nullptr; c = c->parent) {
    if (skip > 0) {
      --skip;
      continue;
    }
    if (c->invokingState == antlr4::atn::ATNState::INVALID_STATE_NUMBER) break;
    more = follow(c->invokingState);
  }
  expected.remove(antlr4::Token::EPSILON);
  if (following.contains(antlr4::Token::EPSILON)) expected.add(antlr4::Token::EOF);
  return expected;
}

/// "Expected … here.": the tokens that could have stood at the error, kept short.
std::string ErrorStrategy::suggestion(const antlr4::misc::IntervalSet& set) const {
  auto has = [&](size_t type) { return set.contains(type); };
  const bool expression = has(P::NUMBER) && has(P::UNDEF);
  // After a complete expression nearly every operator may follow. Only tokens that end the construct help the user.
  const bool complete = has(P::EQUALS) && has(P::IN_EDGE);
  auto noise = [&](size_t type) {
    switch (type) {
    case P::SEL_FARROW: return !selector_pending_;
    case P::FARROW: return has(P::COMMA);
    case P::BODY: return complete;
    case P::COMMA:
    case P::SEMIC: return expression && complete;
    default: return false;
    }
  };
  std::vector<std::string_view> names;
  auto add = [&](std::string_view name) {
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  if (expression) add(complete ? "a new statement" : "an expression");
  const auto all = set.toList();
  for (ssize_t type : all)
    if (is_closer(static_cast<size_t>(type)) && !noise(static_cast<size_t>(type))) add(display_name(static_cast<size_t>(type)));
  if (!expression && all.size() <= 12)
    for (ssize_t type : all)
      if (!noise(static_cast<size_t>(type))) add(display_name(static_cast<size_t>(type)));
  if (names.empty() || names.size() > 6) return {};
  std::string text = "Expected ";
  for (size_t i = 0; i < names.size(); ++i) {
    if (i != 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text + " here.";
}

void ErrorStrategy::recoverInline(ParserBase* parser) {
  AstBuilder& b = *parser->b;
  if (b.tokens()[b.next()].kind == Tok::Error) b.syntax_error();
  const antlr4::misc::IntervalSet expected = expected_tokens(parser);
  selector_pending_ = b.selector_pending();
  // `class` can start an operand, so `1 + class {` is wrong only at the brace, as in Puppet's parser, which has no CLASS_RES.
  if (b.cursor.type == P::CLASS_RES && expected.contains(static_cast<size_t>(P::CLASS))) b.syntax_error_at(b.next() + 1);
  b.syntax_error(suggestion(expected));
}

} // namespace pupc::compiler
