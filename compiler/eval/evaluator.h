#pragma once
// The expression evaluator: walks the AST over frames and makes values. One per compile; not thread-safe.
// What concerns the catalog (resources, classes, defines, collectors, relationships) is in CatalogBuilder (catalog_builder.h),
// which this class calls for those nodes.
#include "catalog/base/diagnostic.h"
#include "catalog/base/log.h"
#include "compiler/ast/ast.h"
#include "compiler/eval/function.h"
#include "compiler/eval/scope.h"
#include "compiler/load/environment.h"
#include "compiler/types/type.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pupc {

class CatalogBuilder;
class LookupService; // compiler/hiera
class RubyService;   // ruby_service.h
class NativeRuby;    // the same

/// A lambda or function as a value.
struct Closure final : CallableValue {
  const Node* node = nullptr; // Lambda or FunctionDef
  Frame* frame = nullptr;     // where it was made (lambda); the global scope's frame for functions
  const ParsedFile* file = nullptr;
  MatchData match; // captured

  std::string to_string() const override;
  bool equals(const Opaque& other) const override { return this == &other; }
  uint64_t hash() const override { return reinterpret_cast<uintptr_t>(this) >> 4; }
  Value to_rich_data(Arena& arena) const override;
  /// Its Callable type; parameter types are evaluated in the closure's frame.
  const Type* callable_type(TypeContext& ctx) const override;

  Seq<Parameter> parameters() const;
  /// "lambda", or the function's name.
  std::string_view name() const;

  Evaluator* evaluator = nullptr;
  const std::function<Value(std::span<const Value>)>* native = nullptr; // a block that is no Puppet code: `node` tells its parameters only
};

enum class Strict : uint8_t { Off, Warning, Error };

struct CompileSettings {
  Strict strict = Strict::Error;
  bool strict_variables = true;
};

/// Non-local exits. Thrown only by the functions of the same name; absorbed by block calls, functions and bodies.
/// (A break() that reaches a class or define body goes on to whoever evaluates it: see fail_illegal_jump.)
struct BreakSignal {
  Loc loc;
};
struct NextSignal {
  Value value;
  Loc loc;
};
struct ReturnSignal {
  Value value;
  Loc loc;
};

class Evaluator {
public:
  /// `functions` outlives the evaluator.
  Evaluator(Arena& arena, const Environment& environment, const FunctionRegistry& functions, LogSink& log, CompileSettings settings);
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  // -- expressions
  /// Value of an expression in a frame. Throws CompileError with place and Puppet's text.
  Value evaluate(const Node& node, Frame& frame);
  Value evaluate_block(const Block& block, Frame& frame);
  /// Main manifest or node body: break(), next() and return() that nothing absorbed are errors.
  Value evaluate_main(const Block& block, Frame& frame);
  /// Body of a class or define: absorbs next() and return().
  Value evaluate_body(const Block& block, Frame& frame);
  /// Default of a parameter. Parameters without a value yet hold unevaluated_value() in the frame: reading one of them is
  /// Puppet's error "<callee>: default expression for $a tries to illegally access not yet evaluated $b".
  Value evaluate_default(const Node& expression, Frame& frame, std::string_view callee, Symbol parameter);
  /// Type of a parameter's type expression (cached per node where it is constant). Null expression: Any.
  const Type* evaluate_type(const Node* type_expression, Frame& frame);
  /// List of call arguments or list elements with `*x` spread out.
  void evaluate_spread(const Seq<Node*>& nodes, Frame& frame, std::vector<Value>& out);

  // -- variables
  /// By name as written in source without $ ("x", "a::b", "::x"). False when not set (strict handling is the caller's).
  bool lookup_variable(std::string_view name, Frame& frame, Value& out);
  /// Every variable that a frame sees by a simple name, those of outer scopes first: a name may come again with the value that hides it.
  void visible_variables(Frame& frame, const std::function<void(std::string_view name, const Value& value)>& visit);
  /// Facts, trusted, settings and other top-scope variables that come from outside.
  void set_global(std::string_view name, Value value); // name is copied
  /// Assigns; throws "Cannot reassign variable" when set.
  void assign(const Variable& variable, Value value, Frame& frame);

