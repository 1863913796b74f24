#pragma once
// Valid tags, and names of types and classes as references print them.
#include "catalog/base/namespaces.h"

#include <string>
#include <string_view>
#include <vector>

namespace pupc::catalog {

/// Whether a text can be a tag: first a letter, digit or _, then also : . and - (Puppet's ValidTagRegex).
bool valid_tag(std::string_view text);

/// Segments of "a::b::c", without trailing empty ones, as Ruby's split returns them.
std::vector<std::string_view> split_segments(std::string_view name);

/// "foo::bar" -> "Foo::Bar", as Puppet prints types and class titles. A name that begins with a capital stays unchanged.
std::string capitalize_segments(std::string_view name);

/// Lower case by Unicode's full mapping. Fast for ASCII.
std::string downcase_name(std::string_view text);

/// Splits "Type[title]" at the first [ and the last ]. False when the text does not have this form.
bool split_reference(std::string_view text, std::string_view& type, std::string_view& title);

} // namespace pupc::catalog
