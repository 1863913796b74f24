#pragma once
// A lookup key: "a::b.c.0.'x.y'" has the root key "a::b" in module "a", and the segments "c", 0 and "x.y".
#include "catalog/value/value.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::compiler {

class Explainer;

/// Splits a dotted key into segments (strings, or integers for unquoted digits). Returns false when it is malformed.
/// Segments are views into `key`.
bool split_key(std::string_view key, std::vector<Value>& segments);

struct LookupKey {
  std::string_view text;
  std::string_view root;
  std::string_view module; // empty = none
  bool has_module = false;
  std::vector<Value> segments; // after the root; usually empty

  /// Throws LookupError "Syntax error in key: '…'".
  explicit LookupKey(std::string_view key);
};

/// The segments as an explanation prints them: separated by dots, without quotes.
std::string shown_segments(std::span<const Value> segments);

/// Follows segments into a value. Returns false when there is nothing at that place. Throws LookupError when a segment leads into a value
/// that is not a hash or array ("Data Provider type mismatch: …").
bool dig(std::string_view key, std::span<const Value> segments, Value& value, Explainer* explainer);

} // namespace pupc::compiler
