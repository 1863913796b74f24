#pragma once
// Reads the expression of a type alias as a type, not as code: it may contain only names, literals and parameters.
#include "compiler/ast/ast.h"
#include "compiler/types/type.h"

#include <string_view>

namespace pupc::compiler {

/// Somebody who remembers what types are: a few stand before most parameters, and within one another.
class KnownTypes {
public:
  /// The type that a part of an expression stands for, or null when it must be read where it stands.
  virtual const Type* find(const Access& part) = 0;

protected:
  ~KnownTypes() = default;
};

/// Interprets the expressions of one alias as Puppet's TypeParser does. An unknown name becomes a type reference, and errors about
/// parameters use Puppet's words. It looks up types only, and calls nothing.
class TypeInterpreter {
public:
  /// `source` is the text of the alias' file.
  TypeInterpreter(TypeContext& ctx, const TypeAlias& alias, std::string_view source) : ctx_(ctx), alias_(&alias), source_(source) {}
  /// For an expression that belongs to no alias. `known` may be null.
  TypeInterpreter(TypeContext& ctx, std::string_view source, KnownTypes* known = nullptr) : ctx_(ctx), source_(source), known_(known) {}

  /// The type of the whole expression. Throws CompileError without place.
  const Type* type(const Node& expression);
  /// A literal, a type or a collection of them; undef where Puppet has nil.
  Value value(const Node& expression);

private:
  TypeContext& ctx_;
  const TypeAlias* alias_ = nullptr;
  std::string_view source_;
  KnownTypes* known_ = nullptr;

  std::string_view text_of(const Node& node) const;
  [[noreturn]] void invalid(const Node& node) const;
  Value access(const Access& node);
  Value named(const Access& node, const Reference& reference, const std::vector<Value>& parameters);
  Value make(const Type* base, std::span<const Value> parameters) const;
};

} // namespace pupc::compiler
