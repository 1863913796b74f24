#pragma once
// Text in HTML pages.
#include "catalog/base/namespaces.h"

#include <string>
#include <string_view>

namespace pupc::catalog {

/// Escapes a text for HTML, also for quoted attributes. Control characters except tab and line end become visible escapes.
std::string escape_html(std::string_view text);

/// The start of a page up to its body: the head with title, style and a policy that allows no network access.
std::string html_head(std::string_view title, std::string_view style);

} // namespace pupc::catalog
