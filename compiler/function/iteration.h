#pragma once
// Elements of whatever the language can iterate over, and the small helpers that iterating functions share.
#include "compiler/eval/function.h"
#include "compiler/types/iterator.h"

#include <vector>

namespace pupc {

/// Elements of an Iterable: arrays, hashes (as [key, value] pairs), strings (characters), integers n (0 … n-1), integer ranges,
/// Enum types and iterators. Throws Puppet's error when `v` cannot be iterated.
struct Elements {
  std::span<const Value> values;
  bool hash_style = false;
  std::vector<Value> storage;
};
void elements_of(const FunctionCall& call, const Value& v, Elements& out);

/// Elements of a type that can be iterated (finite integer ranges, Enum, aliases of them); false for other types.
bool elements_of_type(TypeContext& types, const Type* type, std::vector<Value>& out);

/// True for what is counted, an integer or a range of them.
bool counts(const Value& v);

/// Ruby's reading of what a lambda says about the order of `a` and `b`: a number below, at or above 0. Fails with Ruby's words for anything
/// else.
int order_of_result(FunctionCall& call, const Value& result, const Value& a, const Value& b);

/// [a, b] as a List value.
Value make_pair(Arena& arena, const Value& a, const Value& b);

/// The characters of a string (code points, invalid bytes one by one) as String values that share its bytes.
void characters_of(std::string_view s, std::vector<Value>& out);

} // namespace pupc
