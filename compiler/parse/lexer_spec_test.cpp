// Compares the hand-written lexer with the lexical specification (grammar/PuppetLexer.g4): kinds and places of all tokens.
#include "compiler/parse/token_source.h"

#include "PuppetLexer.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace pupc::compiler {
namespace {

namespace fs = std::filesystem;
using L = PuppetLexer;

size_t specified_type(Tok k) {
  switch (k) {
  case Tok::Variable: return L::VARIABLE;
  case Tok::Name: return L::NAME;
  case Tok::Word: return L::WORD;
  case Tok::ClassRef: return L::CLASSREF;
  case Tok::Number: return L::NUMBER;
  case Tok::String: return L::STRING;
  case Tok::DqPre: return L::DQPRE;
  case Tok::DqMid: return L::DQMID;
  case Tok::DqPost: return L::DQPOST;
  case Tok::Heredoc: return L::HEREDOC;
  case Tok::Regex: return L::REGEX;
  case Tok::Boolean: return L::BOOLEAN;
  case Tok::Case: return L::CASE;
  case Tok::Class: return L::CLASS;
  case Tok::Default: return L::DEFAULT;
  case Tok::Define: return L::DEFINE;
  case Tok::If: return L::IF;
  case Tok::Elsif: return L::ELSIF;
  case Tok::Else: return L::ELSE;
  case Tok::Inherits: return L::INHERITS;
  case Tok::Node: return L::NODE;
  case Tok::And: return L::AND;
  case Tok::Or: return L::OR;
  case Tok::Undef: return L::UNDEF;
  case Tok::In: return L::IN;
  case Tok::Unless: return L::UNLESS;
  case Tok::Function: return L::FUNCTION;
  case Tok::Type: return L::TYPE;
  case Tok::Attr: return L::ATTR;
  case Tok::Private: return L::PRIVATE;
  case Tok::LBrack: return L::LBRACK;
  case Tok::ListStart: return L::LISTSTART;
  case Tok::RBrack: return L::RBRACK;
  case Tok::LBrace: return L::LBRACE;
  case Tok::SelBrace: return L::SELBRACE;
  case Tok::RBrace: return L::RBRACE;
  case Tok::LParen: return L::LPAREN;
  case Tok::WsLParen: return L::WSLPAREN;
  case Tok::RParen: return L::RPAREN;
  case Tok::Equals: return L::EQUALS;
  case Tok::Appends: return L::APPENDS;
  case Tok::Deletes: return L::DELETES;
  case Tok::IsEqual: return L::ISEQUAL;
  case Tok::NotEqual: return L::NOTEQUAL;
  case Tok::Match: return L::MATCH;
  case Tok::NoMatch: return L::NOMATCH;
  case Tok::GreaterEqual: return L::GREATEREQUAL;
  case Tok::Greater: return L::GREATERTHAN;
  case Tok::LessEqual: return L::LESSEQUAL;
  case Tok::Less: return L::LESSTHAN;
  case Tok::FatArrow: return L::FARROW;
  case Tok::PlusArrow: return L::PARROW;
  case Tok::LShift: return L::LSHIFT;
  case Tok::RShift: return L::RSHIFT;
  case Tok::Plus: return L::PLUS;
  case Tok::Minus: return L::MINUS;
  case Tok::Div: return L::DIV;
  case Tok::Times: return L::TIMES;
  case Tok::Modulo: return L::MODULO;
  case Tok::Not: return L::NOT;
  case Tok::Dot: return L::DOT;
  case Tok::Pipe: return L::PIPE;
  case Tok::At: return L::AT;
  case Tok::AtAt: return L::ATAT;
  case Tok::Colon: return L::COLON;
  case Tok::Comma: return L::COMMA;
  case Tok::Semicolon: return L::SEMIC;
  case Tok::Question: return L::QMARK;
  case Tok::Tilde: return L::TILDE;
  case Tok::LCollect: return L::LCOLLECT;
  case Tok::LLCollect: return L::LLCOLLECT;
  case Tok::RCollect: return L::RCOLLECT;
  case Tok::RRCollect: return L::RRCOLLECT;
  case Tok::InEdge: return L::IN_EDGE;
  case Tok::InEdgeSub: return L::IN_EDGE_SUB;
  case Tok::OutEdge: return L::OUT_EDGE;
  case Tok::OutEdgeSub: return L::OUT_EDGE_SUB;
  case Tok::Other: return L::OTHER;
  default: return 0;
  }
}

struct Lexeme {
  size_t type;
  size_t place; // in code points
};

/// Tokens of the hand-written lexer, except the texts of heredocs and empty string parts. Empty when the text has errors.
std::vector<Lexeme> written(const std::string& text) {
  SourceFile source("t", text);
  Arena arena;
  RegexCache regexes;
  TokenList list;
  lex(source, false, arena, regexes, list);
  if (!list.errors.empty()) return {};
  std::vector<size_t> points(text.size() + 1);
  for (size_t i = 0, n = 0; i <= text.size(); ++i) {
    points[i] = n;
    if (i < text.size() && (i + 1 == text.size() || (static_cast<unsigned char>(text[i + 1]) & 0xC0) != 0x80)) ++n;
  }
  std::vector<Lexeme> result;
  for (size_t i = 0; i < list.tokens.size(); ++i) {
    const RawToken& t = list.tokens[i];
    if (t.kind == Tok::End) break;
    if (t.kind == Tok::DqMid && t.length == 0) continue;
    result.push_back({specified_type(t.kind), points[t.offset]});
    if (t.kind == Tok::Heredoc && list.tokens[++i].kind == Tok::DqPre) { // skip the text, with strings nested in it
      for (int depth = 1; depth > 0;) {
        Tok k = list.tokens[++i].kind;
        if (k == Tok::DqPre) ++depth;
        if (k == Tok::DqPost) --depth;
      }
    }
  }
  return result;
}

std::vector<Lexeme> specified(const std::string& text) {
  antlr4::ANTLRInputStream input(text);
  PuppetLexer lexer(&input);
  lexer.removeErrorListeners();
  std::vector<Lexeme> result;
  for (;;) {
    auto t = lexer.nextToken();
    if (t->getType() == antlr4::Token::EOF) return result;
    result.push_back({t->getType(), t->getStartIndex()});
  }
}

/// The difference between the two lexers as a message; empty when they agree.
std::string compare(const std::string& text) {
  std::vector<Lexeme> a = written(text), b = specified(text);
  if (a.empty()) return {};
  for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (i >= a.size() || i >= b.size()) return "one has " + std::to_string(a.size()) + " tokens, the other " + std::to_string(b.size());
    if (a[i].place == b[i].place && a[i].type == b[i].type) continue;
    const bool inserted_name = a[i].type == L::VARIABLE && i > 0 && (a[i - 1].type == L::DQPRE || a[i - 1].type == L::DQMID) &&
                               b[i].type != L::VARIABLE; // ${name}: in the specification this is still a name
    if (inserted_name && a[i].place == b[i].place) continue;
    return "token " + std::to_string(i) + ": type " + std::to_string(a[i].type) + " at " + std::to_string(a[i].place) +
           ", specified type " + std::to_string(b[i].type) + " at " + std::to_string(b[i].place);
  }
  return {};
}

