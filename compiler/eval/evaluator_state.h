#pragma once
// Internal to the evaluator: what its .cpp files share.
#include "catalog/base/stack.h"
#include "compiler/eval/evaluator.h"
#include "compiler/eval/signature.h"
#include "compiler/load/environment.h"
#include "compiler/types/iterator.h"

#include <deque>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace pupc::compiler {

/// What a function name means in this compile.
struct FunctionBinding {
  const BuiltinSignatures* builtin = nullptr;
  const DefinitionEntry* definition = nullptr;
  Closure* closure = nullptr;             // for `definition`
  const RubyFunctionFile* file = nullptr; // for a module's function; `builtin` is its native program, and without one Ruby runs the file
  bool by_caller = false;                 // several modules have the function: the caller's module decides which one is called
  bool found() const { return builtin != nullptr || closure != nullptr || file != nullptr; }
};

/// What a template has printed so far.
struct TemplateOutput {
  std::string text;
  bool sensitive = false; // a Sensitive value was printed: the result is Sensitive
};

/// A line of the call trace: a Puppet function, or the body of a class, define or node.
struct TraceFrame {
  const Node* node;   // FunctionDef; null for a scope's body
  const Scope* scope; // scope of the body; null for a function
  Loc loc;            // place of the call
  Frame* frame;       // of a function's body; null for a scope's body
};

/// A running call, on the native stack (call_stack.h).
struct RunningCall {
  const RunningCall* outer;
  Loc loc; // without an offset it means the whole file
  bool whole_file = false;
};

struct Evaluator::State {
  std::unordered_map<std::string_view, Value> globals;                  // keys in the arena
  std::unordered_map<std::string_view, FunctionBinding> functions;      // by the called name; also remembers names without a function
  std::vector<const FunctionBinding*> functions_by_symbol;              // the same for names in source
  std::deque<RubyFunctionFile> files_beside;                            // for functions that a file defines in addition to its own
  std::unordered_map<std::string, FunctionBinding> functions_by_caller; // "module name" for the names that several modules have
  std::unordered_map<const Node*, const Type*> types;                   // constant type expressions
  std::unordered_map<const Node*, const Type*> closure_types;
  std::unordered_set<std::string> warned;
  std::vector<TraceFrame> trace;
  TemplateOutput* output = nullptr;
  const RunningCall* innermost = nullptr;
  std::unordered_set<std::string> searched; // names of classes, defines and types that this compile looked for in modules
  std::unordered_set<const std::string*> searched_classes, searched_defines;
  std::vector<Search> searches;
  std::vector<std::shared_ptr<const ParsedFile>> kept;
};

/// A next() or return() statement of a body that reached its block without a C++ exception.
struct Flow {
  enum class Kind : uint8_t { None, Next, Return } kind = Kind::None;
  Value value;
  Loc loc;
  explicit operator bool() const { return kind != Kind::None; }
};

struct EvaluatorImpl {
  // -- statements (evaluator.cpp). With `flow`, a next or return statement ends the block through it instead of by an exception.
  static Value block(Evaluator& e, const Block& node, Frame& frame, Flow* flow);
  static Value statement(Evaluator& e, const Node& node, Frame& frame, Flow* flow);
  static Value if_statement(Evaluator& e, const If& node, Frame& frame, Flow* flow);
  static Value case_statement(Evaluator& e, const Case& node, Frame& frame, Flow* flow);
  static Value selector(Evaluator& e, const Selector& node, Frame& frame);
  static bool option_matches(Evaluator& e, const Node& option, const Value& test, const Node& statement, Frame& frame);
  static Value interpolation(Evaluator& e, const Interpolation& node, Frame& frame);
  static Value heredoc(Evaluator& e, const Heredoc& node, Frame& frame);
  static Value hash_literal(Evaluator& e, const HashLiteral& node, Frame& frame);
  static Value list_literal(Evaluator& e, const ListLiteral& node, Frame& frame);
  static Value reference(Evaluator& e, const Reference& node, Frame& frame);
  static Value unfold(Evaluator& e, const Unary& node, Frame& frame);
  static Value catalog_node(Evaluator& e, const Node& node, Frame& frame);
  static Value evaluate_slow(Evaluator& e, const Node& node, Frame& frame);
  static void render(Evaluator& e, const Value& v);

