#include "compiler/parse/token_source.h"

#include <gtest/gtest.h>

namespace pupc::compiler {
namespace {

/// Tokens as text: punctuation as written, others as kind(value), the first error as !message.
std::string tokens(std::string text, bool epp = false) {
  SourceFile source("t", std::move(text));
  Arena arena;
  RegexCache regexes;
  TokenList list;
  lex(source, epp, arena, regexes, list);
  std::string out;
  for (const RawToken& t : list.tokens) {
    if (!out.empty()) out += ' ';
    auto named = [&](std::string_view kind) { out += std::string(kind) + "(" + std::string(t.value()) + ")"; };
    switch (t.kind) {
    case Tok::End: out += "."; break;
    case Tok::Error: return out + "!" + list.errors[t.aux].message; // tokens after an error serve only further messages
    case Tok::Variable: named("var"); break;
    case Tok::Name: named("name"); break;
    case Tok::Word: named("word"); break;
    case Tok::ClassRef: named("ref"); break;
    case Tok::Number: named("num"); break;
    case Tok::String: named("str"); break;
    case Tok::DqPre: named("pre"); break;
    case Tok::DqMid: named("mid"); break;
    case Tok::DqPost: named("post"); break;
    case Tok::Heredoc: named("heredoc"); break;
    case Tok::Regex: named("regex"); break;
    case Tok::Boolean: named("bool"); break;
    case Tok::EppStart: out += "epp"; break;
    case Tok::RenderString: named("text"); break;
    case Tok::RenderExpr: out += "<%="; break;
    case Tok::Other: out += "other"; break;
    case Tok::ListStart: out += "list["; break;
    case Tok::WsLParen: out += "ws("; break;
    case Tok::SelBrace: out += "sel{"; break;
    default: out += spelling(t.kind); break;
    }
  }
  return out;
}

TEST(Lexer, NamesAndWords) {
  EXPECT_EQ(tokens("foo ::foo::bar Foo ::Foo::Bar"), "name(foo) name(::foo::bar) ref(Foo) ref(::Foo::Bar) .");
  EXPECT_EQ(tokens("foo-bar _x a::_b foo->b"), "word(foo-bar) word(_x) word(a::_b) name(foo) -> name(b) .");
  EXPECT_EQ(tokens("class classy true"), "class name(classy) bool(true) .");
  EXPECT_EQ(tokens("Foo::bar"), "!Illegal class reference");
}

TEST(Lexer, NamesTextsAndBlanksOfAnyLength) { // the lexer looks at blocks of 16
  for (size_t n = 1; n < 50; ++n) {
    const std::string name(n, 'a'), other = name + "_Z9", blanks(n, ' ');
    EXPECT_EQ(tokens(name), "name(" + name + ") .");
    EXPECT_EQ(tokens(blanks + "$" + other + blanks + "\n" + blanks + "," + blanks), "var(" + other + ") , .");
    EXPECT_EQ(tokens("'" + other + "'\"" + other + "\""), "str(" + other + ") str(" + other + ") .");
    EXPECT_EQ(tokens("\"" + other + "${" + name + "}" + other + "$" + name + "\""),
              "pre(" + other + ") var(" + name + ") mid(" + other + ") var(" + name + ") post() .");
    EXPECT_EQ(tokens("'" + name + "\\''"), "str(" + name + "') .");
    for (char c : {'@', '[', '`', '{', '/', ':', '^', '\x7f'}) { // the neighbours of letters, digits and the underscore
      const std::string text = tokens("$" + other + c + name);
      EXPECT_TRUE(text.starts_with("var(" + other + ") ")) << text;
    }
    EXPECT_TRUE(tokens("$" + other + "\xC3\xA9").starts_with("var(" + other + ") "));
  }
}

TEST(Lexer, UnclosedTextsTellTheMatchBefore) {
  EXPECT_EQ(tokens("\"a${b\n  }c"), "!Unclosed quote after '  ' followed by 'c...'");
  EXPECT_EQ(tokens("\"a${b  }c"), "!Unclosed quote after '' followed by 'c...'");
  EXPECT_EQ(tokens("\"a${b}c"), "!Unclosed quote after 'b' followed by 'c...'");
  EXPECT_EQ(tokens("<% \"a${b %>", true), "epp !Unclosed quote after '' followed by '<eof>'");
}

TEST(Lexer, ErrorsBehindOneInAnInterpolation) {
  SourceFile source("t", "\"a${:: }\n$x = 'y\n");
  Arena arena;
  RegexCache regexes;
  TokenList list;
  lex(source, false, arena, regexes, list);
  std::string kinds;
  for (const RawToken& t : list.tokens) kinds += t.kind == Tok::Error ? '!' : t.kind == Tok::End ? '.' : 'x';
  EXPECT_EQ(kinds, "!!xxxx!."); // the tokens between the errors are kept
  EXPECT_EQ(list.errors.back().message, "Unclosed quote after \"'\" followed by 'y\\n...'");
}

TEST(Lexer, Numbers) {
  EXPECT_EQ(tokens("1 0x1F 017 1.5 1e-3 1.5e3"), "num(1) num(0x1F) num(017) num(1.5) num(1e-3) num(1.5e3) .");
  EXPECT_EQ(tokens("1.foo"), "num(1) . name(foo) .");
  EXPECT_EQ(tokens("1.5abc"), "num(1) . !Not a valid decimal number 1.5abc");
}

TEST(Lexer, VariablesTakeTrailingColonsOnlyBeforeANamePart) {
  EXPECT_EQ(tokens("$a $::a::b $a::"), "var(a) var(::a::b) var(a) !Illegal fully qualified name");
  EXPECT_EQ(tokens("$ $1"), "var() var(1) .");
}

TEST(Lexer, RegexOrDivision) {
  EXPECT_EQ(tokens("$a / $b / $c"), "var(a) / var(b) / var(c) .");
  EXPECT_EQ(tokens("$a =~ /a\\/b/"), "var(a) =~ regex(a/b) .");
  EXPECT_EQ(tokens("} /x/"), "} regex(x) .");
  EXPECT_EQ(tokens(") /x/"), ") / name(x) / .");
  EXPECT_EQ(tokens("=~ /x"), "=~ / name(x) .");
}

TEST(Lexer, BracketsDependOnWhiteSpace) {
  EXPECT_EQ(tokens("$a[1] $a [1]"), "var(a) [ num(1) ] var(a) list[ num(1) ] .");
  EXPECT_EQ(tokens("f(1)\n (2)"), "name(f) ( num(1) ) ws( num(2) ) .");
  EXPECT_EQ(tokens("? { {"), "? sel{ { .");
}

TEST(Lexer, Strings) {
  EXPECT_EQ(tokens("'a\\'b\\n\\\\'"), "str(a'b\\n\\) .");
  EXPECT_EQ(tokens("\"a\\tb\\$\\u0041\\u{1F600}\\s|\""), "str(a\tb$A\xF0\x9F\x98\x80 |) .");
  EXPECT_EQ(tokens("\"a\\\nb\""), "str(ab) .");
  EXPECT_EQ(tokens("''''"), "str(') !Unclosed quote after \"'\" followed by '<eof>'");
  EXPECT_EQ(tokens("'''"), "str(') .");
}

TEST(Lexer, Interpolation) {
  EXPECT_EQ(tokens("\"a $b c\""), "pre(a ) var(b) post( c) .");
  EXPECT_EQ(tokens("\"${a}${1}${class}\""), "pre() var(a) mid() var(1) mid() var(class) post() .");
  EXPECT_EQ(tokens("\"${a[1].b} ${a.b} ${f(1)} ${a + 1}\""),
            "pre() var(a) [ num(1) ] . name(b) mid( ) var(a) . name(b) mid( ) name(f) ( num(1) ) mid( ) name(a) + num(1) post() .");
  EXPECT_EQ(tokens("\"$ $$ a$\""), "str($ $$ a$) .");
  EXPECT_EQ(tokens("\"${ {a => \"x${b}\"} }\""), "pre() { name(a) => pre(x) var(b) post() } post() .");
}

TEST(Lexer, Heredocs) {
  EXPECT_EQ(tokens("$a = @(X)\n  a\n   b\n  | X\n$c"), "var(a) = heredoc() str(a\n b\n) var(c) .");
  EXPECT_EQ(tokens("@(X)\n a\n - X\n"), "heredoc() str( a) .");
  EXPECT_EQ(tokens("@(\"X\":json/t)\na\\t${b}\\n\nX\n"), "heredoc(json) pre(a\t) var(b) post(\\n\n) .");
  EXPECT_EQ(tokens("[@(A), @(B)]\na\nA\nb\nB\n1"), "list[ heredoc() str(a\n) , heredoc() str(b\n) ] num(1) .");
  EXPECT_EQ(tokens("@(X)\na X\n"), "heredoc() str() ."); // the end tag need not be at the start of the line
  EXPECT_EQ(tokens("@(X)\na"), "!Heredoc without end-tagged line");
}

TEST(Lexer, PlacesInHeredocsAreThoseOfTheSource) {
  SourceFile source("t", "@(\"X\")\n    a ${b}\n    | X\n");
  Arena arena;
  RegexCache regexes;
  TokenList list;
  lex(source, false, arena, regexes, list);
  ASSERT_EQ(list.tokens[2].kind, Tok::Variable);
  EXPECT_EQ(source.position(list.tokens[2].offset).line, 2u);
  EXPECT_EQ(source.position(list.tokens[2].offset).column, 9u);
}

TEST(Lexer, Templates) {
  EXPECT_EQ(tokens("a <%= $b %> c", true), "epp text(a ) <%= var(b) %> text( c) .");
  EXPECT_EQ(tokens("a\n  <%- $b -%>\n c <%% d %%> <%# e -%>\nf", true), "epp text(a\n) var(b) text( c <% d %> f) .");
  EXPECT_EQ(tokens("a <% $b", true), "epp text(a ) var(b) !Unbalanced epp tag, reached <eof> without closing tag.");
  EXPECT_EQ(tokens("a<%# b %>", true), "epp ."); // text before a comment at the end is dropped, as in Puppet
}

TEST(Lexer, CommentsAndWhiteSpace) {
  EXPECT_EQ(tokens("a # b\n/* c\nd */ e\xC2\xA0"
                   "f"),
            "name(a) name(e) name(f) .");
  EXPECT_EQ(tokens("/* a"), "!Unclosed multiline comment");
}

TEST(Lexer, WarnsOfUnknownEscapes) {
  SourceFile source("t", "$a = \"abc \\d\"");
  Arena arena;
  RegexCache regexes;
  TokenList list;
  lex(source, false, arena, regexes, list);
  ASSERT_EQ(list.warnings.size(), 1u);
  EXPECT_EQ(list.warnings[0].puppet_text(), "Unrecognized escape sequence '\\d' (file: t, line: 1, column: 14)");
}

} // namespace
} // namespace pupc::compiler
