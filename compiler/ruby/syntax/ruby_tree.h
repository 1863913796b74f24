#pragma once
// The syntax tree of Ruby code. A node is a Node, which says its type and line, and has the parts of the struct that stands for its type:
// `node.as<If>().condition`. A part may be null only where its comment says so.
#include "catalog/base/arena.h"
#include "catalog/base/assert.h"
#include "catalog/value/regex.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pupc::compiler::ruby {

/// Before parsing, a template becomes Ruby code with marks. A piece of literal text becomes text_mark, its number, text_end. An output tag
/// (<%= … %>) becomes output_mark, its code, output_end. Ruby's ERB writes statements that append to a buffer at these places.
inline constexpr char text_mark = '\x01';
inline constexpr char text_end = '\x02';
inline constexpr char output_mark = '\x04';
inline constexpr char output_end = '\x05';

/// The number that the interpreter gives to a method's name (compiler/ruby/values/method_names.h).
enum class MethodId : uint16_t;

/// In the order of the structs below, which say what each is in Ruby's text.
enum class NodeType : uint8_t {
  Nil, // these seven are a Node alone
  True,
  False,
  Self,
  Retry,
  CurrentMethod, // __method__
  Unread,        // what the parser does not know, in a file whose tokens are known
  Integer,
  Float,
  String,
  Symbol,
  Regex,
  Array,
  Sequence,
  Hash,
  Range,
  Local,
  TargetLocal,
  Instance,
  TargetInstance,
  Global,
  TargetGlobal,
  ClassVariable,
  TargetClassVariable,
  TargetConstant,
  MatchGroup,
  Constant,
  TargetAttribute,
  TargetIndex,
  TargetMany,
  TargetSplat,
  TargetKeywords,
  TargetBlock,
  TargetDefault,
  TargetKeyword,
  Assign,
  AssignMany,
  OpAssign,
  And,
  Or,
  Not,
  Defined,
  Splat,
  BlockPass,
  Output,
  Break,
  Next,
  Return,
  If,
  While,
  For,
  Case,
  CaseIn,
  When,
  In,
  Begin,
  Rescue,
  Matches,
  PatternList,
  PatternHash,
  PatternAny,
  PatternBind,
  Call,
  Super,
  Yield,
  Binding,
  Block,
  Lambda,
  Def,
  Class,
  SingletonClass,
  Alias,
  Text,
};

struct Node {
  Node* made_before = nullptr; // the previous one of RubyScript::newest
  uint32_t line = 1;
  NodeType type = NodeType::Nil;

  /// The node with the parts of its type.
  template <class T> const T& as() const {
    PUPC_ASSERT(T::stands_for(type), "a node has the parts of its type and no others");
    return static_cast<const T&>(*this);
  }
  template <class T> T& as() { return const_cast<T&>(std::as_const(*this).as<T>()); }
  /// The same; null where the node is of another type.
  template <class T> const T* to() const { return T::stands_for(type) ? static_cast<const T*>(this) : nullptr; }
};

/// What a struct derives from that stands for these types of nodes.
template <NodeType first, NodeType... more> struct Of : Node {
  static constexpr NodeType usual = first;
  static constexpr bool stands_for(NodeType type) { return type == first || ((type == more) || ...); }
};

/// A list that grows in the arena of its program.
template <class T> class ArenaList {
public:
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T* begin() const { return items_; }
  const T* end() const { return items_ + size_; }
  T* begin() { return items_; }
  T* end() { return items_ + size_; }
  const T* data() const { return items_; }
  const T& operator[](size_t i) const {
    PUPC_ASSERT(i < size_, "a list of nodes has the element");
    return items_[i];
  }
  const T& back() const { return (*this)[size_ - 1]; }

  void add(Arena& arena, const T& item) {
    if (size_ == room_) grow(arena, room_ == 0 ? 4 : room_ * 2);
    items_[size_++] = item;
  }
  void add(Arena& arena, const ArenaList& more) {
    if (size_ + more.size_ > room_) grow(arena, size_ + more.size_);
    for (const T& item : more) items_[size_++] = item;
  }

private:
  void grow(Arena& arena, uint32_t room) {
    T* larger = arena.make_array<T>(room);
    std::copy_n(items_, size_, larger);
    items_ = larger;
    room_ = room;
  }

  T* items_ = nullptr;
  uint32_t size_ = 0, room_ = 0;
};
using NodeList = ArenaList<Node*>;

