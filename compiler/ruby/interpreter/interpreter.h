#pragma once
// Evaluates the tree of a template or function. Each rendering or call has its own interpreter. The interpreter never guesses: where it
// does not know exactly what Ruby would do, it throws NeedsRuby before any output or effect leaves it.
#include "catalog/base/limits.h"
#include "catalog/base/text_hash.h"
#include "compiler/ruby/core/core.h"
#include "compiler/ruby/syntax/ruby_tree.h"

#include <deque>
#include <memory>
#include <memory_resource>
#include <set>

namespace pupc::compiler {
struct NativeObject;
} // namespace pupc::compiler
namespace pupc::compiler::ruby {

class Interpreter final : private Core, private RubyEquality {
public:
  Interpreter(const RubyScript& program, RubyHost& the_host, std::string_view path, int depth)
      : Core(the_host), program_(&program), path_(path), depth_(depth), own_program_(program), self_(own_self()) {}
  /// Renders the template and returns its text. Throws NeedsRuby, RubyError, and CompileError when a called function fails.
  std::string run();
  /// For a function: runs the code that defines its methods and constants. Call it before call().
  void define();
  /// For a function: calls `method` of the code (4.x API; `with_scope`: its first parameter is the caller's scope), or the block of
  /// newfunction with the list of arguments as its parameter (3.x API). `with_block`: the caller gave a block of Puppet code, which the
  /// host can call. Returns the result as a Puppet value. Throws the same errors as run().
  Value call(std::string_view method, std::span<const Value> args, bool with_block, bool with_scope = false);
  /// Whether the caller sees what the function changes in its arguments. Otherwise they are copies.
  void shares_arguments(bool shared) { shared_arguments_ = shared; }
  /// The context whose not_found has ended the call; null when none has. Its lookup is to be told.
  const NativeObject* missed() const { return missed_; }
  /// Nobody asks for the result of the function, which may be one that the language does not have.
  void ignores_result() { result_matters_ = false; }
  /// Whether call() may be called once more. Then the objects that stand for values of Puppet's are those of the calls before, as in Ruby.
  /// Not where the code has left something in them, or where they have become many.
  bool can_go_on() const;
  /// Forgets what belongs to the last call alone.
  void go_on();
  /// Whether the code has begun to change what all its calls have in common, beside the variables of the function's object.
  bool has_changed_kept() const { return changed_kept_; }
  /// The instance variables as the calls before the running one have left them, for the object in Ruby, and what this call has changed is
  /// put back. False, with the name in `what`, where Ruby cannot get one.
  bool state_before_call(std::vector<std::pair<std::string, Value>>& out, std::string& what);

private:
  struct BreakJump {
    const void* target;
    RubyValue value;
  };
  struct NextJump {
    RubyValue value;
  };
  struct ThrowJump { // Kernel#throw
    RubyValue tag, value;
  };
  struct RetryJump {};
  struct Restore;
  struct LastCall { // of a function that has effects: it runs when the code has ended
    std::string_view name;
    std::vector<Value> args;
    bool old_api;
    bool for_itself = false;
  };
  struct ReturnJump {
    const MethodFrame* target;
    RubyValue value;
  };

  // -- nodes (interpreter.cpp)
  template <class F> void run_outermost(const F& code);
  /// The value of a node; nil of none.
  RubyValue eval(const Node* node) {
    if (node == nullptr) return {};
    return node->type == NodeType::Local ? slot(node->as<LocalVariable>()) : eval_node(*node); // half of all nodes are variables
  }
  RubyValue eval_node(const Node& node);
  RubyValue eval_rare(const Node& node);
  [[noreturn]] void too_deep(uint32_t line);
  // These are never a part of eval_node, which would make room on the stack for them at each node.
  [[gnu::noinline]] RubyValue eval_both(const Binary& node);
  [[gnu::noinline]] RubyValue eval_not(const Unary& node);
  [[gnu::noinline]] RubyValue eval_if(const If& node);
  [[gnu::noinline]] RubyValue eval_piece(const TextPiece& node);
  RubyValue eval_list(const ListLiteral& node);
  RubyValue eval_range(const RangeLiteral& node);
  RubyValue eval_symbol(const TextLiteral& node);
  RubyValue eval_return(const Leave& node);
  RubyValue eval_next(const Leave& node);
  RubyValue eval_assign_many(const AssignMany& node);
  RubyValue eval_output(const Unary& node);
  RubyValue eval_sequence(const Sequence& node);
  RubyValue eval_body(const Node* body);
  RubyValue eval_call(const Call& node);
  RubyValue eval_hash(const HashLiteral& node);
  RubyValue eval_constant(const Constant& node);
  RubyValue look_up_constant(const Constant& node, bool& lasts);
  RubyValue eval_defined(const Unary& node);
  RubyValue eval_text(const TextLiteral& node);
  RubyValue eval_regex(const RegexLiteral& node);
  std::string joined(const NodeList& parts, uint32_t line);
  void eval_arguments(const NodeList& nodes, std::vector<RubyValue>& out);
  void splat(const RubyValue& v, std::vector<RubyValue>& out, uint32_t line);
  bool is_unseen_log(const Call& node);
  LocalScope* make_environ(LocalScope* up, int32_t slots);
  RubyValue call_plainly(const Call& node);
  const RubyValue* literal_element(const Call& node, const RubyValue& self) const;
  void step(uint32_t line) override {
    check_time();
    if (++steps_ > most_steps) too_many_steps(line);
  }
  [[noreturn]] void too_many_steps(uint32_t line);
  std::string place_of(uint32_t line) override;

