#pragma once
// Makes programs that the interpreter can run out of Ruby code.
#include "compiler/ruby/core/ruby_host.h"
#include "compiler/ruby/syntax/ruby_tree.h"

#include <set>
#include <string_view>

namespace pupc::compiler::ruby {

/// Gives the calls of a parsed program the numbers of their methods.
void number_methods(RubyScript& program);

/// Gives the calls of a parsed program the numbers of their methods, and adds to `program.problems` and `doubts` what the interpreter
/// doesn't know in the tree. Returns the nodes of the doubts.
std::set<const Node*> check_program(RubyScript& program, const CallableFunctions& functions);

/// Whether loading one of Ruby's libraries makes no difference: it only adds what the interpreter has anyway, or methods that it does not
/// know.
bool is_harmless_library(std::string_view name);

/// Whether code comes to one of the doubts whatever values it meets, unless it raises an error before.
bool comes_to(const Node* body, const std::set<const Node*>& doubts);

/// Parses the program's code and checks it. What cannot be parsed or isn't known becomes a problem, never an error.
void parse_program(RubyScript& program, RegexCache& regexes, const CallableFunctions& functions);

} // namespace pupc::compiler::ruby
