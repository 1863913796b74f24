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
/// Log: is remembered and logged in the end; No: only Ruby can; Unknown: a module's function, which may do anything, so all of the code
/// goes to Ruby, where there is one (without it the code cannot be run again, and the function is called).
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

struct NestedRendering {
  bool rendered = false;
  std::string text;
  std::string reason; // when not rendered: what only Ruby knows
};

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
  /// The scope as text: "Scope(Class[main])".
  virtual std::string scope_text() = 0;

  /// Whether Ruby runs what turns out to be beyond the interpreter.
  virtual bool has_ruby() = 0;
  virtual const CallableFunctions& functions() = 0;
  /// Whether the function, which exists, may be called by scope.function_NAME.
  virtual bool in_old_api(std::string_view name) = 0;
  /// Throws CompileError.
  virtual Value call_function(std::string_view name, std::span<const Value> args) = 0;
  /// Path and text of a template by "module/file" or absolute path; path empty: there is none; text null: it cannot be read.
  struct TemplateFile {
    std::string path;
    std::shared_ptr<const std::string> text;
  };
  virtual TemplateFile find_template(std::string_view name) = 0;
  /// Renders a template for one that renders it. `depth` = of templates rendering templates.
  virtual NestedRendering render(std::string_view text, std::string_view path, int depth) = 0;

  /// The language's text of a value of a kind that Ruby does not have.
  virtual std::string text_of(const Value& value) = 0;
  /// Logs with the scope as the source.
  virtual void log(LogLevel level, std::string message) = 0;
};

} // namespace pupc::ruby
