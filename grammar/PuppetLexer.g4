// The lexical specification of Puppet 8: which characters form which token.
//
// The compiler does not use it: compiler/parse/token_source.cpp lexes by hand, four times faster. Tests generate this lexer and compare
// the two token by token over every installed manifest, so that what stands here stays true. Out of its reach, because they are
// not lexical: values of strings (escapes, margins), the texts of errors, and the trimming of templates.
//
// Tokens Puppet's lexer makes from what stands before them: LISTSTART is a [ after white space, WSLPAREN a ( first on its
// line, SELBRACE a { after ?, and a / starts a REGEX where `regex_may_start` says so. The parser's token stream splits
// further (see PuppetParser.g4).
lexer grammar PuppetLexer;

options { language = Cpp; }

tokens { LISTSTART, WSLPAREN, SELBRACE, DQPRE, DQMID, DQPOST }

@lexer::members {
  size_t before = 0;               // type of the token before
  std::vector<int> braces;         // open { inside each ${
  std::vector<bool> first_segment; // per open string: no part of it has become a token yet
  size_t newline_jump = 0;         // where the text after the heredocs of this line goes on
  bool epp = false;                // inside a template

  std::unique_ptr<antlr4::Token> nextToken() override {
    auto t = antlr4::Lexer::nextToken();
    before = t->getType();
    return t;
  }

  // A / after something that may end a value divides; everywhere else, also after }, it starts a regular expression.
  bool regex_may_start() const {
    switch (before) {
    case RPAREN: case RBRACK: case RRCOLLECT: case RCOLLECT: case NAME: case CLASSREF: case NUMBER: case STRING: case BOOLEAN:
    case DQPRE: case DQMID: case DQPOST: case HEREDOC: case REGEX: case VARIABLE: case WORD: return false;
    default: return true;
    }
  }

  static bool is_word(size_t c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
  // Whether the input goes on with a variable's name, from the k-th character on.
  bool name_at(int k) { return is_word(_input->LA(k)) || (_input->LA(k) == ':' && _input->LA(k + 1) == ':' && is_word(_input->LA(k + 2))); }
  bool variable_follows() { return _input->LA(1) == '$' && name_at(2); }
  bool dollar_is_text() { return _input->LA(1) != '{' && !name_at(1); } // asked behind a $

  // First on its line, not counting white space.
  bool first_on_line() {
    for (int k = -2;; --k) {
      size_t c = _input->LA(k);
      if (c == '\n' || c == 0 || c == antlr4::IntStream::EOF) return true;
      if (c != ' ' && c != '\t' && c != '\r') return false;
    }
  }
  bool after_space() {
    size_t c = _input->LA(-2);
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == 0 || c == antlr4::IntStream::EOF;
  }

  void segment(size_t first, size_t later) {
    setType(first_segment.back() ? first : later);
    first_segment.back() = false;
  }
  // The } that closes a ${ is no token.
  void close_brace() {
    if (!braces.empty() && braces.back() == 0) {
      braces.pop_back();
      popMode();
      skip();
    } else if (!braces.empty()) {
      --braces.back();
    }
  }
  void open_brace() {
    if (!braces.empty()) ++braces.back();
    if (before == QMARK) setType(SELBRACE);
  }

  // A heredoc's text begins on the next line (behind the text of the heredocs before it) and ends with the line
  //   blanks [|] blanks [-] blanks TAG blanks
  // where something may even stand before it. The lexer jumps over the text at the end of the line.
  void heredoc() {
    const std::string head = getText();
    std::string tag = head.substr(2, head.find_first_of(":/)", 2) - 2);
    auto strip = [](std::string& s) {
      while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.erase(0, 1);
      while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.pop_back();
    };
    strip(tag);
    if (tag.size() >= 2 && tag.front() == '"' && tag.back() == '"') tag = tag.substr(1, tag.size() - 2);
    strip(tag);
    const size_t here = _input->index();
    size_t p = newline_jump;
    if (p == 0) {
      int k = 1;
      while (_input->LA(k) != '\n' && _input->LA(k) != antlr4::IntStream::EOF) ++k;
      p = here + static_cast<size_t>(k);
    }
    for (bool found = false; !found && p < _input->size();) {
      std::string line;
      _input->seek(p);
      size_t c;
      while ((c = _input->LA(1)) != '\n' && c != antlr4::IntStream::EOF) {
        line += c < 128 ? static_cast<char>(c) : '?';
        _input->consume();
      }
      if (c == '\n') _input->consume();
      p = _input->index();
      while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) line.pop_back();
      found = line.size() >= tag.size() && line.compare(line.size() - tag.size(), tag.size(), tag) == 0;
    }
    newline_jump = p;
    _input->seek(here);
  }
  void newline() {
    if (newline_jump != 0) _input->seek(newline_jump);
    newline_jump = 0;
  }
}