// -- literals

struct Number : Of<NodeType::Integer, NodeType::Float> {
  union {
    int64_t integer = 0;
    double real;
  };
};

struct TextLiteral : Of<NodeType::String, NodeType::Symbol> {
  std::string_view text; // a part of the code, or in the arena
  NodeList parts{};      // to join instead, where there are any
};

struct RegexLiteral : Of<NodeType::Regex> {
  std::string_view text;
  NodeList parts;               // as of a TextLiteral
  const Regex* regex = nullptr; // without parts
  uint8_t options = 0;          // 1 i, 2 x, 4 m
};

struct ListLiteral : Of<NodeType::Array> {
  NodeList items; // may be a Splat
};

/// Statements, or an expression in parentheses.
struct Sequence : Of<NodeType::Sequence> {
  NodeList statements;
};

struct HashLiteral : Of<NodeType::Hash> {
  struct Pair {
    Node* key;
    Node* value; // null: the pairs of the hash `key` (**key)
  };
  ArenaList<Pair> pairs;
  bool bare = false; // without braces, as an argument
};

struct RangeLiteral : Of<NodeType::Range> {
  Node *first, *last;
  bool exclusive = false; // ...
};

// -- variables and constants, and what may stand on the left of `=` or take an argument: the targets

struct LocalVariable : Of<NodeType::Local, NodeType::TargetLocal> {
  int32_t up = 0, slot = 0; // this many frames further out; -1: a variable that another part of the file sets
  std::string_view name{};  // of such a one, and of a parameter
};

struct NamedVariable : Of<NodeType::Instance, NodeType::TargetInstance, NodeType::Global, NodeType::TargetGlobal, NodeType::ClassVariable,
                          NodeType::TargetClassVariable, NodeType::TargetConstant> {
  std::string_view name; // without @ and @@, with $
};

struct MatchGroup : Of<NodeType::MatchGroup> {
  int32_t number = 0; // n of $n
  char part = '~';    // with the number 0: what stands behind the $, one of ~ & ' `
};

struct Constant : Of<NodeType::Constant> {
  std::string_view name; // may have :: in it
  Node* in = nullptr;    // the value that it is looked up in, where that is no constant; else null
};

/// receiver.name = …
struct AttributeTarget : Of<NodeType::TargetAttribute> {
  std::string_view name;
  Node* receiver;
  bool safe; // &.
};

/// receiver[arguments] = …
struct IndexTarget : Of<NodeType::TargetIndex> {
  Node* receiver;
  NodeList arguments;
};

/// (a, b)
struct ManyTarget : Of<NodeType::TargetMany> {
  NodeList targets;
};

/// *a, **a and &a of parameters, assignments and patterns.
struct RestTarget : Of<NodeType::TargetSplat, NodeType::TargetKeywords, NodeType::TargetBlock> {
  Node* target = nullptr; // null: without a name
};

/// A parameter `a = 1` (TargetDefault), `a: 1` or `a:` (TargetKeyword).
struct OptionalParameter : Of<NodeType::TargetDefault, NodeType::TargetKeyword> {
  Node* target;
  Node* default_value;     // null: the keyword must be given
  std::string_view name{}; // of the keyword
};

// -- operators

struct Assign : Of<NodeType::Assign> {
  Node *target, *value;
};

/// a, *b = value
struct AssignMany : Of<NodeType::AssignMany> {
  NodeList targets;
  Node* value = nullptr;
};

/// target += value
struct OpAssign : Of<NodeType::OpAssign> {
  Node *target, *value;
  std::string_view op; // without the =
  MethodId method{};   // the interpreter sets it
};

struct Binary : Of<NodeType::And, NodeType::Or> {
  Node *left, *right;
};

/// not, defined?, *list and &block of arguments, <%= … %> of a template.
struct Unary : Of<NodeType::Not, NodeType::Defined, NodeType::Splat, NodeType::BlockPass, NodeType::Output> {
  Node* operand;
};

// -- control structures

struct Leave : Of<NodeType::Break, NodeType::Next, NodeType::Return> {
  Node* value = nullptr; // null: nil
  bool ends = false;     // nothing but statements is between it and the body that it ends, so that it need not be thrown
  bool last = false;     // nothing at all comes after it
};

struct If : Of<NodeType::If> {
  Node* condition;
  Node *then, *otherwise; // may be null
};