TEST(LexicalSpecification, AgreesOnSnippets) {
  for (const char* text :
       {"foo::bar ::Foo::Bar foo-bar _x a->b", "1 0x1F 1.5 1e-3 1.foo", "$a $::b::c $ $x::y", "$a / $b =~ /x\\/y/ } /z/ ) / 2",
        "$a[1] [1] f(2)\n (3) ? { {", "'a\\'b' \"a\" \"\" \"a\\\"b\"", "\"a $b c ${d} $$ ${e[1]}f$g$h\"", "\"${ {a => \"x${b}\"} }\" }",
        "[@(A), @(\"B\"/L:x)]\n", "$a = @(X)\n  a\n  | X\n$b", "[@(A), @(\"B\")]\na\nA\n${c} b\nB\n1", "a # b\n/* c\n */ d",
        "<| |> <<| |>> -> ~> <- <~ <<= >>= += -= +> => == =~ != !~ @@ @ ~ ! % ; : , . ?", "é \"é $x\" x"})
    EXPECT_EQ(compare(text), "") << text;
}

TEST(LexicalSpecification, AgreesOnTheTestData) {
  std::ifstream in("testdata/parse/errors.txt");
  for (std::string line; std::getline(in, line);) {
    size_t arrow = line.find(" ==> ");
    if (arrow == std::string::npos || line.starts_with("'a'''") || line.find("\"b\"") != std::string::npos)
      continue; // quotes next to quotes
    EXPECT_EQ(compare(line.substr(0, arrow)), "") << line;
  }
}

TEST(LexicalSpecification, AgreesOnThePackagedModules) {
  const fs::path root = "/usr/share/puppet/modules.available";
  if (!fs::exists(root)) GTEST_SKIP() << "no module packages are installed";
  size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root, fs::directory_options::skip_permission_denied)) {
    if (entry.path().extension() != ".pp" || !entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    std::stringstream s;
    s << in.rdbuf();
    ++files;
    EXPECT_EQ(compare(s.str()), "") << entry.path();
  }
  EXPECT_GT(files, 0u);
}

} // namespace
} // namespace pupc::compiler
