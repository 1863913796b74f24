#pragma once
// A type alias may lead back to itself. This guard stops every walk over types from going round for ever.
#include "compiler/types/type.h"

namespace pupc::compiler {

/// Code that walks over types creates an AliasStep before it follows an alias, and keeps it until it comes back.
class AliasStep {
public:
  /// `with`: the type or value that the alias is compared with, or null.
  explicit AliasStep(const Type* alias, const void* with = nullptr);
  ~AliasStep();
  AliasStep(const AliasStep&) = delete;
  AliasStep& operator=(const AliasStep&) = delete;
  /// Whether an outer AliasStep of this thread already follows the same alias with the same `with`.
  bool again() const { return again_; }
  /// Throws CompileError if again(): the question has no answer. Puppet fails there too, with "stack level too deep".
  void refuse_again() const;

private:
  const Type* alias_;
  bool again_ = false;
};

/// Whether it is unknown yet if the type accepts undef: that depends on an alias that is still being resolved.
bool undecided(const Type* t);

} // namespace pupc::compiler
