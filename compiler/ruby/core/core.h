#pragma once
// What the methods of Ruby's classes need of whoever runs the code: objects, blocks, errors, texts of values. The interpreter is the one
// Core there is. The methods themselves are functions, a file for each class (methods.h).
#include "compiler/ruby/core/ruby_call.h"
#include "compiler/ruby/core/ruby_host.h"

#include <set>

namespace pupc::compiler::ruby {

class Core : public RubyMaker {
public:
  explicit Core(RubyHost& the_host) : host(the_host) {}

  RubyHost& host;
  RubyHeap heap;
  StableList<RubyProc> procs;
  StableList<RubyEnumerator> enumerators;
  RubyValue last_match;                   // $~
  bool extended = false;                  // whether the code adds methods to classes of Ruby's own
  bool writes_document = false;           // values become YAML or JSON, whose writers look at their parts alone
  bool changed = false;                   // whether an object was changed in place that others see
  bool undoes = false;                    // whether what the call changes may have to be put back
  std::set<std::string> loaded_functions; // of the 3.x API, by the code
  std::vector<RubyHost::Log> logs;        // messages of warning() and the like: held back until the code has ended

  // -- what the interpreter adds
  /// The place of a call, as Ruby's `caller` has it.
  virtual std::string place_of(uint32_t line) = 0;
  virtual RubyValue call_proc(const RubyProc& proc, std::span<const RubyValue> args, uint32_t line, bool keywords = false,
                              const RubyProc* block = nullptr) = 0;
  /// Calls a method of the scope, of the function that runs, or of what code has defined: objects, classes, modules.
  virtual RubyValue call_outside(const MethodCall& c) = 0;
  /// Calls a method that Ruby text has: what the code adds to a class of Ruby's own, or the library (library.h). False: there is none.
  /// `own`: only what the code itself adds. The library's text stands in where the method here gives up, and may call it.
  virtual bool call_extension(const MethodCall& c, RubyValue& out, bool own = false) = 0;
  virtual bool has_extension(const MethodCall& c) = 0;
  /// Whether a value belongs to a class or module that code defines.
  virtual bool is_of_module(const RubyValue& v, const RubyModule& module) = 0;
  /// to_s or inspect of an object, class or module that code defines.
  virtual std::string object_text(const RubyValue& v, bool inspected, uint32_t line) = 0;
  /// Whether the code defines `inspect` for an exception.
  virtual bool is_of_own_inspect(const RubyValue& v) = 0;
  /// extend and define_singleton_method of a value of a class of Ruby's own; false where it may not have methods.
  virtual bool change_singleton(const MethodCall& c, RubyValue& out) = 0;
  /// The elements of an object that is enumerable; false for any other.
  virtual bool items_of_object(const RubyValue& v, std::vector<RubyValue>& out, uint32_t line) = 0;
  /// The Method object of `receiver.method(:name)`.
  virtual RubyValue method_of(const MethodCall& c) = 0;
  /// What code asks of a Proc or Method beside its arity: parameters, name, owner. False: nothing that is known.
  virtual bool proc_question(const MethodCall& c, RubyValue& out) = 0;
  /// Renders an ERB text with the variables of a binding.
  virtual RubyValue render_text(const MethodCall& c) = 0;
  /// Class.new, Module.new and Object.new.
  virtual RubyValue make_class(const MethodCall& c) = 0;
  /// What `send` with a name does, where the receiver may be the running code itself.
  virtual RubyValue call_named(const RubyValue& self, std::string_view name, const MethodCall& c) = 0;
  virtual RubyValue from_puppet(const Value& v) = 0;
  virtual Value to_puppet(const RubyValue& v, uint32_t line) = 0;
  /// The hash of Puppet's that this one stands for, as long as the code has seen nothing of it. Else null.
  virtual const Value* untouched_source(const RubyHash& hash) const = 0;
  /// Code is about to change a text, list or hash in place.
  virtual void before_change(const RubyValue& v) = 0;
  /// A function changes what its later calls see, and that is no variable of its object: one place has to run all of them.
  virtual void change_kept(uint32_t line, std::string reason) = 0;
  /// Counts a step of the code: it may not run without end.
  virtual void step(uint32_t line) = 0;
  RubyValue ruby_of(const Value& v) override { return from_puppet(v); }