  // -- variables.cpp
  static Value variable(Evaluator& e, const Variable& node, Frame& frame);
  static bool find_simple(Evaluator& e, Symbol name, Frame& frame, Value& out);
  static bool find_qualified(Evaluator& e, std::string_view scope, std::string_view name, Value& out);
  static void set_changed(Evaluator& e, std::string_view name, const Value& value, const Frame& frame);
  static void change_holders(Evaluator& e, const Value& was, const Value& changed, Frame& frame, bool parameters);
  static Value assignment(Evaluator& e, const Binary& node, Frame& frame);
  static void assign_to(Evaluator& e, const Node& target, const Value& value, const Binary& node, Frame& frame);
  static void set_variable(Evaluator& e, const Variable& target, const Value& value, const Node& at, Frame& frame);
  static void check_assignable(Evaluator& e, const Node& target);
  static std::string suggest_variable(Evaluator& e, const Variable& node, Frame& frame);

  // -- operators.cpp
  static Value arithmetic(Evaluator& e, const Binary& node, Frame& frame);
  static Value minus(Evaluator& e, const Unary& node, Frame& frame);
  /// Converts an operand to a number. A string becomes a number or raises an error, depending on strictness.
  static Value coerce_numeric(Evaluator& e, const Value& v, const Node& at);

  // -- comparison.cpp
  static Value comparison(Evaluator& e, const Binary& node, Frame& frame);
  static Value match(Evaluator& e, const Binary& node, Frame& frame);
  /// Matches a string and, when it matches, sets $0, $1, …
  static bool match_regex(Evaluator& e, const Regex& regex, std::string_view text);
  static bool match_pattern(Evaluator& e, const Value& pattern, const Value& test);

  // -- access.cpp
  static Value access(Evaluator& e, const Access& node, Frame& frame);

  static Value class_reference_key(Evaluator& e, const Reference& node, Frame& frame);

  // -- calls.cpp
  static Value call(Evaluator& e, const Call& node, Frame& frame);
  static Value method_call(Evaluator& e, const MethodCall& node, Frame& frame);
  /// Whether something else already made Puppet read the manifest that defines the function.
  static bool manifest_loaded(const Evaluator& e, const DefinitionEntry& definition);
  static const FunctionBinding* resolve(Evaluator& e, std::string_view name);
  static const FunctionBinding* resolve(Evaluator& e, Symbol name);
  /// Chooses among modules that have the same function: the caller's own, else a module that the caller depends on, else the first.
  static const FunctionBinding* resolve_for(Evaluator& e, std::string_view name, const Module* caller);
  static const FunctionBinding* for_this_file(Evaluator& e, const FunctionBinding* f, std::string_view name) {
    return f != nullptr && f->by_caller ? resolve_for(e, name, e.calling_module()) : f;
  }
  static void bind_ruby(Evaluator& e, FunctionBinding& binding, std::string_view name, const RubyFunctionFile& file);
  [[noreturn]] static void fail_unknown_function(Evaluator& e, std::string_view name, Loc loc);
  /// Keeps a call on the stack of running calls for its lifetime.
  struct Running {
    Running(Evaluator& e, Loc loc, bool whole_file = false) : innermost_(e.state_->innermost), call_{innermost_, loc, whole_file} {
      innermost_ = &call_;
    }
    ~Running() { innermost_ = call_.outer; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

  private:
    const RunningCall*& innermost_;
    RunningCall call_;
  };
  static const RunningCall* innermost(const Evaluator& e) { return e.state_->innermost; }
  static Value call_named(Evaluator& e, const Node& node, Symbol symbol, std::span<const Value> args, const Lambda* lambda, Frame& frame);
  static Value call_definition(Evaluator& e, const Closure& c, std::span<const Value> args, const Closure* block, Loc loc);
  static void bind_parameters(Evaluator& e, const Closure& c, std::span<const Value> args, Frame& frame);
  static const Type* closure_type(Evaluator& e, const Closure& c);
  static Value invoke(Evaluator& e, const FunctionBinding& f, std::string_view name, std::span<const Value> args, const Closure* block,
                      Frame& caller, Loc loc);
};

[[noreturn]] void fail_stack_overflow(Evaluator& e, const Node& at);

} // namespace pupc::compiler
