#pragma once
// Gives variables their slots while the tree is built. The builder notes each simple variable when it makes the node, and each body when it
// is complete, so nobody walks the tree for that again.
//   The variables of a body are the last ones noted when it ends. Those that a lambda does not set itself stay there, for the body around
//   it.
#include "compiler/ast/ast.h"

#include <vector>

namespace pupc::compiler {

/// Where the notes of an unfinished body begin.
struct BodyPlace {
  size_t first = 0;     // those of its types and of itself
  size_t own = 0;       // its own: the types are evaluated around the body
  size_t parameter = 0; // those behind the last complete parameter
};

/// What else a body makes known to its code.
enum class BodyKind : uint8_t {
  Plain,    // a function, a template, the top level: nothing
  Lambda,   // the variables around it
  Node,     // $title, $name, $module_name, $caller_module_name
  Resource, // the same and, where they are mentioned, the metaparameters: of a class or defined type
};

class FrameBuilder {
public:
  void clear() {
    notes_.clear();
    place_ = {};
  }

  void variable(Variable* v) { notes_.push_back(v); }
  /// Notes an assignment, and in its variables that they are assigned.
  void assignment(Binary* assignment);

  /// Begins a body or, if it has any, its parameters. Returns the place of the body around, for finish().
  BodyPlace enter() {
    const BodyPlace around = place_;
    place_.first = place_.own = place_.parameter = notes_.size();
    return around;
  }
  /// A parameter's type, or the body's return type, is complete.
  void type() {
    if (place_.parameter != notes_.size()) [[unlikely]]
      move_type_out();
  }
  void parameter() { place_.parameter = notes_.size(); }
  /// Ends the body: gives its variables their slots. Variables in the types of a definition get none: they are evaluated in a frame that
  /// the file does not know (that of the top scope, or of the code that renders a template), and looked up there by name.
  FrameLayout* finish(BodyKind kind, const Seq<Parameter>& parameters, const BodyPlace& around, Arena& arena);

  /// For the way back after a syntax error.
  struct State {
    size_t notes;
    BodyPlace place;
  };
  State state() const { return {notes_.size(), place_}; }
  void go_back(const State& state) {
    notes_.resize(state.notes);
    place_ = state.place;
  }

private:
  struct Slot {
    Symbol name;
    uint32_t body = 0; // a slot of another body is a free one
    uint32_t number = 0;
  };

  void move_type_out();
  void add(Symbol name);
  Slot& slot_of(Symbol name);
  [[gnu::noinline]] void grow();

  std::vector<Node*> notes_; // simple variables and assignments of unfinished bodies, in the order of the text
  BodyPlace place_;          // of the innermost body

  // the body that is being finished
  uint32_t body_ = 0;
  std::vector<const Binary*> assignments_;
  static constexpr size_t first_slots = 256;
  std::vector<Slot> slots_{first_slots}; // a hash table of its names; its size is a power of two
  size_t slot_mask_ = first_slots - 1;
  std::vector<Symbol> names_{first_slots / 2}; // room for as many as the table may hold
  uint32_t name_count_ = 0;
};

} // namespace pupc::compiler
