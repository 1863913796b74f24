#pragma once
// Scopes and frames. A Scope is what Puppet calls a scope (top, node, class, define instance, function body); a Frame is the
// storage of one body's variables. A lambda has a Frame of its own inside the Scope it was written in.
//   lookup of a simple name: frames outward (Frame::up) -> scope.inherited chain -> node scope -> top scope -> facts and other globals
#include "catalog/graph/resource.h"
#include "catalog/value/value.h"
#include "compiler/ast/ast.h"

#include <string>
#include <string_view>

namespace pupc::compiler {

struct Module;
struct Scope;

/// Marks a slot that was never assigned (Value::flags).
inline constexpr uint8_t unset_slot = 0xFF;
inline Value unset_value() {
  Value v;
  v.flags = unset_slot;
  return v;
}
inline bool is_unset(const Value& v) { return v.flags == unset_slot; }

/// Marks a parameter that has no value yet while the defaults of earlier parameters are evaluated. Reading it is an error.
inline constexpr uint8_t unevaluated_slot = 0xFE;
inline Value unevaluated_value() {
  Value v;
  v.flags = unevaluated_slot;
  return v;
}
inline bool is_unevaluated(const Value& v) { return v.flags == unevaluated_slot; }

/// The frames of lambdas and functions are on the native stack and die with their call. Keep a Scope* for later, never a Frame*.
struct Frame {
  const FrameLayout* layout = nullptr;
  Value* slots = nullptr; // layout->names.size values
  Frame* up = nullptr;    // frame of the enclosing body; null at the scope's own frame
  Scope* scope = nullptr;

  Value& slot(size_t number) const {
    PUPC_ASSERT(layout != nullptr && number < layout->names.size, "the layout has the slot");
    return slots[number];
  }
};

/// $0, $1, … of the last match, as one list. Evaluator::MatchGuard restores the previous ones at the end of the block that matched.
struct MatchData {
  const List* groups = nullptr; // strings or undef; null = no match so far
};

enum class ScopeKind : uint8_t { Top, Node, Class, Define, Function, Template };

struct Scope {
  ScopeKind kind = ScopeKind::Top;
  Frame* frame = nullptr;
  Scope* parent = nullptr;           // dynamic parent: the scope that declared the resource (the search for resource defaults follows it)
  Scope* inherited = nullptr;        // scope of the inherited class
  Scope* enclosing = nullptr;        // node or top scope for variable lookup; null for top itself
  ResourceId resource = no_resource; // the resource whose body this is
  const ParsedFile* file = nullptr;  // of the body
  const Module* module = nullptr;    // of the body
  std::string_view class_name;       // fully qualified name of the class or define, "" for top scope (Class[main])
  std::string_view title;            // title of the define instance, name of the node: for log lines
  struct DefaultsTable* defaults = nullptr; // resource defaults set in this scope; null = none (compiler/resources)
  MatchData match;                          // the match variables at the last exit from the body (BodyGuard)
};

/// The source that log lines show: "Scope(Class[main])", "Scope(Class[A::B])", "Scope(Foo::Bar[title])", "Scope(Node[x])".
std::string scope_source(const Scope& scope);

} // namespace pupc::compiler
