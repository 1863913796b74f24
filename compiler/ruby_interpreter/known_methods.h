#pragma once
// Which public methods Ruby's own classes have; respond_to? asks this.
#include "compiler/ruby_interpreter/ruby_value.h"

namespace pupc::ruby {

/// Sets `answer` to whether instances of class `c` have the public method. Returns false, without an answer, where that isn't certain.
bool known_response(RubyClass c, std::string_view method, bool& answer);

} // namespace pupc::ruby
