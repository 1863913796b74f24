#pragma once
// The syntax tree of Ruby code.
#include "catalog/base/arena.h"
#include "catalog/value/regex.h"

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <set>
#include <string>
#include <string_view>
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

enum class NodeType : uint8_t {
  Nil,
  True,
  False,
  Integer,
  Float,  // integer, number
  String, // text, or parts to join in kids
  Symbol, // text, or parts
  Regex,  // text or parts; flags in `a`: 1 i, 2 x, 4 m
  Array,
  Hash,           // Hash: key, value, key, value, …; a DoubleSplat has null as its value; `flag`: without braces, as an argument
  DoubleSplat,    // kids[0]
  Range,          // kids; `flag`: exclusive
  Local,          // `a` frames up, slot `b`
  Instance,       // text (without @)
  MatchGroup,     // `a` = n of $n; 0 is $~, or what the text says: & ' `
  Global,         // text (with $)
  ClassVariable,  // text (with @@)
  Constant,       // text; kids[0] = the value that it is looked up in, where that is no constant
  AssignConstant, // text; kids[0] = value
  Self,
  AssignLocal,
  AssignInstance, // kids[0] = value
  AssignGlobal,   // text; kids[0] = value
  AssignClassVariable,
  AssignAttribute, // text = name; kids: receiver, value; `flag`: safe navigation
  AssignIndex,     // kids: receiver, arguments…, value
  AssignMany,      // kids: targets; block = value
  TargetLocal,
  TargetInstance,
  TargetGlobal,
  TargetClassVariable,
  TargetIndex,
  TargetAttribute, // text = name; kids[0] = receiver; `flag`: safe navigation
  TargetMany,
  TargetSplat,    // of AssignMany and parameters
  TargetDefault,  // of parameters: kids[0] = target, kids[1] = default
  TargetKeyword,  // of parameters: text = name; kids[0] = target, kids[1] = default (null: it must be given)
  TargetKeywords, // of parameters: **rest; kids[0] = target
  TargetBlock,    // of parameters: &block; kids[0] = target
  OpAssign,       // kids: target (one of those, or AssignConstant), value; text = operator
  And,
  Or,
  Not,
  Defined,
  If,          // kids: condition, then, else (may be null)
  While,       // kids: condition, body; `flag`: until; `a` = 1: the body comes first
  For,         // kids: target, list, body
  Case,        // kids: subject (may be null), whens…, else (may be null)
  When,        // kids: values…, body
  CaseIn,      // kids: subject, ins…, else (may be null)
  In,          // kids: pattern, guard (may be null), body; `flag`: the guard is an `unless`
  Matches,     // kids: value, pattern; `flag`: `in`, which asks, else `=>`, which raises
  PatternList, // kids: constant (may be null), patterns…, where one or two may be a TargetSplat; `flag`: with a comma behind
  PatternHash, // kids: constant (may be null), Symbol, pattern (null: the key's variable in `block`) …, TargetKeywords; `flag`: **nil
  PatternAny,  // kids: alternatives
  PatternBind, // kids: pattern, target
  Call,        // kids[0] = receiver (null: none), arguments…; `flag`: safe navigation; block; `a`: as of Next, of a method
  Splat,       // kids[0]
  BlockPass,   // kids[0]: &:name, or a Proc
  Block,       // kids: parameters…, body; slots = number of variables. Not read: no kids, `a` = the token that begins it
  Lambda,      // block: ->(x) { … }. Not read: no block, `a` = the token
  Def, // text = name; kids: parameters…, body; slots, `a` = number of parameters; `integer`: see def_code; block = object of `def x.name`
  Class,          // text = name; kids: superclass (may be null), body; slots; `flag`: a module
  SingletonClass, // class << kids[0]; kids[1] = body; slots
  Alias,          // kids: new name, old name
  Super,          // kids: arguments…; block; `flag`: those of the method itself
  Retry,
  CurrentMethod, // __method__
  Binding,       // `binding`; kids: a TargetLocal of each variable that it sees
  Yield,         // kids: arguments…
  Return,        // kids[0] (may be null); `a`: as of Next, of a method
  Sequence,
  Begin,  // kids: body, else (may be null), ensure (may be null), Rescue…
  Rescue, // kids: classes…, body; block = target of the error
  Break,
  Next,   // kids[0] (may be null); `a`: nothing but statements is between it and the body that it ends, so that it need not be thrown
  Unread, // what the parser does not know, in a file whose tokens are known
  Text,
  Output, // Text: `a` = number; Output: kids[0]
};

