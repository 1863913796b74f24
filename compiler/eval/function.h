#pragma once
// Functions. A built-in is one FunctionEntry: name, documentation, and dispatches, each a signature in Puppet types beside its code.
//
//   static Value abs_number(FunctionCall& c) { ... }
//   static const FunctionEntry abs_entry{
//       "abs", "Absolute value of a number.",
//       {{"Numeric $val", abs_number}}};
//
// A signature is a list of parameters separated by top-level commas, each `Type $name`, optionally followed by `?` (optional),
// `*` (repeated, 0..n) or `+` (repeated, 1..n); the last may be a block `Callable[1, 1] &block` (`&block?` when optional):
//   "String $format, Any $args*"     "Hash $h, Callable[2, 2] &block"     "Collection[Any] $c, Optional[String] $sep?"
// A function of Puppet's old API has the one signature "3.x", with Ruby's arity behind it where Puppet checks one:
// "3.x 1" takes one argument, "3.x -2" at least one. Its arguments arrive converted: undef as the empty text; regular expressions,
// versions, Binary and times as text. A lambda is ignored. Dispatches are tried in order; when none accepts, the error is Puppet's
// (compiler/types describes it).
#include "catalog/value/value.h"
#include "compiler/eval/scope.h"
#include "compiler/types/type.h"

#include <deque>
#include <initializer_list>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pupc {

class Evaluator;
class RubyFunctionFile; // compiler/load/environment.h
struct Closure;

/// One call: arguments already checked against the dispatch's signature.
struct FunctionCall {
  Evaluator& evaluator;
  std::string_view name;
  std::span<const Value> args;
  const Closure* block;                   // null = none
  Frame& frame;                           // the caller's
  Loc loc;                                // the call expression
  const RubyFunctionFile* file = nullptr; // of a module's function: the file whose program this is

  Arena& arena() const;
  /// The module whose function this is; empty for the language's own.
  std::string_view module() const;
  TypeContext& types() const;
  size_t size() const { return args.size(); }
  /// Argument i, undef when not given.
  Value arg(size_t i) const { return i < args.size() ? args[i] : Value::undef(); }
  bool given(size_t i) const { return i < args.size(); }

  /// Calls the block. `next(v)` in it gives v. Returns false when the block called break(): stop iterating then.
  [[nodiscard]] bool yield(std::span<const Value> block_args, Value& result) const;
  [[nodiscard]] bool yield(std::initializer_list<Value> block_args, Value& result) const;
  /// Calls the block where break() is not this function's to absorb (with, then, lest, call): it passes on to the caller.
  Value call_block(std::span<const Value> block_args) const;
  Value call_block(std::initializer_list<Value> block_args) const;
  /// Number of parameters the block accepts: {required, maximum}; maximum -1 = any number.
  std::pair<int, int> block_arity() const;

  /// Calls another function as this one's file would: by what its module sees. Errors: those of the call.
  Value call(std::string_view function, std::span<const Value> args) const;
  Value call(std::string_view function, std::initializer_list<Value> args) const;
  /// The same by `function_NAME([…])`, which finds functions of the 3.x API alone.
  Value call_old(std::string_view function, std::span<const Value> args) const;
  Value call_old(std::string_view function, std::initializer_list<Value> args) const;
  /// Lets Ruby run the file for arguments that the native function does not take on: rare ones whose treatment is Ruby's own.
  Value run_file() const;

  /// Copies a temporary into the compile's arena as a String value.
  Value string(std::string_view s) const;

  /// Throws Puppet's "Evaluation Error: Error while evaluating a Function Call, <message>" at this call.
  [[noreturn]] void fail(std::string message) const;

  /// Logs a warning once per compile for a key, as Puppet's warn_once; `place` appends file and line of the call.
  void warn_once(std::string_view key, std::string message, bool place = false) const;
};

using NativeFunction = Value (*)(FunctionCall&);

struct Dispatch {
  std::string_view signature;
  NativeFunction code;
  /// Not an implementation: when no other dispatch accepts the arguments and this one does, its code returns the error's text
  /// as a String (undef: try the next). Puppet's argument_mismatch.
  bool mismatch = false;
};

/// What a function is, for those who do not call it: flags of a FunctionEntry.
enum class FunctionTrait : uint8_t {
  None = 0,
  Statement = 1,  // may stand alone although it returns nothing of use (include, notice, fail, …)
  Effects = 2,    // changes the catalog, jumps, runs code or answers differently each time: its caller cannot be run again
  ReadsFiles = 4, // gives what stands in a file of the machine or of a module
  OldApi = 8,     // Puppet itself has it in the old API, so that templates can call it by scope.function_NAME
};
constexpr FunctionTrait operator|(FunctionTrait a, FunctionTrait b) {
  return static_cast<FunctionTrait>(static_cast<uint8_t>(a) | static_cast<uint8_t>(b));
}

struct FunctionEntry {
  std::string_view name; // "each", "stdlib::ensure"
  std::string_view doc;  // Markdown: what it does, result, errors
  std::vector<Dispatch> dispatches;
  FunctionTrait traits = FunctionTrait::None;
  std::string_view module = {}; // a native function stands for programs of this module; empty = the language's own
  /// Which of several programs of the name it stands for; compiler/function/known_programs.inc says which files these are.
  std::string_view variant = {};

  bool has(FunctionTrait trait) const { return (static_cast<uint8_t>(traits) & static_cast<uint8_t>(trait)) != 0; }
};

/// A program that a native function stands for.
struct KnownProgram {
  std::string_view function;
  std::string_view variant; // FunctionEntry::variant
  uint64_t digest;          // of the file (compiler/ruby_source/program_digest.h)
};

using FunctionTable = std::span<const FunctionEntry>;

/// All built-in functions by name: what a compile is given. Immutable. compiler/build joins the families' tables (builtin_functions.h).
class FunctionRegistry {
public:
  /// The tables outlive the registry. Entries without a module get `module`.
  void add(FunctionTable table, std::string_view module = {});
  /// What the native functions stand for, sorted by name.
  void add_programs(std::span<const KnownProgram> programs) { programs_ = programs; }
  /// The language's own function.
  const FunctionEntry* find(std::string_view name) const;
  /// A native function that stands for a module's: whichever variant there is, or one.
  const FunctionEntry* find_native(std::string_view name) const;
  const FunctionEntry* find_native(std::string_view name, std::string_view variant) const;
  /// The one that stands for the program with this digest; null when none does.
  const FunctionEntry* find_program(std::string_view name, uint64_t digest) const;
  const std::vector<const FunctionEntry*>& entries() const { return entries_; }

private:
  std::deque<FunctionEntry> of_modules_;
  std::vector<const FunctionEntry*> entries_;
  std::unordered_map<std::string_view, const FunctionEntry*> by_name_;
  std::unordered_multimap<std::string_view, const FunctionEntry*> natives_;
  std::span<const KnownProgram> programs_;
};

} // namespace pupc