  // -- control (control.cpp)
  RubyValue eval_case(const Case& node);
  template <class F> RubyValue run_loop(const Node& node, const Node* body, F next, RubyValue result);
  RubyValue eval_while(const While& node);
  RubyValue eval_for(const For& node);
  RubyValue eval_begin(const Begin& node);
  RubyValue eval_guarded(const Begin& node);
  bool rescues(const Rescue& clause, const RubyError& error);
  RubyValue exception_of(const RubyError& error);

  // -- classes, modules and methods (definitions.cpp)
  RubyValue own_self() const { return program_->self == Self::Scope ? RubyValue::scope() : RubyValue::instance(); }
  std::string full_name(const RubyModule* around, std::string_view name) const;
  RubyValue eval_class(const Class& node);
  RubyValue eval_singleton_class(const SingletonClass& node);
  RubyValue eval_def(const Def& node);
  RubyValue eval_super(const Super& node);
  bool current_arguments(const Def& def, const LocalScope& scope, std::vector<RubyValue>& out);
  void run_body(RubyModule& module, const Node& body, int32_t slots);
  RubyModule& new_module(std::string name, bool is_class, const RubyValue& parent, uint32_t line);
  RubyModule& extension_of(RubyClass of);
  RubyValue define_constant(std::string_view name, const RubyValue& value, uint32_t line);
  bool find_constant(std::string_view name, RubyValue& out);
  bool find_constant_in(const RubyModule& module, std::string_view name, RubyValue& out);
  bool load_library(size_t file);
  void add_method(RubyModule& module, std::string_view name, RubyMethod method, bool singleton = false);

  // -- objects of such classes (objects.cpp)
  const RubyMethod* lookup_method(const RubyModule& module, std::string_view name, const RubyModule* behind = nullptr);
  const RubyModule::Methods::value_type* search_method(const RubyModule& module, std::string_view name, const RubyModule* behind);
  /// Whoever changes a class, a module or constants says so: then what was found there is looked up anew.
  void forget_found() {
    found_methods_.clear();
    found_constants_.clear();
  }
  const RubyMethod* find_singleton(const RubyModule& module, std::string_view name, const RubyModule* behind = nullptr);
  const RubyMethod* find_method_of(const RubyValue& self, std::string_view name, const RubyModule* behind = nullptr);
  bool descends_from(const RubyModule& module, const RubyValue& wanted);
  RubyValue call_object(const MethodCall& c);
  RubyValue call_module(const MethodCall& c);
  bool module_body_method(RubyModule& module, const MethodCall& c, RubyValue& out);
  bool module_question(RubyModule& module, const MethodCall& c, RubyValue& out);
  bool any_object_method(const MethodCall& c, RubyValue& out);
  bool object_question(const MethodCall& c, RubyValue& out);
  bool object_change(const MethodCall& c, RubyValue& out);
  void define_by_block(RubyModule& module, const MethodCall& c);
  void hide_class_methods(RubyModule& module, const MethodCall& c);
  RubyValue make_object(RubyModule& module, const MethodCall& c);
  RubyValue make_class(const MethodCall& c) override;
  void define_alias(RubyModule& module, std::string_view name, std::string_view old, uint32_t line);
  RubyValue call_with_self(const RubyProc& proc, const RubyValue& self, std::span<const RubyValue> args, uint32_t line,
                           const Nesting* nesting);
  NamedValues* variables_of(const RubyValue& self);
  static void note_variable(const RubyValue& self, std::string_view name);
  // -- what code asks of its methods and classes (reflection.cpp)
  bool proc_question(const MethodCall& c, RubyValue& out) override;
  RubyValue unbound_method(const RubyModule& module, std::string_view name, uint32_t line);
  RubyValue ancestors(const RubyModule& module);
  bool class_body_function(const MethodCall& c, RubyValue& out);
  // -- ERB in code (bindings.cpp)
  RubyValue eval_binding(const Binding& node);
  RubyValue render_text(const MethodCall& c) override;
  const RubyScript& parsed_text(std::string_view text, Self self, std::span<const std::string_view> names, uint32_t line);
  // -- methods of one value (singletons.cpp)
  RubyModule* known_singleton(const RubyValue& v) const;
  RubyModule& singleton_of(const RubyValue& v, uint32_t line);
  void check_singleton(const RubyModule& own, uint32_t line);
  void define_singleton_method(const RubyValue& v, std::string_view name, RubyMethod method, uint32_t line);
  const RubyMethod* singleton_method(const MethodCall& c);
  bool change_singleton(const MethodCall& c, RubyValue& out) override;

