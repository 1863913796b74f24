#pragma once
// The parser's actions. The generated parser calls them as it recognises the grammar's rules, and they build the tree as Puppet's
// Factory does. The builder also keeps the errors, and the place in the grammar (Cursor) for the token stream.
//   Finished operands wait on a stack, and so do the parts of unfinished lists. A Mark remembers where a list began.
#include "compiler/ast/ast.h"
#include "compiler/parse/frame_builder.h"
#include "compiler/parse/raw_token.h"
#include "compiler/parse/token_source.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::compiler {

/// Thrown to abandon a statement after a syntax error. The error is already recorded.
struct SyntaxFailure {};

/// A node with the height of its subtree. Limiting the height limits the recursion of all code that walks the tree.
struct Built {
  Node* node = nullptr;
  uint32_t height = 0;
};

enum class EntryKind : uint8_t { List, Hash, Argument, Access };

/// What the grammar makes of a token of each kind (token_stream.cpp).
struct alignas(8) TokenTraits {
  uint16_t type;       // its type, if it is the same nearly everywhere; else 0, and find_type computes it
  uint16_t other_type; // the same where only an attribute's name may stand, and of a => that belongs to no selector
  bool ends;           // whether an expression may be complete after it. The builder corrects what the token alone does not decide.
};
extern const std::array<TokenTraits, static_cast<size_t>(Tok::count)> token_traits;

inline const TokenTraits& traits_of(const RawToken& t) { return token_traits[static_cast<size_t>(t.kind)]; }

/// The place in the grammar, as far as the token stream needs it to classify ambiguous tokens.
struct Cursor {
  enum class Expect : uint8_t { Operand, Operator, AfterResource };
  enum class Keys : uint8_t { No, Maybe, Always }; // may the next token be an attribute's name?

  const RawToken* at = nullptr; // the next token
  uint32_t next = 0;            // its index
  Expect expect = Expect::Operand;
  Keys keys = Keys::No;
  size_t type = 0;        // the next token's type for the grammar; 0 = not known yet
  uint32_t lambda_at = 0; // index of the token that, if it is |, starts a lambda
  uint32_t alias_at = 0;  // index of the token that, if it is [ or {, belongs to the type on the right of a type alias
};

struct ExpressionFrame {
  size_t operators = 0;
  uint32_t keys_pending = 0; // selectors without braces whose => has not come yet
  uint32_t saved_height = 0;
  ExpressionFrame* outer = nullptr;
};

struct AssignmentFrame {
  Built value;
  size_t base = 0;
  uint32_t op = 0; // index of the pending operator token, 0 = none
  bool pure = true;
};

struct ResourceFrame {
  Built left;
  size_t ats = 0, bodies = 0, attributes = 0;
  uint32_t brace = 0, saved_height = 0;
  bool pure = true;
  bool is_class = false;
};

struct BlockMark {
  size_t statements, base;
  uint32_t comma; // of the enclosing block
  Symbol comma_name;
};

/// The builder's state before a statement. After an error in the statement the builder returns to it.
struct StatementState {
  size_t operands, operators, nodes, entries, keys, attributes, bodies, titles, parameters, pending, assignments, ats, marks, ifs, options,
      selectors, statements, block_base, namespaces;
  ExpressionFrame* frame;
  uint32_t depth, height;
  FrameBuilder::State frames;
};

struct StatementFrame {
  size_t nodes;
  uint32_t first_comma, start;
  size_t state; // index of its StatementState
};

struct DefinitionFrame {
  size_t parameters;
  Symbol name, parent;
  Node* return_type;
  BodyPlace around;
};

struct NodeFrame {
  size_t nodes;
  BodyPlace around;
  size_t parent = SIZE_MAX;
};

struct CaseFrame {
  size_t options;
  Node* test = nullptr;
};

struct OptionFrame {
  size_t nodes;
  uint32_t colon = 0;
};

