#pragma once

namespace pupc::catalog {

struct Value;

/// Ruby's ==: as eql(), but an integer and a float of the same size are equal, also as items of lists and values of hashes (not as keys).
/// Ruby's Array#-, & and uniq compare by eql? instead: for them see eql().
bool ruby_equal(const Value& a, const Value& b);

} // namespace pupc::catalog
