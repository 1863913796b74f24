#pragma once
// The tree of a template's Ruby code.
#include "compiler/template/erb_value.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace pupc::erb {

enum class MethodId : uint16_t {
#define PUPC_ERB_METHOD(id, name) id,
#include "compiler/template/erb_methods.def"
#undef PUPC_ERB_METHOD
  unknown,
};

/// The id of a method's name; unknown when the interpreter has no such method.
MethodId find_method(std::string_view name);
std::string_view method_name(MethodId id);

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
  Hash,       // Hash: key, value, key, value, …
  Range,      // kids; `flag`: exclusive
  Local,      // `a` frames up, slot `b`
  Instance,   // text (without @)
  MatchGroup, // `a` = n of $n; 0 is $~
  Constant,   // text
  AssignLocal,
  AssignInstance, // kids[0] = value
  AssignIndex,    // kids: receiver, arguments…, value
  AssignMany,     // kids: targets; block = value
  TargetLocal,
  TargetInstance,
  TargetIndex,
  TargetMany,
  TargetSplat, // of AssignMany and block parameters
  OpAssign,    // kids: target (TargetLocal, TargetInstance, TargetIndex), value; text = operator
  And,
  Or,
  Not,
  Defined,
  If,        // kids: condition, then, else (may be null)
  While,     // kids: condition, body; `flag`: until
  For,       // kids: target, list, body
  Case,      // kids: subject (may be null), whens…, else (may be null)
  When,      // kids: values…, body
  Call,      // kids[0] = receiver (null: none), arguments…; `flag`: safe navigation; block
  Splat,     // kids[0]
  BlockPass, // kids[0]: &:name
  Block,     // kids: parameters…, body; slots = number of variables
  Sequence,
  Begin, // kids: body, rescue body, else (may be null), ensure (may be null); block = target of the error
  Break,
  Next, // kids[0] (may be null)
  Text,
  Output, // Text: `a` = number; Output: kids[0]
};

struct Node {
  NodeType type = NodeType::Nil;
  bool flag = false;
  bool parenthesised = false; // Call: its arguments stand in parentheses, or it has arguments: certainly a call
  MethodId method = MethodId::unknown;
  uint32_t line = 1;
  int32_t a = 0;
  int32_t b = 0;
  int32_t slots = 0;
  union {
    int64_t integer = 0;
    double number;
  };
  std::string text;
  std::vector<Node*> kids;
  Node* block = nullptr;        // Block or BlockPass
  const Regex* regex = nullptr; // of a Regex without parts
};

/// A parsed template; immutable, shared by all compiles.
struct Program {
  std::deque<Node> nodes;
  Node* body = nullptr;
  int32_t slots = 0;
  std::vector<std::string> texts;
  /// What is beyond the subset, each "line 3: …"; the template is renderable when empty. In the order of the text.
  std::vector<std::string> problems;
  /// Methods that are not known, likewise: Ruby renders the template where one is called.
  std::vector<std::string> doubts;
};

/// Parses an ERB template. What cannot be parsed or isn't known becomes a problem, never an error.
std::shared_ptr<const Program> parse_erb(std::string_view text, RegexCache& regexes);

/// Adds to `program.problems` what the interpreter doesn't know in the tree.
void check_program(Program& program);

} // namespace pupc::erb