/// What the builder keeps of unfinished constructs. Its memory can be used again for the next text.
struct BuilderStacks {
  struct Operator {
    uint32_t token;
    uint8_t precedence; // 0 = the key of a selector without braces, 1 = its value
    bool prefix;
  };
  struct Mark {
    size_t nodes, entries, attributes, selectors;
    uint32_t next;
    uint32_t method; // 1 if the parenthesis holds the arguments of a method
  };
  struct IfPart {
    Node* test;
    Block* block;
    uint32_t offset;
    bool is_else;
  };
  struct PendingParameter {
    Node* type = nullptr;
    bool rest = false;
    Parameter parameter{};
  };
  /// A symbol by its first and last eight characters and its size, which are all of most names.
  struct CachedSymbol {
    uint64_t first = 0, last = 0;
    const char* text = nullptr;
    uint32_t size = 0;
    Symbol symbol;
  };
  std::vector<std::string_view> namespaces_;
  std::vector<Built> operands_;
  std::vector<Operator> operators_;
  std::vector<Node*> nodes_;
  std::vector<Node*> statements_;
  std::vector<KeyedEntry> entries_;
  std::vector<std::pair<Node*, uint32_t>> keys_;
  std::vector<AttributeOp> attributes_;
  std::vector<ResourceBody> bodies_;
  std::vector<Node*> titles_;
  std::vector<Parameter> parameters_;
  std::vector<PendingParameter> pending_parameters_;
  std::vector<std::pair<Built, uint32_t>> assignments_;
  std::vector<uint32_t> ats_;
  std::vector<Mark> marks_;
  std::vector<IfPart> ifs_;
  std::vector<CaseOption> options_;
  std::vector<SelectorEntry> selectors_;
  FrameBuilder frames_;

  std::vector<const Node*> definitions_;
  std::vector<const Call*> calls_;
  std::vector<const ResourceExpr*> resources_;
  std::vector<StatementState> states_; // before the statements around the next token

  // Symbols of all texts. The cache grows with what it misses: a program of one small text should not pay for that of thousands.
  static constexpr size_t first_cache = 256, largest_cache = 4096;
  std::vector<CachedSymbol> symbol_cache_{first_cache};
  size_t symbol_mask_ = first_cache - 1;
  size_t symbols_missed_ = 0;
  std::array<std::pair<Symbol, Symbol>, 128> lower_names_; // names of types as written, and in lower case
  /// The parts of a qualified variable's name.
  struct QualifiedName {
    Symbol name, scope, base;
  };
  std::array<QualifiedName, 512> qualified_names_;

  void clear();
};

/// What the builder knows of the text that it builds the tree of.
struct BuilderState {
  ParsedFile* file_ = nullptr;
  TokenList* list_ = nullptr;
  const RawToken* tokens_ = nullptr;
  uint32_t token_count_ = 0;
  RegexCache* regexes_ = nullptr;
  std::vector<Diagnostic>* errors_ = nullptr;
  bool failed_ = false;
  bool truncated_reported_ = false;
  uint32_t last_error_ = 0; // index of the last error's token, plus 1

  // results of the rule that finished last
  Built out_;
  bool out_pure_ = true;
  Node* out_dq_ = nullptr;
  Seq<Node*> out_statements_;
  Block* out_block_ = nullptr;
  Lambda* out_lambda_ = nullptr;
  std::string_view out_name_;
  Node* out_query_ = nullptr;

  const char* stack_base_ = nullptr;
  uint32_t depth_ = 0;
  uint32_t height_ = 0; // of the highest part of the operand being built
  ExpressionFrame* frame_ = nullptr;
  EntryKind entry_kind_ = EntryKind::List;
  uint32_t entry_index_ = UINT32_MAX;
  bool entry_is_value_ = false;
  uint32_t method_end_ = 0; // index after a method's name

  // the definition being built
  Symbol name_, parent_;
  Node* return_type_ = nullptr;
  Symbol type_parent_;

  // the block being built
  size_t block_base_ = 0;
  uint32_t block_comma_ = 0;
  Symbol block_comma_name_;

  bool epp_parameters_given_ = false;
  Seq<Parameter> epp_parameters_;
};

class AstBuilder : private BuilderStacks, private BuilderState {
public:
  /// Starts on the tokens of a text. Errors are recorded, and parsing continues after them.
  void start(ParsedFile& file, TokenList& list, RegexCache& regexes, std::vector<Diagnostic>& errors);

