#pragma once
// A recursive-descent parser without a separate lexer: in Ruby, the meaning of a character depends on where the parser is.
#include "catalog/base/stack.h"
#include "compiler/ruby/syntax/ruby_lexical.h"
#include "compiler/ruby/syntax/ruby_tokens.h"
#include "compiler/ruby/syntax/ruby_tree.h"

#include <functional>
#include <initializer_list>
#include <span>
#include <utility>

namespace pupc::compiler::ruby {

/// Thrown for code outside the supported subset; parse_program turns it into an entry of RubyScript::problems.
struct Unparsable {
  uint32_t line;
  std::string what;
};

class Parser {
public:
  /// For all of the code, which the interpreter is to run: what is beyond the subset throws Unparsable. The tree has parts of the code in
  /// it, which must live as long as the program.
  Parser(std::string_view code, RubyScript& program, RegexCache& regexes)
      : code_(code), whole_(code), program_(program), regexes_(&regexes) {}
  void parse();
  /// Variables of the code around, one frame up, in this order.
  void knows(std::span<const std::string_view> names) { scopes_.emplace_back().names.assign(names.begin(), names.end()); }

  using IsVariable = std::function<bool(std::string_view name)>;
  /// For parts of a file whose tokens are known. What is beyond the subset becomes a node Unread, as small as possible, and blocks are not
  /// read. `is_variable` knows the variables that other parts of the file set.
  Parser(std::string_view text, std::span<const RubyToken> tokens, const IsVariable& is_variable, RubyScript& program)
      : code_(text), whole_(text), tokens_(tokens), is_variable_(&is_variable), program_(program) {}
  /// Reads the tokens [begin, end) as an expression (nil if there are none), or as the arguments of a Call.
  Node* read_expression(uint32_t begin, uint32_t end);
  Node* read_arguments(uint32_t begin, uint32_t end);

private:
  Parser(std::string_view code, RubyScript& program) : code_(code), whole_(code), program_(program) {}

  struct Variables {
    std::vector<std::string_view> names;
    bool of_block = false; // without parameters: _1 and its like may stand in it
  };
  /// Where a list of statements ends: at one of the words, or at the character.
  struct Ends {
    Words words = 0;
    char closing = '\0';
  };

  // ruby_parser.cpp: statements and control structures
  Node* statements(Ends ends);
  Node* statement();
  Node* expression_statement();
  Node* matched_expression();
  Node* not_expression();
  bool at_multiple_assignment() const;
  Node* multiple_assignment();
  void expect_body(Word keyword);
  bool at_other_targets(const Node& first) const;
  Node* multiple_assignment_from(Node* first);
  void assigned_values(Node& node);
  Node* if_statement(bool unless);
  Node* if_tail();
  Node* case_statement();
  Node* while_statement(bool until);
  Node* for_statement();
  Node* begin_statement();
  Node* block_in(char closing);
  void block_parameters(Node& block);
  void numbered_parameters(Node& block);
  Node* parameter(char closing);
  Node* own_variable(std::string_view name);
  Node* def_statement();
  Node* default_value(char closing);
  Node* rescued(Node* value, Node* other);
  Node* guarded_body();
  Node* lambda_literal();

  // parse_definitions.cpp: classes, modules and what stands in them
  Node* class_statement();
  Node* module_statement();
  Node* body_of_class(Node* node);
  Node* alias_statement();
  Node* super_expression();
  std::string_view method_name();

  // parse_patterns.cpp: case … in
  Node* case_in(Node* node);
  Node* top_pattern();
  Node* pattern();
  Node* pattern_primary();
  Node* pattern_list(Node* constant, char closing);
  Node* pattern_hash(Node* constant, char closing);
  Node* pattern_splat(NodeType type);
  bool at_pattern_key() const;
  Node* variable_target(std::string_view name);

  // parse_operators.cpp: operators, calls, primaries
  Node* expression();
  Node* assignment(Node* left, std::string_view op);
  Node* ternary();
  Node* range_from(Node* left);
  Node* binary(int level);
  Node* operations(Node* left, int level);
  Node* text_piece();
  Node* character_literal();
  Node* class_variable();
  Node* unary();
  Node* prefixed(char sign);
  Node* power_of(Node* left);
  Node* postfix();
  Node* postfix_of(Node* node);
  Node* assigned_value();
  Node* primary();
  Node* keyword_expression();
  Node* identifier_expression();
  Node* binding();
  Node* leave(Word word);
  Node* call_rest(Node* receiver, std::string_view name, bool safe);
  bool touches_argument(std::string_view name) const;
  bool starts_command_argument() const;
  Node* label();
  void command_arguments(Node& call);
  void arguments(Node& call, char closing);
  void attach_block(Node& call);
  struct Operator {
    std::string_view text;
    int level = -1; // the loosest is 0
  };
  Operator peek_operator();
  Node* assign(Node* target, Node* value);
  Node* target_of(Node* node);
  std::string_view peek_assignment_operator() {
    skip_blanks();
    return is_char(at(), char_operator) ? assignment_operator() : std::string_view();
  }
  std::string_view assignment_operator() const;