// ---- names -------------------------------------------------------------------------------------------------------------------
// Of two rules that match as much the first wins, so keywords come first and WORD, whose parts may start with _ and hold dashes, last.

CASE: 'case';
CLASS: 'class';
DEFAULT: 'default';
DEFINE: 'define';
IF: 'if';
ELSIF: 'elsif';
ELSE: 'else';
INHERITS: 'inherits';
NODE: 'node';
AND: 'and';
OR: 'or';
UNDEF: 'undef';
IN: 'in';
UNLESS: 'unless';
FUNCTION: 'function';
TYPE: 'type';
ATTR: 'attr';
PRIVATE: 'private';
BOOLEAN: 'true' | 'false';

NAME: '::'? [a-z] Word* ( '::' [a-z] Word* )*;
CLASSREF: ( '::'? [A-Z] Word* )+;
WORD: ( '::'? [a-z_] ( [A-Za-z0-9_\-]* Word )? )+;
VARIABLE: '$' VariableName?; // a lone $ is a variable without a name, an error the checker reports

NUMBER: '0' [xX] [0-9A-Fa-f]+ | Digit+ ( '.' Digit+ )? ( [eE] '-'? Digit+ )?;

fragment Word: [A-Za-z0-9_];
fragment Digit: [0-9];
fragment VariableName: '::'? ( Word+ '::' )* Word+;

// ---- strings, heredocs, regular expressions ----------------------------------------------------------------------------------

STRING: '\'' ( ~['\\] | '\\' . )* '\'';
QUOTE_BEFORE_VARIABLE: '"' { variable_follows() }? { first_segment.push_back(false); } -> type(DQPRE), pushMode(DOUBLE_QUOTED);
QUOTE: '"' { first_segment.push_back(true); } -> more, pushMode(DOUBLE_QUOTED);

HEREDOC: '@(' ~[)\r\n]* ')' { heredoc(); };

REGEX: '/' { regex_may_start() }? ( ( ~[/*\\] | '\\' . ) ( ~[/\\] | '\\' . )* )? '/';

// ---- white space -------------------------------------------------------------------------------------------------------------

SPACE: [\p{Zs}\t\r]+ -> skip;
NEWLINE: '\n' { newline(); } -> skip;
COMMENT: '#' ~'\n'* -> skip;
ML_COMMENT: '/*' .*? '*/' -> skip;

// ---- punctuation -------------------------------------------------------------------------------------------------------------

LBRACK: '[' { if (after_space()) setType(LISTSTART); };
RBRACK: ']';
LPAREN: '(' { if (first_on_line()) setType(WSLPAREN); };
RPAREN: ')';
LBRACE: '{' { open_brace(); };
RBRACE: '}' { close_brace(); };

EQUALS: '=';
APPENDS: '+=';
DELETES: '-=';
ISEQUAL: '==';
NOTEQUAL: '!=';
MATCH: '=~';
NOMATCH: '!~';
GREATEREQUAL: '>=';
GREATERTHAN: '>';
LESSEQUAL: '<=';
LESSTHAN: '<';
FARROW: '=>';
PARROW: '+>';
LSHIFT: '<<';
RSHIFT: '>>';
PLUS: '+';
MINUS: '-';
DIV: '/';
TIMES: '*';
MODULO: '%';
NOT: '!';
DOT: '.';
PIPE: '|';
AT: '@';
ATAT: '@@';
COLON: ':';
COMMA: ',';
SEMIC: ';';
QMARK: '?';
TILDE: '~';
LCOLLECT: '<|';
LLCOLLECT: '<<|';
RCOLLECT: '|>';
RRCOLLECT: '|>>';
IN_EDGE: '->';
IN_EDGE_SUB: '~>';
OUT_EDGE: '<-';
OUT_EDGE_SUB: '<~';
OTHER: .;

// ---- inside double quotes ----------------------------------------------------------------------------------------------------
// "text" is a STRING; with parts to insert it is DQPRE … DQMID … DQPOST. ${ belongs to the text before it, the closing } to
// nothing, the $ of $name to the variable. Text of no length makes no token here (the compiler's lexer makes an empty one).
// A word, number or keyword alone in ${…}, or first before . or [, becomes a VARIABLE in the compiler's lexer.

mode DOUBLE_QUOTED;

TEXT_BEFORE_VARIABLE: DqChar+ { variable_follows() }? { segment(DQPRE, DQMID); };
TEXT: DqChar+ -> more;
INSERTED_VARIABLE: '$' VariableName -> type(VARIABLE);
INSERT: '${' { segment(DQPRE, DQMID); braces.push_back(0); } -> pushMode(DEFAULT_MODE);
END_QUOTE: '"' { segment(STRING, DQPOST); first_segment.pop_back(); } -> popMode;

fragment DqChar: ~["$\\] | '\\' . | '$' { dollar_is_text() }?;