  /// The limits for the nesting of expressions while parsing and for the height of the tree. Both keep recursion within an 8 MB stack,
  /// also with sanitizers.
  static constexpr uint32_t max_depth = 1100;
  static constexpr uint32_t max_height = 2000;
  /// The stack that the parser may use. max_depth alone does not bound it, because some constructs need far more stack per level than
  /// others. Threads that parse need a stack of 8 MB.
  static constexpr size_t max_stack = 5 * 1024 * 1024;

  static constexpr size_t max_errors = 20;

  Cursor cursor;
  const RawToken* tokens() const { return tokens_; }
  uint32_t token_count() const { return token_count_; }
  uint32_t next() const { return cursor.next; }
  bool selector_pending() const { return frame_ != nullptr && frame_->keys_pending != 0; }
  bool failed() const { return failed_; }

  // ---- errors
  /// Records "Syntax error at …" for the next token (or the lexer's error if the next token is one) and throws SyntaxFailure.
  [[noreturn]] void syntax_error(std::string suggestion = {});
  [[noreturn]] void syntax_error_at(uint32_t index, std::string suggestion = {});
  const RawToken* unclosed_before(uint32_t index) const;
  [[noreturn]] void error_at(uint32_t offset, std::string message);
  void record(ErrorCode code, uint32_t index, uint32_t offset, uint32_t length, std::string message, PositionStyle style,
              std::string suggestion);
  void recover_statement(const StatementFrame& s);
  /// Skips the token of an error outside all statements, such as an unpaired brace. Returns false at the end of the text.
  bool skip_unexpected();

  // ---- places
  void operand_next() { cursor.expect = Cursor::Expect::Operand; }
  void expect_keys() {
    cursor.keys = Cursor::Keys::Always;
    cursor.type = traits_of(*cursor.at).other_type;
  }
  /// After what no selector without braces can hold: a => there is an entry's or an attribute's.
  void expect_arrow() {
    if (cursor.at->kind == Tok::FatArrow) cursor.type = traits_of(*cursor.at).other_type;
  }
  void comma() {
    if (cursor.at[-2].kind == Tok::Comma) syntax_error_at(cursor.next - 1);
  }
  void semicolon();
  void open();

  // ---- program and statements
  void finish_program();
  void finish_epp();
  void epp_parameters(const DefinitionFrame& mark, bool given);
  BlockMark begin_block();
  void end_block(const BlockMark& mark);
  void block(uint32_t start);
  StatementFrame begin_statement() {
    keep_state();
    return {nodes_.size(), 0, cursor.next, states_.size() - 1};
  }
  void statement();
  void statement_comma(StatementFrame& s) {
    if (s.first_comma == 0) s.first_comma = cursor.next - 1;
  }
  void end_statement(const StatementFrame& s);

  // ---- assignment, resources
  AssignmentFrame begin_assignment();
  void assignment_operand(AssignmentFrame& a);
  void assignment_operator(AssignmentFrame& a);
  void end_assignment(AssignmentFrame& a);
  ResourceFrame begin_resource();
  void resource_at(ResourceFrame& r);
  void resource_left(ResourceFrame& r);
  void class_resource(ResourceFrame& r);
  void resource_brace(ResourceFrame& r);
  void end_resource(ResourceFrame& r, bool titled);
  void finish_resource(ResourceFrame& r);
  void apply_ats(ResourceFrame& r);
  void title();
  size_t begin_attributes() const { return attributes_.size(); }
  void resource_body(size_t mark);
  void attribute(uint32_t start);
  void splat_attribute(uint32_t start);

  // ---- expressions
  void begin_expression(ExpressionFrame& f);
  void continue_expression(ExpressionFrame& f);
  void end_expression(ExpressionFrame& f);
  void prefix_operator();
  void binary_operator();
  void selector();
  void bare_selector();
  void selector_match();
  void selector_value();
  void end_selector();
  void access();
  void open_call();
  void call();
  void method();
  void attach_lambda();
  void query();
  void collector();
  void collector_body();
  void entry_start(EntryKind kind);
  void entry_key();
  void entry_pair();
  void entry();
  void access_entry();
  void hash_value();

  /// Whether an expression may begin here, so far as depth goes.

