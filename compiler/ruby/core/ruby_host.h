#pragma once
// What interpreted Ruby code asks of the program around it: variables of a scope, Puppet functions, logs. EvaluatorHost
// (compiler/ruby/host) implements it with the evaluator, so that the interpreter does not depend on the evaluator.
#include "catalog/base/log.h"
#include "catalog/base/text_hash.h"
#include "catalog/value/regex.h"
#include "catalog/value/value.h"
#include "compiler/types/type.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

namespace pupc::compiler::ruby {

/// How interpreted code may call a Puppet function. When the interpreter finds that the code needs Ruby after all, Ruby runs it again from
/// the start; calls with effects are not made again (RubyHost::call_with_effects). Log: keep the message and
/// log it at the end. Unknown: it depends on code of modules, so ask RubyHost::harmless before the call.
enum class FunctionUse : uint8_t { Yes, Log, Unknown, Effects };

/// Tells the static check which Puppet functions Ruby code may call.
class CallableFunctions {
public:
  virtual ~CallableFunctions() = default;
  /// `old_api`: the code calls it as scope.function_NAME, which only exists for functions of the 3.x API.
  virtual FunctionUse use_of(std::string_view name, bool old_api) const = 0;
  /// Whether the host may know a method of this name, of the scope or of its own objects.
  virtual bool has_method(std::string_view) const { return false; }
  /// Whether such a method changes the compile.
  virtual bool changes(std::string_view) const { return false; }
  /// Whether the host has a class or module of this name: RubyHost::find_constant.
  virtual bool has_constant(std::string_view) const { return false; }
};

/// The log level of a logging function such as "warning" or "notice"; nothing for any other name.
std::optional<LogLevel> find_log_level(std::string_view name);

struct RubyScript; // ruby_tree.h
struct Def;
class FileChanges; // file_changes.h
class HostObject;  // compiler/ruby/values/host_object.h

/// A method that a template has defined. Templates that are rendered later can call it, as in Puppet, where it becomes a method of all.
struct TemplateMethod {
  std::shared_ptr<const RubyScript> program;
  const Def* def = nullptr;
};
using TemplateMethods = std::unordered_map<std::string, TemplateMethod, TransparentHash, std::equal_to<>>;

class RubyHost {
public:
  virtual ~RubyHost() = default;

  virtual Arena& arena() = 0; // lives as long as the compile
  virtual TypeContext& types() = 0;
  virtual void looked_at(std::string_view /*file*/) {} // code asks for a file of this machine
  /// Keeps what the code changes among the files; null where it may not change any without Ruby.
  virtual FileChanges* file_changes() { return nullptr; }
  virtual RegexCache& regexes() = 0;

  /// Finds the value of `scope[name]`; false when there is no such variable.
  virtual bool lookup_variable(std::string_view name, Value& out) = 0;
  /// What `scope[name]` does for an unknown variable. `error` is the text of the error that it raises; when it is empty, the result is nil.
  /// `needs_ruby`: Puppet logs a warning, which is left to Ruby.
  struct Unknown {
    std::string error;
    bool needs_ruby = false;
  };
  virtual Unknown unknown_variable(std::string_view name) = 0;
  /// Finds the value of `@name`, following Puppet's Scope#to_hash; false when the instance variable is not set.
  virtual bool instance_variable(const std::string& name, Value& out) = 0;
  /// Stores a new value because Ruby code changed the variable's list or hash in place (Evaluator::change_variable).
  virtual void change_variable(std::string_view name, Value value) = 0;
  /// Whether setvar may set the variable: it has no value in the scope itself.
  virtual bool can_set_variable(std::string_view name) = 0;
  virtual void set_variable(std::string_view name, Value value) = 0;
  /// A hash of all variables that the scope sees by a simple name, without those that are undef, as Puppet's Scope#to_hash.
  virtual Value all_variables() = 0;
  /// The scope as text: "Scope(Class[main])".
  virtual std::string scope_text() = 0;

