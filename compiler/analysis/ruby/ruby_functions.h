#pragma once
// Functions that modules write in Ruby, as far as their files tell without running them.
#include "compiler/ruby/syntax/ruby_static.h"
#include "compiler/types/type.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::compiler {

struct ModuleRubyFunction {
  static constexpr uint32_t no_limit = std::numeric_limits<uint32_t>::max();
  enum class Block : uint8_t { None, Optional, Required };
  struct Parameter {
    std::string type;
    uint32_t line = 0;
    enum class Kind : uint8_t { Required, Optional, Repeated } kind = Kind::Required;
  };
  struct Dispatch {
    std::string method;
    std::vector<Parameter> parameters;
    std::vector<Parameter> other_types; // of a block and of the result
    std::string returns;                // the type that return_type names; empty: none
    uint32_t returns_line = 0;
    Block block = Block::None;
    uint32_t line = 0;
    bool known = true;       // all that it says is understood
    std::string wrong_order; // what Puppet says of the order of the parameters; empty: it is right
    uint32_t wrong_line = 0;
    std::string no_method; // called in it, and dispatches have no such method; empty: all are known
    uint32_t no_method_line = 0;
    uint32_t least = 0, most = 0; // values
  };
  struct Method {
    std::string name;
    uint32_t least = 0, most = 0, line = 0;
    bool known = true;
    std::string_view result = {}; // the type of what it gives, where its last statement tells it: String, Array, …
  };
  std::string name; // empty: the file shows none
  uint32_t line = 1;
  bool old_api = false;
  bool statement = false;           // of the old API, and it has no value
  std::string no_type;              // of the old API: its type, where Puppet knows none of this name
  bool reads_variables = false;     // it may read variables of its caller, or render templates with them
  bool declares = true;             // it may declare resources or include classes
  std::vector<std::string> creates; // all that it may declare, and it includes nothing: resources of these types. Then `declares` is false
  std::vector<Dispatch> dispatches; // none: one that takes what the method of the function's name takes; of the old API: by its arity
  std::vector<Method> methods;
  bool local_types = false;             // it has types of its own
  std::vector<std::string> local_names; // of these; none: not all are known
  bool known = true;                    // the file has nothing that may change dispatches and methods
  bool readable = true;
  std::shared_ptr<const RubyFile> file; // until its check
};

/// Reads the file of a function; what cannot be told without running it makes it unknown.
ModuleRubyFunction read_ruby_function(std::string path, std::string text);

/// How many values are taken, in words: "2", "1 to 3", "at least 1".
std::string values_text(uint32_t least, uint32_t most);

} // namespace pupc::compiler
