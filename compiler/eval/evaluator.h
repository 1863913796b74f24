#pragma once
// The expression evaluator: walks the AST over frames and makes values. One per compile; not thread-safe. CatalogBuilder
// (catalog_builder.h) handles what concerns the catalog: resources, classes, defines, collectors and relationships. This class calls it for
// those nodes.
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

namespace pupc::compiler {

class CatalogBuilder;
class LookupService; // compiler/hiera
class RubyService;   // ruby_service.h
class NativeRuby;    // ruby_service.h

/// A lambda or function as a value.
struct Closure final : CallableValue {
  const Node* node = nullptr; // Lambda or FunctionDef
  Frame* frame = nullptr;     // where the lambda was made; for a function, the global scope's frame
  const ParsedFile* file = nullptr;
  MatchData match; // the match variables it captured

  std::string to_string() const override;
  bool equals(const Opaque& other) const override { return this == &other; }
  uint64_t hash() const override { return reinterpret_cast<uintptr_t>(this) >> 4; }
  Value to_rich_data(Arena& arena) const override;
  /// The closure's Callable type. Its parameter types are evaluated in the closure's frame.
  const Type* callable_type(TypeContext& ctx) const override;

  Seq<Parameter> parameters() const;
  /// "lambda", or the function's name.
  std::string_view name() const;

  Evaluator* evaluator = nullptr;
  const std::function<Value(std::span<const Value>)>* native = nullptr; // a block that is not Puppet code: `node` only lists its parameters
  bool interpreted = false; // such a block of code that pupc's own interpreter of Ruby runs, and that Ruby can run again from its start
};

struct CompileSettings {
  Strict strict = Strict::Error;
  bool strict_variables = true;
  // Puppet's setting disable_warnings
  bool tell_deprecations = true;
  bool tell_undefined_variables = true;
};

/// Non-local exits. Only the functions of the same name throw them; block calls, functions and bodies catch them. A break() that leaves a
/// class or define body goes on to the code that evaluates the body: see fail_illegal_jump.
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
  /// The value of an expression in a frame. Throws CompileError with a place and Puppet's text.
  Value evaluate(const Node& node, Frame& frame);
  /// Evaluates a main manifest or node body. A break(), next() or return() that leaves it is an error.
  Value evaluate_main(const Block& block, Frame& frame);
  /// Evaluates a main manifest, which counts as one of the running calls (call_stack.h).
  Value evaluate_manifest(const ParsedFile& file, Frame& frame);
  /// Evaluates the body of a class or define. next() and return() end the body.
  Value evaluate_body(const Block& block, Frame& frame);
  /// Evaluates a parameter's default. Parameters without a value yet hold unevaluated_value() in the frame. Reading one of them raises
  /// Puppet's error "<callee>: default expression for $a tries to illegally access not yet evaluated $b".
  Value evaluate_default(const Node& expression, Frame& frame, std::string_view callee, Symbol parameter);
  /// The type that a type expression means; Any for null. A constant expression is evaluated once, and its type cached by node.
  const Type* evaluate_type(const Node* type_expression, Frame& frame);
  /// Evaluates call arguments or list elements and spreads `*x`.
  void evaluate_spread(const Seq<Node*>& nodes, Frame& frame, std::vector<Value>& out);

  // -- variables
  /// `name` is written as in source without $ ("x", "a::b", "::x"). Returns false when it is not set; the caller decides whether strict
  /// mode makes that an error.
  bool lookup_variable(std::string_view name, Frame& frame, Value& out);
  /// Visits every variable that the frame sees by a simple name, outer scopes first. A name may come again with the value that hides the
  /// first.
  void visible_variables(Frame& frame, const std::function<void(std::string_view name, const Value& value)>& visit);
  /// Sets a top-scope variable that comes from outside: facts, trusted, settings and others.
  void set_global(std::string_view name, Value value); // name is copied
  /// Assigns a variable that the scope's code may not contain, as the old API's `scope.setvar` does. Throws "Cannot reassign variable" when
  /// it is set already.
  void assign(std::string_view name, Value value, Frame& frame);
  /// Replaces the value of a variable, named as for lookup_variable, whose list or hash Ruby code has changed in place. The other variables
  /// that hold the same list or hash change as well, and so does the parameter of a class or define if the variable is one: in Puppet all
  /// are one object. No effect on variables that Puppet code did not set.
  void change_variable(std::string_view name, Value value, Frame& frame);
  /// The same for a list or hash that Ruby code got as an argument of a call in `frame`.
  void change_value(const Value& was, const Value& changed, Frame& frame);

  // -- calls
  /// Calls a function by name. The order is that of Puppet's loaders: the environment's Puppet functions, built-ins, then Ruby. Checks
  /// arguments.
  Value call_function(std::string_view name, std::span<const Value> args, const Closure* block, Frame& caller, Loc loc);
  /// The same for a call from code of `module`; "" = code outside of modules.
  Value call_function_from(std::string_view module, std::string_view name, std::span<const Value> args, const Closure* block, Frame& caller,
                           Loc loc);
  /// Calls a function as Ruby's `scope.function_NAME([…])` does: of the modules' functions it finds only those of the 3.x API.
  Value call_old_function(std::string_view name, std::span<const Value> args, Frame& caller, Loc loc);