  bool call_extension(const MethodCall& c, RubyValue& out, bool own = false) override;
  bool has_extension(const MethodCall& c) override;
  const RubyMethod* extension_method(const MethodCall& c, bool own);
  bool is_of_module(const RubyValue& v, const RubyModule& module) override;
  bool equal_objects(const RubyValue& a, const RubyValue& b, bool as_key) override;
  size_t hash_object(const RubyValue& v) override;
  std::string object_text(const RubyValue& v, bool inspected, uint32_t line) override;
  bool is_of_own_inspect(const RubyValue& v) override { return find_method_of(v, "inspect") != nullptr; }
  bool items_of_object(const RubyValue& v, std::vector<RubyValue>& out, uint32_t line) override;
  RubyValue call_named(const RubyValue& self, std::string_view name, const MethodCall& c) override;
  RubyValue method_of(const MethodCall& c) override { return method_object(c.self, c); }
  RubyValue method_object(const RubyValue& self, const MethodCall& c);
  RubyValue enumerator_of(const RubyValue& self, const MethodCall& c);

  // -- pattern matching (patterns.cpp)
  RubyValue eval_case_in(const Case& node);
  RubyValue eval_matches(const Matches& node);
  bool matches(const Node& pattern, const RubyValue& value);
  bool matches_list(const PatternList& pattern, const RubyValue& value);
  bool matches_hash(const PatternHash& pattern, const RubyValue& value);
  bool matches_value(const Node& pattern, const RubyValue& value);
  /// Why the last pattern did not match.
  struct Mismatch {
    enum Reason : uint8_t { Value, Length, LeastLength, Find, NoList, NoHash, NotEmpty, Rest, Guard, Key } reason = Value;
    RubyValue found, wanted;
    size_t expected = 0;
  };
  bool mismatch(Mismatch::Reason reason, const RubyValue& found, const RubyValue& wanted = {}, size_t expected = 0);
  [[noreturn]] void no_match(const RubyValue& value, bool single, uint32_t line);

  // -- variables (assignments.cpp)
  RubyValue global(std::string_view name, uint32_t line);
  void set_global(std::string_view name, const RubyValue& value, uint32_t line);
  NamedValues& class_variables(std::string_view name, uint32_t line);
  const RubyValue& class_variable(const NamedVariable& node);
  RubyValue eval_assign(const Assign& node);
  RubyValue eval_op_assign(const OpAssign& node);
  RubyValue call_attribute(const AttributeTarget& target, const RubyValue& self, std::span<const RubyValue> value);
  void assign(const Node& target, const RubyValue& value);
  void assign_many(const NodeList& targets, const RubyValue& value);
  RubyValue& slot(const LocalVariable& node) {
    LocalScope* scope = environ_;
    for (int32_t up = node.up; up > 0; --up) scope = scope->up;
    return scope->slots[node.slot];
  }
  RubyValue instance_variable(std::string_view name);
  bool find_instance_variable(std::string_view name, RubyValue& out);
  void set_instance_variable(std::string_view name, const RubyValue& value);
  RubyValue match_group(const MatchGroup& node);