  // ---- operands
  void variable();
  void name();
  void string();
  void reference();
  void number();
  void boolean();
  void undef();
  void default_literal();
  void regex();
  void bare_keyword();
  void reserved_word();
  void parenthesized(uint32_t start);
  size_t begin_interpolation();
  void interpolation_text();
  void interpolation_part();
  void end_interpolation(size_t mark);
  void dq_operand(uint32_t start);
  void heredoc_string();
  void heredoc(uint32_t start);
  size_t begin_list();
  void list(uint32_t start, size_t mark);
  size_t begin_hash() const { return entries_.size(); }
  void hash(uint32_t start, size_t mark);
  void render_string();
  void render_expression(uint32_t start);
  void render_block(uint32_t start);
  void finish_render(uint32_t start);

  // ---- conditionals
  size_t begin_if();
  void if_test();
  void if_then();
  void elsif();
  void if_else();
  void end_if(uint32_t start, size_t mark);
  void end_unless(uint32_t start, size_t mark);
  CaseFrame begin_case();
  void case_test(CaseFrame& c);
  void end_case(uint32_t start, CaseFrame& c);
  OptionFrame begin_option();
  void option_value();
  void option_colon(OptionFrame& o);
  void end_option(OptionFrame& o);

  // ---- definitions
  DefinitionFrame begin_parameters();
  void parameter_type();
  void no_parameter_type();
  void captures_rest();
  void parameter_name();
  void parameter_default();
  void parameter();
  void type_reference();
  void type_access(uint32_t start);
  void return_type();
  void lambda(uint32_t start, const DefinitionFrame& m);
  void class_name();
  void push_namespace();
  void defined_name();
  void parent_name();
  void class_definition(uint32_t start, const DefinitionFrame& m);
  void define_definition(uint32_t start, const DefinitionFrame& m);
  void function_definition(uint32_t start, const DefinitionFrame& m);
  void plan_definition(uint32_t start, const DefinitionFrame& m);
  void open_apply() { open(); }
  BodyPlace begin_apply() { return frames_.enter(); }
  void apply_expression(uint32_t start, const BodyPlace& around);
  NodeFrame begin_node();
  void dotted_name(uint32_t start);
  void host_name();
  void node_parent(NodeFrame& m);
  void node_definition(uint32_t start, const NodeFrame& m);
  void alias_reference();
  void alias_hash();
  void alias_object(uint32_t start);
  void alias_hash_only(uint32_t start);
  void alias_access(uint32_t start);
  void alias_list(uint32_t start);
  void type_alias(uint32_t start);
  void type_has_body();
  void type_parent();
  void type_body(uint32_t start);

private:
  void keep_state();
  void go_to(uint32_t index);
  void finish_file(Node* body);
  size_t indentation(uint32_t index) const;
  void open_up_body(uint32_t brace);
  uint32_t after_failed_statement(uint32_t start);

