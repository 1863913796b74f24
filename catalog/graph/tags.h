#pragma once
// Tags: their form, and names of types and classes as references print them.
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

/// Whether a text can be a tag: letters, digits and _ first, then also : . and - (Puppet's ValidTagRegex).
bool valid_tag(std::string_view text);

/// Segments of "a::b::c"; trailing empty ones are dropped, as Ruby's split does.
std::vector<std::string_view> split_segments(std::string_view name);

/// "foo::bar" -> "Foo::Bar" as Puppet prints types and class titles. A name that begins with a capital is left alone.
std::string capitalize_segments(std::string_view name);

/// Lower case by Unicode's full mapping; quick for ASCII.
std::string downcase_name(std::string_view text);

/// Splits "Type[title]" at the first [ and the last ]. False when the text has not that form.
bool split_reference(std::string_view text, std::string_view& type, std::string_view& title);

} // namespace pupc
