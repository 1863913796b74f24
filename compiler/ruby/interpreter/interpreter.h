#pragma once
// Evaluates the tree of a template or function. Each rendering or call has its own interpreter. The interpreter never guesses: where it
// does not know exactly what Ruby would do, it throws NeedsRuby before any output or effect leaves it.
#include "catalog/base/text_hash.h"
#include "compiler/ruby/interpreter/method_names.h"
#include "compiler/ruby/interpreter/ruby_host.h"
#include "compiler/ruby/interpreter/ruby_value.h"
#include "compiler/types/lookup_context.h"

#include <memory_resource>

namespace pupc::compiler::ruby {

/// The code left the supported subset of Ruby in a way that only evaluation can find: a method that the interpreter does not know for this
/// kind of receiver, or an exception whose text only Ruby knows.
struct NeedsRuby {
  uint32_t line;
  std::string reason;
};

/// A Ruby exception whose text the interpreter knows: raise, fail(), an unknown variable, Integer('x').
struct RubyError {
  uint32_t line;
  std::string message;
  RubyClass class_ = RubyClass::Other; // Other: some StandardError
};

struct LocalScope { // local variables of a block, a method or the template
  LocalScope* up;
  RubyValue* slots;
};

/// A running method or lambda. `return` leaves it, and `yield` calls its block.
struct MethodFrame {
  const struct RubyProc* block = nullptr;
  bool active = true;
};

struct RubyProc {
  const Node* node = nullptr; // the Block; null for a proc of `method` or of the host
  LocalScope* environ = nullptr;
  MethodFrame* frame = nullptr; // the frame that made the proc
  const RubyScript* program = nullptr;
  bool lambda = false;
  bool of_host = false;                // the block of Puppet code that the caller gave to the function
  MethodId method = MethodId::unknown; // the method of &:name
  std::string_view name;
};

struct RubyEnumerator {
  RubyValue source;
  std::vector<RubyValue> items;
  MethodId base; // the method that made it, because it was called without a block
};

struct MethodCall {
  RubyValue self;
  MethodId method;
  std::string_view name;
  std::span<const RubyValue> args;
  const RubyProc* block; // null = none
  uint32_t line;
  bool keywords = false; // the last argument is a hash of `name: value`
  bool function = false; // a call without a receiver
};

class Interpreter final : private RubyMaker {
public:
  Interpreter(const RubyScript& program, RubyHost& host, std::string_view path, int depth)
      : program_(&program), host_(host), path_(path), depth_(depth) {}
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

private:
  using NamedValues = std::unordered_map<std::string, RubyValue, TransparentHash, std::equal_to<>>;
  struct BreakJump {
    const void* target;
    RubyValue value;
  };
  struct NextJump {
    RubyValue value;
  };
  struct Restore;
  struct LastCall { // of a function that has effects: it runs when the code has ended
    std::string_view name;
    std::vector<Value> args;
    bool old_api;
  };
  struct ReturnJump {
    const MethodFrame* target;
    RubyValue value;
  };

  // interpreter.cpp: nodes
  RubyValue eval(const Node* node);
  RubyValue eval_sequence(const Node& node);
  RubyValue eval_call(const Node& node);
  RubyValue eval_case(const Node& node);
  RubyValue eval_while(const Node& node);
  RubyValue eval_for(const Node& node);
  RubyValue eval_begin(const Node& node);
  RubyValue eval_guarded(const Node& node);
  RubyValue eval_hash(const Node& node);
  RubyValue eval_constant(const Node& node);
  RubyValue eval_yield(const Node& node);
  RubyValue make_lambda(const Node& block);
  RubyValue eval_op_assign(const Node& node);
  RubyValue eval_defined(const Node& node);
  RubyValue eval_regex(const Node& node);
  std::string joined(const Node& node);
  void eval_arguments(const Node& node, size_t first, std::vector<RubyValue>& out);
  void assign(const Node& target, const RubyValue& value);
  void assign_many(std::span<Node* const> targets, const RubyValue& value);
  RubyValue& slot(const Node& node);
  RubyValue instance_variable(std::string_view name);
  bool find_instance_variable(std::string_view name, RubyValue& out);
  void set_instance_variable(std::string_view name, const RubyValue& value);
  RubyValue match_group(int n);
  RubyValue match_part(char name);
  RubyValue group_text(const RubyMatch& m, size_t group);