  /// Whether Ruby can take over code that the interpreter cannot run.
  virtual bool has_ruby() = 0;
  virtual const CallableFunctions& functions() = 0;
  /// A class or module of Puppet's that the host implements; null for all others.
  virtual HostObject* find_constant(std::string_view) { return nullptr; }
  /// What functions of the 3.x API get for a reference to a class or resource; null for any other value.
  virtual HostObject* resource_of(const Value&) { return nullptr; }
  /// The scope as an object of the host, for what the interpreter does not know of scopes; null where there is none.
  virtual HostObject* scope_object() { return nullptr; }
  /// Whether scope.function_NAME exists for a function that is known to exist in some API.
  virtual bool in_old_api(std::string_view name) = 0;
  /// Whether there is a function of that name: Ruby words the error.
  virtual bool function_exists(std::string_view name) = 0;
  /// Whether a function with FunctionUse::Unknown may be called twice, because its code (a module's function, an EPP template) has no
  /// effects.
  virtual bool harmless(std::string_view name, std::span<const Value> args) = 0;
  /// A block of Ruby code that a Puppet function gets. It takes at least and at most so many arguments; -1: any number.
  struct Block {
    std::function<Value(std::span<const Value>)> call;
    int64_t least = 0, most = 0;
    uint32_t line = 0; // of the call that gives it
  };
  /// Calls a Puppet function and returns its result. Throws CompileError.
  /// `own_block`: with the block of Puppet code that the calling function received.
  virtual Value call_function(std::string_view name, std::span<const Value> args, bool old_api, bool own_block = false,
                              const Block* block = nullptr) = 0;
  /// Whether the functions called from now on are called by the function itself, so with the scope that all calls of it have (Puppet's
  /// closure_scope), or by the scope that it was given. Returns what was before.
  virtual bool calls_for_itself(bool) { return false; }
  /// The same for a function with effects. When Ruby has to run the code after all, it does not call the function again.
  virtual Value call_with_effects(std::string_view name, std::span<const Value> args, bool old_api, bool own_block = false) = 0;
  /// A template file. An empty `path` means that there is no such template; a null `text` means that the file cannot be read.
  struct TemplateFile {
    std::string path;
    std::shared_ptr<const std::string> text;
  };
  /// Calls the block of Puppet code that the function received. Throws CompileError, and passes on the signals of break, next and return.
  virtual Value call_block(std::span<const Value> args) = 0;
  /// Finds a template by "module/file" or by absolute path.
  virtual TemplateFile find_template(std::string_view name) = 0;
  /// A Ruby file that code requires: by its absolute path, or by a name below the `lib` of any module. A null program: there is none.
  struct RubyFile {
    std::string path;
    const RubyScript* program = nullptr; // with `problems`, where only Ruby can run it
  };
  virtual RubyFile find_ruby_file(std::string_view) { return {}; }
  /// Stores a text for the lifetime of the host and returns a view of it.
  virtual std::string_view keep(std::string text) = 0;
  /// Parses an ERB template. The program lives as long as the host; null where this host knows no ERB templates.
  virtual const RubyScript* parse_template(std::string_view text) = 0;
  /// What the templates that were rendered before this one have defined; null where there are none.
  virtual const TemplateMethods* template_methods() { return nullptr; }
  /// Keeps a method for the templates that are rendered later. `path`: the file of its template, "" for a text.
  virtual void define_template_method(std::string_view, const RubyScript&, const Def&, std::string_view) {}
  /// Writes a value as Ruby's libraries do. `format` is "to_yaml", "to_json" or "to_json_pretty".
  /// `options`: a hash of JSON's own (indent, space, …) for to_json_pretty, of Psych's (line_width, …) for to_yaml, by name; or undef.
  virtual std::string document(std::string_view format, const Value& value, const Value& options) = 0;
  /// What reading a text has come to. Unsure: the result may differ from Ruby's. Malformed: Ruby words the error. Disallowed: it names a
  /// class that the caller does not permit, which the value tells.
  enum class Read : uint8_t { Good, Unsure, Malformed, Disallowed };
  /// Reads a JSON text as Ruby's JSON.parse does.
  virtual Read parse_json(std::string_view text, Value& out) = 0;

  /// Reads a YAML text as YAML.load, safe_load or unsafe_load does. `permitted`: what the caller allows beside, of the two.
  enum class Yaml : uint8_t { Load, Safe, Unsafe };
  static constexpr int yaml_dates = 1, yaml_aliases = 2;
  virtual Read parse_yaml(std::string_view, Yaml, int /*permitted*/, Value&) { return Read::Unsure; }
  /// Puppet[:name]; false where it is unknown here, or depends on how the program runs.
  virtual bool setting(std::string_view, Value&) { return false; }
  /// Whether a message of that level is shown anywhere.
  virtual bool logs(LogLevel) { return true; }

  /// The text of a Puppet value whose kind Ruby does not have.
  virtual std::string text_of(const Value& value) = 0;
  /// A message. Those of Puppet.warning and the like have no source. `once`: the key of a deprecation, which is told once in a compile, and
  /// not where the settings silence these.
  struct Log {
    LogLevel level;
    std::string text, source{}, once{};
  };
  virtual void log(Log message) = 0;
  /// Where the code's messages wait, behind which come those of the functions that it calls.
  virtual void logs_wait_in(std::vector<Log>&) {}
  /// The files and lines of the calls in Puppet code that run, the innermost first.
  virtual Value puppet_stack() { return Value::undef(); }
};

} // namespace pupc::compiler::ruby
