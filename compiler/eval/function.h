#pragma once
// Functions. A built-in is one FunctionEntry: name, documentation, and dispatches, each a signature in Puppet types beside its code.
//
//   static Value abs_number(FunctionCall& c) { ... }
//   static const FunctionEntry abs_entry{
//       "abs", "Absolute value of a number.",
//       {{"Numeric $val", abs_number}}};
//
// A signature is a list of parameters separated by top-level commas. Each is `Type $name`, optionally followed by `?` (optional), `*`
// (repeated, 0..n) or `+` (repeated, 1..n). The last may be a block `Callable[1, 1] &block` (`&block?` when optional):
//   "String $format, Any $args*"     "Hash $h, Callable[2, 2] &block"     "Collection[Any] $c, Optional[String] $sep?"
// A function of Puppet's old API has the one signature "3.x", followed by Ruby's arity where Puppet checks one: "3.x 1" takes one argument,
// "3.x -2" at least one. Its arguments arrive converted: undef as the empty text; regular expressions, versions, Binary and times as text.
// It ignores a lambda.
// Dispatches are tried in order. When none accepts the arguments, the error is Puppet's (compiler/types describes it).
#include "catalog/value/value.h"
#include "compiler/eval/scope.h"
#include "compiler/types/type.h"

#include <deque>
#include <initializer_list>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pupc::compiler {

class Evaluator;
class RubyFunctionFile; // compiler/load/environment.h
struct Closure;

/// One call. The arguments match the dispatch's signature.
struct FunctionCall {
  Evaluator& evaluator;
  std::string_view name;
  std::span<const Value> args;
  const Closure* block;                   // null = none
  Frame& frame;                           // the caller's
  Loc loc;                                // the call expression
  const RubyFunctionFile* file = nullptr; // for a module's function: the file whose program this is

  Arena& arena() const;
  /// The module that the function belongs to; empty for the language's own functions.
  std::string_view module() const;
  TypeContext& types() const;
  size_t size() const { return args.size(); }
  /// Argument i, undef when not given.
  Value arg(size_t i) const { return i < args.size() ? args[i] : Value::undef(); }
  bool given(size_t i) const { return i < args.size(); }

  /// Calls the block and puts its value, or that of next(v), into `result`. Returns false when the block called break(): the caller then
  /// stops iterating.
  [[nodiscard]] bool yield(std::span<const Value> block_args, Value& result) const;
  [[nodiscard]] bool yield(std::initializer_list<Value> block_args, Value& result) const;
  /// Calls the block of a function that does not iterate (with, then, lest, call): break() passes on to the function's caller.
  Value call_block(std::span<const Value> block_args) const;
  Value call_block(std::initializer_list<Value> block_args) const;
  /// How many parameters the block accepts: {required, maximum}; maximum -1 = any number.
  std::pair<int, int> block_arity() const;

  /// Calls another function as this function's file would: by what its module sees. Raises that function's errors.
  Value call(std::string_view function, std::span<const Value> args) const;
  Value call(std::string_view function, std::initializer_list<Value> args) const;
  /// The same as Ruby's `function_NAME([…])`, which finds only functions of the 3.x API.
  Value call_old(std::string_view function, std::span<const Value> args) const;
  Value call_old(std::string_view function, std::initializer_list<Value> args) const;
  /// Lets Ruby run the function's file. Used for rare arguments that only Ruby treats right.
  Value run_file() const;

  /// Copies a temporary into the compile's arena as a String value.
  Value string(std::string_view s) const;

  /// Throws Puppet's "Evaluation Error: Error while evaluating a Function Call, <message>" at this call.
  [[noreturn]] void fail(std::string message) const;

  /// Logs the warning of a deprecation once per compile and key, as Puppet's warn_once, unless the settings silence these. `place` appends
  /// the file and line of the call.
  void warn_once(std::string_view key, std::string message, bool place = false) const;
};

using NativeFunction = Value (*)(FunctionCall&);

struct Dispatch {
  std::string_view signature;
  NativeFunction code; // null: the function is only listed (FunctionEntry::is_native)
  /// Not an implementation, but Puppet's argument_mismatch: when no other dispatch accepts the arguments and this one does, its code
  /// returns the error's text as a String. It may return undef: then the next one is tried.
  bool mismatch = false;
};

/// What callers of a function should know about it: flags of a FunctionEntry.
enum class FunctionTrait : uint8_t {
  None = 0,
  Statement = 1,  // may stand alone as a statement although its value is of no use (include, notice, fail, …)
  Effects = 2,    // changes the catalog, jumps, runs code or gives another answer each time: do not run its caller again
  ReadsFiles = 4, // returns the contents of a file of the machine or of a module
  OldApi = 8,     // Puppet has it in the old API, so templates can call it by scope.function_NAME
  AsksNode = 16,  // its result depends on more than its arguments: on variables, facts, the node, its data or the catalog
};
constexpr FunctionTrait operator|(FunctionTrait a, FunctionTrait b) {
  return static_cast<FunctionTrait>(static_cast<uint8_t>(a) | static_cast<uint8_t>(b));
}

struct FunctionEntry {
  std::string_view name; // "each", "stdlib::ensure"
  std::string_view doc;  // Markdown: what it does, result, errors
  std::vector<Dispatch> dispatches;
  FunctionTrait traits = FunctionTrait::None;
  std::string_view module = {}; // a native function replaces programs of this module; empty = the language's own function
  /// Which of several programs of this name it replaces; compiler/stdlib/replaced_functions.inc lists their files.
  std::string_view variant = {};

  /// False for a module's function that is only listed, for the manual and for messages: no program leads to it, the module's file runs.
  bool is_native() const { return dispatches.front().code != nullptr; }
  bool has(FunctionTrait trait) const { return (static_cast<uint8_t>(traits) & static_cast<uint8_t>(trait)) != 0; }
};

/// A module's program that a native function replaces.
struct ReplacedFunction {
  std::string_view function;
  std::string_view variant; // FunctionEntry::variant
  uint64_t digest;          // digest of the program's file (compiler/ruby/syntax/program_digest.h)
};

using FunctionTable = std::span<const FunctionEntry>;

/// All built-in functions by name. A compile receives one registry, and nothing changes it then. compiler/build joins the families' tables
/// (builtin_functions.h).
class FunctionRegistry {
public:
  /// Adds a table, which must outlive the registry. Entries without a module get `module`.
  void add(FunctionTable table, std::string_view module = {});
  /// Sets the programs that native functions replace, sorted by name.
  void add_replaced(std::span<const ReplacedFunction> programs) { programs_ = programs; }
  /// The language's own function.
  const FunctionEntry* find(std::string_view name) const;
  /// The entry for a module's function of that name, of any variant, native or only listed; null when there is none.
  const FunctionEntry* find_native(std::string_view name) const;
  const FunctionEntry* find_native(std::string_view name, std::string_view variant) const;
  /// The native function for the program with this digest; null when there is none.
  const FunctionEntry* find_program(std::string_view name, uint64_t digest) const;
  const std::vector<const FunctionEntry*>& entries() const { return entries_; }

private:
  std::deque<FunctionEntry> of_modules_;
  std::vector<const FunctionEntry*> entries_;
  std::unordered_map<std::string_view, const FunctionEntry*> by_name_;
  std::unordered_multimap<std::string_view, const FunctionEntry*> natives_;
  std::span<const ReplacedFunction> programs_;
};

} // namespace pupc::compiler