  // -- what a function's object keeps (function_state.cpp)
  void note_assignment(std::string_view name);
  void before_change(const RubyValue& v) override;
  void change_kept(uint32_t line, std::string reason) override;
  void check_lasting(const RubyValue& self, uint32_t line);
  void end_loading();
  void undo_call();
  bool can_leave(const RubyValue& v, std::set<const void*>& seen);

  // -- blocks and methods that the code defines (procs.cpp)
  RubyValue call_proc(const RubyProc& proc, std::span<const RubyValue> args, uint32_t line, bool keywords = false,
                      const RubyProc* block = nullptr) override;
  RubyValue run_block(const RubyProc& proc, std::span<const RubyValue> args, uint32_t line, bool keywords, const RubyProc* own = nullptr);
  void bind_block(const Block& block, std::span<const RubyValue> args, bool keywords, const RubyProc* own, uint32_t line);
  RubyValue call_native(const MethodCall& c);
  RubyValue call_lambda(const RubyProc& proc, std::span<const RubyValue> args, uint32_t line, bool keywords, const RubyProc* own = nullptr);
  RubyValue call_defined(const RubyMethod& method, const MethodCall& c);
  RubyValue call_alias(const RubyMethod& defined, const MethodCall& c);
  bool call_primitive(const RubyMethod& defined, const MethodCall& c, RubyValue& out);
  void pass_on_miss(const Call* call, std::string_view name);
  void bind(const NodeList& parameters, std::span<const RubyValue> args, bool keywords, const RubyProc* block, bool strict, uint32_t line);
  [[noreturn]] void missing_keywords(const NodeList& parameters, RubyHash* named, uint32_t line);
  [[noreturn]] void unknown_keywords(const NodeList& parameters, RubyHash& named, uint32_t line);
  const RubyProc* block_of(const Node& node);
  RubyProc& proc_here();
  RubyValue make_lambda(const Block& block);
  RubyValue eval_yield(const Yield& node);
  void know_template_methods();
  void keep_template_methods();

  // -- functions and self (kernel_functions.cpp)
  RubyValue kernel_function(const MethodCall& c);
  RubyValue call_outside(const MethodCall& c) override;
  RubyValue instance_method(const MethodCall& c);
  RubyValue catch_throw(const MethodCall& c);
  RubyValue loop(const MethodCall& c);
  RubyValue own_function(const MethodCall& c);
  RubyValue named_function(const MethodCall& c);
  RubyValue self_function(const MethodCall& c);
  RubyValue to_float(const MethodCall& c);
  RubyValue integer_of(const MethodCall& c);
  RubyValue require(const MethodCall& c);
  [[noreturn]] void raise(const MethodCall& c);
  RubyValue to_integer(const RubyValue& v, uint32_t line);

  // -- the scope and Puppet's functions (scope_methods.cpp)
  RubyValue scope_method(const MethodCall& c);
  RubyValue set_variable(const MethodCall& c);
  RubyValue all_variables();
  RubyValue render_nested(const RubyScript& program, std::string_view path);
  RubyValue scope_variable(std::string_view name, uint32_t line);
  bool scope_includes(std::string_view name);
  /// `own_block`: with the block that this function received.
  RubyValue call_function(std::string_view name, std::span<const RubyValue> args, bool old_api, uint32_t line,
                          const RubyProc* block = nullptr, bool for_itself = false);
  RubyHost::Block block_for_puppet(const RubyProc& block, uint32_t line);
  RubyValue call_with_effects(std::string_view name, std::span<const RubyValue> args, bool old_api, uint32_t line, bool own_block);

  // -- objects of the program around (host_object.cpp)
  class Tools;
  RubyValue host_method(const MethodCall& c);
  bool host_function(const MethodCall& c, RubyValue& out);
  void check_nothing_waits(uint32_t line, std::string_view what);
  static RubyError error_of(const CompileError& error, uint32_t line);

  // -- values of the language (puppet_values.cpp)
  RubyValue from_puppet(const Value& v) override;
  RubyValue text_from_puppet(const Value& v);
  RubyValue date_from(const std::string& day);
  RubyValue version_from(std::string_view of, const std::string& text);
  std::optional<Value> library_object_to_puppet(const RubyObject& object, uint32_t line);
  Value to_puppet(const RubyValue& v, uint32_t line) override;
  const Value* untouched_source(const RubyHash& hash) const override;
  bool is_changeable(const Value& v) const; // whether the code may change it in place
  const Value* unchanged_source(const Origin& origin) const;
  void give_back_changed();
  bool has_changed_outside();
  void give_logs();

