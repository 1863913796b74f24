#pragma once
// What the evaluator and the template functions need from Ruby. compiler/ruby/worker implements it with a worker process; compiler/build
// connects it. Without a service, everything that needs Ruby is an error that names the file.
#include "catalog/base/diagnostic.h"
#include "catalog/value/value.h"
#include "compiler/ruby/types/data_type_file.h"

#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pupc::compiler {

class Evaluator;
class RubyFunctionFile; // compiler/load/environment.h
struct Closure;
struct Frame;
struct BackendRequest; // compiler/hiera/lookup.h

/// The code of a method that a template has defined, without the word `def`; `path`: of the template's file, "" for a text.
struct TemplateMethodCode {
  std::string code, path;
  uint32_t line = 1;
};

/// A call of a Puppet function with effects by Ruby code that ran without Ruby and was then given up. When Ruby runs the same code from its
/// start, this call has happened already.
struct MadeCall {
  std::string name;
  std::vector<Value> args;
  Value result;
  std::exception_ptr error; // what it threw, if it did
};

/// Runs a module's Ruby functions without a Ruby process, if it knows everything that they use. compiler/ruby/host implements it.
class NativeRuby {
public:
  virtual ~NativeRuby() = default;
  /// Calls the function. Returns false, before any effect, when only Ruby can run it. Arguments, result and errors are those of
  /// RubyService::call_function.
  virtual bool call_function(Evaluator& evaluator, std::string_view name, const std::string& file, std::span<const Value> args,
                             const Closure* block, Frame& caller, Loc loc, Value& out) = 0;
  /// Whether it can run the function, at least for some arguments.
  virtual bool runs(Evaluator& evaluator, std::string_view name, const std::string& file) = 0;
  /// Whether the whole function is known and has no effects, so that calling it twice is safe.
  virtual bool harmless(Evaluator& evaluator, std::string_view name, const std::string& file) = 0;

  /// Ruby code makes the next call of a function of the 3.x API, as function_NAME([…]): the function gets the objects of that code as they
  /// are, undef too, which a call of Puppet code turns into the empty text.
  void pass_objects() { passes_objects_ = true; }
  bool take_passes_objects() { return std::exchange(passes_objects_, false); }

  /// Why the last function or template that was left to Ruby was: "line 3: method 'x'". Whoever tells it takes it.
  std::string take_reason() { return std::exchange(reason_, {}); }
  void set_reason(std::string reason) { reason_ = std::move(reason); }
  /// What the compile was refused because its Ruby was not allowed, for who explains it.
  struct Refusal {
    std::string kind, name, file, reason;
  };
  void add_refusal(Refusal refusal) { refusals_.push_back(std::move(refusal)); }
  const std::vector<Refusal>& refusals() const { return refusals_; }
  /// What that code had Puppet functions do before it was given up.
  std::vector<MadeCall> take_made_calls() { return std::exchange(made_calls_, {}); }
  void set_made_calls(std::vector<MadeCall> calls) { made_calls_ = std::move(calls); }

  /// The instance variables that calls of the function have left without Ruby ("@name"), for its object in Ruby. Whoever calls Ruby takes
  /// them.
  using State = std::vector<std::pair<std::string, Value>>;
  State take_state() { return std::exchange(state_, {}); }
  void set_state(State state) { state_ = std::move(state); }

  /// The file of the old API that a call has loaded and that defines this function beside its own one; "" where none does.
  virtual std::string defined_beside(std::string_view) const { return {}; }

  /// The methods that templates have defined so far, in order. Templates that Ruby renders later have them, too.
  virtual std::span<const TemplateMethodCode> template_methods() const { return {}; }
  /// A template that Ruby rendered has defined methods: only Ruby knows all from now on.
  virtual void leave_template_methods_to_ruby() {}

private:
  bool passes_objects_ = false;
  std::string reason_;
  std::vector<Refusal> refusals_;
  std::vector<MadeCall> made_calls_;
  State state_;
};

/// Throws the error of code that needs Ruby where there is none. `kind` and `name` tell what it is ("function", "'x'"), `file` where it
/// stands ("" for a text); the reason is the one that the compile's NativeRuby noted: construct and line.
[[noreturn]] void refuse_ruby(Evaluator& evaluator, std::string_view kind, std::string_view name, std::string_view file);

class RubyService {
public:
  virtual ~RubyService() = default;

  /// Calls the module function `name` that `file` defines (4.x or 3.x API; Environment::ruby_functions). Its dispatches check the
  /// arguments. Throws CompileError in Puppet's words, placed at `loc`, with Ruby's file and line.
  virtual Value call_function(Evaluator& evaluator, std::string_view name, const RubyFunctionFile& file, std::span<const Value> args,
                              const Closure* block, Frame& caller, Loc loc) = 0;

  /// Runs the file of a module's data type (lib/puppet/datatypes) and returns what it declares. Errors are those of call_function, without
  /// a place.
  virtual RubyDataType load_data_type(Evaluator& evaluator, std::string_view name, const std::string& file) = 0;
  /// Calls a function, or reads a derived attribute, of an object whose type (or one of its parents) is implemented in Ruby
  /// (TypeLoader::implementation). The caller has checked the arguments. Returns false when Ruby has no such method. Errors are those of
  /// call_function.
  virtual bool call_object(Evaluator& evaluator, const Value& object, std::string_view function, std::span<const Value> args,
                           const Closure* block, Frame& caller, Loc loc, Value& out) = 0;

  /// Asks a backend of Hiera 3 (LookupHost::call_backend) in the scope of `frame`.
  virtual std::optional<Value> call_backend(Evaluator& evaluator, const BackendRequest& request, std::string_view calling_class,
                                            Frame& frame) = 0;

  /// The file that defines the 3.x function `name` in addition to the function it is named for, as far as this compile has run it; empty
  /// when there is none.
  virtual std::string defined_beside(std::string_view) const { return {}; }

  /// Whether this compile has values that are Ruby's own objects (compiler/types/runtime_object.h).
  virtual bool gave_objects() const { return false; }

  /// Whether Ruby renders all templates, even those that pupc could render.
  virtual bool always() const { return false; }

  /// Renders an ERB text with the variables of `frame`. `path` = the template's file, "" for inline_template. `loc`: the place of the call
  /// that renders it, which is that of resources that functions make for the template.
  /// Throws CompileError without a place, in Puppet's words.
  virtual std::string render_erb(Evaluator& evaluator, Frame& frame, std::string_view text, std::string_view path, Loc loc) = 0;
};

} // namespace pupc::compiler
