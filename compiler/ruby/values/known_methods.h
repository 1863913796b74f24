#pragma once
// Which methods Ruby's own classes have, and how many arguments they take; respond_to? and Ruby's own errors ask this.
#include "compiler/ruby/values/ruby_value.h"

#include <optional>
#include <string>

namespace pupc::compiler::ruby {

enum class Presence : uint8_t {
  Unsure, // a class without a table, or a method that libraries add
  Public,
  Private,
  Missing
};

struct KnownMethod {
  Presence presence = Presence::Unsure;
  std::optional<size_t> arity; // the number of arguments of a method that takes exactly that many
};

/// What is known of a method of the instances of class `c`.
KnownMethod known_method(RubyClass c, std::string_view method);

/// What Ruby's spelling checker adds to the message of a NoMethodError: "" or "\nDid you mean?  …". Nothing where that isn't certain.
std::optional<std::string> method_hint(RubyClass c, std::string_view name);

} // namespace pupc::compiler::ruby
