#pragma once
// What `new` accepts for each type: the signatures that Puppet declares, each with the function that makes the value.
#include "compiler/types/core_types.h"

#include <string>
#include <vector>

namespace pupc {

struct ConstructorCall {
  TypeContext& ctx;
  const Type* type; // the type to instantiate
  std::span<const Value> args;

  Arena& arena() const { return ctx.arena; }
  const Value& operator[](size_t i) const { return args[i]; }
  /// Argument `i`, or undef when it was not given.
  Value optional(size_t i) const { return i < args.size() ? args[i] : Value::undef(); }
  /// Throws CompileError with the conversion's own message.
  [[noreturn]] void fail(std::string message) const;
  /// Value of a key of the hash given as the only argument, or undef.
  Value named(std::string_view key) const;
};

struct Constructor {
  const Type* callable = nullptr;
  std::vector<std::string_view> names;
  Value (*make)(const ConstructorCall&) = nullptr;
  /// Set instead of `make` for arguments that are known to be wrong: returns the reason.
  std::string (*explain)(const ConstructorCall&) = nullptr;
};

struct ConstructorSet {
  std::string_view function; // as messages name it: "new_float"
  std::vector<Constructor> list;
};

/// The constructors of a type, or null when it has none. The caller strips aliases, Optional and NotUndef first.
/// The sets of the built-in types are made once per process.
const ConstructorSet* find_constructors(const Type* type);

/// "The string 'x' cannot be converted to Integer", "Value of type Array[String] cannot be converted to Integer".
std::string cannot_convert(TypeContext& ctx, const Value& v, std::string_view to);

// The functions that make the values, by family of types.
namespace constructors {
Value integer_from_args(const ConstructorCall&);
Value integer_from_hash(const ConstructorCall&);
std::string integer_hash_error(const ConstructorCall&);
std::string integer_error(const ConstructorCall&);
Value float_from_args(const ConstructorCall&);
Value float_from_hash(const ConstructorCall&);
std::string float_error(const ConstructorCall&);
Value numeric_from_args(const ConstructorCall&);
Value numeric_from_hash(const ConstructorCall&);
std::string numeric_error(const ConstructorCall&);
Value boolean_from_args(const ConstructorCall&);
std::string boolean_error(const ConstructorCall&);

Value array_from_value(const ConstructorCall&);
Value array_wrapped(const ConstructorCall&);
std::string array_error(const ConstructorCall&);
Value hash_from_tree(const ConstructorCall&);
Value hash_from_tuples(const ConstructorCall&);
Value hash_from_array(const ConstructorCall&);

Value string_from_args(const ConstructorCall&);
Value regexp_from_string(const ConstructorCall&);
Value type_from_string(const ConstructorCall&);
Value sensitive_from_any(const ConstructorCall&);
Value binary_from_string(const ConstructorCall&);
Value binary_from_array(const ConstructorCall&);
Value binary_from_hash(const ConstructorCall&);
Value uri_from_string(const ConstructorCall&);
Value uri_from_hash(const ConstructorCall&);
Value same(const ConstructorCall&);

Value timespan_from_seconds(const ConstructorCall&);
Value timespan_from_string(const ConstructorCall&);
Value timespan_from_fields(const ConstructorCall&);
Value timespan_from_hash(const ConstructorCall&);
Value timestamp_now(const ConstructorCall&);
Value timestamp_from_seconds(const ConstructorCall&);
Value timestamp_from_string(const ConstructorCall&);
Value timestamp_from_hash(const ConstructorCall&);
Value semver_from_string(const ConstructorCall&);
Value semver_from_args(const ConstructorCall&);
Value semver_from_hash(const ConstructorCall&);
std::string semver_error(const ConstructorCall&);
Value semver_range_from_string(const ConstructorCall&);
Value semver_range_from_versions(const ConstructorCall&);
Value semver_range_from_hash(const ConstructorCall&);
} // namespace constructors

} // namespace pupc
