#pragma once
// What Ruby code may not change in place. Values of the language never change, but Puppet's values are Ruby's objects, and some of them are
// frozen: facts and trusted data with all that they hold, texts in single quotes, bare words, the keys of hashes, titles of defined types
// and names of modules. A text from data, from an interpolation or from a function is not.
#include "catalog/value/value.h"
#include "catalog/value/value_flags.h"

namespace pupc::catalog {

inline bool is_frozen(const Value& v) { return (v.flags & frozen_flag) != 0 && (v.is_string() || v.is_list() || v.is_hash()); }

/// The same text, frozen. A text with another mark stays as it is.
inline Value frozen_text(Value text) {
  if (text.is_string() && text.flags == 0) text.flags = frozen_flag;
  return text;
}

/// A hash with the same keys in the same order, so that the index stays right.
Value with_entries(Arena& arena, const Hash& from, const HashEntry* entries);

/// A copy whose texts, lists and hashes are frozen at every depth.
Value deep_frozen(Arena& arena, const Value& v);

/// The value with nothing frozen but keys, as Puppet hands it to resources and functions of the 3.x API. Copies the lists and hashes that
/// hold something frozen, and no others.
Value thawed(Arena& arena, const Value& v);

} // namespace pupc::catalog
