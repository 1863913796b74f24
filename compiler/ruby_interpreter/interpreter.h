#pragma once
// Evaluates a template's tree. One per rendering. Whatever isn't known exactly ends it by NotRendered before any text gets out.
#include "compiler/ruby_interpreter/ruby_host.h"
#include "compiler/ruby_interpreter/ruby_tree.h"

#include <memory_resource>

namespace pupc::ruby {

/// Beyond the subset: found when evaluating (a method of a receiver of a kind for which it isn't known, an exception of Ruby's own).
struct NotRendered {
  uint32_t line;
  std::string reason;
};

/// An exception whose text is known: raise, fail(), an unknown variable, Integer('x').
struct RubyError {
  uint32_t line;
  std::string message;
  RubyClass class_ = RubyClass::Other; // Other: only its being a StandardError is known
};

struct Environ { // variables of a block or the template
  Environ* up;
  RubyValue* slots;
};

/// A running method (or lambda): what `return` leaves and `yield` calls.
struct MethodFrame {
  const struct RubyProc* block = nullptr;
  bool active = true;
};

struct RubyProc {
  const Node* node = nullptr; // a Block, or
  Environ* environ = nullptr;
  MethodFrame* frame = nullptr; // where it was made
  bool lambda = false;
  bool of_host = false;                // the block of Puppet code that the function was called with
  MethodId method = MethodId::unknown; // the method of &:name
  std::string_view name;
};

struct RubyEnumerator {
  RubyValue source;
  std::vector<RubyValue> items;
  MethodId base; // the method called without a block
};

struct MethodCall {
  RubyValue self;
  MethodId method;
  std::string_view name;
  std::span<const RubyValue> args;
  const RubyProc* block; // null = none
  uint32_t line;
  bool keywords = false; // the last argument is a hash of `name: value`
};

class Interpreter {
public:
  Interpreter(const Program& program, RubyHost& host, std::string_view path, int depth)
      : program_(&program), host_(host), path_(path), depth_(depth) {}
  /// The template's text. Throws NotRendered, RubyError, CompileError (of a called function).
  std::string run();
  /// For a function: runs the code that defines its methods and constants.
  void define();
  /// Calls a method that the code defines (a function of the 4.x API), or the code itself as a block with one parameter (3.x).
  /// `with_block`: the host has a block for it.
  /// The result as a value of the language. Throws as run().
  Value call(std::string_view method, std::span<const Value> args, bool with_block);

private:
  struct BreakJump {
    const void* target;
    RubyValue value;
  };
  struct NextJump {
    RubyValue value;
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
  RubyValue instance_variable(const std::string& name);
  bool find_instance_variable(const std::string& name, RubyValue& out);
  RubyValue match_group(int n);

  // blocks
  RubyValue yield(const MethodCall& c, const RubyValue& value) { return yield(c, std::span(&value, 1)); }
  RubyValue yield(const MethodCall& c, const RubyValue& a, const RubyValue& b) {
    RubyValue both[] = {a, b};
    return yield(c, std::span<const RubyValue>(both));
  }
  RubyValue yield(const MethodCall& c, std::span<const RubyValue> args);
  RubyValue call_proc(const RubyProc& proc, std::span<const RubyValue> args, uint32_t line, bool keywords = false);
  RubyValue call_lambda(const RubyProc& proc, std::span<const RubyValue> args, uint32_t line, bool keywords);
  RubyValue call_defined(const Node& def, const MethodCall& c);
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
  RubyValue exception_method(const MethodCall& c);
  RubyValue address_method(const MethodCall& c);
  std::string address_text(const RubyValue& v);
  std::string inspect_address(const RubyValue& v);
  RubyValue make_address(const MethodCall& c);
  RubyValue library_method(const MethodCall& c);
  [[noreturn]] void raise(const MethodCall& c);
  RubyValue set_variable(const MethodCall& c);
  RubyValue all_variables();
  RubyValue render_nested(const Program& program, std::string_view path);
  RubyValue document(const MethodCall& c, const RubyValue& v);
  RubyValue scope_variable(std::string_view name, uint32_t line);
  bool scope_includes(std::string_view name);
  RubyValue call_function(std::string_view name, std::span<const RubyValue> args, bool old_api, uint32_t line);
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
  RubyValue array_change_method(const MethodCall& c);
  RubyValue hash_method(const MethodCall& c);
  RubyValue hash_change_method(const MethodCall& c);
  RubyValue range_method(const MethodCall& c);
  RubyValue enumerator_method(const MethodCall& c);
  RubyValue enumerable_method(const MethodCall& c, const std::vector<RubyValue>& items);
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
  Value to_puppet(const RubyValue& v, uint32_t line);

  [[noreturn]] void unknown(const MethodCall& c);
  [[noreturn]] void not_rendered(uint32_t line, std::string reason);
  void need(const MethodCall& c, size_t least, size_t most);
  void need(const MethodCall& c, size_t n) { need(c, n, n); }
  int64_t integer_argument(const MethodCall& c, size_t i);
  std::string_view string_argument(const MethodCall& c, size_t i);
  void check_changeable(const MethodCall& c);
  void give_back_changed();
  void step(uint32_t line);

  Environ* make_environ(Environ* up, int32_t slots);

  const Program* program_;
  RubyHost& host_;
  std::string_view path_;
  int depth_; // of templates rendering templates
  RubyHeap heap_;
  std::pmr::monotonic_buffer_resource slots_;
  std::deque<RubyProc> procs_;
  std::deque<RubyEnumerator> enumerators_;
  Environ* environ_ = nullptr;
  std::unordered_map<std::string, RubyValue> instance_variables_; // read or assigned
  std::vector<std::pair<std::string, RubyValue>> read_;           // lists and hashes that came from variables
  bool changed_ = false;                                          // whether any object was changed in place
  std::unordered_map<const void*, RubyValue> converted_;          // lists and hashes of the language: one object each
  std::vector<std::pair<Value, RubyValue>> converted_values_;     // the same in order
  RubyValue last_match_;
  const void* break_target_ = nullptr;
  MethodFrame* method_ = nullptr; // the running one
  std::unordered_map<std::string_view, const Node*> methods_;
  std::unordered_map<std::string, RubyValue> constants_;
  std::vector<std::pair<std::string, RubyValue>> own_variables_; // set by scope.setvar: theirs when all is well
  size_t own_visible_ = 0; // of them that the template has as instance variables: those set before it began
  std::vector<std::pair<std::string, Value>> pending_variables_;
  std::string out_;
  uint64_t steps_ = 0;
  struct PendingLog {
    LogLevel level;
    std::string text;
    bool puppet = false; // of Puppet.warning and the like: without the scope
  };
  std::vector<PendingLog> logs_; // of functions like warning(): logged when the template is rendered for sure
};

} // namespace pupc::ruby
