#pragma once
// Ruby's String#inspect. Texts in Puppet's messages, titles and templates have this form.
#include "catalog/base/namespaces.h"

#include <string>
#include <string_view>

namespace pupc::catalog {

/// Appends `text` in double quotes, escaped as Ruby 3 does for UTF-8: `\n`, `\e`, `\u0001`, `\#{`, unprintable characters as
/// `\u{10FFFF}`, invalid bytes as `\xE9`.
void append_inspected(std::string& out, std::string_view text);
std::string inspected(std::string_view text);

} // namespace pupc::catalog
