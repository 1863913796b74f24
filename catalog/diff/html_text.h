#pragma once
// Text in HTML pages.
#include <string>
#include <string_view>

namespace pupc {

/// The text as HTML shows it, also inside a quoted attribute; control characters but tab and line end as visible escapes.
std::string escape_html(std::string_view text);

/// The start of a page up to its body: head with title, style and a policy that allows no network at all.
std::string html_head(std::string_view title, std::string_view style);

} // namespace pupc
