#pragma once
// What `value.name` reads: attributes of objects and parts of URIs. Also how the + operator merges URIs.
#include "catalog/value/value.h"

#include <string_view>

namespace pupc::compiler {

/// Finds a member of an Object, Deferred or URI. Returns false when there is none of that name: the expression is then a function call.
bool find_member(Arena& arena, const Value& value, std::string_view name, Value& out);

/// `base + reference` of URIs by RFC 3986 (section 5.2), as Ruby's URI#merge.
Value merge_uri(Arena& arena, const Value& base, const Value& reference);

} // namespace pupc::compiler
