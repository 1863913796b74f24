#pragma once
// The elements of everything that the language can iterate over, and small helpers that the iterating functions share.
#include "compiler/eval/function.h"
#include "compiler/types/iterator.h"

#include <vector>

namespace pupc::compiler {

/// Elements of an Iterable: arrays, hashes (as [key, value] pairs), strings (characters), integers n (0 … n-1), integer ranges,
/// Enum types and iterators. Throws Puppet's error when `v` cannot be iterated.
struct Elements {
  std::span<const Value> values;
  /// The elements are [key, value] pairs of a hash: a lambda may take them as two parameters.
  bool hash_style = false;
  std::vector<Value> storage;
};
void elements_of(const FunctionCall& call, const Value& v, Elements& out);

/// Appends the elements of a type that can be iterated (finite integer ranges, Enum, aliases of them). Returns false for other types.
bool elements_of_type(TypeContext& types, const Type* type, std::vector<Value>& out);

/// True for an integer or a range of integers: the iteration counts.
bool counts(const Value& v);

/// Reads a lambda's verdict on the order of `a` and `b` as Ruby does: a number below, equal to or above 0. Raises Ruby's error for anything
/// else.
int order_of_result(FunctionCall& call, const Value& result, const Value& a, const Value& b);

/// [a, b] as a List value.
Value make_pair(Arena& arena, const Value& a, const Value& b);

/// The characters of a string (code points, invalid bytes one by one) as String values that share its bytes.
void characters_of(std::string_view s, std::vector<Value>& out);

} // namespace pupc::compiler