  // blocks
  RubyValue yield(const MethodCall& c, const RubyValue& value) { return yield(c, std::span(&value, 1)); }
  RubyValue yield(const MethodCall& c, const RubyValue& a, const RubyValue& b) {
    RubyValue both[] = {a, b};
    return yield(c, std::span<const RubyValue>(both));
  }
  RubyValue yield(const MethodCall& c, std::span<const RubyValue> args);
  RubyValue call_proc(const RubyProc& proc, std::span<const RubyValue> args, uint32_t line, bool keywords = false);
  RubyValue call_lambda(const RubyProc& proc, std::span<const RubyValue> args, uint32_t line, bool keywords);
  struct Method { // that the code defines
    const Node* def;
    const RubyScript* program;
    std::string_view path;
    bool kept = false; // by the host, for all templates
  };
  RubyValue call_defined(const Method& method, const MethodCall& c);
  void know_template_methods();
  void keep_template_methods();
  void bind(std::span<Node* const> parameters, std::span<const RubyValue> args, bool keywords, const RubyProc* block, bool strict,
            uint32_t line);
  const RubyProc* block_of(const Node& node);

  // method_calls.cpp: dispatch, methods of every object, functions, the scope
  RubyValue call_method(const MethodCall& c);
  RubyValue send(const RubyValue& self, MethodId method, std::initializer_list<RubyValue> args, uint32_t line,
                 const RubyProc* block = nullptr);
  bool object_method(const MethodCall& c, RubyValue& out);
  RubyValue kernel_function(const MethodCall& c);
  RubyValue scope_method(const MethodCall& c);
  RubyValue class_method(const MethodCall& c);
  RubyValue file_method(const MethodCall& c);
  RubyValue instance_method(const MethodCall& c);
  RubyValue module_method(const MethodCall& c);
  RubyValue context_method(const NativeObject& context, const MethodCall& c);
  RubyValue yaml_method(const MethodCall& c);
  bool file_question(const MethodCall& c, RubyValue& out);
  RubyValue exception_method(const MethodCall& c);
  RubyValue address_method(const MethodCall& c);
  std::string address_text(const RubyValue& v);
  std::string inspect_address(const RubyValue& v);
  RubyValue make_address(const MethodCall& c);
  RubyValue library_method(const MethodCall& c);
  [[noreturn]] void raise(const MethodCall& c);
  RubyValue set_variable(const MethodCall& c);
  RubyValue all_variables();
  RubyValue render_nested(const RubyScript& program, std::string_view path);
  RubyValue document(const MethodCall& c, const RubyValue& v);
  RubyValue scope_variable(std::string_view name, uint32_t line);
  bool scope_includes(std::string_view name);
  RubyValue call_function(std::string_view name, std::span<const RubyValue> args, bool old_api, uint32_t line);
  RubyValue call_with_effects(std::string_view name, std::span<const RubyValue> args, bool old_api, uint32_t line);
  RubyValue to_integer(const RubyValue& v, uint32_t line);
  bool responds_to(const RubyValue& v, std::string_view name, uint32_t line);

  // one file per kind of receiver
  RubyValue nil_method(const MethodCall& c);
  RubyValue number_method(const MethodCall& c);
  RubyValue integer_method(const MethodCall& c);
  RubyValue float_method(const MethodCall& c);
  RubyValue string_method(const MethodCall& c);
  RubyValue string_pattern_method(const MethodCall& c);
  RubyValue string_change_method(const MethodCall& c);
  RubyValue symbol_method(const MethodCall& c);
  RubyValue regexp_method(const MethodCall& c);
  RubyValue match_method(const MethodCall& c);
  RubyValue array_method(const MethodCall& c);
  RubyValue array_copy_method(const MethodCall& c);
  RubyValue array_combination(const MethodCall& c);
  RubyValue array_change_method(const MethodCall& c);
  RubyValue hash_method(const MethodCall& c);
  RubyValue hash_change_method(const MethodCall& c);
  RubyValue range_method(const MethodCall& c);
  RubyValue enumerator_method(const MethodCall& c);
  RubyValue enumerable_method(const MethodCall& c, const std::vector<RubyValue>& items);
  RubyValue enumerable_answer(const MethodCall& c, const std::vector<RubyValue>& items);
  RubyValue sum_of_floats(const MethodCall& c, const std::vector<RubyValue>& items, size_t i, RubyValue v, double sum);
  RubyValue enumerable_extreme(const MethodCall& c, const std::vector<RubyValue>& items);
  RubyValue enumerable_order(const MethodCall& c, const std::vector<RubyValue>& items);
  RubyValue enumerable_part(const MethodCall& c, const std::vector<RubyValue>& items);
  RubyValue proc_method(const MethodCall& c);
  RubyValue foreign_method(const MethodCall& c);
  RubyValue sorted(const MethodCall& c, std::vector<RubyValue> items);
  RubyValue sorted_by(const MethodCall& c, const std::vector<RubyValue>& items);
  RubyValue element(const MethodCall& c, const std::vector<RubyValue>& items);
  RubyValue string_element(const MethodCall& c);
  RubyValue make_enumerator(const MethodCall& c, std::vector<RubyValue> items);
  bool items_of(const RubyValue& v, std::vector<RubyValue>& out, uint32_t line);

