#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace pupc {

/// `text` with `$name` and `${name}` replaced by what `value_of` says, as in puppet.conf and environment.conf; names without a value stay
/// as written.
std::string interpolate_setting_text(std::string_view text, const std::function<std::optional<std::string>(std::string_view)>& value_of);

} // namespace pupc