  // -- calls
  /// Calls a method, whatever the receiver is.
  RubyValue call_method(const MethodCall& c);
  RubyValue send(const RubyValue& self, MethodId method, std::initializer_list<RubyValue> args, uint32_t line,
                 const RubyProc* block = nullptr);
  /// Calls the block of a call. Without one the method is unknown.
  RubyValue yield(const MethodCall& c, std::span<const RubyValue> args);
  RubyValue yield(const MethodCall& c, const RubyValue& value) { return yield(c, std::span(&value, 1)); }
  RubyValue yield(const MethodCall& c, const RubyValue& a, const RubyValue& b) {
    RubyValue both[] = {a, b};
    return yield(c, std::span<const RubyValue>(both));
  }
  bool responds_to(const RubyValue& v, std::string_view name, uint32_t line);

  // -- new objects
  RubyValue str(std::string text) { return heap.string(std::move(text)); }
  RubyValue list(std::vector<RubyValue> items) { return heap.array(std::move(items)); }

  // -- texts
  std::string to_s(const RubyValue& v, uint32_t line);
  std::string inspect(const RubyValue& v, uint32_t line);

  // -- comparisons
  bool equals(const RubyValue& a, const RubyValue& b) { return ruby_equals(a, b); }
  /// Ruby's <=> where it has to have an order; raises Ruby's error otherwise.
  int compare(const RubyValue& a, const RubyValue& b, uint32_t line);
  /// Ruby's <=>: sets `order`; false where Ruby returns nil.
  bool comparable(const RubyValue& a, const RubyValue& b, int& order);
  /// Ruby's ===.
  bool case_equals(const RubyValue& pattern_value, const RubyValue& v, uint32_t line);

  // -- patterns
  /// The pattern of an argument: a Regexp, or a String quoted.
  const Regex* pattern(const RubyValue& v, const MethodCall& c);
  /// Searches and sets $~; nil when nothing is found.
  RubyValue matched(const Regex* regex, std::string_view text, size_t start);
  /// The text of a match's group; nil when it has none.
  RubyValue group_text(const RubyMatch& m, size_t group);

  /// The elements of something enumerable; false for any other value.
  bool items_of(const RubyValue& v, std::vector<RubyValue>& out, uint32_t line);

  // -- errors (ruby_errors.cpp)
  /// Raises Ruby's error for this call where it is certain that Ruby raises one. Else the code needs Ruby.
  [[noreturn]] void unknown(const MethodCall& c);
  [[noreturn]] void not_rendered(uint32_t line, std::string reason);
  /// Raises an error whose class is certain and whose text only Ruby knows: code may catch it, but not read its text.
  [[noreturn]] void unworded(uint32_t line, RubyClass error, std::string reason);
  /// Raises an error that can tell what it is about: the key or method, and the receiver.
  [[noreturn]] void raise_about(uint32_t line, RubyClass error, std::string message, std::string_view about, const RubyValue& what,
                                const RubyValue& receiver);
  void no_special(const RubyValue& v, uint32_t line);
  [[noreturn]] void not_convertible(const MethodCall& c, const RubyValue& v, std::string_view wanted);
  [[noreturn]] void wrong_type(const MethodCall& c, const RubyValue& v, std::string_view text);
  [[noreturn]] void not_coercible(const MethodCall& c, const RubyValue& v);
  [[noreturn]] void not_a_pair(const MethodCall& c, const RubyValue& v, std::string_view place);
  [[noreturn]] void not_comparable(const RubyValue& a, const RubyValue& b, uint32_t line);

  // -- arguments: of a class, or Ruby's error
  void need(const MethodCall& c, size_t least, size_t most);
  void need(const MethodCall& c, size_t n) { need(c, n, n); }
  int64_t integer_argument(const MethodCall& c, size_t i);
  std::string_view string_argument(const MethodCall& c, size_t i);
  const std::vector<RubyValue>& array_argument(const MethodCall& c, size_t i);
  RubyHash& hash_argument(const MethodCall& c, size_t i);
  /// Raises Ruby's error when the receiver is frozen, and notes that an object is changed.
  void check_changeable(const MethodCall& c);

protected:
  ~Core() = default;
  /// Tries the methods that every object has. False: look among the methods of the receiver's kind.
  bool object_method(const MethodCall& c, RubyValue& out);

private:
  RubyValue native_method(const MethodCall& c, bool check = true);
  RubyValue with_texts(const MethodCall& c);
};

} // namespace pupc::compiler::ruby