  /// Assigns in a scope that may have no such variable: as the old API's `scope.setvar`. Throws "Cannot reassign variable" when set.
  void assign(std::string_view name, Value value, Frame& frame);
  /// Ruby code changed the list or hash that a variable seen by this simple name holds: the variable has the new one, and so has the
  /// parameter of its class or define that it is, as both are one object in Puppet. No effect for variables that are not set by
  /// Puppet code.
  void change_variable(std::string_view name, Value value, Frame& frame);

  // -- calls
  /// Calls by name: environment's Puppet functions first by the loader's rules, then built-ins, then Ruby. Checks arguments.
  Value call_function(std::string_view name, std::span<const Value> args, const Closure* block, Frame& caller, Loc loc);
  /// The same as code of a module calls it; "" = of no module.
  Value call_function_from(std::string_view module, std::string_view name, std::span<const Value> args, const Closure* block, Frame& caller,
                           Loc loc);
  /// As Ruby code does by `scope.function_NAME([…])`: of the modules' functions only those of the 3.x API are found.
  Value call_old_function(std::string_view name, std::span<const Value> args, Frame& caller, Loc loc);

  /// What the function of a Deferred value says it returns, null when it says nothing: then a warning is logged, once a function. Throws
  /// without place for an unknown function, and "No matching arity found for …" (argument_mismatch) when none of its signatures takes the
  /// arguments.
  const Type* deferred_result(const DeferredData& deferred);
  bool function_exists(std::string_view name, Frame& caller);
  /// Calls a closure: binds and checks parameters; absorbs next/return as that kind of closure does; break passes through.
  Value call_closure(const Closure& closure, std::span<const Value> args, Loc loc);
  /// New frame for a body with all slots unset.
  Frame* make_frame(const FrameLayout* layout, Scope* scope, Frame* up);

  // -- templates
  /// Renders a parsed EPP template. Without declared parameters the arguments are plain local variables; with them they are checked.
  /// `base` = the frame whose variables it sees; `own_match`: match variables start unset. The result is Sensitive when something
  /// Sensitive was printed.
  Value render_template(const ParsedFile& file, const Hash* arguments, Frame& base, bool own_match);
  /// Frame of the node or top scope that a frame's scope lies in.
  Frame& global_frame(Frame& frame);
  /// Keeps a text parsed during the compile (inline_epp) as long as this compile: values may point into it.
  void keep_alive(std::shared_ptr<const ParsedFile> file);
  std::vector<std::shared_ptr<const ParsedFile>> take_kept_files();

  // -- comparison as the language does it
  bool equals(const Value& a, const Value& b);                           // ==
  int compare(const Value& a, const Value& b, Loc loc);                  // < and friends; throws for incomparable kinds
  bool includes(const Value& container, const Value& item);              // in
  bool case_match(const Value& option, const Value& test, Frame& frame); // case/selector option; sets match variables

  // -- text
  std::string to_string(const Value& value); // as interpolation does

  // -- errors and logs
  /// Place of a node in the body that is being evaluated.
  Loc loc_of(const Node& node) const;
  /// Throws "Evaluation Error: <message>" at a node.
  [[noreturn]] void fail(ErrorCode code, const Node& at, std::string message);
  [[noreturn]] void fail_at(ErrorCode code, Loc at, std::string message);
  /// Gives an error that has no place yet the node's place and Puppet's words "Evaluation Error: Error while evaluating a Function
  /// Call, <message>"; errors with a place stay as they are.
  void place(CompileError& error, const Node& at);
  void log(LogLevel level, std::string_view source, std::string message);
  /// Warning with a place, in Puppet's form "text (file: F, line: L, column: C)".
  void warn(Loc loc, std::string message);
  /// Like warn, but once per compile for a key. Without a place when `loc` is empty.
  void warn_once(std::string_view key, Loc loc, std::string message);

