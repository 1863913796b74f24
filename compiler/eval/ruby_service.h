#pragma once
// What the evaluator and the template functions need from Ruby. compiler/ruby/worker implements it with a worker process; compiler/build
// connects it. Without a service, everything that needs Ruby is an error that names the file.
#include "catalog/base/diagnostic.h"
#include "catalog/value/value.h"
#include "compiler/ruby/types/data_type_file.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pupc::compiler {

class Evaluator;
class RubyFunctionFile; // compiler/load/environment.h
struct Closure;
struct Frame;
struct BackendRequest; // compiler/hiera/lookup.h

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
};

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

  /// Whether start_ahead is worth a search for what needs Ruby: once per run of pupc, and only while it has no process.
  virtual bool may_start_ahead() { return false; }
  /// Starts a process without waiting for it, because something will need it (ruby_ahead.h). Never fails: what needs Ruby tells the error.
  virtual void start_ahead() {}

  /// Renders an ERB text with the variables of `frame`. `path` = the template's file, "" for inline_template. `loc`: the place of the call
  /// that renders it, which is that of resources that functions make for the template.
  /// Throws CompileError without a place, in Puppet's words.
  virtual std::string render_erb(Evaluator& evaluator, Frame& frame, std::string_view text, std::string_view path, Loc loc) = 0;
};

} // namespace pupc::compiler
