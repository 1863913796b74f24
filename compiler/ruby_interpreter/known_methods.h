#pragma once
// Which methods Ruby's own classes have, for respond_to?.
#include "compiler/ruby_interpreter/ruby_value.h"

namespace pupc::ruby {

/// Whether instances of a class have a public method; false when that isn't known for sure.
bool known_response(RubyClass c, std::string_view method, bool& answer);

} // namespace pupc::ruby
