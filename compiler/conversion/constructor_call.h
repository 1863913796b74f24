#pragma once
// The functions that make the values of `new`, by family of types, and what each gets.
#include "compiler/types/constructor.h"

#include <string>

namespace pupc::compiler {

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

/// "The string 'x' cannot be converted to Integer", "Value of type Array[String] cannot be converted to Integer".
std::string cannot_convert(TypeContext& ctx, const Value& v, std::string_view to);

namespace constructors {
#define CONSTRUCTOR(name) Value name(const ConstructorCall&);
#define REFUSAL(name) std::string name(const ConstructorCall&);
#include "compiler/types/constructors.def"
#undef CONSTRUCTOR
#undef REFUSAL
} // namespace constructors

} // namespace pupc::compiler
