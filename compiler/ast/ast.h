#pragma once
// The abstract syntax tree. compiler/parse builds the nodes in the arena of their ParsedFile, with the slots of the variables. From then on
// they are immutable, because many compiles share one tree.
// Print a tree with `pupc ast FILE` (compiler/ast/printer.h). A good node to read first: ClassDef, which uses most features.
#include "catalog/base/source.h"
#include "catalog/base/symbol.h"
#include "catalog/value/value.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>

namespace pupc::compiler {

enum class NodeKind : uint8_t {
  Nop,              // Node
  Literal,          // Literal: undef default true false numbers strings
  RegexLiteral,     // Literal
  Name,             // Name: foo, foo::bar, ::foo
  Reference,        // Reference: Foo, Foo::Bar, ::Foo
  ReservedWord,     // ReservedWord
  Variable,         // Variable
  Interpolation,    // Interpolation: "a ${b} c"
  Heredoc,          // Heredoc
  ListLiteral,      // ListLiteral
  HashLiteral,      // HashLiteral
  Access,           // Access: left[keys]
  Call,             // Call: f(args) |lambda|, and statement calls `notice x`
  MethodCall,       // MethodCall: receiver.name(args) |lambda|
  Arithmetic,       // Binary: + - * / % << >>
  Comparison,       // Binary: == != < <= > >=
  Match,            // Binary: =~ !~
  In,               // Binary
  And,              // Binary
  Or,               // Binary
  Assignment,       // Binary: = += -=
  Relationship,     // Binary: -> ~> <- <~
  Not,              // Unary
  Minus,            // Unary
  Unfold,           // Unary: *expr
  Parenthesized,    // Unary
  If,               // If (flags & if_unless: unless)
  Case,             // Case
  Selector,         // Selector
  Block,            // Block
  Lambda,           // Lambda
  ResourceExpr,     // ResourceExpr
  ResourceDefaults, // ResourceDefaults
  ResourceOverride, // ResourceOverride
  Collector,        // Collector
  ClassDef,         // ClassDef
  DefineDef,        // DefineDef
  NodeDef,          // NodeDef
  FunctionDef,      // FunctionDef
  TypeAlias,        // TypeAlias: type A = T
  TypeDefinition,   // TypeDefinition: type A inherits B { … } (declared in no released language version; kept for its error)
  TypeMapping,      // TypeMapping: type Runtime[…] = T
  Epp,              // Epp: body of a template
  RenderString,     // RenderString
  RenderExpr,       // Unary: <%= expr %>
};

enum class BinaryOp : uint8_t {
  Add,
  Subtract,
  Multiply,
  Divide,
  Modulo,
  ShiftLeft,
  ShiftRight,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Matches,
  NotMatches,
  In,
  And,
  Or,
  Assign,
  AppendAssign,
  DeleteAssign,
  Before,
  Notify,
  After,
  SubscribeTo, // -> ~> <- <~
};
/// The operator as written, e.g. "+".
std::string_view spelling(BinaryOp op);

struct Node {
  NodeKind kind;
  uint8_t flags = 0;
  uint16_t aux = 0;
  uint32_t offset = 0; // bytes into the source text
  uint32_t length = 0;

