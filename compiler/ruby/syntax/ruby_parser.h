#pragma once
// A recursive-descent parser without a separate lexer: in Ruby, the meaning of a character depends on where the parser is.
#include "catalog/base/stack.h"
#include "compiler/ruby/syntax/ruby_lexical.h"
#include "compiler/ruby/syntax/ruby_tokens.h"
#include "compiler/ruby/syntax/ruby_tree.h"

#include <functional>
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
  Call* read_arguments(uint32_t begin, uint32_t end);

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
  Sequence* statements(Ends ends);
  Node* statement();
  Node* expression_statement();
  Node* matched_expression();
  Node* not_expression();
  bool at_multiple_assignment() const;
  Node* multiple_assignment();
  void expect_body(Word keyword);
  bool at_other_targets(const Node& first) const;
  Node* multiple_assignment_from(Node* first);
  Node* assigned_values();
  Node* if_statement(bool unless);
  Node* if_tail();
  Node* else_part();
  Node* case_statement();
  Node* while_statement(bool until);
  Node* loop_head();
  Node* for_statement();
  Node* begin_statement();
  Block* block_in(char closing);
  void block_parameters(Block& block);
  void numbered_parameters(Block& block);
  Node* parameter(char closing);
  LocalVariable* own_variable(std::string_view name);
  Node* def_statement();
  Node* default_value(char closing);
  Node* rescued(Node* value, Node* other);
  Node* guarded_body();
  Node* lambda_literal();

  // parse_definitions.cpp: classes, modules and what stands in them
  Node* class_statement();
  Node* module_statement();
  template <class T> Node* body_of_class(T* node);
  std::string_view constant_path();
  Node* alias_statement();
  Node* super_expression();
  std::string_view method_name();

  // parse_patterns.cpp: case … in
  Node* case_in(Case* node);
  Node* top_pattern();
  Node* pattern();
  Node* pattern_primary();
  Node* pattern_list(Node* constant, char closing);
  Node* pattern_hash(Node* constant, char closing);
  Node* pattern_splat(NodeType type);
  bool at_pattern_key() const;
  LocalVariable* variable_target(std::string_view name);

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
  Node* global_variable();
  Node* unary();
  Node* prefixed(char sign);
  Node* prefix(NodeType type, Node* (Parser::*read)());
  Call* operation(Node* left, std::string_view name, Node* right = nullptr);
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
  bool takes_argument_behind(std::string_view name) const;
  bool starts_command_argument() const;
  TextLiteral* label();
  Node* value_of_label(const TextLiteral& key);
  HashLiteral& bare_hash(HashLiteral*& hash);
  void command_arguments(Arguments& call);
  void arguments(Arguments& call, char closing);
  void attach_block(Arguments& call);
  struct Operator {
    std::string_view text;
    int level = -1; // the loosest is 0
  };
  Operator peek_operator();
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
  Block* unread_block(size_t opener);
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
  Node* ternary_element() {
    return element([&] { return ternary(); });
  }
  bool at_element_end(const Node& element);
  Node* variable_of(std::string_view name);
  Node* named_value(std::string_view name);
  void pass_all_arguments(Arguments& call, HashLiteral*& hash);

  // parse_literals.cpp
  Number* number();
  template <class T, class F> void literal(T& node, char open, char close, bool interpolated, std::string_view what, const F& backslash);
  TextLiteral* double_quoted(char open, char close, NodeType type);
  TextLiteral* single_quoted(char open, char close, NodeType type);
  Node* percent_literal();
  Node* word_list(char open, char close, bool symbols);
  Node* interpolated_words(char close, bool symbols);
  Node* interpolated(std::string text, uint32_t line, NodeType type);
  TextLiteral* symbol();
  Node* regex(char open, char close);
  Node* command(char open, char close);
  HashLiteral::Pair pair();
  Node* hash_literal();
  Node* heredoc();
  Node* joined_with_next(TextLiteral* left);
  Node* interpolation();
  void escape(std::string& out);
  void add_part(NodeList& parts, std::string_view text);

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
  template <class T, class... Parts> T* make(NodeType type, Parts... parts) { return program_.make<T>(type, line_, parts...); }
  template <class T, class... Parts> T* make(Parts... parts) { return program_.make<T>(T::usual, line_, parts...); }
  TextLiteral* make_text(NodeType type, std::string_view text) { return make<TextLiteral>(type, text); }
  template <class T> void add(ArenaList<T>& to, const std::type_identity_t<T>& item) { to.add(program_.arena, item); }
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
