#pragma once
// Which methods Ruby's own classes have, and how many arguments they take; respond_to? and Ruby's own errors ask this.
#include "compiler/ruby_interpreter/ruby_value.h"

#include <optional>

namespace pupc::ruby {

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

/// Whether Ruby's spelling checker (did_you_mean) may propose `word` for `name`, in the message of a NoMethodError or KeyError. Never false
/// where it does.
bool may_be_proposed(std::string_view name, std::string_view word);

/// Whether it may propose any public method of class `c` for `name`.
bool may_be_misspelt(RubyClass c, std::string_view name);

} // namespace pupc::ruby