struct While : Of<NodeType::While> {
  Node *condition = nullptr, *body = nullptr;
  bool until = false, body_first = false;
};

struct For : Of<NodeType::For> {
  Node *target, *list, *body;
};

/// case … when (Case), case … in (CaseIn).
struct Case : Of<NodeType::Case, NodeType::CaseIn> {
  Node* subject = nullptr;   // may be null
  NodeList branches;         // When, or In
  Node* otherwise = nullptr; // null: without an else
};

struct When : Of<NodeType::When> {
  NodeList values; // may be a Splat
  Node* body = nullptr;
};

struct In : Of<NodeType::In> {
  Node* pattern = nullptr;
  Node* guard = nullptr; // may be null
  Node* body = nullptr;
  bool unless = false; // the word before the guard
};

struct Begin : Of<NodeType::Begin> {
  Node* body = nullptr;
  NodeList rescues{};
  Node *otherwise = nullptr, *ensure = nullptr; // may be null
  bool word = false;                            // the word `begin` stands there
};

struct Rescue : Of<NodeType::Rescue> {
  NodeList classes; // may be a Splat; none: of StandardError
  Node* body = nullptr;
  Node* target = nullptr; // of the error; may be null
};

// -- patterns: these, a target, or a value that is compared

/// value => pattern, which raises, or `value in pattern`, which asks.
struct Matches : Of<NodeType::Matches> {
  Node *value, *pattern;
  bool asks = false;
};

struct PatternList : Of<NodeType::PatternList> {
  Node* constant = nullptr; // may be null
  NodeList patterns{};      // one or two may be a TargetSplat
  bool open = false;        // with a comma behind: more may follow
};

struct PatternHash : Of<NodeType::PatternHash> {
  struct Pair {
    std::string_view key;
    Node* pattern;
  };
  Node* constant = nullptr; // may be null
  ArenaList<Pair> pairs{};
  Node* rest = nullptr; // TargetKeywords; may be null
  bool whole = false;   // **nil: without other keys
};

struct PatternAny : Of<NodeType::PatternAny> {
  NodeList patterns;
};

struct PatternBind : Of<NodeType::PatternBind> {
  Node *pattern, *target;
};

// -- calls and definitions

/// What a call gives: a part of Call, Super and Yield.
struct Arguments {
  NodeList arguments;
  Node* block = nullptr; // Block or BlockPass; may be null

  /// Whether the last argument is keywords.
  bool have_keywords() const {
    return !arguments.empty() && arguments.back()->type == NodeType::Hash && arguments.back()->as<HashLiteral>().bare;
  }
};

struct Call : Of<NodeType::Call>, Arguments {
  static constexpr size_t most_plain = 4;
  Node* receiver = nullptr; // may be null
  std::string_view name;
  MethodId method{};          // the interpreter sets it
  bool safe = false;          // &.
  bool parenthesised = false; // its arguments stand in parentheses, or it has arguments: certainly a call
  bool ends = false;          // as of Leave, of a method
  bool plain = false;         // up to most_plain arguments as they are, and nothing that the call itself asks for (mark_plain, likewise)
  uint8_t log = 0;            // of a log with a plain message (mark_log in ruby_checker.cpp): its level and 1
};

struct Super : Of<NodeType::Super>, Arguments {
  bool implicit = false; // with the arguments of the method itself
};

struct Yield : Of<NodeType::Yield>, Arguments {};

/// `binding`
struct Binding : Of<NodeType::Binding> {
  ArenaList<LocalVariable*> variables; // each that it sees
};

/// What a call runs: a part of Block and Def.
struct Code {
  NodeList parameters;
  Node* body = nullptr;
  int32_t slots = 0; // number of variables
};

struct Block : Of<NodeType::Block>, Code {
  bool takes_first = false; // |a,|
  bool plain = false;       // all parameters are plain variables (mark_block in ruby_checker.cpp, likewise)
  bool outlived = true;     // its variables may be needed after it has ended, as those of a block or binding in it
  uint32_t token = 0;       // the one that begins it, where it is not read and has no body
};

/// ->(x) { … }
struct Lambda : Of<NodeType::Lambda> {
  Block* block = nullptr; // null: not read
  uint32_t token = 0;     // as of such a Block
};