  const RawToken& last() const { return cursor.at[-1]; }
  const RawToken& token(uint32_t i) const { return tokens_[i]; }
  uint32_t end_offset() const { return last().offset + last().length; }
  Symbol symbol(std::string_view s);
  [[gnu::noinline]] Symbol long_or_new_symbol(std::string_view s, uint64_t first, uint64_t last, CachedSymbol& slot);
  template <class T> T* make(NodeKind kind, uint32_t offset, uint32_t length) {
    T* n = new (file_->arena.allocate(sizeof(T), alignof(T))) T{};
    n->kind = kind;
    n->offset = offset;
    n->length = length;
    if constexpr (std::is_same_v<T, Call>) calls_.push_back(n);
    if constexpr (std::is_same_v<T, ResourceExpr>) resources_.push_back(n);
    return n;
  }
  template <class T> T* make_at(NodeKind kind, const RawToken& t) { return make<T>(kind, t.offset, t.length); }
  template <class T> Seq<T> take_from(std::vector<T>& v, size_t mark) {
    Seq<T> s;
    s.size = static_cast<uint32_t>(v.size() - mark);
    if (s.size != 0) {
      s.data = file_->arena.make_array<T>(s.size);
      for (uint32_t i = 0; i < s.size; ++i) s.data[i] = v[mark + i];
      v.resize(mark);
    }
    return s;
  }
  Node* take() { // the finished subexpression becomes part of the operand being built
    if (out_.height > height_) height_ = out_.height;
    return out_.node;
  }
  void push_operand(Node* n) {
    operands_.push_back({n, height_ + 1});
    height_ = 0;
  }
  Built pop_operand() {
    Built b = operands_.back();
    operands_.pop_back();
    return b;
  }
  void check_height(uint32_t height, uint32_t offset) {
    if (height > max_height) too_deep(offset);
  }
  [[noreturn]] void too_deep(uint32_t offset);
  void leave_at_lexer_error();
  void reduce(uint8_t precedence);
  void apply_operators(const ExpressionFrame& f);
  void apply(const Operator& op);
  Built binary(Built left, uint32_t op, Built right);
  Variable* make_variable(std::string_view name, uint32_t offset, uint32_t length);
  Variable* make_variable(std::string_view name, size_t base, uint32_t offset, uint32_t length);
  Node* variable_of(const RawToken& t);
  Node* name_of(const RawToken& t) { return make_name(t.value(), t.offset, t.length); }
  Node* string_of(const RawToken& t);
  Node* literal_of(const RawToken& t, Value value);
  Node* number_of(const RawToken& t);
  Literal* make_string(std::string_view text, uint32_t offset, uint32_t length);
  Reference* make_reference(const RawToken& t);
  Name* make_name(std::string_view text, uint32_t offset, uint32_t length);
  Node* interpolate(Node* n);
  void add_statement(Node* n, Seq<Node*> list, uint32_t first_comma);
  Block* make_block(Seq<Node*> statements, uint32_t offset, uint32_t length);
  Block* body_block(uint32_t offset);
  void append_entry(HashLiteral* h, KeyedEntry e);
  Node* untitled_resource(Built left, Seq<AttributeOp> ops, uint32_t brace);
  Node* make_if(size_t mark, uint32_t start, uint8_t flags);
  template <class T> T* definition(NodeKind kind, uint32_t start, const DefinitionFrame& m);
  void leave_definition(const DefinitionFrame& m);
  FrameLayout* finish_frame(BodyKind kind, const Seq<Parameter>& parameters, const BodyPlace& around);
};

// The actions that every operand goes through are inline: a value is an assignment, a resource and an expression first.

inline AssignmentFrame AstBuilder::begin_assignment() {
  AssignmentFrame a;
  a.base = assignments_.size();
  return a;
}

inline void AstBuilder::assignment_operand(AssignmentFrame& a) {
  a.pure = a.pure && out_pure_;
  a.value = a.op != 0 ? binary(a.value, a.op, out_) : out_;
  a.op = 0;
}

inline void AstBuilder::end_assignment(AssignmentFrame& a) {
  while (assignments_.size() > a.base) { // right associative
    auto [left, op] = assignments_.back();
    assignments_.pop_back();
    a.value = binary(left, op, a.value);
  }
  out_ = a.value;
  out_pure_ = a.pure;
}

inline ResourceFrame AstBuilder::begin_resource() {
  ResourceFrame r;
  r.ats = ats_.size();
  r.saved_height = height_;
  height_ = 0;
  return r;
}

inline void AstBuilder::finish_resource(ResourceFrame& r) {
  if (ats_.size() > r.ats) apply_ats(r);
  out_ = r.left;
  out_pure_ = r.pure;
  height_ = r.saved_height;
}

inline void AstBuilder::begin_expression(ExpressionFrame& f) {
  f.operators = operators_.size();
  f.saved_height = height_;
  f.outer = frame_;
  height_ = 0;
  frame_ = &f;
  const auto used = static_cast<size_t>(stack_base_ - static_cast<const char*>(__builtin_frame_address(0)));
  if (++depth_ > max_depth || used > max_stack) {
    frame_ = f.outer;
    too_deep(tokens_[cursor.next].offset);
  }
}

inline void AstBuilder::end_expression(ExpressionFrame& f) {
  if (operators_.size() > f.operators) apply_operators(f);
  out_ = pop_operand();
  out_pure_ = true;
  height_ = f.saved_height;
  frame_ = f.outer;
  --depth_;
}

inline void AstBuilder::resource_left(ResourceFrame& r) { r.left = out_; }

inline void AstBuilder::statement() { nodes_.push_back(take()); }

} // namespace pupc::compiler