  struct BeforeCall { // what the running call has changed, as it was
    std::vector<std::pair<std::string, std::optional<RubyValue>>> variables;
    std::vector<std::pair<RubyValue, RubyValue>> objects; // each with its copy
    std::set<const void*> noted;
  };

  const RubyScript* program_;
  std::string_view path_;
  int depth_; // how many templates are rendering each other
  std::pmr::monotonic_buffer_resource slots_;
  LocalScope* environ_ = nullptr;
  NamedValues instance_variables_;                      // read or assigned
  std::vector<std::pair<std::string, RubyValue>> read_; // variables whose texts, lists and hashes the code has read
  const RubyScript& own_program_;                       // the outermost one
  BeforeCall before_;
  bool loading_ = false; // what all calls have in common is made
  bool changed_kept_ = false;
  bool shared_arguments_ = true;
  bool result_matters_ = true;
  std::span<const Value> copies_;                                        // arguments of which the caller sees no change
  std::unordered_map<const void*, RubyValue> converted_;                 // Puppet list or hash -> its only Ruby object
  std::vector<std::pair<Value, RubyValue>> converted_values_;            // the same pairs in order
  std::unordered_map<const char*, std::pair<Value, RubyString*>> texts_; // likewise, where the code changes texts
  const void* break_target_ = nullptr;
  const NativeObject* missed_ = nullptr;
  int catches_unknown_ = 0; // how many catch(:undefined_variable) are around the running code
  Mismatch mismatch_;
  bool leaving_ = false;          // a marked Next or Return (Leave::ends) has ended: the sequences around it end, up to eval_body
  MethodFrame* method_ = nullptr; // the running method
  const MethodFrame* outermost_ = nullptr;
  const Call* running_ = nullptr; // the call whose arguments were evaluated last
  bool given_scope_ = false;      // the function has its caller's scope, not its own
  std::unordered_map<std::string_view, RubyMethod, TransparentHash> methods_;
  NamedValues constants_;
  /// What was found last, at a place by the hash of what was looked for: a class and a name, or a node and the classes around it. Empty
  /// until something is found.
  struct FoundMethod {
    const RubyModule* module = nullptr;
    std::string_view name; // the method's own
    const RubyMethod* method = nullptr;
  };
  struct FoundConstant {
    const Constant* node = nullptr;
    const Nesting* nesting = nullptr;
    RubyValue value;
  };
  std::vector<FoundMethod> found_methods_;
  std::vector<FoundConstant> found_constants_;
  RubyValue self_;
  const Nesting* nesting_ = nullptr; // the classes and modules around the running code
  Visibility visibility_ = Visibility::Public;
  bool module_function_ = false;
  bool defining_ = false; // the statements of a function's file run
  NamedValues globals_, own_class_variables_;
  StableList<RubyModule> modules_;
  StableList<RubyObject> objects_;
  StableList<RubyMethod> spare_methods_;
  std::vector<std::unique_ptr<RubyScript>> scripts_; // of ERB texts in code
  /// Keeps a name as long as the interpreter, which calls of several hosts may use; what the host keeps ends with its call.
  std::string_view own_name(std::string name) { return own_names_.emplace_back(std::move(name)); }
  std::deque<std::string> own_names_;
  std::unordered_map<RubyClass, RubyModule*> extensions_;   // what the code and the library add to Ruby's own classes
  std::unordered_map<const void*, RubyModule*> singletons_; // the methods that one text, list or hash has
  std::set<std::string> required_;                          // files of the site's own
  std::set<const RubyScript*> required_programs_;
  std::set<size_t> loaded_;                                      // files of the library
  const RubyError* rescued_ = nullptr;                           // $!
  std::vector<std::pair<std::string, RubyValue>> own_variables_; // set by scope.setvar; the scope gets them on success
  size_t own_visible_ = 0; // the first of own_variables_, set before this template began: it sees them as instance variables
  std::vector<std::pair<std::string, Value>> pending_variables_;
  std::string out_;
  static constexpr uint64_t most_steps = 3'000'000;
  uint64_t steps_ = 0, steps_before_ = 0; // of this call, of those before it
};

} // namespace pupc::compiler::ruby
