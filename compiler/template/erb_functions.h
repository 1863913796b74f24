#pragma once
// What templates may call by scope.function_x([…]) and scope.call_function('x', […]).
#include "catalog/base/log.h"
#include "compiler/template/erb.h"
#include "compiler/template/erb_value.h"

namespace pupc::erb {

/// A template that turns out to need Ruby while it is being rendered is rendered again, so only what may happen twice is called:
/// Log: is remembered and logged in the end; No: only Ruby can; Unknown: a module's function, which may do anything, so the whole template
/// goes to Ruby, where there is one (without it the template cannot be rendered again, and the function is called).
enum class FunctionUse : uint8_t { No, Yes, Log, Unknown };
FunctionUse function_use(std::string_view name, bool old_api);
bool find_log_level(std::string_view name, LogLevel& level);

/// Path of a template by "module/file" or absolute path; "" when there is none.
std::string find_erb_template(Evaluator& evaluator, std::string_view name);
/// render_erb_natively for a template that another one renders.
ErbResult render_erb_nested(Evaluator& evaluator, Frame& frame, std::string_view text, std::string_view path, int depth);

/// Whether instances of a class have a public method; false when that isn't known for sure.
bool known_response(RubyClass c, std::string_view method, bool& answer);

} // namespace pupc::erb