  template <class T> const T& as() const { return static_cast<const T&>(*this); }
};
static_assert(sizeof(Node) == 12, "every expression pays for this header");

/// A fixed array in the file's arena.
template <class T> struct Seq {
  T* data = nullptr;
  uint32_t size = 0;

  T* begin() const { return data; }
  T* end() const { return data + size; }
  T& operator[](size_t i) const { return data[i]; }
  bool empty() const { return size == 0; }
};

struct Block;
struct Lambda;

struct Literal : Node {
  Value value;
};
// Literal::flags of a number: the radix in the source, for messages and the printer.
inline constexpr uint8_t literal_octal = 1, literal_hex = 2;
// An integer beyond 64 bits: `value` holds its text as a string, and the checker reports it.
inline constexpr uint8_t literal_overflow = 4;
// Text between the expressions of an Interpolation. The flag is needed because an expression may be a string, too.
inline constexpr uint8_t literal_segment = 8;

struct Name : Node {
  Symbol name; // as written; a leading :: is kept
};

struct Reference : Node {
  Symbol name;  // lower case
  Symbol cased; // as written
};

struct ReservedWord : Node {
  Symbol word;
};

/// $x, $a::b, $::x, $0. A simple name that an enclosing body assigns has a slot. Evaluation looks up all others by name.
struct Variable : Node {
  static constexpr uint16_t no_slot = 0xFFFF;
  Symbol name;     // as written without $, e.g. "a::b", "::x", "0"
  Symbol scope;    // class part of a qualified name without leading ::, "" for $::x and simple names
  Symbol base;     // last segment of the name
  uint16_t up = 0; // the slot is this many enclosing frames (lambdas) further out
  uint16_t slot = no_slot;
  enum class Form : uint8_t { Simple, Qualified, Top, Numeric };
  Form form() const { return static_cast<Form>(aux); }
};
// Variable::flags: a simple name that keeps Puppet's rules for names, so nobody need look at its characters. Most do.
inline constexpr uint8_t variable_plain = 1;
// Variable::flags: the target of an assignment, or in the list that is.
inline constexpr uint8_t variable_assigned = 2;

struct Interpolation : Node {
  Seq<Node*> parts; // string Literals and expressions, in order
};

struct Heredoc : Node {
  std::string_view syntax; // of @("tag":syntax), empty = none
  Node* text;              // Literal or Interpolation
};

struct ListLiteral : Node {
  Seq<Node*> elements; // may contain Unfold
};

struct KeyedEntry {
  Node* key;
  Node* value;
  uint32_t offset = 0; // of the =>: Puppet reports an entry there
};
struct HashLiteral : Node {
  Seq<KeyedEntry> entries;
};
// HashLiteral::flags: written without braces, as `a => b` in a list or in arguments.
inline constexpr uint8_t hash_unfolded = 1;

struct Access : Node {
  Node* left;
  Seq<Node*> keys;
};

struct Call : Node {
  Node* functor; // usually a Name; a Reference for Type(...) calls; other expressions are an error at evaluation
  Seq<Node*> arguments;
  Lambda* lambda; // may be null
};
// flags of Call and MethodCall
inline constexpr uint8_t call_statement = 1;      // written without parentheses: `notice 'x'`
inline constexpr uint8_t call_value_required = 2; // the program uses its value

struct MethodCall : Node {
  Node* receiver;
  Node* name; // usually a Name
  Seq<Node*> arguments;
  Lambda* lambda; // may be null
};

struct Binary : Node {
  Node* left;
  Node* right;
  uint32_t op_offset; // of the operator token: Puppet reports some errors there
  BinaryOp op() const { return static_cast<BinaryOp>(aux); }
};

struct Unary : Node {
  Node* operand;
};

struct If : Node {
  Node* test;
  Block* then_block;
  Node* else_part; // null, a Block, or the If of an elsif
};
inline constexpr uint8_t if_unless = 1; // an `unless`
inline constexpr uint8_t if_elsif = 2;

struct CaseOption {
  Seq<Node*> values; // Literal default, expressions, Unfold
  Block* body;
  uint32_t offset, length;
};
struct Case : Node {
  Node* test;
  Seq<CaseOption> options;
};

struct SelectorEntry {
  Node* match;
  Node* value;
};
struct Selector : Node {
  Node* left;
  Seq<SelectorEntry> entries;
};

struct Block : Node {
  Seq<Node*> statements;
};

/// The variables of one body (class, define, function, lambda, node, template, main): slot i holds names[i].
/// compiler/parse/frame_builder.h makes the layout: first the parameters in order, then the other names in order of appearance.
struct FrameLayout {
  Seq<Symbol> names;
  Seq<const Binary*> assignments; // of these names, in the body itself: not in lambdas and definitions within it
  /// Slot of a name, or -1.
  int find(Symbol name) const {
    const Symbol* const at = std::find(names.begin(), names.end(), name);
    return at == names.end() ? -1 : static_cast<int>(at - names.begin());
  }
};
/// The slot of a name in a layout, or -1; -1 also where there is no layout.
inline int slot_in(const FrameLayout* layout, Symbol name) { return layout == nullptr ? -1 : layout->find(name); }

struct Parameter {
  Symbol name;
  Node* type;          // may be null: Any
  Node* default_value; // may be null
  uint32_t offset, length;
  bool captures_rest;
  bool plain_name; // as variable_plain
};

struct Lambda : Node {
  Seq<Parameter> parameters;
  Node* return_type; // may be null
  Block* body;
  FrameLayout* layout;
};

enum class AttributeOpKind : uint8_t { Set, Append, Splat }; // => +> * =>
struct AttributeOp {
  AttributeOpKind kind;
  Symbol name; // empty for Splat
  Node* value;
  uint32_t offset, length;
};
struct ResourceBody {
  Node* title;
  Seq<AttributeOp> operations;
  uint32_t offset, length;
};

enum class ResourceForm : uint8_t { Regular, Virtual, Exported };

struct ResourceExpr : Node {
  Node* type_name; // Name ("class" included), Reference or Access
  Seq<ResourceBody> bodies;
  ResourceForm form() const { return static_cast<ResourceForm>(aux); }
};
struct ResourceDefaults : Node {
  Node* type_ref;
  Seq<AttributeOp> operations;
  ResourceForm form() const { return static_cast<ResourceForm>(aux); }
};
struct ResourceOverride : Node {
  Node* resources;
  Seq<AttributeOp> operations;
  ResourceForm form() const { return static_cast<ResourceForm>(aux); }
};

struct Collector : Node {
  Node* type_expr;
  Node* query; // null = all; And, Or, Comparison (== !=), Parenthesized
  Seq<AttributeOp> operations;
  bool exported() const { return aux != 0; } // <<| |>>
};

/// The common base of class, define and function. `name` is fully qualified, without leading ::.
struct Definition : Node {
  Symbol name;
  Seq<Parameter> parameters;
  Block* body;
  FrameLayout* layout;
};
struct ClassDef : Definition {
  Symbol parent; // the class after `inherits`, without leading ::; "default" for `inherits default`; empty = none
};
struct DefineDef : Definition {};
struct FunctionDef : Definition {
  Node* return_type; // may be null
};
struct NodeDef : Node {
  Seq<Node*> matches; // string Literals (names joined), RegexLiteral, Literal default, Interpolation (an error)
  Node* parent;       // after `inherits`: an error, which the checker reports
  Block* body;
  FrameLayout* layout;
};
struct TypeAlias : Node {
  Symbol name; // with capitals, e.g. "Stdlib::Port"
  Node* type;
};
struct TypeDefinition : Node {
  Symbol name;
  Symbol parent;
  Block* body;
};
struct TypeMapping : Node {
  Node* left;
  Node* right;
};

struct Epp : Node {
  Seq<Parameter> parameters;
  Block* body;
  FrameLayout* layout;
};
inline constexpr uint8_t epp_parameters_given = 1;

struct RenderString : Node {
  std::string_view text;
};

/// The result of parsing one text. It owns the arena with the tree: keep it alive while anything refers to the tree.
struct ParsedFile {
  std::unique_ptr<SourceFile> source;
  Arena arena;
  Node* body = nullptr;          // Block (possibly empty), or Epp for a template
  FrameLayout* layout = nullptr; // of the top-level body
  /// All classes, defines, functions, nodes and type aliases in the text, including nested ones. As in Puppet they are in the order of
  /// their ends: an inner definition comes before the one around it.
  Seq<const Node*> definitions;
  /// All in the text, for questions that need no other nodes.
  Seq<const Call*> calls;
  Seq<const ResourceExpr*> resources;
};

} // namespace pupc::compiler
