#pragma once
// Files in which modules write functions in Ruby: Puppet::Functions.create_function (4.x) and newfunction (3.x), read without running them.
#include "compiler/ruby_interpreter/ruby_tree.h"

#include <memory>
#include <optional>

namespace pupc::ruby {

/// A dispatch as it is written: types are text.
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
};

struct FunctionFile {
  Program program; // its methods and constants (4.x) or the block of newfunction (3.x); what keeps it from running here is in its problems
  bool old_api = false;
  std::vector<DispatchText> dispatches;                   // 4.x
  std::vector<std::pair<std::string, std::string>> types; // 4.x: local type aliases, name and meaning
  int64_t arity = -1;                                     // 3.x, Ruby's
  bool returns_value = true;                              // 3.x
};

/// Reads the file of function `name`. Never fails: what is not known becomes a problem.
std::shared_ptr<const FunctionFile> read_function_file(std::string_view text, std::string_view name, bool old_api, RegexCache& regexes,
                                                       const CallableFunctions& functions);

} // namespace pupc::ruby