struct Node;

/// The children of a node. They are in the arena of the node's program.
class NodeList {
public:
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Node* const* data() const { return items_; }
  Node* const* begin() const { return items_; }
  Node* const* end() const { return items_ + size_; }
  Node*& operator[](size_t i) { return items_[i]; }
  Node* operator[](size_t i) const { return items_[i]; }
  Node* back() const { return items_[size_ - 1]; }

  void add(Arena& arena, Node* node) {
    if (size_ == room_) reserve(arena, room_ == 0 ? 4 : room_ * 2);
    items_[size_++] = node;
  }
  void add(Arena& arena, const NodeList& more) {
    reserve(arena, size_ + more.size_);
    for (Node* node : more) items_[size_++] = node;
  }
  void reserve(Arena& arena, uint32_t room) {
    if (room <= room_) return;
    Node** larger = arena.make_array<Node*>(room);
    std::copy_n(items_, size_, larger);
    items_ = larger;
    room_ = room;
  }

private:
  Node** items_ = nullptr;
  uint32_t size_ = 0, room_ = 0;
};

struct Node {
  NodeType type = NodeType::Nil;
  bool flag = false;
  bool parenthesised = false; // Call: its arguments stand in parentheses, or it has arguments: certainly a call
  MethodId method{};          // of a Call or OpAssign; the interpreter sets it
  uint32_t line = 1;
  int32_t a = 0;
  int32_t b = 0;
  int32_t slots = 0; // of a log with a plain message (mark_log in ruby_checker.cpp): its level and 1
  union {
    int64_t integer = 0;
    double number;
  };
  std::string_view text; // a part of the code, or in the arena
  NodeList kids;
  Node* block = nullptr;        // Block or BlockPass
  const Regex* regex = nullptr; // of a Regex without parts
  Node* made_before = nullptr;  // the previous one of RubyScript::newest
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
  Node* body = nullptr;
  int32_t slots = 0;
  std::vector<std::string_view> texts; // of a template, without its code
  /// What is beyond the subset, each "line 3: …"; the template is renderable when empty. In the order of the text.
  std::vector<std::string> problems;
  /// Methods that are not known, likewise: Ruby renders the template where one is called.
  std::vector<std::string> doubts;

  Node* make(NodeType type, uint32_t line) {
    Node* node = arena.make<Node>();
    node->type = type;
    node->line = line;
    node->made_before = newest;
    newest = node;
    return node;
  }
  NodeList list(std::initializer_list<Node*> nodes) {
    NodeList out;
    out.reserve(arena, static_cast<uint32_t>(nodes.size()));
    for (Node* node : nodes) out.add(arena, node);
    return out;
  }
};

/// The node itself, or the only statement of a sequence.
inline const Node* only_statement(const Node* node) {
  while (node->type == NodeType::Sequence && node->kids.size() == 1) node = node->kids[0];
  return node;
}

/// The code of a Def, without the word `def`.
inline std::string_view def_code(const RubyScript& program, const Node& def) {
  const auto begin = static_cast<size_t>(def.integer >> 32), end = static_cast<size_t>(def.integer & 0xFFFFFFFF);
  return std::string_view(program.code).substr(begin, end - begin);
}

} // namespace pupc::compiler::ruby