struct Def : Of<NodeType::Def>, Code {
  std::string_view name;
  Node* of = nullptr;                  // the object of `def x.name`; else null
  size_t code_begin = 0, code_end = 0; // its code, without the word `def`
};

/// A class or module.
struct Class : Of<NodeType::Class> {
  std::string_view name;
  Node* parent = nullptr; // may be null
  Node* body = nullptr;
  int32_t slots = 0;
  bool module = false;
};

/// class << object
struct SingletonClass : Of<NodeType::SingletonClass> {
  Node* object = nullptr;
  Node* body = nullptr;
  int32_t slots = 0;
};

/// alias name old
struct Alias : Of<NodeType::Alias> {
  TextLiteral *name, *old;
};

/// A piece of a template's text.
struct TextPiece : Of<NodeType::Text> {
  size_t number = 0;
};

/// What `self` is in the code, and so what can be called without a receiver.
enum class Self : uint8_t {
  Template, // of ERB
  Function, // of the 4.x API
  Scope,    // of the 3.x API: functions are methods of the scope
};

/// A parsed template or function; immutable, shared by all compiles.
struct RubyScript {
  Self self = Self::Template;
  bool library = false;                       // a part of Ruby's library that pupc brings
  bool frozen_literals = false;               // the file says that its literal texts are frozen
  bool effects = false;                       // it calls functions that have effects
  bool changes_compile = false;               // calls methods of the compiler or catalog that change it
  bool changes_texts = false;                 // it calls methods that change a text in place
  Arena arena;                                // of the nodes, and of the texts that are no part of the code
  std::string code;                           // what was parsed, unless the caller keeps it as long as the program
  Node* newest = nullptr;                     // all nodes; each leads to the one that was made before it
  std::set<std::string, std::less<>> methods; // that the code defines
  bool defines_classes = false;
  bool rendered = false;    // an ERB text, also one that a function renders
  bool keeps_state = false; // a function of the 4.x API that has instance variables from one call to the next
  /// Instance variables that each call of a function sets before it does anything else: what an earlier call left in them does not matter.
  std::set<std::string, std::less<>> set_first;
  /// The calls that are the last that a method or the function does: what has effects may be called there.
  std::set<const Node*> last_calls;
  Sequence* body = nullptr;
  const Block* function = nullptr; // of the 3.x API: what newfunction gets; `body` is what stands around it
  int32_t slots = 0;
  std::vector<std::string_view> texts; // of a template, without its code
  /// What is beyond the subset, each "line 3: …"; the template is renderable when empty. In the order of the text.
  std::vector<std::string> problems;
  /// Methods that are not known, likewise: Ruby renders the template where one is called.
  std::vector<std::string> doubts;

  Node* make(NodeType type, uint32_t line) { return newest = arena.make<Node>(Node{newest, line, type}); }
  /// A node with its first parts; the others are as its struct says.
  template <class T, class... Parts> T* make(NodeType type, uint32_t line, Parts... parts) {
    PUPC_ASSERT(T::stands_for(type), "a node has the parts of its type and no others");
    T* node = nullptr;
    if constexpr (sizeof...(parts) == 0) {
      node = arena.make<T>();
      static_cast<Node&>(*node) = {newest, line, type};
    } else {
      node = arena.make<T>(T{{{newest, line, type}}, parts...});
    }
    newest = node;
    return node;
  }
};

/// The node itself, or the only statement of a sequence.
inline const Node* only_statement(const Node* node) {
  for (const auto* s = node->to<Sequence>(); s != nullptr && s->statements.size() == 1; s = node->to<Sequence>()) node = s->statements[0];
  return node;
}

/// The text of a string or symbol without interpolations; null for all other nodes.
inline const std::string_view* literal_text(const Node& node) {
  const auto* literal = node.to<TextLiteral>();
  return literal != nullptr && literal->parts.empty() ? &literal->text : nullptr;
}
/// The same of a string alone.
inline const std::string_view* literal_string(const Node& node) { return node.type == NodeType::String ? literal_text(node) : nullptr; }
/// The text of a literal that is the first argument; null when that is something else.
inline const std::string_view* first_literal(const Call& call) {
  return call.arguments.empty() ? nullptr : literal_text(*call.arguments[0]);
}

inline std::string_view code_of(const RubyScript& program, const Def& def) {
  return std::string_view(program.code).substr(def.code_begin, def.code_end - def.code_begin);
}

} // namespace pupc::compiler::ruby
