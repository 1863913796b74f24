#pragma once
// Ruby's String#inspect: Puppet's messages, titles and templates show texts in it.
#include <string>
#include <string_view>

namespace pupc {

/// Appends `text` in double quotes, escaped as Ruby 3 does for UTF-8: `\n`, `\e`, `\u0001`, `\#{`, unprintable characters as `\u{10FFFF}`,
/// bytes that are no character as `\xE9`.
void append_inspected(std::string& out, std::string_view text);
std::string inspected(std::string_view text);

} // namespace pupc
