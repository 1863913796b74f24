#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace pupc::compiler {

/// Replaces `$name` and `${name}` in `text` by the result of `value_of`, as in puppet.conf and environment.conf. Names without a value stay
/// as written.
std::string interpolate_setting_text(std::string_view text, const std::function<std::optional<std::string>(std::string_view)>& value_of);

} // namespace pupc::compiler