  /// The type that a Deferred's function declares as its result. Returns null when it declares none, and logs a warning once per function.
  /// Throws without a place for an unknown function, and "No matching arity found for …" (argument_mismatch) when no signature takes the
  /// arguments.
  const Type* deferred_result(const DeferredData& deferred);
  bool function_exists(std::string_view name, Frame& caller);
  /// Records that this compile looked for a class (ClassDef), or a define or type (DefineDef). The search reads manifests, and from then on
  /// their functions and type aliases are known, as in Puppet.
  void note_search(const std::string& name, NodeKind kind);
  /// The searches of this compile, in order.
  struct Search {
    const std::string* name; // in lower case
    NodeKind kind;
  };
  const std::vector<Search>& searches() const;
  /// The module whose code is being evaluated; null outside of modules.
  const Module* calling_module() const;
  /// Calls a closure: binds and checks the parameters. next() and return() end the call as they do for that kind of closure; break() passes
  /// through.
  Value call_closure(const Closure& closure, std::span<const Value> args, Loc loc);
  /// A new frame for a body; all slots are unset.
  Frame* make_frame(const FrameLayout* layout, Scope* scope, Frame* up);

  // -- templates
  /// Renders a parsed EPP template. If the template declares parameters, the arguments are checked against them; if not, they become local
  /// variables. `base`: the frame whose variables the template sees. `own_match`: the template starts without match variables. The result
  /// is Sensitive when the template printed a Sensitive value.
  Value render_template(const ParsedFile& file, const Hash* arguments, Frame& base, bool own_match);
  /// The frame of the node scope or top scope around the frame's scope.
  Frame& global_frame(Frame& frame);
  /// Keeps the text of an inline_epp call as long as this compile, because values may point into it.
  void keep_alive(std::shared_ptr<const ParsedFile> file);
  std::vector<std::shared_ptr<const ParsedFile>> take_kept_files();

  // -- comparison by the language's rules
  bool equals(const Value& a, const Value& b);              // ==
  int compare(const Value& a, const Value& b, Loc loc);     // < and friends; throws for incomparable kinds
  bool includes(const Value& container, const Value& item); // in

  // -- text
  std::string to_string(const Value& value); // the text that interpolation gives

  // -- errors and logs
  /// The place of a node in the body that is being evaluated.
  Loc loc_of(const Node& node) const;
  /// Throws "Evaluation Error: <message>" at a node.
  [[noreturn]] void fail(ErrorCode code, const Node& at, std::string message);
  [[noreturn]] void fail_at(ErrorCode code, Loc at, std::string message);
  /// Completes an error without a place: adds the node's place and Puppet's words "Evaluation Error: Error while evaluating a Function
  /// Call, <message>". An error that has a place stays as it is.
  void place(CompileError& error, const Node& at);
  void log(LogLevel level, std::string_view source, std::string message);
  /// Whether a line of that level is seen anywhere.
  bool logs(LogLevel level) const { return log_.shows(level); }
  /// Logs a warning in Puppet's form "text (file: F, line: L, column: C)".
  void warn(Loc loc, std::string message);
  /// Like warn, but once per compile and key. The warning has no place when `loc` is empty.
  void warn_once(std::string_view key, Loc loc, std::string message);

  // -- the compile's parts
  Arena& arena() { return arena_; }
  const Environment& environment() const { return environment_; }
  const FunctionRegistry& functions() const { return functions_; }
  TypeContext& types() { return *types_; }
  /// The patterns that this compile makes. Who keeps values of the compile keeps them, too.
  const std::shared_ptr<RegexCache>& regexes() const { return regexes_; }
  const CompileSettings& settings() const { return settings_; }
  CatalogBuilder& catalog();
  LogSink* log_sink() { return &log_; }
  void set_catalog(CatalogBuilder& builder) { catalog_ = &builder; }
  /// What annotate() attached to values, by annotation type and by the value's identity.
  std::map<std::pair<const void*, const void*>, Value>& annotations() { return annotations_; }
  LookupService* lookup_service() { return lookup_; } // null when there is no Hiera
  void set_lookup_service(LookupService* service) { lookup_ = service; }
  RubyService* ruby_service() { return ruby_; } // null when Ruby is not allowed or not available
  void set_ruby_service(RubyService* service) { ruby_ = service; }
  NativeRuby* native_ruby() { return native_ruby_; } // null: the service runs all Ruby code
  void set_native_ruby(NativeRuby* native) { native_ruby_ = native; }
  MatchData& match() { return match_; }
  /// The scope whose body is being evaluated (set by BodyGuard); null before the first.
  Scope*& current_scope() { return scope_; }
  /// The file whose nodes are being evaluated. Code that enters a body switches it (FileGuard).
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
  std::shared_ptr<RegexCache> regexes_;
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

/// Throws an error that has no place by itself, as Puppet's ArgumentError: the node being evaluated gives it one.
[[noreturn]] void fail_unplaced(std::string message, ErrorCode code = ErrorCode::evaluation_error);

/// Whether only the compiler sets the variable: `$facts`, `$trusted`, `$server_facts`.
bool is_reserved_variable(Symbol name);
/// Raises Puppet's error for a parameter with such a name. Puppet checks this when it binds a value to the parameter of a function, lambda
/// or template.
void check_reserved_parameter(Symbol name);

/// Throws the error for a break(), next() or return() that nothing accepts: "break() from context where this is illegal".
[[noreturn]] void fail_illegal_jump(std::string_view function, Loc loc);

/// Switches Evaluator::current_file while a body runs.
struct FileGuard {
  FileGuard(Evaluator& e, const ParsedFile* file) : evaluator(e), previous(e.current_file()) { e.current_file() = file; }
  ~FileGuard() { evaluator.current_file() = previous; }
  FileGuard(const FileGuard&) = delete;
  FileGuard& operator=(const FileGuard&) = delete;
  Evaluator& evaluator;
  const ParsedFile* previous;
};

/// Enters the body of a class, define, node or main manifest: switches the file and the match variables, and adds a line to the call trace.
/// The body sees its match variables of an earlier entry, else those of the inherited class, node or top scope, as Puppet's scopes do.
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

} // namespace pupc::compiler
