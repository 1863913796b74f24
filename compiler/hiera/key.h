#pragma once
// A lookup key: "a::b.c.0.'x.y'" is root key "a::b" of module "a" with the segments "c", 0 and "x.y".
#include "catalog/value/value.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

class Explainer;

/// Splits a dotted key into segments (strings, or integers for unquoted digits). Returns false when it is malformed.
/// Segments are views into `key`.
bool split_key(std::string_view key, std::vector<Value>& segments);

struct LookupKey {
  std::string_view text;
  std::string_view root;
  std::string_view module; // empty = none
  bool has_module = false;
  std::vector<Value> segments; // after the root; empty as a rule

  /// Throws LookupError "Syntax error in key: '…'".
  explicit LookupKey(std::string_view key);
};

/// Segments as an explanation names them: with dots between them, without quotes.
std::string shown_segments(std::span<const Value> segments);

/// Follows segments into a value. False when there is nothing at the place. Throws LookupError when a segment leads into something that is
/// no hash ("Data Provider type mismatch: …").
bool dig(std::string_view key, std::span<const Value> segments, Value& value, Explainer* explainer);

} // namespace pupc
