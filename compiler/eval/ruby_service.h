#pragma once
// What the evaluator and the template functions ask of Ruby. Implemented by compiler/ruby (a worker process); wired by compiler/build.
// Without a service, whatever needs Ruby is an error that names the file.
#include "catalog/base/diagnostic.h"
#include "catalog/value/value.h"
#include "compiler/ruby_source/data_type_file.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pupc {

class Evaluator;
class RubyFunctionFile; // compiler/load/environment.h
struct Closure;
struct Frame;
struct BackendRequest; // compiler/hiera/lookup.h

/// Runs functions that modules write in Ruby without a Ruby process, as far as all that they use is known. Implemented by
/// compiler/ruby_native.
class NativeRuby {
public:
  virtual ~NativeRuby() = default;
  /// Calls the function, or gives false before it has had any effect: only Ruby can. Arguments, result and errors: as
  /// RubyService::call_function.
  virtual bool call_function(Evaluator& evaluator, std::string_view name, const std::string& file, std::span<const Value> args,
                             const Closure* block, Frame& caller, Value& out) = 0;
  /// Whether all of the function is known and has no effects, so that it may be called twice.
  virtual bool harmless(Evaluator& evaluator, std::string_view name, const std::string& file) = 0;
};

class RubyService {
public:
  virtual ~RubyService() = default;

  /// Calls the module function `name` that `file` defines (4.x or 3.x API; Environment::ruby_functions). Its dispatches check the
  /// arguments. Errors: CompileError in Puppet's words, placed at `loc`, with Ruby's file and line.
  virtual Value call_function(Evaluator& evaluator, std::string_view name, const RubyFunctionFile& file, std::span<const Value> args,
                              const Closure* block, Frame& caller, Loc loc) = 0;

  /// Runs the file of a module's data type (lib/puppet/datatypes) and gives what it declares. Errors: as call_function, without a place.
  virtual RubyDataType load_data_type(Evaluator& evaluator, std::string_view name, const std::string& file) = 0;
  /// Calls a function, or reads a derived attribute, of an object whose type or one of whose parents is implemented in Ruby
  /// (TypeLoader::implementation). The arguments have been checked. False when Ruby has no such method. Errors: as call_function.
  virtual bool call_object(Evaluator& evaluator, const Value& object, std::string_view function, std::span<const Value> args,
                           const Closure* block, Frame& caller, Loc loc, Value& out) = 0;

  /// Asks a backend of Hiera 3 (LookupHost::call_backend) in the scope of `frame`.
  virtual std::optional<Value> call_backend(Evaluator& evaluator, const BackendRequest& request, std::string_view calling_class,
                                            Frame& frame) = 0;

  /// The file that defined the 3.x function `name` beside the one it is named for, in this compile so far; empty when there is none.
  virtual std::string defined_beside(std::string_view) const { return {}; }

  /// Whether values of this compile are objects of Ruby's own (compiler/types/runtime_object.h).
  virtual bool gave_objects() const { return false; }

  /// Whether templates go to Ruby even where pupc could render them.
  virtual bool always() const { return false; }

  /// Renders an ERB text with the variables of `frame`. `path` = the template's file, "" for inline_template.
  /// Errors: CompileError without a place, in Puppet's words.
  virtual std::string render_erb(Evaluator& evaluator, Frame& frame, std::string_view text, std::string_view path) = 0;
};

} // namespace pupc
