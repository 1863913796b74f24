#pragma once
#include "runtime/ruby/ruby_session.h"

namespace pupc {

/// A type whose resources Ruby looks after.
std::unique_ptr<TypeHandler> make_ruby_type_handler(std::shared_ptr<RubySession> session, std::string type);

} // namespace pupc
