#pragma once
// Reads the files in which modules write functions in Ruby, without running them: Puppet::Functions.create_function (4.x API) and
// newfunction (3.x API).
#include "compiler/ruby/core/ruby_host.h"
#include "compiler/ruby/syntax/ruby_tree.h"

#include <memory>
#include <optional>

namespace pupc::compiler::ruby {

/// A dispatch as the file writes it. Its types are still text.
struct DispatchText {
  struct Parameter {
    std::string type, name;
  };
  struct Block {
    std::string type, name;
    bool required = false;
  };
  std::string method;
  std::vector<Parameter> parameters;
  int64_t least = 0, most = 0; // most: -1 = any number
  std::optional<Block> block;
  std::optional<std::string> returns;
  bool mismatch = false;
  bool with_scope = false; // the method's first parameter is the caller's scope (scope_param of an InternalFunction)
};

struct FunctionFile {
  /// The methods and constants of the function (4.x), or the block of newfunction (3.x). `program.problems` lists everything that keeps
  /// the interpreter from running it.
  RubyScript program;
  bool needs_ruby = false; // problems, or its calls come to a doubt whatever the arguments are
  bool old_api = false;
  bool changes_objects = true; // 3.x: it may change a list or hash in place, or ask which object it is
  bool repeats = false;        // it only defines methods and literal constants: calls can go on with the interpreter of the one before
  bool requires_files = false; // at its top, others than libraries that are there anyway
  bool scope_first = false;    // the scope is the first parameter of each dispatch, and no caller gives it
  std::vector<DispatchText> dispatches;                   // 4.x
  std::vector<std::pair<std::string, std::string>> types; // 4.x: local type aliases, name and meaning
  std::vector<std::string> beside;                        // 3.x: the other functions that the file defines
  int64_t arity = -1;                                     // 3.x: as Ruby counts it (-2: at least one argument)
  bool returns_value = true;                              // 3.x
};

/// Reads the file of function `name`. Never fails: code that the interpreter does not know becomes an entry of `program.problems`.
std::shared_ptr<const FunctionFile> read_function_file(std::string_view text, std::string_view name, bool old_api, RegexCache& regexes,
                                                       const CallableFunctions& functions);

} // namespace pupc::compiler::ruby