  // -- the compile's parts
  Arena& arena() { return arena_; }
  const Environment& environment() const { return environment_; }
  const FunctionRegistry& functions() const { return functions_; }
  TypeContext& types() { return *types_; }
  const CompileSettings& settings() const { return settings_; }
  CatalogBuilder& catalog();
  LogSink* log_sink() { return &log_; }
  void set_catalog(CatalogBuilder& builder) { catalog_ = &builder; }
  /// What annotate() has put on values: by annotation type and the value's identity.
  std::map<std::pair<const void*, const void*>, Value>& annotations() { return annotations_; }
  LookupService* lookup_service() { return lookup_; } // null when there is no Hiera
  void set_lookup_service(LookupService* service) { lookup_ = service; }
  RubyService* ruby_service() { return ruby_; } // null when Ruby may not or cannot be used
  void set_ruby_service(RubyService* service) { ruby_ = service; }
  NativeRuby* native_ruby() { return native_ruby_; } // null: all Ruby code goes to the service
  void set_native_ruby(NativeRuby* native) { native_ruby_ = native; }
  MatchData& match() { return match_; }
  /// The scope whose body is being evaluated (BodyGuard); null before the first.
  Scope*& current_scope() { return scope_; }
  /// The file whose nodes are being evaluated; switched by whoever enters a body (see FileGuard).
  const ParsedFile*& current_file() { return file_; }

  // for BodyGuard
  void push_trace(const Scope& scope);
  void pop_trace();

private:
  friend struct EvaluatorImpl; // operators, access, calls: one .cpp each
  Arena& arena_;
  const Environment& environment_;
  const FunctionRegistry& functions_;
  LogSink& log_;
  CompileSettings settings_;
  std::unique_ptr<TypeContext> types_;
  std::map<std::pair<const void*, const void*>, Value> annotations_;
  CatalogBuilder* catalog_ = nullptr;
  LookupService* lookup_ = nullptr;
  RubyService* ruby_ = nullptr;
  NativeRuby* native_ruby_ = nullptr;
  MatchData match_;
  const ParsedFile* file_ = nullptr;
  Scope* scope_ = nullptr;
  struct State;
  std::unique_ptr<State> state_;
};

/// The error for a jump out of a place that cannot be left: "break() from context where this is illegal".
[[noreturn]] void fail_illegal_jump(std::string_view function, Loc loc);

/// Switches Evaluator::current_file for the time of a body.
struct FileGuard {
  FileGuard(Evaluator& e, const ParsedFile* file) : evaluator(e), previous(e.current_file()) { e.current_file() = file; }
  ~FileGuard() { evaluator.current_file() = previous; }
  FileGuard(const FileGuard&) = delete;
  FileGuard& operator=(const FileGuard&) = delete;
  Evaluator& evaluator;
  const ParsedFile* previous;
};

/// Enters the body of a class, define, node or main manifest: switches file and match variables (the body sees its own from an
/// earlier entry, else those of the inherited class, node or top scope, as Puppet's scopes do) and adds a line to the call trace.
struct BodyGuard {
  BodyGuard(Evaluator& e, Scope& scope);
  ~BodyGuard();
  BodyGuard(const BodyGuard&) = delete;
  BodyGuard& operator=(const BodyGuard&) = delete;
  Evaluator& evaluator;
  FileGuard file;
  Scope& entered;
  Scope* previous;
  MatchData saved;
};

/// Saves and restores match variables around a block, as Puppet's ephemeral scopes do.
struct MatchGuard {
  explicit MatchGuard(Evaluator& e) : evaluator(e), saved(e.match()) {}
  ~MatchGuard() { evaluator.match() = saved; }
  MatchGuard(const MatchGuard&) = delete;
  MatchGuard& operator=(const MatchGuard&) = delete;
  Evaluator& evaluator;
  MatchData saved;
};

} // namespace pupc
