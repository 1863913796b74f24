#pragma once
// Members of values that `value.name` reads: attributes of objects, parts of URIs. And URIs as the + operator merges them.
#include "catalog/value/value.h"

#include <string_view>

namespace pupc {

/// The member of an Object, Deferred or URI value; false when it has none of that name (then it is a function call).
bool find_member(Arena& arena, const Value& value, std::string_view name, Value& out);

/// `base + reference` of URIs by RFC 3986 (section 5.2), as Ruby's URI#merge.
Value merge_uri(Arena& arena, const Value& base, const Value& reference);

} // namespace pupc