  // strings
  RubyValue str(std::string text) { return heap_.string(std::move(text)); }
  RubyValue list(std::vector<RubyValue> items) { return heap_.array(std::move(items)); }
  std::string to_s(const RubyValue& v, uint32_t line);
  std::string inspect(const RubyValue& v, uint32_t line);
  std::vector<std::string> split(std::string_view text, const MethodCall& c);
  std::string substitute(const MethodCall& c, bool global, bool& changed);
  std::string expand_replacement(std::string_view replacement, std::string_view text, const MatchResult& match, const Regex& regex);
  const Regex* pattern(const RubyValue& v, const MethodCall& c);              // a Regexp, or a String quoted
  RubyValue matched(const Regex* regex, std::string_view text, size_t start); // sets $~; nil when there is none
  std::string format(const MethodCall& c, std::string_view format_text, std::span<const RubyValue> args);

  // comparisons
  bool equals(const RubyValue& a, const RubyValue& b) { return ruby_equals(a, b); }
  int compare(const RubyValue& a, const RubyValue& b, uint32_t line);
  bool comparable(const RubyValue& a, const RubyValue& b, int& order);
  bool case_equals(const RubyValue& pattern_value, const RubyValue& v, uint32_t line);

  // values of the language
  RubyValue from_puppet(const Value& v);
  RubyValue ruby_of(const Value& v) override { return from_puppet(v); }
  RubyValue text_from_puppet(const Value& v);
  bool is_changeable(const Value& v) const; // whether the code may change it in place
  Value to_puppet(const RubyValue& v, uint32_t line);
  const Value* unchanged_source(const void* object) const;

  // ruby_errors.cpp: errors of Ruby itself, and arguments of a class
  [[noreturn]] void unknown(const MethodCall& c);
  [[noreturn]] void not_convertible(const MethodCall& c, const RubyValue& v, std::string_view wanted);
  [[noreturn]] void wrong_type(const MethodCall& c, const RubyValue& v, std::string_view text);
  [[noreturn]] void not_coercible(const MethodCall& c, const RubyValue& v);
  [[noreturn]] void not_a_pair(const MethodCall& c, const RubyValue& v, std::string_view place);
  [[noreturn]] void not_comparable(const RubyValue& a, const RubyValue& b, uint32_t line);
  [[noreturn]] void not_rendered(uint32_t line, std::string reason);
  void need(const MethodCall& c, size_t least, size_t most);
  void need(const MethodCall& c, size_t n) { need(c, n, n); }
  int64_t integer_argument(const MethodCall& c, size_t i);
  std::string_view string_argument(const MethodCall& c, size_t i);
  const std::vector<RubyValue>& array_argument(const MethodCall& c, size_t i);
  RubyHash& hash_argument(const MethodCall& c, size_t i);
  void check_changeable(const MethodCall& c);
  void give_back_changed();
  bool has_changed_outside();
  void give_logs();
  void step(uint32_t line);

  LocalScope* make_environ(LocalScope* up, int32_t slots);

  const RubyScript* program_;
  RubyHost& host_;
  std::string_view path_;
  int depth_; // how many templates are rendering each other
  RubyHeap heap_;
  std::pmr::monotonic_buffer_resource slots_;
  std::deque<RubyProc> procs_;
  std::deque<RubyEnumerator> enumerators_;
  LocalScope* environ_ = nullptr;
  NamedValues instance_variables_;                      // read or assigned
  std::vector<std::pair<std::string, RubyValue>> read_; // variables whose texts, lists and hashes the code has read
  bool shared_arguments_ = true;
  std::span<const Value> copies_;                                        // arguments of which the caller sees no change
  bool changed_ = false;                                                 // whether any object was changed in place
  std::unordered_map<const void*, RubyValue> converted_;                 // Puppet list or hash -> its only Ruby object
  std::unordered_map<const void*, Value> sources_;                       // the pairs the other way round
  std::vector<std::pair<Value, RubyValue>> converted_values_;            // the same pairs in order
  std::unordered_map<const char*, std::pair<Value, RubyString*>> texts_; // likewise, where the code changes texts
  RubyValue last_match_;
  const void* break_target_ = nullptr;
  MethodFrame* method_ = nullptr; // the running method
  const MethodFrame* outermost_ = nullptr;
  const Node* running_ = nullptr; // the call whose arguments were evaluated last
  bool given_scope_ = false;      // the function has its caller's scope, not its own
  std::unordered_map<std::string_view, Method> methods_;
  NamedValues constants_;
  std::vector<std::pair<std::string, RubyValue>> own_variables_; // set by scope.setvar; the scope gets them on success
  size_t own_visible_ = 0; // the first of own_variables_, set before this template began: it sees them as instance variables
  std::vector<std::pair<std::string, Value>> pending_variables_;
  std::string out_;
  uint64_t steps_ = 0;
  struct PendingLog {
    LogLevel level;
    std::string text;
    bool puppet = false; // from Puppet.warning and the like: logged without the scope
  };
  std::vector<PendingLog> logs_; // messages of warning() and the like: held back until the template has rendered
};

} // namespace pupc::compiler::ruby
