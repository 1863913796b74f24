#pragma once
#include "runtime/ruby/ruby_session.h"

namespace pupc::runtime {

/// Makes the handler of a type whose resources Ruby manages.
std::unique_ptr<TypeHandler> make_ruby_type_handler(std::shared_ptr<ProviderRubySession> session, std::string type);

} // namespace pupc::runtime