  // parse_parts.cpp: parts of a file whose tokens are known
  bool only_reads() const { return is_variable_ != nullptr; }
  bool has_tokens() const { return !tokens_.empty(); }
  size_t offset_of(uint32_t token) const { return static_cast<size_t>(tokens_[token].text.data() - whole_.data()); }
  uint32_t token_at(size_t offset) const;
  void begin_part(uint32_t begin, uint32_t end);
  void skip_past(uint32_t token);
  Node* skip_keyword();
  Node* unread_block(size_t opener);
  Node* unread_lambda(size_t arrow);
  Node* skip_element(size_t begin, uint32_t line, bool ends_at_newline);
  /// Parses an element of a list. In a file with tokens, an element that the parser does not know becomes Unread.
  template <class F> Node* element(F parse, bool ends_at_newline = false) {
    if (!has_tokens()) return parse();
    skip_newlines();
    size_t begin = pos_, scopes = scopes_.size();
    uint32_t line = line_;
    bool no_do = no_do_;
    auto tokens = tokens_;
    try {
      Node* node = parse();
      if (ends_at_newline || at_element_end(*node)) return node;
    } catch (const Unparsable&) {
      no_do_ = no_do;
      tokens_ = tokens;
    }
    scopes_.resize(scopes);
    return skip_element(begin, line, ends_at_newline);
  }
  bool at_element_end(const Node& element);

  // parse_literals.cpp
  Node* number();
  template <class F> void literal(Node& node, char open, char close, bool interpolated, std::string_view what, const F& backslash);
  Node* double_quoted(char open, char close, NodeType type);
  Node* single_quoted(char open, char close, NodeType type);
  Node* percent_literal();
  Node* word_list(char open, char close, bool symbols);
  Node* interpolated_words(char close, bool symbols);
  Node* interpolated(std::string text, uint32_t line, NodeType type);
  Node* symbol();
  Node* regex(char open, char close);
  Node* hash_literal();
  Node* heredoc();
  Node* joined_with_next(Node* left);
  Node* interpolation();
  void escape(std::string& out);
  void add_part(Node& node, std::string_view text);

  // characters
  char at(size_t offset = 0) const { return pos_ + offset < code_.size() ? code_[pos_ + offset] : '\0'; }
  bool done() const { return pos_ >= code_.size(); }
  void advance(size_t n = 1) {
    for (; n > 0 && pos_ < code_.size(); --n)
      if (code_[pos_++] == '\n') begin_line();
  }
  void begin_line() {
    ++line_;
    if (pos_ == heredoc_begin_) skip_heredocs();
  }
  std::string_view rest() const { return code_.substr(pos_); }
  void skip_heredocs();
  void skip_blanks() { // blanks within a line, and comments
    if (is_char(at(), char_skipped)) skip_blanks_here();
  }
  void skip_newlines() { // the same, and newlines
    if (is_char(at(), char_skipped | char_newline)) skip_here(char_newline);
  }
  void skip_terminators() {
    if (is_char(at(), char_skipped | char_newline | char_semicolon)) skip_here(char_newline | char_semicolon);
  }
  void skip_blanks_here();
  void skip_here(unsigned classes);
  /// The keyword that stands here. None where there is another name or none, a label (`if:`), or a name that ends with ? or !.
  Word word() {
    if (!at_word()) return Word::None;
    if (word_at_ != pos_) read_word();
    return word_;
  }
  void read_word();
  bool at_keyword(Word wanted) { return word() == wanted; }
  void skip_word() { pos_ = word_end_; } // that word() has found
  bool accept_keyword(Word wanted);
  void expect_keyword(Word wanted, std::string_view spelling);
  bool accept(char c) {
    if (at() != c) return false;
    advance();
    return true;
  }
  bool accept(std::string_view s);
  void expect(char c) {
    if (!accept(c)) missing(std::string_view(&c, 1));
  }
  void expect(std::string_view s) {
    if (!accept(s)) missing(s);
  }
  [[noreturn]] void missing(std::string_view what) const;
  bool at_end_of(Ends ends) { return ends.closing != '\0' ? at() == ends.closing : ends.words != 0 && has_word(ends.words, word()); }
  bool at_word() const { return is_name_start(at()); }
  std::string_view identifier();

  Node* make(NodeType type) { return program_.make(type, line_); }
  NodeList list(std::initializer_list<Node*> nodes) { return program_.list(nodes); }
  void add(Node& to, Node* kid) { to.kids.add(program_.arena, kid); }
  [[noreturn]] void fail(std::string what) const { throw Unparsable{line_, std::move(what)}; }

  bool find_local(std::string_view name, int32_t& up, int32_t& slot) const;
  void declare(std::string_view name, int32_t& up, int32_t& slot);

  struct DepthGuard {
    explicit DepthGuard(Parser& p) : parser(p) {
      if (++parser.depth_ > 3000 || native_stack_low()) parser.fail("nesting that is too deep");
    }
    ~DepthGuard() { --parser.depth_; }
    Parser& parser;
  };

  std::string_view code_;             // up to the end of what is to be read
  std::string_view whole_;            // with the bodies of heredocs that begin in it
  std::span<const RubyToken> tokens_; // of `whole_`; empty where they are not known
  const IsVariable* is_variable_ = nullptr;
  RubyScript& program_;
  RegexCache* regexes_ = nullptr; // null: regular expressions are not compiled
  size_t pos_ = 0;
  size_t word_at_ = SIZE_MAX, word_end_ = 0; // the place of the last word that word() has read
  Word word_ = Word::None;
  bool word_is_keyword_ = false;   // also as a label
  size_t command_end_ = SIZE_MAX;  // where the arguments of the last call without parentheses end, with blanks
  size_t no_dot_after_ = SIZE_MAX; // behind this offset no call continues on the next line
  uint32_t line_ = 1;
  int depth_ = 0;
  bool ends_in_comment_ = false;
  int arguments_ = 0;                                 // how many lists in brackets enclose it
  int classes_ = 0;                                   // how many classes and modules enclose the current position
  int methods_ = 0;                                   // how many `def` enclose the current position
  size_t heredoc_begin_ = SIZE_MAX, heredoc_end_ = 0; // where the bodies of this line's heredocs stand
  bool no_do_ = false;                                // in a loop's condition: `do` belongs to the loop
  std::vector<Variables> scopes_;
};

} // namespace pupc::compiler::ruby
