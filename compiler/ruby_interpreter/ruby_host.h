#pragma once
// What interpreted Ruby code asks of the program around it: variables of a scope, functions of the language, logs.
// compiler/template implements it over the evaluator; so this room stands below both, as compiler/hiera does with its LookupHost.
#include "catalog/base/log.h"
#include "catalog/value/regex.h"
#include "catalog/value/value.h"
#include "compiler/types/type.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pupc::ruby {

/// Code that turns out to need Ruby while it runs is run again by Ruby, so only functions that may be called twice are called:
/// Log: is remembered and logged in the end; No: only Ruby can; Unknown: what it does depends on code of modules, so that the host is asked
/// when it is called (RubyHost::harmless).
enum class FunctionUse : uint8_t { No, Yes, Log, Unknown };

/// Which functions of the language Ruby code may call, for the static check.
class CallableFunctions {
public:
  virtual ~CallableFunctions() = default;
  /// `old_api`: by scope.function_NAME, which only has functions of the old API.
  virtual FunctionUse use_of(std::string_view name, bool old_api) const = 0;
};

/// The severity of a function that logs (warning, notice, …).
std::optional<LogLevel> find_log_level(std::string_view name);

struct Program; // ruby_tree.h

class RubyHost {
public:
  virtual ~RubyHost() = default;

  virtual Arena& arena() = 0; // of the compile
  virtual TypeContext& types() = 0;
  virtual RegexCache& regexes() = 0;

  /// The value that `scope[name]` has; false when there is no such variable.
  virtual bool lookup_variable(std::string_view name, Value& out) = 0;
  /// What an unknown variable of scope[] is: an error's text, "" when it is nil; needs_ruby: Ruby warns of it.
  struct Unknown {
    std::string error;
    bool needs_ruby = false;
  };
  virtual Unknown unknown_variable(std::string_view name) = 0;
  /// The value of `@name`, as Puppet's Scope#to_hash has it; false when the instance variable is not set.
  virtual bool instance_variable(const std::string& name, Value& out) = 0;
  /// Ruby code changed the list or hash that a variable holds: Evaluator::change_variable.
  virtual void change_variable(std::string_view name, Value value) = 0;
  /// Whether setvar may set the variable: it has no value in the scope itself.
  virtual bool can_set_variable(std::string_view name) = 0;
  virtual void set_variable(std::string_view name, Value value) = 0;
  /// Every variable that the scope sees by a simple name and that is not undef, as Scope#to_hash has them.
  virtual Value all_variables() = 0;
  /// The scope as text: "Scope(Class[main])".
  virtual std::string scope_text() = 0;

  /// Whether Ruby runs what turns out to be beyond the interpreter.
  virtual bool has_ruby() = 0;
  virtual const CallableFunctions& functions() = 0;
  /// Whether the function, which exists, may be called by scope.function_NAME.
  virtual bool in_old_api(std::string_view name) = 0;
  /// Whether a function of unknown use may be called twice, as its code (of an EPP template, of a module) has no effects.
  virtual bool harmless(std::string_view name, std::span<const Value> args) = 0;
  /// Throws CompileError.
  virtual Value call_function(std::string_view name, std::span<const Value> args, bool old_api) = 0;
  /// Path and text of a template by "module/file" or absolute path; path empty: there is none; text null: it cannot be read.
  struct TemplateFile {
    std::string path;
    std::shared_ptr<const std::string> text;
  };
  /// Calls the block of Puppet code that a function was given. Throws CompileError and what the block's jumps throw.
  virtual Value call_block(std::span<const Value> args) = 0;
  virtual TemplateFile find_template(std::string_view name) = 0;
  /// Keeps a text as long as the host.
  virtual std::string_view keep(std::string text) = 0;
  /// The parsed template, which lives as long as the host; null where Ruby templates are not known.
  virtual const Program* parse_template(std::string_view text) = 0;
  /// A value as a document: "to_yaml", "to_json", "to_json_pretty", as Ruby's libraries write it.
  virtual std::string document(std::string_view format, const Value& value) = 0;
  /// The value of a JSON text as Ruby's JSON.parse gives it; false where that cannot be told, which is so for every text that is wrong.
  virtual bool parse_json(std::string_view text, Value& out) = 0;

  /// The language's text of a value of a kind that Ruby does not have.
  virtual std::string text_of(const Value& value) = 0;
  /// Logs without a scope, as Puppet.warning does.
  virtual void log_of_puppet(LogLevel level, std::string message) = 0;
  /// Logs with the scope as the source.
  virtual void log(LogLevel level, std::string message) = 0;
};

} // namespace pupc::ruby
